// n8n as studies need it, up between calls of the command and able to write where a study reads; and a PostgreSQL.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { labPaths } from '../cli/src/lab/paths';
import {
  awaitPostgresql,
  newCluster,
  postgresql,
  postgresqlUrl,
  type PostgresqlPlace,
} from '../cli/src/targets/process/postgresql';
import { nameOfStudy, STUDY } from '../cli/src/targets/kept';
import type { CallOptions, Measuring } from '../cli/src/features/study/study';

/** What `n8n-tuned up --json` prints. */
export interface Up {
  baseUrl: string;
  versions: Record<string, string>;
  metrics: { role: string; url: string }[];
}

interface UpOptions extends CallOptions {
  name: string;
  words: readonly string[];
}

/** Takes n8n down again whatever happens, an interruption included; and no other n8n, such as a user's of the same name. */
export async function withN8n<Result>(
  { call }: Pick<Measuring, 'call'>,
  { name, words, ...options }: UpOptions,
  use: (up: Up) => Promise<Result>,
): Promise<Result> {
  const own = nameOfStudy(name);
  const env = { ...options.env, [STUDY]: '1' };
  const { record } = await call<Up>(['up', '--name', own, ...words], { ...options, env });
  try {
    return await use(record);
  } finally {
    spawnSync(process.execPath, [process.argv[1] ?? '', 'down', own], { stdio: 'ignore' });
  }
}

/** A folder in which scripts that n8n loads may write: n8n runs as a user of its own. */
export function folderForN8n(parent: string, name: string): string {
  const folder = join(parent, name);
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  chmodSync(parent, 0o711);
  return folder;
}

/** SIGINT ends it. */
export async function startPostgresql(
  place: PostgresqlPlace,
  port: number,
  password: string,
): Promise<ChildProcess> {
  const bin = dirname(realpathSync(join(labPaths().bin, 'postgres')));
  const data = join(place.folder, 'data');
  const { command, env } = newCluster(bin, data, password, place);
  const [init = '', ...words] = command;
  execFileSync(init, words, { env: { ...process.env, ...env }, stdio: 'ignore' });
  const [program = '', ...args] = postgresql(bin, data, port, place).command;
  const server = spawn(program, args, { stdio: 'ignore' });
  await awaitPostgresql(postgresqlUrl(port, password), () => server.exitCode === null);
  return server;
}

/** Why nothing can be measured in pods here; null where it can. */
export const whyNoCluster = (): string | null =>
  (process.env['KUBECONFIG'] ?? '') !== ''
    ? null
    : 'it needs a cluster: run it with lab/cluster/cluster exec, or set KUBECONFIG';
