// The node Load Target as a package that n8n loads from its folder of community nodes, small enough for a ConfigMap.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const NODE = 'dist/nodes/LoadTarget/LoadTarget.node.js';
const BESIDE_IT = [
  'dist/nodes/LoadTarget/loadTarget.svg',
  'dist/nodes/LoadTarget/loadTarget.dark.svg',
];

export function loadTargetFiles(root) {
  if (!existsSync(join(root, NODE)))
    execFileSync(process.execPath, [join(root, 'nodes/build.mjs')]);
  const { name, version, license, n8n } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const manifest = { name, version, license, n8n: { ...n8n, credentials: [], nodes: [NODE] } };
  return Object.fromEntries([
    ['files/load-target/package.json', `${JSON.stringify(manifest, null, 2)}\n`],
    ...[NODE, ...BESIDE_IT].map((file) => [
      `files/load-target/${file}`,
      readFileSync(join(root, file), 'utf8'),
    ]),
  ]);
}
