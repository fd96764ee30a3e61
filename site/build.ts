// Builds the documentation as pages that need no server but for files, and that search without one.
//
// Usage: npx tsx site/build.ts [REF...]
//   Each REF of git becomes a version of its own below dist/, the first is what the site opens with. Without one it is
//   the working tree, as `next`. SITE_URL says where it will be served.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { frontMatter } from './search.ts';
import { converted, isPage, landing, pathOf, titleOf } from './pages.ts';

const site = fileURLToPath(new URL('.', import.meta.url));
const root = join(site, '..');
const url = new URL(process.env['SITE_URL'] ?? 'https://n8n-tuned.github.io/n8n-tuned/');
const ICON = 'docs/chart/icon.svg';
const git = (...args: string[]): Buffer =>
  execFileSync('git', args, { cwd: root, maxBuffer: 1 << 30 });

const refs = process.argv.slice(2);
interface Version {
  /** Null: the working tree. */
  ref: string | null;
  name: string;
}

const versions = (refs.length > 0 ? refs : [null]).map((ref): Version => ({
  ref,
  name: ref === null ? 'next' : ref.replace(/^.*@/, ''),
}));

/** The files of a version, and how one is read. */
function source(ref: Version['ref']): { files: Set<string>; read: (file: string) => Buffer } {
  const list = ref === null ? git('ls-files') : git('ls-tree', '-r', '--name-only', ref);
  return {
    files: new Set(list.toString('utf8').trim().split('\n')),
    read: (file) => (ref === null ? readFileSync(join(root, file)) : git('show', `${ref}:${file}`)),
  };
}

function write(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** The pages of a version, as VitePress reads them. */
function prepare({ ref, name }: Version, folder: string): void {
  const { files, read } = source(ref);
  const titles: Record<string, string> = {};
  const updated: Record<string, number> = {};
  const pictures = new Set<string>();
  const add = (page: string, text: string, path: string): void => {
    const made = converted(page, text, { files, ref: ref ?? 'main' });
    for (const picture of made.pictures) pictures.add(picture);
    write(
      join(folder, path),
      path === 'index.md' ? made.content : frontMatter(page) + made.content,
    );
  };
  for (const page of [...files].filter(isPage)) {
    const text = read(page).toString('utf8');
    titles[pathOf(page)] = titleOf(text);
    updated[pathOf(page)] =
      1000 * Number(git('log', '-1', '--format=%ct', ref ?? 'HEAD', '--', page));
    add(page, text, pathOf(page));
  }
  add('README.md', landing(read('README.md').toString('utf8')), 'index.md');
  for (const picture of pictures) write(join(folder, picture), read(picture));
  const base = `${url.pathname}${name}/`;
  const facts = { name, titles, updated, base, icon: files.has(ICON) ? `${base}icon.svg` : null };
  const others = versions.map((one) => ({
    text: one.name,
    link: new URL(`${one.name}/`, url).href,
  }));
  write(join(folder, 'facts.json'), JSON.stringify({ ...facts, versions: others }));
  mkdirSync(join(folder, '.vitepress'), { recursive: true });
  for (const part of ['config.ts', 'menus.ts', 'pages.ts', 'repairs.ts', 'search.ts', 'theme'])
    cpSync(join(site, part), join(folder, '.vitepress', part), { recursive: true });
  if (files.has(ICON)) write(join(folder, 'public/icon.svg'), read(ICON));
}

/** VitePress is installed in this folder alone, for those who build the site. */
const { build } = (await import('vitepress' as string)) as {
  build: (folder: string, options: { outDir: string }) => Promise<void>;
};
const dist = join(site, 'dist');
rmSync(dist, { recursive: true, force: true });
for (const version of versions) {
  // Below site/, so that VitePress and Vue are found.
  const folder = join(site, '.work', version.name);
  rmSync(folder, { recursive: true, force: true });
  prepare(version, folder);
  await build(folder, { outDir: join(dist, version.name) });
}
const first = `./${versions[0]?.name ?? 'next'}/`;
writeFileSync(
  join(dist, 'index.html'),
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>n8n-tuned</title><meta http-equiv="refresh" content="0; url=${first}"><a href="${first}">n8n-tuned</a></html>\n`,
);
rmSync(join(site, '.work'), { recursive: true, force: true });
