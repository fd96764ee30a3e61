import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { RunRecord } from '../../cli/src/record/run-record';

const ROOT = join(__dirname, '../..');
const CLI = join(ROOT, 'cli/dist/cli.js');

/** What the Makefile builds it from, and how. */
const SOURCES = [
  ...['nodes', 'credentials', 'cli/src', 'loadtests', 'workflows', 'charts/n8n-tuned/tools'],
  ...['cli/build.ts', 'cli/bundle.ts', 'cli/package.json'],
];

/** When the file, or anything in the folder, was changed last. */
function changedMs(path: string): number {
  const found = statSync(path);
  const inner = found.isDirectory() ? readdirSync(path) : [];
  return Math.max(found.mtimeMs, ...inner.map((name) => changedMs(join(path, name))));
}

/** Before the tests of a file: the build takes seconds, and is done where a source is newer than what was built. */
export function buildCli(): void {
  const builtMs = existsSync(CLI) ? statSync(CLI).mtimeMs : 0;
  if (SOURCES.every((path) => changedMs(join(ROOT, path)) < builtMs)) return;
  const startedAt = new Date();
  execFileSync(process.execPath, ['--import', 'tsx', 'cli/build.ts'], { cwd: ROOT });
  utimesSync(CLI, startedAt, startedAt);
}

export interface CliRun {
  child: ChildProcessByStdio<null, Readable, Readable>;
  stdout(): string;
  stderr(): string;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

const started = new Set<CliRun['child']>();

/** Node.js keeps there what it has compiled: it takes a third of the CPU of a command that starts. Older ones pass it over. */
const COMPILED = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled') };

/** `through`: a program that becomes the command, such as setpriv, with its own arguments. */
export function startCli(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd: string = process.cwd(),
  through: readonly string[] = [],
): CliRun {
  const [program, ...words] = [...through, process.execPath, CLI, ...args];
  const child = spawn(program ?? '', words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...COMPILED, ...process.env, ...env },
    cwd,
  });
  started.add(child);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => {
      started.delete(child);
      resolve({ code, signal });
    });
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

export async function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const run = startCli(args, env, cwd);
  const { code } = await run.ended;
  return { code, stdout: run.stdout(), stderr: run.stderr() };
}

/** For afterEach: nothing that a failed test has left goes on. */
export function endStartedClis(): void {
  for (const child of started) child.kill('SIGKILL');
}

/** The folder of the latest run beneath `out`. */
export function runFolder(out: string): string | null {
  const name = existsSync(out) ? readdirSync(out).sort().at(-1) : undefined;
  return name === undefined ? null : join(out, name);
}

export function recordIn(folder: string): RunRecord {
  return JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')) as RunRecord;
}

/** The k6 that a command has started. */
export function k6Of(pid: number): number | null {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  const found = children
    .split(' ')
    .filter((child) => child !== '')
    .find((child) => nameOf(Number(child)) === 'k6');
  return found === undefined ? null : Number(found);
}

export function nameOf(pid: number): string | null {
  try {
    return readFileSync(`/proc/${String(pid)}/comm`, 'utf8').trim();
  } catch {
    return null;
  }
}
