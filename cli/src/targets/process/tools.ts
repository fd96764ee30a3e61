import { execFile, execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { accepts, imageOnly, installedN8n, manifestOf, nodeFor, replacedIn } from '../../lab/n8n';
import { cacheFolder, findProgram, hasLab, n8nProgram, repositoryRoot } from '../../lab/paths';
import type { Command } from '../../linux/own-user';
import { supports } from '../../plan/environment';
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

/** How many of the installed versions are offered, the newest ones. */
const OFFERED = 3;

/** Why this version cannot be started, and what can be; the installed ones begin with the oldest. */
export function notInstalled(version: string, installed: readonly string[]): string {
  if (!/^\d+\.\d+\.\d+$/.test(version))
    return `${version} is not an n8n version: specify one such as 2.39.10.`;
  if (!supports(version, 'fromNpm')) return imageOnly(version);
  const offered = installed.slice(-OFFERED).reverse();
  const choice = offered.length === 0 ? '' : `, or choose ${eitherOf(offered)} with --n8n`;
  const rest = installed.length > OFFERED ? ' (n8n-tuned n8n list shows all versions)' : '';
  return `n8n ${version} is not installed in ${cacheFolder()}: run n8n-tuned n8n install ${version}${choice}${rest}.`;
}

const eitherOf = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), names.at(-1)].filter(Boolean).join(' or ');

/** What `n8n-tuned n8n install` may put there. */
export class NotInstalled extends Mistake {
  constructor(
    readonly version: string,
    installed: readonly string[],
  ) {
    super(notInstalled(version, installed));
  }
}

/** The program that the user names, or that of the version in the lab's cache. */
function n8nOf(version: string, named: string | undefined): string {
  const program = named ?? n8nProgram(cacheFolder(), version);
  if (existsSync(program)) return program;
  if (named !== undefined) throw new Mistake(`--n8n-program ${named} does not exist.`);
  if (!hasLab()) throw new Mistake(WITHOUT_LAB);
  throw new NotInstalled(version, installedN8n(cacheFolder()));
}

/** The Node.js on the PATH, which a user who names a program of n8n runs it with. */
function ownNode(): { program: string; version: string } | null {
  const program = findProgram('node');
  if (program === null) return null;
  const said = execFileSync(program, ['--version'], { encoding: 'utf8' });
  return { program, version: said.trim().replace(/^v/, '') };
}

/** The user's own where it fits and n8n is the user's own as well, or else that of the lab. */
function nodeOf(user: string, engines: string | null, ofLab: string, isOwn: boolean): string {
  if (!isOwn) return find(ofLab);
  const own = ownNode();
  if (own !== null && (engines === null || accepts(engines, own.version))) return own.program;
  const program = findProgram(ofLab);
  if (program !== null) return program;
  const seen = own === null ? 'your PATH has no node' : `node on your PATH is ${own.version}`;
  throw new Mistake(
    `${user} requires Node.js${engines === null ? '' : ` ${engines}`}, but ${seen}: add a suitable Node.js to your PATH${hasLab() ? `, or run lab/install.sh ${ofLab}` : ''}.`,
  );
}

export function findTools(topology: Topology, named?: string): Tools {
  const { n8n: version, mode, webhooks } = topology;
  const n8n = n8nOf(version, named);
  const engines = manifestOf(n8n)?.engines ?? null;
  const isOwn = named !== undefined;
  const node = nodeOf(`n8n ${version}`, engines, nodeFor(engines), isOwn);
  const readsFiles = databaseOf(topology) === 'sqlite';
  return {
    node,
    n8nCommand: [node, n8n],
    sqliteNode: readsFiles ? nodeOf('reading the SQLite database', '>=24', 'node24', isOwn) : node,
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
  const replaced = replacedIn(n8nIn(tools));
  if (replaced.length > 0) found['replaced packages'] = replaced.join(', ');
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
