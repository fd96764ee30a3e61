// The node Load Target as a package that n8n loads from its folder of community nodes, small enough for a ConfigMap.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = 'dist/n8n-nodes-load-target';
const FILES = ['LoadTarget.node.js', 'loadTarget.svg', 'loadTarget.dark.svg'].map(
  (name) => `dist/nodes/LoadTarget/${name}`,
);

export function loadTargetFiles(root) {
  if (!existsSync(join(root, PACKAGE)))
    execFileSync(process.execPath, [join(root, 'nodes/build.mjs')]);
  const { name, version, license, n8n } = JSON.parse(
    readFileSync(join(root, PACKAGE, 'package.json'), 'utf8'),
  );
  const manifest = { name, version, license, n8n };
  return Object.fromEntries([
    ['files/load-target/package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ...FILES.map((file) => [
      `files/load-target/${file}`,
      readFileSync(join(root, PACKAGE, file), 'utf8'),
    ]),
  ]);
}
