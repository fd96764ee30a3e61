// Packs the two packages of nodes as they are published: each with its own manifest, README, CHANGELOG and licence.
// Usage: npx tsx nodes/pack.ts [FOLDER] [NAME]; writes the tarballs (or only that of NAME) into FOLDER (default: here) and what
// npm says of them as JSON.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packages, root } from './packages';

const [given = '.', only] = process.argv.slice(2);
const into = resolve(given);
const wanted = packages.filter(({ name }) => only === undefined || name === only);
if (wanted.length === 0) {
  const names = packages.map(({ name }) => name).join(' or ');
  console.error(`pack: there is no package ${String(only)}: choose ${names}`);
  process.exit(2);
}

const stage = mkdtempSync(join(tmpdir(), 'n8n-nodes-'));
try {
  execFileSync(process.execPath, ['--import', 'tsx', join(root, 'nodes/build.ts'), stage], {
    ...{ cwd: root, stdio: 'inherit' },
  });
  const packed = wanted.flatMap(({ folder, name, manifest }) => {
    const home = join(stage, name);
    for (const file of ['README.md', ...manifest.files]) {
      const own = join(root, folder, file);
      const source = existsSync(own) ? own : join(root, file);
      if (!existsSync(join(home, file))) cpSync(source, join(home, file), { recursive: true });
    }
    cpSync(join(root, 'LICENSE'), join(home, 'LICENSE'));
    const args = ['pack', '--json', '--pack-destination', into];
    const said = execFileSync('npm', args, {
      ...{ cwd: home, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    });
    return JSON.parse(said) as unknown[];
  });
  process.stdout.write(`${JSON.stringify(packed, null, 2)}\n`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}
