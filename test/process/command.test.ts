import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRun } from '../../capacity/src/record/read';
import type { MatchedExecutions, RunRecord } from '../../capacity/src/record/record';
import {
  buildCli,
  endStartedClis,
  k6Of,
  recordIn,
  runCli,
  runFolder,
  startCli,
} from '../support/cli';
import type { CliRun } from '../support/cli';
import { leftOf, startedBy, textOf, type Started } from './left-behind';
import { until } from './stage';

/** The command `run` on real n8n processes, also when something of it dies in the middle. */

jest.setTimeout(330_000);

let out: string;
let temp: string;

beforeAll(buildCli);

beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'runs-'));
  temp = mkdtempSync(join(tmpdir(), 'command-'));
  chmodSync(temp, 0o711); // PostgreSQL's own user must reach its data.
});

afterEach(() => {
  endStartedClis();
  rmSync(out, { recursive: true, force: true });
  rmSync(temp, { recursive: true, force: true });
});

const order = (...more: string[]): string[] => [
  ...['run', '--target', 'process', '--tuning', 'throughput', '--out', out, '--warmup', '0s'],
  ...more,
];

/** The command, once its load is under way. */
async function loading(
  ...more: string[]
): Promise<{ run: CliRun; started: Started; folder: string }> {
  const run = startCli(order(...more), { TMPDIR: temp });
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

function kill({ processes }: Started, words: RegExp): void {
  const found = processes.find(({ command }) => words.test(command));
  if (found === undefined) throw new Error(`none of ${processes.map((p) => p.command).join('; ')}`);
  process.kill(found.pid, 'SIGKILL');
}

test('the spread over two workers is counted, and every execution', async () => {
  const { code, stdout, stderr } = await runCli(
    order(
      ...['--workload', 'cpu', '--variant', 'load-target', '--param', 'n=1000', '--json'],
      ...['--workers', '2', '--profile', 'closed', '--vus', '6', '--duration', '8s'],
    ),
    { TMPDIR: temp },
  );
  expect([code, stderr]).toEqual([0, expect.anything()]);
  const { summary, verdict } = JSON.parse(stdout) as RunRecord;
  expect(verdict.outcome).toBe('sustained');
  expect(summary.spread.map(({ role }) => role)).toEqual(['worker', 'worker']);
  expect(new Set(summary.spread.map(({ pid }) => pid)).size).toBe(2);
  const { requests = 0, rightReplies, succeeded } = summary.executions ?? {};
  expect(requests).toBeGreaterThan(20);
  expect({ rightReplies, succeeded }).toEqual({ rightReplies: requests, succeeded: requests });
  expect(summary.spread.reduce((sum, each) => sum + each.requests, 0)).toBeLessThanOrEqual(
    requests,
  );
  // One by one too, though this tuning saves none of them.
  expect(summary.matched).toMatchObject({
    ...{ source: 'database', executions: requests },
    ...{ withoutExecution: nobody, notSucceeded: nobody, unheard: nobody, repeated: nobody },
  });
  expect(readdirSync(temp)).toEqual([]);
});

const nobody = { requests: 0, ids: [] };

const steady = ['--workload', 'last-node', '--rate', '5', '--duration', '25s', '--drain', '20s'];

/** Replies at once, and 5 s of work after it. */
const promises = ['--workload', 'async', '--rate', '3', '--duration', '25s', '--drain', '20s'];

const endedAtMs = ({ events }: RunRecord, text: string): number =>
  events.find((event) => event.text === text)?.tMs ?? Number.NaN;

function matchedIn({ summary: { matched } }: RunRecord): MatchedExecutions {
  if (matched === undefined || 'skipped' in matched) throw new Error(JSON.stringify(matched));
  return matched;
}

test('n8n killed in the middle: the record says so and names what was accepted and never done', async () => {
  const { run, started, folder } = await loading(...promises);
  kill(started, /n8n start/);
  expect((await run.ended).code).toBe(1);
  expect(leftOf(started, temp)).toEqual([]);
  const { record, requests } = readRun(folder);
  expect(record.events.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['main ended: signal SIGKILL', 'main was started again']),
  );
  expect(record.verdict.outcome).toBe('not sustained');
  expect(record.verdict.breaches[0]?.text).toMatch(/^main ended: signal SIGKILL, /);
  // Before and after it, n8n answered; between, nothing did, and that was not left out.
  expect(requests.filter(({ ok }) => ok).length).toBeGreaterThan(10);
  expect(requests.filter(({ errorKind }) => errorKind === 'refused').length).toBeGreaterThan(0);

  const { withoutExecution, notSucceeded, repeated } = matchedIn(record);
  expect({ withoutExecution, repeated }).toEqual({ withoutExecution: nobody, repeated: nobody });
  const killedMs = endedAtMs(record, 'main ended: signal SIGKILL');
  const accepted = (fromMs: number): string[] =>
    requests
      .filter(({ ok, tMs }) => ok && tMs > killedMs - fromMs && tMs < killedMs)
      .map(({ id }) => id);
  // Exactly those whose 5 s were not over; one second more for a busy machine.
  expect(notSucceeded.ids.length).toBe(notSucceeded.requests);
  expect(accepted(6000)).toEqual(expect.arrayContaining(notSucceeded.ids));
  expect(notSucceeded.ids).toEqual(expect.arrayContaining(accepted(4900)));
  expect(accepted(4900).length).toBeGreaterThan(3);
  expect(record.verdict.breaches.map(({ slo }) => slo)).toContain('what is accepted is executed');
});

