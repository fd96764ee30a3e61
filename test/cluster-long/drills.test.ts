// Drills on a real cluster: the fault is made in the pods, and every request is accounted for by all four sources.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LEDGER_CLASSES } from '../../cli/src/features/drill/analysis/ledger-class';
import type { DrillRecord } from '../../cli/src/features/drill/record';
import { buildCli } from '../support/cli';
import { n8nTuned, ourNamespaces, resultsFolder } from '../support/cluster-command';

jest.setTimeout(900_000);

const { path: out, remove } = resultsFolder();
beforeAll(buildCli);
afterAll(async () => {
  remove();
  expect(await ourNamespaces()).toBe('');
});

/** Shorter than n8n's own, so that what a dead worker had is given up within the drill. */
const LOCKS = {
  ...{ QUEUE_WORKER_LOCK_DURATION: '10000', QUEUE_WORKER_LOCK_RENEW_TIME: '3000' },
  QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

interface Drilled extends DrillRecord {
  folder: string;
}

async function drilled(fault: string, ...more: string[]): Promise<Drilled> {
  const { stdout, stderr } = await n8nTuned(
    ...['drill', fault, '--target', 'kubernetes', '--workers', '2', '--rate', '3'],
    ...['--param', 'ms=2000', '--warmup', '3s', '--steady', '10s', '--after', '25s'],
    ...['--wait', '120s', '--no-control', '--slo', 'errors<1%', '--ready', '300s'],
    ...Object.entries(LOCKS).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    ...['--out', out, '--json', ...more],
  );
  if (stdout === '') throw new Error(stderr);
  const record = JSON.parse(stdout) as Drilled;
  const { ledger, verdict, fault: made, figures } = record;
  // For the person who runs this: the figures of a drill are its point.
  const classes = LEDGER_CLASSES.map((each) => `${each} ${String(ledger.classes[each].requests)}`);
  process.stderr.write(
    `${fault}: ${verdict.outcome}, sent ${String(ledger.sent)}, ${classes.join(', ')}, lost ${String(ledger.lost)} of ${String(ledger.exposed)}, ${JSON.stringify(figures)}, ${made.done.map(({ text }) => text).join('; ')}\n`,
  );
  // A busy machine may be too slow for the SLO and for the generator; the books have to balance all the same.
  const isSlow = /^(the SLO was missed before|the load generator was the limit)/;
  expect(verdict.invalid.filter((why) => !isSlow.test(why))).toEqual([]);
  const sum = LEDGER_CLASSES.reduce((all, each) => all + ledger.classes[each].requests, 0);
  expect(sum).toBe(ledger.sent);
  expect(ledger.sources).toEqual({ executions: 'database', effects: 'service outside n8n' });
  for (const file of ['report.html', 'report.md', 'ledger.csv']) {
    expect(existsSync(join(record.folder, file))).toBe(true);
  }
  return record;
}

test('kill-worker ends the processes of one worker, whose container is started again', async () => {
  const { fault, ledger } = await drilled('kill-worker');
  expect(fault.done.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^SIGKILL of n8n-\S*worker-\S+$/) as string,
  ]);
  expect(ledger.exposed).toBeGreaterThan(50);
  expect(ledger.classes.once.requests / ledger.sent).toBeGreaterThan(0.4);
});

test('rolling-upgrade replaces the pods of n8n under load', async () => {
  const { fault, phases, ledger, verdict } = await drilled('rolling-upgrade', '--webhooks', '2');
  const [begun, over] = fault.done.map(({ text }) => text);
  expect(begun).toBe('a rollout of main, webhook processors and workers');
  // On a busy machine the load ends before the rollout does, which is said.
  const isOver = phases.overMs !== null;
  expect(over).toBe(isOver ? 'the rollout has finished, and no old pod is left' : undefined);
  expect(verdict.outcome === 'pass' && !isOver).toBe(false);
  expect(ledger.classes.once.requests / ledger.sent).toBeGreaterThan(0.4);
});

test.each([
  ['redis-half-open', [], /^[1-9]\d* connections of workers to Redis no longer carry data$/],
  [
    'cut-worker',
    ['--for', '15s'],
    /is cut off from its stores for 15 s; \S+ reaches its stores again$/,
  ],
  ['slow-postgres', ['--for', '10s'], /^postgresql responds 50 ms later for 10 s; .* as before$/],
  ['redis-loses-data', [], /^\S*redis-0 was killed, and its data is lost$/],
  [
    'postgres-connections-used-up',
    ['--for', '10s'],
    /^[1-9]\d* connections to PostgreSQL are taken for 10 s; .* are free again$/,
  ],
  ['crash-across-a-schedule', ['--for', '10s'], /^SIGKILL of \S*main\S*, down for 10 s; .* again$/],
])('%s is made without a right on a node, and the books balance', async (name, more, done) => {
  const { fault, schedule } = await drilled(name, ...more);
  expect(fault.done.map(({ text }) => text).join('; ')).toMatch(done);
  expect(schedule === undefined).toBe(name !== 'crash-across-a-schedule');
});

test.each([
  ['stall-worker', ['--for', '25s'], /^SIGSTOP of .*; SIGCONT of /],
  ['kill-runner', [], /^SIGKILL of the task runner of /],
  ['oom-worker', [], /^\S+ runs out of memory; \S+ was killed by the kernel for lack of memory$/],
])('%s is made within the container of a worker', async (name, more, done) => {
  const { fault, ledger } = await drilled(name, ...more);
  expect(fault.done.map(({ text }) => text).join('; ')).toMatch(done);
  expect(ledger.classes.once.requests / ledger.sent).toBeGreaterThan(0.4);
});
