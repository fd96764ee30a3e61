import { readdirSync } from 'node:fs';
import type { RunRecord } from '../../cli/src/record/run-record';
import { EXIT } from '../../cli/src/ui/exit';
import { leftOf } from '../process/left-behind';
import {
  endedAtMs,
  inFoldersOfItsOwn,
  kill,
  loading,
  matchedIn,
  nobody,
  order,
  promises,
  steady,
} from '../process/loading';
import { runCli } from '../support/cli';
import { readWholeRun } from '../support/read-run';
import { N8N_VERSION } from '../support/versions';
import { eventually, pause, unlessInvalid } from '../support/wait';

/** The command `run` on real n8n processes, also when the command, what n8n needs, or main alone dies in the middle. */

jest.setTimeout(330_000);

const place = inFoldersOfItsOwn();

test('the spread over two workers is counted, and every execution', async () => {
  const args = order(
    place,
    ...['--workload', 'cpu', '--variant', 'load-target', '--param', 'n=1000', '--json'],
    ...['--workers', '2', '--profile', 'closed', '--vus', '6', '--duration', '8s'],
  );
  const { code, stdout, stderr } = await unlessInvalid(
    () => runCli(args, { TMPDIR: place.temp }),
    (run) => run.code === EXIT.invalid,
  );
  expect([code, stderr]).toEqual([0, expect.anything()]);
  const { summary, verdict, versions, patches } = JSON.parse(stdout) as RunRecord;
  expect(verdict.outcome).toBe('sustained');
  // The running n8n says it: of a worker, what a worker alone loads too.
  expect(versions['n8n']).toBe(N8N_VERSION);
  expect(patches?.worker).toMatchObject({ 'read-once': 'known', 'keep-stalled': 'known' });
  expect(Object.keys(patches?.main ?? {})).toContain('limit-metrics');
  expect(summary.spread.map(({ role }) => role)).toEqual(['worker', 'worker']);
  expect(new Set(summary.spread.map(({ pid }) => pid)).size).toBe(2);
  const { requests = 0, expectedResponses, succeeded } = summary.executions ?? {};
  expect(requests).toBeGreaterThan(0);
  expect({ expectedResponses, succeeded }).toEqual({
    expectedResponses: requests,
    succeeded: requests,
  });
  expect(summary.spread.reduce((sum, each) => sum + each.requests, 0)).toBeLessThanOrEqual(
    requests,
  );
  // One by one too, though this tuning saves none of them.
  expect(summary.matched).toMatchObject({
    ...{ source: 'database', executions: requests },
    ...{
      withoutExecution: nobody,
      notSucceeded: nobody,
      withoutResponse: nobody,
      repeated: nobody,
    },
  });
  expect(readdirSync(place.temp)).toEqual([]);
});

test('kill -9 leaves nothing running, and report concludes what was recorded', async () => {
  const { run, started, folder } = await loading(place, ...steady);
  run.child.kill('SIGKILL');
  await run.ended;
  await eventually(() => leftOf(started, place.temp).length === 0, 120_000);
  expect(leftOf(started, place.temp)).toEqual([]);
  expect((await runCli(['report', place.out])).code).toBe(0);
  const { record, requests } = await readWholeRun(folder);
  expect(record.verdict.outcome).toBe('aborted');
  expect(requests.length).toBeGreaterThan(0);
});

test('Redis gone in the middle: the record says so and names the jobs that went with it', async () => {
  const { run, started, folder } = await loading(
    place,
    ...promises,
    '--rate',
    '5',
    '--workers',
    '1',
  );
  await pause(5000, 'more than ten slots are asked for by then: some requests wait');
  kill(started, /redis-server/);
  expect((await run.ended).code).toBe(1);
  expect(leftOf(started, place.temp)).toEqual([]);
  const { record, requests, samples } = await readWholeRun(folder);
  expect(record.verdict.outcome).toBe('not sustained');
  expect(record.verdict.breaches[0]?.text).toMatch(/^redis ended: signal SIGKILL, /);
  expect(record.verdict.breaches.map(({ slo }) => slo)).toContain('what is accepted is executed');
  const { withoutExecution, notSucceeded } = matchedIn(record);
  const { expectedResponses = 0, succeeded } = record.summary.executions ?? { succeeded: 0 };
  // At least what waited in Redis; at most what n8n's statistics miss, which do not learn of an execution
  // that a worker ended while Redis was away.
  const killedMs = endedAtMs(record, 'redis ended: signal SIGKILL');
  const waited = samples.findLast(({ metric, tMs }) => metric === 'queueWaiting' && tMs < killedMs);
  const lost = notSucceeded.requests + withoutExecution.requests;
  expect(lost).toBeGreaterThanOrEqual(Math.max(1, waited?.value ?? 0));
  expect(lost).toBeLessThanOrEqual(expectedResponses - succeeded);
  const accepted = requests.filter(({ ok }) => ok).map(({ id }) => id);
  expect(accepted).toEqual(expect.arrayContaining(notSucceeded.ids));
});

test('main killed before workers that go on: the callers that never heard of their result are named', async () => {
  const waiting = ['--workload', 'wait-5s', '--variant', 'load-target', '--workers', '1'];
  const { run, started, folder } = await loading(place, ...steady, ...waiting, '--rate', '2');
  await pause(5000, 'the first requests are answered by then');
  kill(started, /n8n start/);
  await run.ended;
  const { record, requests } = await readWholeRun(folder);
  const killedMs = endedAtMs(record, 'main ended: signal SIGKILL');
  const { withoutResponse, withoutExecution, notSucceeded } = matchedIn(record);
  expect({ withoutExecution, notSucceeded }).toEqual({
    withoutExecution: nobody,
    notSucceeded: nobody,
  });
  const cutOff = (beforeMs: number): string[] =>
    requests.filter(({ ok, tMs }) => !ok && tMs < killedMs - beforeMs).map(({ id }) => id);
  // The last of them may not have reached the queue.
  expect(cutOff(0)).toEqual(expect.arrayContaining(withoutResponse.ids));
  expect(withoutResponse.ids).toEqual(expect.arrayContaining(cutOff(500)));
  expect(cutOff(500).length).toBeGreaterThan(2);
});
