// Every link of every page leads to a file that is in the repository, and to a heading that is in that file.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(__dirname, '../..');
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
/** Reports lie beside what they link to only where they were made. */
const pages = tracked.filter(
  (file) =>
    file.endsWith('.md') &&
    (file.startsWith('docs/results/') || !/(^|\/)(results?|golden)\//.test(file)),
);
const folders = new Set(tracked.map((file) => dirname(file)));

const withoutCode = (text: string): string =>
  text
    .replace(/^```[^]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()#]/g, ''));

const linksOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? '');

/** As GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = text.replace(/^```[^]*?^```/gm, '').match(/^#{1,6} .*$/gm) ?? [];
  return new Set(
    headings.map((heading) => {
      const slug = heading
        .replace(/^#+ /, '')
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-');
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${String(count)}`;
    }),
  );
}

/** The links of a page that lead nowhere. */
function broken(page: string, text: string): string[] {
  return linksOf(text).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const file = path === '' ? page : relative(root, join(root, dirname(page), path));
    const isThere = path === '' || tracked.includes(file) || folders.has(file.replace(/\/$/, ''));
    if (!isThere && !existsSync(join(root, file))) return true;
    if (anchor === undefined || !file.endsWith('.md')) return false;
    const target = file === page ? text : readFileSync(join(root, file), 'utf8');
    return !anchorsOf(target).has(decodeURIComponent(anchor));
  });
}

test('a link to no file and a link to no heading are found', () => {
  const text = '# A page\n\n[one](LICENSE) [two](none.md) [three](#a-page) [four](#b) `[five](x)`';
  expect(broken('page.md', text)).toEqual(['none.md', '#b']);
});

test.each(pages)('%s', (page) => {
  expect(broken(page, readFileSync(join(root, page), 'utf8'))).toEqual([]);
});