test('Redis gone in the middle: the record says so and names the jobs that went with it', async () => {
  const { run, started, folder } = await loading(...promises, '--rate', '5', '--workers', '1');
  await sleep(5000); // More than ten slots are asked for: some wait.
  kill(started, /redis-server/);
  expect((await run.ended).code).toBe(1);
  expect(leftOf(started, temp)).toEqual([]);
  const { record, requests, samples } = readRun(folder);
  expect(record.verdict.outcome).toBe('not sustained');
  expect(record.verdict.breaches[0]?.text).toMatch(/^redis ended: signal SIGKILL, /);
  expect(record.verdict.breaches.map(({ slo }) => slo)).toContain('what is accepted is executed');
  const { withoutExecution, notSucceeded } = matchedIn(record);
  const { rightReplies = 0, succeeded } = record.summary.executions ?? { succeeded: 0 };
  // At least what waited in Redis; at most what n8n's statistics miss, which do not learn of an execution
  // that a worker ended while Redis was away.
  const killedMs = endedAtMs(record, 'redis ended: signal SIGKILL');
  const waited = samples.findLast(({ metric, tMs }) => metric === 'queueWaiting' && tMs < killedMs);
  const lost = notSucceeded.requests + withoutExecution.requests;
  expect(lost).toBeGreaterThanOrEqual(Math.max(1, waited?.value ?? 0));
  expect(lost).toBeLessThanOrEqual(rightReplies - succeeded);
  const accepted = requests.filter(({ ok }) => ok).map(({ id }) => id);
  expect(accepted).toEqual(expect.arrayContaining(notSucceeded.ids));
});

test('main killed before workers that go on: the callers that never heard of their result are named', async () => {
  const waiting = ['--workload', 'wait-5s', '--variant', 'load-target', '--workers', '1'];
  const { run, started, folder } = await loading(...steady, ...waiting, '--rate', '2');
  await sleep(5000); // The first are answered.
  kill(started, /n8n start/);
  await run.ended;
  const { record, requests } = readRun(folder);
  const killedMs = endedAtMs(record, 'main ended: signal SIGKILL');
  const { unheard, withoutExecution, notSucceeded } = matchedIn(record);
  expect({ withoutExecution, notSucceeded }).toEqual({
    withoutExecution: nobody,
    notSucceeded: nobody,
  });
  const cutOff = (beforeMs: number): string[] =>
    requests.filter(({ ok, tMs }) => !ok && tMs < killedMs - beforeMs).map(({ id }) => id);
  // The last of them may not have reached the queue.
  expect(cutOff(0)).toEqual(expect.arrayContaining(unheard.ids));
  expect(unheard.ids).toEqual(expect.arrayContaining(cutOff(500)));
  expect(cutOff(500).length).toBeGreaterThan(2);
});

test('Ctrl-C ends everything and reports what was measured', async () => {
  const { run, started, folder } = await loading(...steady);
  run.child.kill('SIGINT');
  expect((await run.ended).code).toBe(3);
  expect(leftOf(started, temp)).toEqual([]);
  expect(recordIn(folder).verdict.sentence).toContain('stopped by Ctrl-C');
});

test('kill -9 leaves nothing running, and report concludes what was recorded', async () => {
  const { run, started, folder } = await loading(...steady);
  run.child.kill('SIGKILL');
  await run.ended;
  const giveUpMs = Date.now() + 30_000;
  while (leftOf(started, temp).length > 0 && Date.now() < giveUpMs) await sleep(100);
  expect(leftOf(started, temp)).toEqual([]);
  expect((await runCli(['report', out])).code).toBe(0);
  const { record, requests } = readRun(folder);
  expect(record.verdict.outcome).toBe('aborted');
  expect(requests.length).toBeGreaterThan(0);
});
