import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { activationSql, placed, upstreamCredential } from '../../../cli/src/catalogue/seeding';
import { parseExport, type ExportedWorkflow } from '../../../cli/src/catalogue/exported-workflow';
import { freePort } from '../../../cli/src/targets/process/ports';
import { n8nFolder, node18, node24 } from '../../nodes/support/lab';
import { until } from '../../support/wait';

const run = promisify(execFile);

export const root = join(__dirname, '../../..');
export const workflowsFolder = join(root, 'workflows');

export interface RunningN8n {
  baseUrl: string;
  pid: number | undefined;
  /** What it has printed so far. */
  log(): string;
  /** Once it has ended by itself. */
  ended: Promise<void>;
  /** One statement's rows, while it runs. */
  query(sql: string): Record<string, unknown>[];
  stop(): Promise<void>;
}

interface Layout {
  version: string;
  /** Relative to workflows/. */
  files: readonly string[];
  /** Imported, and left inactive as they come. */
  inactive?: readonly string[];
  /** Made by the test; active. */
  made?: readonly ExportedWorkflow[];
  credentials?: readonly object[];
  upstreamUrl?: string;
  withLoadTarget?: boolean;
  env?: Record<string, string>;
}

/** A real n8n with SQLite in a folder of its own, seeded before it starts. */
export async function startN8n(layout: Layout): Promise<RunningN8n> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-workflows-'));
  const home = join(folder, '.n8n');
  const port = await freePort();
  const env = { ...(await environment(layout, folder, port)), ...layout.env };
  const legacy = layout.version.startsWith('0.');
  const node = legacy ? node18() : node24();
  const program = join(n8nFolder(layout.version), 'bin/n8n');
  const n8n = (...args: string[]): Promise<unknown> =>
    run(node, [program, ...args], { env, cwd: folder, timeout: 180_000, maxBuffer: 1e8 });

  if (layout.withLoadTarget === true) installOurNodes(home);
  mkdirSync(join(folder, 'files'));
  const place = {
    filesFolder: join(folder, 'files'),
    ...(layout.upstreamUrl === undefined ? {} : { upstreamUrl: layout.upstreamUrl }),
  };
  const active = [...layout.files.flatMap(exported), ...(layout.made ?? [])];
  const all = [...active, ...(layout.inactive ?? []).flatMap(exported)];
  const input = join(folder, 'import');
  mkdirSync(input);
  all.forEach((workflow, index) => {
    writeFileSync(join(input, `${String(index)}.json`), JSON.stringify(placed(workflow, place)));
  });
  // It lies beside the workflows, and n8n must pass over it.
  if (!legacy) cpSync(join(workflowsFolder, 'catalogue.json'), join(input, 'catalogue.json'));
  await n8n('import:workflow', '--separate', `--input=${input}`);
  const credentials = [
    ...(layout.credentials ?? []),
    ...(layout.upstreamUrl === undefined ? [] : [upstreamCredential()]),
  ];
  if (credentials.length > 0) {
    writeFileSync(join(folder, 'credentials.json'), JSON.stringify(credentials));
    await n8n('import:credentials', `--input=${join(folder, 'credentials.json')}`);
  }
  const database = join(home, 'database.sqlite');
  execute(
    database,
    activationSql(
      layout.version,
      active.map(({ id }) => String(id)),
    ),
  );

  const log = openSync(join(folder, 'log'), 'w');
  const child = spawn(node, [program, 'start'], {
    env,
    cwd: folder,
    stdio: ['ignore', log, log],
    detached: true,
  });
  const end = (): void => {
    endGroup(child);
  };
  process.once('exit', end);
  const stop = async (): Promise<void> => {
    await ended(child);
    end();
    process.removeListener('exit', end);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  const baseUrl = `http://127.0.0.1:${String(port)}`;
  const printed = (): string => readFileSync(join(folder, 'log'), 'utf8');
  const exit = once(child, 'exit').then(() => undefined);
  try {
    // 2.x answers everything with 200 and "n8n is starting up" before it is ready, POSTs too.
    await healthy(`${baseUrl}/healthz${legacy ? '' : '/readiness'}`, child);
  } catch (error) {
    const lines = printed().split('\n').slice(-20).join('\n');
    await stop();
    throw new Error(`n8n ${layout.version} did not start: ${String(error)}\n${lines}`);
  }
  return {
    baseUrl,
    pid: child.pid,
    log: printed,
    ended: exit,
    stop,
    query: (sql) => read(database, sql),
  };
}

export function exported(file: string): ExportedWorkflow[] {
  const path = join(workflowsFolder, file);
  return parseExport(readFileSync(path, 'utf8'), path);
}

async function environment(
  { version }: Layout,
  folder: string,
  port: number,
): Promise<Record<string, string>> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: homedir(),
    N8N_USER_FOLDER: folder,
    N8N_ENCRYPTION_KEY: 'test',
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_PORT: String(port),
    N8N_RESTRICT_FILE_ACCESS_TO: join(folder, 'files'),
    // memory-hog is made to crash n8n.
    LOAD_TARGET_DANGEROUS: 'true',
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_DISABLE_UI: 'true',
    ...(version.startsWith('0.') ? {} : { N8N_RUNNERS_BROKER_PORT: String(await freePort()) }),
  };
}

/** Puts our nodes where n8n of any version finds a package by itself: its nodes then carry the package's name. */
function installOurNodes(home: string): void {
  const name = 'n8n-nodes-load-target';
  cpSync(join(root, 'dist', name), join(home, 'nodes/node_modules', name), { recursive: true });
}

function execute(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

function read(file: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

async function healthy(url: string, child: ChildProcess): Promise<void> {
  const isHealthy = () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(
    `n8n at ${url}`,
    () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${String(child.exitCode)}`);
      return isHealthy();
    },
    180_000,
  );
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await exit;
  clearTimeout(force);
}

/** With the processes of EXECUTIONS_PROCESS=own, which outlive their n8n, and the task runner. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // None of them is left.
  }
}
