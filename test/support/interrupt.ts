import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leftOf, startedBy, textOf } from '../process/left-behind';
import { k6Of, startCli, type CliRun } from './cli';
import { eventually, until } from './wait';

/**
 * Ctrl-C at a stage of a command: it ends in order, leaves nothing behind, says so without a stack trace, and what was
 * measured by then is concluded in a record.
 *
 *     CTRL_C_RECORD=docs/records/ctrl-c.csv    appends the seconds that each took, which must be below 5 s; for a run of
 *                                              these tests alone
 */
export interface Interruption {
  name: string;
  /**
   * `plan.yaml` stands for the plan of a small sweep, `values.yaml` for values of the chart, `topology.yaml` for a
   * topology.
   */
  args: string[];
  env?: Record<string, string>;
  stage: Stage;
  /** The file that concludes what was measured; null where nothing was yet. */
  record: string | null;
}

/** From the signal until the command and all that it had started have ended, with nothing else on the machine. */
const ENDS_WITHIN_SECONDS = 5;
/** Beside other tests no figure says how fast the command is: the bound is only that it does not wait for its own end. */
const ENDS_BESIDE_OTHERS_WITHIN_SECONDS = 60;

/** `out` is where results go. */
export type Stage = (run: CliRun, out: string) => boolean;

/** They have no option --out. */
const RECORDLESS = ['up', 'recover'];

const FILES = {
  'values.yaml': 'tuning: { profile: throughput }\n',
  'topology.yaml': 'tuning: { profile: throughput }\n',
  'plan.yaml':
    'title: two\nmeasure: { profile: closed, duration: 5s, clients: 2 }\nfixed: { workload: last-node, tuning: throughput }\ndimensions: { database: [sqlite, postgresql] }\n',
};

/** The files of this name beneath `folder`. */
const named = (name: string, folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith(name));

export const n8nStarts: Stage = (run) =>
  startedBy(run).processes.some(({ command }) => command.includes('n8n start'));
export const k6Starts: Stage = ({ child }) => k6Of(child.pid ?? 0) !== null;
/** None of the processes that it has started is of this program. */
export const without =
  (program: string): Stage =>
  (run) =>
    !startedBy(run).processes.some(({ command }) => command.includes(program));
export const both =
  (one: Stage, other: Stage): Stage =>
  (run, out) =>
    one(run, out) && other(run, out);
export const loads =
  (min: number): Stage =>
  (_, out) =>
    named('samples.csv', out).some((file) => textOf(join(out, file)).split('\n').length > 20 * min);
/** The load has ended of one that had begun it at this stage: n8n may still work on it. */
export const loadIsOver = (stage: Stage): Stage => both(stage, (run, out) => !k6Starts(run, out));
export const runsDone =
  (count: number): Stage =>
  (_, out) =>
    named('run.json', out).length >= count;

/** Expects all of it, in folders of its own: several may go on side by side. */
export async function interrupted(interruption: Interruption): Promise<CliRun> {
  const out = mkdtempSync(join(tmpdir(), 'interrupted-'));
  const temp = mkdtempSync(join(tmpdir(), 'command-'));
  chmodSync(temp, 0o711); // PostgreSQL's own user must reach its data.
  try {
    return await interruptedIn(interruption, out, temp);
  } finally {
    for (const folder of [out, temp]) rmSync(folder, { recursive: true, force: true });
  }
}

async function interruptedIn(
  { name, args, env, stage, record }: Interruption,
  out: string,
  temp: string,
): Promise<CliRun> {
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(temp, file), text);
  const given = args.map((word) => (word in FILES ? join(temp, word) : word));
  const isRecordless = RECORDLESS.includes(args[0] ?? '');
  const cli = startCli([...given, ...(isRecordless ? [] : ['--out', out])], {
    ...{ TMPDIR: temp, ...env },
  });
  await until(
    name,
    () => {
      if (cli.child.exitCode !== null) throw new Error(`it ended: ${cli.stderr()}`);
      return stage(cli, out);
    },
    200_000,
  );
  const started = startedBy(cli);
  const sinceMs = performance.now();
  cli.child.kill('SIGINT');
  const { code, signal } = await cli.ended;
  const seconds = (performance.now() - sinceMs) / 1000;
  keepSeconds(name, seconds);

  expect({ code, signal }).toEqual({ code: 3, signal: null });
  expect(seconds).toBeLessThan(isAlone() ? ENDS_WITHIN_SECONDS : ENDS_BESIDE_OTHERS_WITHIN_SECONDS);
  const said = cli.stderr() + cli.stdout();
  expect(cli.stderr()).not.toMatch(/^\s+at /m);
  // A verdict is as wide as a terminal: it may continue on the next line.
  expect(said).toMatch(/stopped\s+by\s+Ctrl-C|stopped\s+before\s+its\s+end|^STOPPED/m);
  // The folder of a shell that watches over k6 goes a moment after it.
  const files = Object.keys(FILES).length;
  await eventually(() => leftOf(started, temp).length <= files);
  expect(leftOf(started, temp).sort()).toEqual(Object.keys(FILES).sort());
  if (record === null) expect(named('.json', out)).toEqual([]);
  else {
    expect(named(record, out).length).toBeGreaterThan(0);
    expect(named('incomplete.json', out)).toEqual([]);
  }
  return cli;
}

const recordFile = (): string => process.env['CTRL_C_RECORD'] ?? '';
const isAlone = (): boolean => recordFile() !== '';

function keepSeconds(name: string, seconds: number): void {
  const file = recordFile();
  if (file === '') return;
  if (!existsSync(file)) writeFileSync(file, 'stage,seconds\n');
  appendFileSync(file, `"${name}",${seconds.toFixed(1)}\n`);
}
