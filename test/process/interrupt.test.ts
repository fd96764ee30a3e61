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
import { buildCli, endStartedClis, k6Of, startCli, type CliRun } from '../support/cli';
import { leftOf, startedBy, textOf } from './left-behind';
import { until } from './stage';

/**
 * Ctrl-C at each stage of each command that measures: it ends in order, leaves nothing behind, says so
 * without a stack trace, and what was measured by then is concluded in a record.
 *
 *     CTRL_C_RECORD=docs/records/ctrl-c.csv    appends the seconds that each took
 */

jest.setTimeout(330_000);

let out: string;
let temp: string;
let plan: string;

beforeAll(buildCli);

beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'interrupted-'));
  temp = mkdtempSync(join(tmpdir(), 'command-'));
  chmodSync(temp, 0o711); // PostgreSQL's own user must reach its data.
  plan = join(temp, 'topology.yaml');
});

afterEach(() => {
  endStartedClis();
  for (const folder of [out, temp]) rmSync(folder, { recursive: true, force: true });
});

type Stage = (run: CliRun) => boolean;

/** The folders beneath `out` that hold a file of this name. */
function foldersWith(name: string, folder = out): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith(name),
  );
}

const n8nStarts: Stage = (run) =>
  startedBy(run).processes.some(({ command }) => command.includes('n8n start'));
const k6Starts: Stage = ({ child }) => k6Of(child.pid ?? 0) !== null;
const loads =
  (least: number): Stage =>
  () =>
    foldersWith('samples.csv').some(
      (file) => textOf(join(out, file)).split('\n').length > 20 * least,
    );
const loadIsOver =
  (stage: Stage): Stage =>
  (run) =>
    stage(run) && !k6Starts(run);
const runsDone =
  (count: number): Stage =>
  () =>
    foldersWith('run.json').length >= count;

const regular = ['--tuning', 'throughput', '--workload', 'last-node'];
const run = ['run', ...regular, '--rate', '5'];
const find = ['find', ...regular, '--slo', 'p95<2s', '--probe', '4s', '--full', '10s'];
const compare = ['compare', 'TOPOLOGY', 'TOPOLOGY', '--workload', 'last-node', '--duration', '3s'];

interface Case {
  name: string;
  args: string[];
  stage: Stage;
  /** The file that concludes what was measured; null where nothing was yet. */
  record: string | null;
}

const cases: Case[] = [
  { name: 'run: n8n starts', args: run, stage: n8nStarts, record: null },
  { name: 'run: k6 starts', args: run, stage: k6Starts, record: 'run.json' },
  { name: 'run: under load', args: run, stage: loads(5), record: 'run.json' },
  {
    name: 'run: n8n finishes what it accepted',
    args: [
      'run',
      '--tuning',
      'throughput',
      '--workload',
      'async',
      '--rate',
      '3',
      '--duration',
      '4s',
      '--warmup',
      '0s',
    ],
    stage: loadIsOver(loads(3)),
    record: 'run.json',
  },
  { name: 'find: warm-up', args: find, stage: k6Starts, record: 'find.json' },
  { name: 'find: between two probes', args: find, stage: runsDone(2), record: 'find.json' },
  {
    name: 'find: in a probe',
    args: find,
    stage: (each) => runsDone(2)(each) && k6Starts(each),
    record: 'find.json',
  },
  { name: 'compare: n8n starts', args: compare, stage: n8nStarts, record: null },
  { name: 'compare: between two runs', args: compare, stage: runsDone(4), record: 'compare.json' },
  {
    name: 'sweep: in a cell',
    args: ['sweep', '-f', 'PLAN'],
    stage: k6Starts,
    record: 'sweep.json',
  },
];

test.each(cases)('Ctrl-C in $name', async ({ name, args, stage, record }) => {
  writeFileSync(plan, 'tuning: throughput\n');
  const sweep = join(temp, 'plan.yaml');
  writeFileSync(
    sweep,
    'title: two\nmeasure: { profile: closed, duration: 5s, clients: 2 }\nfixed: { workload: last-node, tuning: throughput }\ndimensions: { database: [sqlite, postgresql] }\n',
  );
  const words = args.map((word) => ({ TOPOLOGY: plan, PLAN: sweep })[word] ?? word);
  const cli = startCli([...words, '--out', out], { TMPDIR: temp });
  await until(
    name,
    () => {
      if (cli.child.exitCode !== null) throw new Error(`it ended: ${cli.stderr()}`);
      return stage(cli);
    },
    200_000,
  );
  const started = startedBy(cli);
  const sinceMs = Date.now();
  cli.child.kill('SIGINT');
  const { code, signal } = await cli.ended;
  const seconds = (Date.now() - sinceMs) / 1000;
  const { CTRL_C_RECORD } = process.env;
  if (CTRL_C_RECORD && !existsSync(CTRL_C_RECORD)) writeFileSync(CTRL_C_RECORD, 'stage,seconds\n');
  if (CTRL_C_RECORD) appendFileSync(CTRL_C_RECORD, `"${name}",${seconds.toFixed(1)}\n`);

  expect({ code, signal }).toEqual({ code: 3, signal: null });
  expect(cli.stderr()).not.toMatch(/^\s+at /m);
  expect(cli.stderr() + cli.stdout()).toMatch(/stopped by Ctrl-C|stopped before its end|SIGINT/);
  // The folder of a shell that watches over k6 goes a moment after it.
  for (let look = 0; leftOf(started, temp).length > 2 && look < 40; look += 1) await sleep(100);
  expect(leftOf(started, temp).sort()).toEqual(['plan.yaml', 'topology.yaml']);
  if (record === null) {
    expect(cli.stderr()).toContain('before anything was recorded');
    expect(foldersWith('.json')).toEqual([]);
  } else {
    expect(foldersWith(record).length).toBeGreaterThan(0);
    expect(foldersWith('run.json').every((file) => existsSync(join(out, file)))).toBe(true);
  }
});
