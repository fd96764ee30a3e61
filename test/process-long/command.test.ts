import { leftOf } from '../process/left-behind';
import {
  endedAtMs,
  inFoldersOfItsOwn,
  kill,
  loading,
  matchedIn,
  nobody,
  promises,
  steady,
} from '../process/loading';
import { readWholeRun } from '../support/read-run';
import { pause } from '../support/wait';

/** The command `run` when what n8n needs, or main alone, dies in the middle. */

jest.setTimeout(330_000);

const place = inFoldersOfItsOwn();

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
