/** `sample` on real processes. Nothing here depends on how fast they or the command are. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableOf } from '../../../cli/src/record/csv';
import { buildCli, endStartedClis, runCli, startCli } from '../../support/cli';
import { until } from '../../support/wait';

beforeAll(buildCli);

let folder: string;
let parent: ChildProcess;
let pid: number;
/** The id of the parent's child, which keeps 40 MiB more than it. */
let childPid: number;

const CHILD = `
  const kept = Buffer.alloc(40 << 20, 1);
  process.on('disconnect', () => process.exit());
  process.send(kept.length);
  setInterval(() => kept.length, 1000);`;
const PARENT = `
  const child = require('node:child_process').fork(__dirname + '/child.cjs');
  child.once('message', () => process.send(child.pid));
  process.on('disconnect', () => process.exit());`;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sample-'));
  writeFileSync(join(folder, 'child.cjs'), CHILD);
  writeFileSync(join(folder, 'parent.cjs'), PARENT);
  parent = fork(join(folder, 'parent.cjs'), { execArgv: [] });
  pid = parent.pid ?? 0;
  [childPid] = (await once(parent, 'message')) as [number];
});

afterEach(() => {
  endStartedClis();
  if (parent.connected) parent.disconnect(); // Both end by it.
  rmSync(folder, { recursive: true, force: true });
});

const rowsOf = (text: string) => tableOf(text, ['tMs', 'pid', 'parent', 'command', 'rssMiB']);

const csvHas = (csv: string, wanted: number, times: number) => () =>
  existsSync(csv) &&
  rowsOf(readFileSync(csv, 'utf8')).filter((row) => row.pid === String(wanted)).length >= times;

test('sample writes a process and its child to a table, a plot and a summary, until it ends', async () => {
  const [csv, plot] = [join(folder, 'memory.csv'), join(folder, 'memory.svg')];
  const files = ['--csv', csv, '--plot', plot];
  const run = startCli(['sample', '--pid', String(pid), '--interval', '50ms', '--json', ...files]);
  await until('samples of the child', csvHas(csv, childPid, 3));
  parent.kill('SIGKILL');
  expect(await run.ended).toEqual({ code: 0, signal: null });

  const rows = rowsOf(readFileSync(csv, 'utf8'));
  const own = rows.filter((row) => row.pid === String(pid));
  const children = rows.filter((row) => row.pid === String(childPid));
  expect(own[0]?.command).toContain('parent.cjs');
  expect(children[0]?.parent).toBe(String(pid));
  expect(Number(children[0]?.rssMiB)).toBeGreaterThan(40);

  const summary = JSON.parse(run.stdout()) as {
    intervalMs: number;
    together: { processes: { max: number }; rssMiB: { max: number } };
    processes: { pid: number; samples: number; rssMiB: { max: number } }[];
  };
  expect(summary.intervalMs).toBe(50);
  expect(summary.together.processes.max).toBe(2);
  expect(summary.processes.map((one) => [one.pid, one.samples])).toEqual([
    [pid, own.length],
    [childPid, children.length],
  ]);
  const max = (of: typeof rows) => Math.max(...of.map(({ rssMiB }) => Number(rssMiB)));
  expect(summary.processes[1]?.rssMiB.max).toBeCloseTo(max(children), 1);

  const drawing = readFileSync(plot, 'utf8');
  expect(drawing).toMatch(/^<!-- Written by n8n-tuned sample\. -->\n<svg [^]*<\/svg>\n$/);
  for (const text of ['Memory (RSS)', 'CPU of each', `${String(childPid)} node`, 'all 2 processes'])
    expect(drawing).toContain(text);
});

test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with its files written', async (signal) => {
  const [csv, plot] = [join(folder, 'memory.csv'), join(folder, 'memory.svg')];
  const run = startCli(['sample', '--pid', String(pid), '--csv', csv, '--plot', plot]);
  await until('a first sample', csvHas(csv, pid, 1));
  run.child.kill(signal);
  expect(await run.ended).toEqual({ code: 0, signal: null });
  expect(readFileSync(plot, 'utf8')).toContain('</svg>');
  expect(run.stdout()).toMatch(/^pid +seen +memory first/);
  expect(run.stdout()).toContain('node child.cjs');
  expect(run.stdout().trimEnd().split('\n').slice(-2)).toEqual([csv, plot]);
});

test('without a file the table goes to standard output; it ends when nobody reads it', async () => {
  const run = startCli(['sample', '--pid', String(pid), '--interval', '50ms']);
  await until('samples', () => rowsOf(run.stdout()).length >= 4);
  expect(run.stdout()).toMatch(/^tMs,pid,parent,command,rssMiB,cpuCores,threads\n/);
  run.child.stdout.destroy();
  expect(await run.ended).toEqual({ code: 0, signal: null });
  expect(run.stderr()).not.toMatch(/^\s+at /m);
});

test('what is wrong is told before anything is sampled', async () => {
  const alive = ['--pid', String(pid)];
  const nowhere = join(folder, 'none', 'x');
  for (const [args, sentence] of [
    [['--pid', '4194304'], 'no process has the pid 4194304.'],
    [[...alive, '--csv', '-', '--json'], '--csv - and --json both write to standard output'],
    [[...alive, '--csv', nowhere], `${nowhere}: there is no folder`],
    [[...alive, '--plot', nowhere], `${nowhere}: there is no folder`],
    [[...alive, '--interval', '10ms'], 'It must be at least 50ms'],
  ] as const) {
    const { code, stdout, stderr } = await runCli(['sample', ...args]);
    expect(stderr).toContain(sentence);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  }
});
