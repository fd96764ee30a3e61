// The npm package n8n-tuned: the command with the packages that it needs and what it finds beside itself in the repository, so
// that it works without any of them.
//
//   npx tsx cli/pack.ts [folder]    the tarball in there, by default here; prints its name
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { bundleWithPackages } from './bundle';

const root = resolve(__dirname, '..');
/** The package has these above the bundle, since `findBundled` and `repositoryRoot` look there. */
const CONTENTS = {
  'cli/README.md': 'README.md',
  LICENSE: 'LICENSE',
  loadtests: 'loadtests',
  workflows: 'workflows',
  'charts/n8n-load': 'charts/n8n-load',
  'charts/n8n-tuned': 'charts/n8n-tuned',
  'lab/versions.env': 'lab/versions.env',
  'lab/drill': 'lab/drill',
};
const LEFT_OUT = /(\/tests|\/ci|\/tools|tsconfig\.json|\.mjs\.map)$/;
const IN_REPOSITORY_ONLY = ['scripts', 'dependencies'];

async function pack(folder: string): Promise<string> {
  for (const part of ['nodes', 'chart']) {
    execFileSync('npm', ['run', '--silent', `build:${part}`], { cwd: root, stdio: 'inherit' });
  }
  const stage = mkdtempSync(join(tmpdir(), 'n8n-tuned-package-'));
  try {
    for (const [from, to] of Object.entries(CONTENTS)) {
      cpSync(join(root, from), join(stage, to), {
        recursive: true,
        filter: (path) => !LEFT_OUT.test(path),
      });
    }
    await bundleWithPackages(join(stage, 'dist'));
    const whole = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8')) as object;
    const others = Object.values(CONTENTS).map((path) => path.split('/')[0]);
    const manifest = {
      ...Object.fromEntries(
        Object.entries(whole).filter(([key]) => !IN_REPOSITORY_ONLY.includes(key)),
      ),
      files: ['dist', ...new Set(others)],
    };
    writeFileSync(join(stage, 'package.json'), JSON.stringify(manifest, null, 2));
    mkdirSync(folder, { recursive: true });
    const args = ['pack', '--silent', '--pack-destination', resolve(folder)];
    return join(folder, execFileSync('npm', args, { cwd: stage, encoding: 'utf8' }).trim());
  } finally {
    rmSync(stage, { recursive: true });
  }
}

void pack(process.argv[2] ?? '.').then(console.log);
