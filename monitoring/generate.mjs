#!/usr/bin/env node
// Writes alerts, dashboards and runbooks from monitoring/; with --check it only says whether that is needed.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { format, resolveConfig } from 'prettier';

const root = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');
const { files, owned } = await compiled();
const wanted = files(pathToFileURL(root));

for (const [file, text] of Object.entries(wanted)) {
  const path = join(root, file);
  const content = file.endsWith('.svg')
    ? text
    : await format(text, { ...(await resolveConfig(path)), filepath: path });
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  if (check) {
    outOfDate(`${file} is out of date`);
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
for (const folder of owned.filter((name) => existsSync(join(root, name)))) {
  for (const name of readdirSync(join(root, folder))) {
    const file = `${folder}/${name}`;
    if (file in wanted) continue;
    if (check) outOfDate(`${file} has no source`);
    else rmSync(join(root, file));
  }
}

function outOfDate(what) {
  console.error(`${what}: run node monitoring/generate.mjs`);
  process.exitCode = 1;
}

/** Node.js 20 loads no TypeScript; the packages that it needs are found from beside the sources. */
async function compiled() {
  const outfile = join(root, `monitoring/.generate-${process.pid}.cjs`);
  try {
    await build({
      entryPoints: [join(root, 'monitoring/index.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      packages: 'external',
      logLevel: 'warning',
    });
    return createRequire(import.meta.url)(outfile);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error;
    const [what] = error.message.split('\n');
    console.error(`monitoring: ${what}: run npm ci, and again`);
    process.exit(1);
  } finally {
    rmSync(outfile, { force: true });
  }
}
