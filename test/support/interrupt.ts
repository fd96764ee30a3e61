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
import { setTimeout as sleep } from 'node:timers/promises';
import { leftOf, startedBy, textOf } from '../process/left-behind';
import { until } from '../process/stage';
import { k6Of, startCli, type CliRun } from './cli';

/**
 * Ctrl-C at a stage of a command that measures: it ends in order, leaves nothing behind, says so without a
 * stack trace, and what was measured by then is concluded in a record.
 *
 *     CTRL_C_RECORD=docs/records/ctrl-c.csv    appends the seconds that each took
 */
export interface Interruption {
  name: string;
  /** `plan.yaml` stands for the plan of a small sweep, `values.yaml` for values of the chart. */
  args: string[];
  stage: Stage;
  /** The file that concludes what was measured; null where nothing was yet. */
  record: string | null;
}

/** `out` is where results go. */
export type Stage = (run: CliRun, out: string) => boolean;

const FILES = {
  'values.yaml': 'tuning: { profile: throughput }\n',
  'plan.yaml':
    'title: two\nmeasure: { profile: closed, duration: 5s, clients: 2 }\nfixed: { workload: last-node, tuning: throughput }\ndimensions: { database: [sqlite, postgresql] }\n',
};

/** The files of this name beneath `folder`. */
const named = (name: string, folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith(name));

export const n8nStarts: Stage = (run) =>
  startedBy(run).processes.some(({ command }) => command.includes('n8n start'));
export const k6Starts: Stage = ({ child }) => k6Of(child.pid ?? 0) !== null;
export const loads =
  (least: number): Stage =>
  (_, out) =>
    named('samples.csv', out).some(
      (file) => textOf(join(out, file)).split('\n').length > 20 * least,
    );
export const loadIsOver =
  (stage: Stage): Stage =>
  (run, out) =>
    stage(run, out) && !k6Starts(run, out);
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
  { name, args, stage, record }: Interruption,
  out: string,
  temp: string,
): Promise<CliRun> {
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(temp, file), text);
  const given = args.map((word) => (word in FILES ? join(temp, word) : word));
  const cli = startCli([...given, ...(args[0] === 'up' ? [] : ['--out', out])], { TMPDIR: temp });
  await until(
    name,
    () => {
      if (cli.child.exitCode !== null) throw new Error(`it ended: ${cli.stderr()}`);
      return stage(cli, out);
    },
    200_000,
  );
  const started = startedBy(cli);
  const sinceMs = Date.now();
  cli.child.kill('SIGINT');
  const { code, signal } = await cli.ended;
  keepSeconds(name, (Date.now() - sinceMs) / 1000);

  expect({ code, signal }).toEqual({ code: 3, signal: null });
  const said = cli.stderr() + cli.stdout();
  expect(cli.stderr()).not.toMatch(/^\s+at /m);
  expect(said).toMatch(/stopped by Ctrl-C|stopped before its end|^STOPPED/m);
  // The folder of a shell that watches over k6 goes a moment after it.
  const files = Object.keys(FILES).length;
  for (let look = 0; leftOf(started, temp).length > files && look < 600; look += 1) {
    await sleep(100);
  }
  expect(leftOf(started, temp).sort()).toEqual(Object.keys(FILES).sort());
  if (record === null) expect(named('.json', out)).toEqual([]);
  else {
    expect(named(record, out).length).toBeGreaterThan(0);
    expect(named('incomplete.json', out)).toEqual([]);
  }
  return cli;
}

function keepSeconds(name: string, seconds: number): void {
  const { CTRL_C_RECORD: file } = process.env;
  if (!file) return;
  if (!existsSync(file)) writeFileSync(file, 'stage,seconds\n');
  appendFileSync(file, `"${name}",${seconds.toFixed(1)}\n`);
}
