import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MatchedExecutions, RunRecord } from '../../cli/src/record/run-record';
import { buildCli, endStartedClis, k6Of, runFolder, startCli, type CliRun } from '../support/cli';
import { leftOf, startedBy, textOf, type Started } from './left-behind';
import { N8N_VERSION } from '../support/versions';
import { until } from '../support/wait';

/** The command `run` on real n8n processes, interrupted once its load is under way. */
export interface Loading {
  run: CliRun;
  started: Started;
  folder: string;
}

export interface Place {
  /** The folder of records. */
  out: string;
  /** The folder in which the command puts what it takes away again. */
  temp: string;
  /** A program that becomes the command, with its own arguments. */
  through?: readonly string[];
}

export function inFoldersOfItsOwn(): Place {
  const place: Place = { out: '', temp: '' };
  beforeAll(buildCli);
  beforeEach(() => {
    place.out = mkdtempSync(join(tmpdir(), 'runs-'));
    place.temp = mkdtempSync(join(tmpdir(), 'command-'));
    chmodSync(place.temp, 0o711); // PostgreSQL's own user must reach its data.
  });
  afterEach(() => {
    endStartedClis();
    rmSync(place.out, { recursive: true, force: true });
    rmSync(place.temp, { recursive: true, force: true });
  });
  return place;
}

export const order = ({ out }: Place, ...more: string[]): string[] => [
  ...['run', '--target', 'process', '--n8n', N8N_VERSION, '--tuning', 'throughput'],
  ...['--out', out, '--warmup', '0s'],
  ...more,
];

/** The command, once its load is under way. */
export async function loading(place: Place, ...more: string[]): Promise<Loading> {
  const { out, temp, through } = place;
  const run = startCli(order(place, ...more), { TMPDIR: temp }, undefined, through);
  await until(
    'k6',
    () => {
      if (run.child.exitCode !== null) throw new Error(`it ended: ${run.stderr()}`);
      return k6Of(run.child.pid ?? 0) !== null;
    },
    200_000,
  );
  const folder = runFolder(out) ?? '';
  await until('some replies', () => textOf(join(folder, 'samples.csv')).split('\n').length > 60);
  const started = startedBy(run);
  expect(leftOf(started, temp).length).toBeGreaterThan(4);
  return { run, started, folder };
}

export function kill({ processes }: Started, words: RegExp): void {
  const found = processes.find(({ command }) => words.test(command));
  if (found === undefined) throw new Error(`none of ${processes.map((p) => p.command).join('; ')}`);
  process.kill(found.pid, 'SIGKILL');
}

export const nobody = { requests: 0, ids: [] };

export const steady = [
  '--workload',
  'last-node',
  '--rate',
  '5',
  '--duration',
  '25s',
  '--drain',
  '20s',
];

/** Replies at once, and 5 s of work after it. */
export const promises = [
  '--workload',
  'async',
  '--rate',
  '3',
  '--duration',
  '25s',
  '--drain',
  '20s',
];

export const endedAtMs = ({ events }: RunRecord, text: string): number =>
  events.find((event) => event.text === text)?.tMs ?? Number.NaN;

export function matchedIn({ summary: { matched } }: RunRecord): MatchedExecutions {
  if (matched === undefined || 'skipped' in matched) throw new Error(JSON.stringify(matched));
  return matched;
}
