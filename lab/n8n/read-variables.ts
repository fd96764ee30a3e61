// Reads from every n8n of the registry which variables its @n8n/config has, into variables.json: npx tsx
// lab/n8n/read-variables.ts, once there are newer versions (about 80 small packages). `npm run generate` takes the bounds from it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { table } from '../../cli/src/plan/environment';
import { rangeOf, rangeWith, sortedVersions } from './ranges';

const CONFIG = '@n8n/config';
const packument = z.object({
  versions: z.record(
    z.string(),
    z.object({ dependencies: z.record(z.string(), z.string()).optional() }),
  ),
});

/** What the registry knows of all versions of a package. */
async function versionsOf(name: string): Promise<z.infer<typeof packument>['versions']> {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const reply = await fetch(new URL(name.replace('/', '%2f'), registry));
  return packument.parse(await reply.json()).versions;
}

/** The names of variables in a release of n8n's configuration. */
function namesIn(version: string): Set<string> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-config-'));
  try {
    const packed = ['pack', `${CONFIG}@${version}`, '--silent', '--pack-destination', folder];
    const archive = execFileSync('npm', packed, { encoding: 'utf8' }).trim();
    execFileSync('tar', ['xzf', join(folder, archive), '-C', folder]);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const texts = files
      .filter((file) => file.endsWith('.js'))
      .map((file) => readFileSync(join(folder, file), 'utf8'));
    const found = texts.flatMap((text) => [...text.matchAll(/Env\)\(\s*['"]([A-Z0-9_]+)['"]/g)]);
    return new Set(found.map(([, name = '']) => name));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const FILE = join(import.meta.dirname, 'variables.json');
const contentSchema = z.object({
  read: z.array(z.string()),
  variables: z.record(z.string(), z.string()),
});
type Content = z.infer<typeof contentSchema>;
const names = [...new Set(table().variables.map(({ name }) => name))].sort();

async function readAll(): Promise<Content> {
  const [n8n, configs] = await Promise.all([versionsOf('n8n'), versionsOf(CONFIG)]);
  const read = new Map<string, Set<string>>();
  const known = new Map<string, Set<string>>();
  for (const version of sortedVersions(Object.keys(n8n))) {
    const config = n8n[version]?.dependencies?.[CONFIG];
    if (config === undefined || !(config in configs)) continue;
    const names = known.get(config) ?? namesIn(config);
    known.set(config, names);
    read.set(version, names);
    process.stderr.write(`\r${version} `);
  }
  const ranges = names.flatMap((name) => {
    const range = rangeOf([...read].map(([version, all]) => ({ version, has: all.has(name) })));
    return range === null ? [] : [[name, range]];
  });
  return { read: [...read.keys()], variables: Object.fromEntries(ranges) };
}

const addedSchema = z.object({ version: z.string(), names: z.array(z.string()) });

/** With one release whose names are given (n8n-tuned n8n admit --full); null: nothing changes. One between others is for a whole reading. */
function withOne(added: z.infer<typeof addedSchema>): Content | null {
  const { read, variables } = contentSchema.parse(JSON.parse(readFileSync(FILE, 'utf8')));
  const { version } = added;
  if (read.includes(version)) return null;
  if (sortedVersions([...read, version]).at(-1) !== version) {
    console.error(`${version} is older than what was read: run lab/n8n/read-variables.ts alone`);
    return null;
  }
  const has = new Set(added.names);
  const ranges = names.flatMap((name) => {
    const range = rangeWith(variables[name], version, has.has(name));
    return range === null ? [] : [[name, range]];
  });
  return { read: [...read, version], variables: Object.fromEntries(ranges) };
}

const [, , flag, given = ''] = process.argv;
const content = flag === '--add' ? withOne(addedSchema.parse(JSON.parse(given))) : await readAll();
if (content !== null) writeFileSync(FILE, `${JSON.stringify(content, null, 2)}\n`);
