#!/usr/bin/env node
// Packs the node package as it is published: its own README, and a manifest without what only the repository needs.
// Usage: node nodes/pack.mjs [FOLDER]; writes the tarball into FOLDER (default: here) and what npm says of it as JSON.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const into = resolve(process.argv[2] ?? '.');

const stage = mkdtempSync(join(tmpdir(), 'n8n-nodes-load-target-'));
try {
  const inRepositoryOnly = ['workspaces', 'scripts', 'devDependencies'];
  const manifest = Object.fromEntries(
    Object.entries(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).filter(
      ([key]) => !inRepositoryOnly.includes(key),
    ),
  );
  writeFileSync(join(stage, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  execFileSync(process.execPath, [join(root, 'nodes/build.mjs'), join(stage, 'dist')], {
    stdio: 'inherit',
  });
  for (const path of ['LICENSE', ...manifest.files.filter((name) => name !== 'dist')]) {
    cpSync(join(root, path), join(stage, path), { recursive: true });
  }
  cpSync(join(root, 'nodes/README.md'), join(stage, 'README.md'));
  const args = ['pack', '--json', '--pack-destination', into];
  const stdio = ['ignore', 'pipe', 'ignore'];
  process.stdout.write(execFileSync('npm', args, { cwd: stage, stdio }));
} finally {
  rmSync(stage, { recursive: true, force: true });
}
