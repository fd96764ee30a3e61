import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installedN8n, manifestOf, nodeFor } from '../../lab/n8n';
import { cacheFolder, findProgram, hasLab, n8nProgram, repositoryRoot } from '../../lab/paths';
import type { Command } from '../../linux/own-user';
import { type Topology, databaseOf } from '../../plan/topology';
import { Mistake } from '../../ui/exit';

/** The programs that a topology is made of, as paths; null: it needs none. */
export interface Tools {
  /** Runs n8n, or what stands beside it. */
  node: string;
  /** What n8n's own commands follow. */
  n8nCommand: Command;
  /** Reads SQLite files; at least Node.js 24. */
  sqliteNode: string;
  redisServer: string | null;
  /** The folder of initdb and postgres. */
  postgresqlBin: string | null;
  nginx: string | null;
  /** Our own packages of nodes, built; null: they are not built. */
  nodesFolder: string | null;
}

const WITHOUT_LAB =
  'starting n8n on this machine requires a checkout of n8n-tuned: load-test a running n8n instance with --url, or clone the repository and run lab/install.sh n8n in it.';

function notInstalled(version: string): string {
  const others = installedN8n(cacheFolder());
  const choice = others.length === 0 ? '' : `, or choose ${others.join(' or ')} with --n8n`;
  return `n8n ${version} is not installed in ${cacheFolder()}: run n8n-tuned n8n install ${version}${choice}.`;
}

/** The program that the user names, or that of the version in the lab's cache. */
function n8nOf(version: string, named: string | undefined): string {
  const program = named ?? n8nProgram(cacheFolder(), version);
  if (existsSync(program)) return program;
  if (named !== undefined) throw new Mistake(`--n8n-program ${named} does not exist.`);
  throw new Mistake(hasLab() ? notInstalled(version) : WITHOUT_LAB);
}

export function findTools(topology: Topology, named?: string): Tools {
  const { n8n: version, mode, webhooks } = topology;
  const n8n = n8nOf(version, named);
  const node = find(nodeFor(manifestOf(n8n)?.engines ?? null));
  return {
    node,
    n8nCommand: [node, n8n],
    sqliteNode: find('node24'),
    redisServer: mode === 'queue' ? find('redis-server') : null,
    // The user that runs PostgreSQL may not look into the lab's cache, where only links are.
    postgresqlBin:
      databaseOf(topology) === 'postgresql' ? dirname(realpathSync(find('postgres'))) : null,
    nginx: webhooks.count > 0 ? find('nginx') : null,
    nodesFolder: builtNodes(),
  };
}

/** The program of n8n, which comes after that which runs it. */
export const n8nIn = ({ n8nCommand }: Pick<Tools, 'n8nCommand'>): string =>
  n8nCommand.at(-1) ?? n8nCommand[0];

/** The path of a program that the topology needs. */
export function needed(program: string | null, name: string): string {
  if (program === null) throw new Error(`${name} was not looked for`);
  return program;
}

/** What is recorded of the versions: enough to build the same again. */
export async function versionsOf(
  topology: Topology,
  tools: Tools,
): Promise<Record<string, string>> {
  const programs: [string, string | null][] = [
    ['node', tools.node],
    ['redis', tools.redisServer],
    ['postgresql', tools.postgresqlBin === null ? null : join(tools.postgresqlBin, 'postgres')],
    ['nginx', tools.nginx],
  ];
  const found: Record<string, string> = {
    n8n: manifestOf(n8nIn(tools))?.version ?? topology.n8n,
  };
  for (const [name, program] of programs) {
    if (program === null) continue;
    const { stdout, stderr } = await run(program, [name === 'nginx' ? '-v' : '--version']);
    found[name] = /\d+(\.\d+)+/.exec(`${stdout}${stderr}`)?.[0] ?? 'unknown';
  }
  return found;
}

const run = promisify(execFile);

export const templatesFolder = (): string => join(cacheFolder(), 'seeded');

/** Names of tools in lab/install.sh that differ from the name of the program. */
const TOOLS: Record<string, string> = { 'redis-server': 'redis', postgres: 'postgresql' };

export function find(program: string): string {
  const found = findProgram(program);
  if (found === null) {
    throw new Mistake(
      `${program} is not installed: ${hasLab() ? `run lab/install.sh ${TOOLS[program] ?? program}` : 'install it, or load-test a running n8n instance with --url'}; n8n-tuned doctor shows what else is missing.`,
    );
  }
  return found;
}

export function builtNodes(): string | null {
  const built = join(repositoryRoot(), 'dist');
  return existsSync(join(built, 'n8n-nodes-load-target', 'package.json')) ? built : null;
}

/** Prints the names of those migrations for PostgreSQL whose code has no way back. Its argument is the program of n8n. */
const IRREVERSIBLE = `
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const db = dirname(createRequire(process.argv[1]).resolve('@n8n/db'));
const { postgresMigrations } = require(join(db, 'migrations/postgresdb/index.js'));
const without = postgresMigrations.filter((one) => one.prototype.down === undefined);
require('node:fs').writeSync(1, JSON.stringify(without.map(({ name }) => name)) + '\\n');
process.exit(0);
`;

/** Those of these migrations that no `db:revert` takes back. */
export async function irreversibleIn(tools: Tools, names: readonly string[]): Promise<string[]> {
  const { stdout } = await run(tools.node, ['-e', IRREVERSIBLE, n8nIn(tools)], {
    env: { PATH: process.env.PATH ?? '', N8N_LOG_LEVEL: 'silent' },
    timeout: 60_000,
  });
  const without = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as string[];
  return names.filter((name) => without.includes(name));
}
