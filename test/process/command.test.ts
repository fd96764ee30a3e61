import { readdirSync } from 'node:fs';
import type { RunRecord } from '../../cli/src/record/run-record';
import { runCli } from '../support/cli';
import { leftOf } from './left-behind';
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
} from './loading';
import { EXIT } from '../../cli/src/ui/exit';
import { readWholeRun } from '../support/read-run';
import { N8N_VERSION } from '../support/versions';
import { eventually, unlessInvalid } from '../support/wait';

/** The command `run` on real n8n processes, also when something of it dies in the middle. */

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
  // As the running n8n says it: of a worker, what a worker alone loads too.
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

test('n8n killed in the middle: the record says so and names what was accepted and never done', async () => {
  const { code, started, folder } = await unlessInvalid(
    async () => {
      const { run, started, folder } = await loading(place, ...promises);
      kill(started, /n8n start/);
      return { code: (await run.ended).code, started, folder };
    },
    (run) => run.code === EXIT.invalid,
  );
  expect(code).toBe(1);
  expect(leftOf(started, place.temp)).toEqual([]);
  const { record, requests } = await readWholeRun(folder);
  expect(record.events.map(({ text }) => text)).toEqual(
    expect.arrayContaining(['main ended: signal SIGKILL', 'main was started again']),
  );
  expect(record.verdict.outcome).toBe('not sustained');
  expect(record.verdict.breaches[0]?.text).toMatch(/^main ended: signal SIGKILL, /);
  // Before and after it, n8n answered; between, nothing did, and that was not left out.
  expect(requests.filter(({ ok }) => ok).length).toBeGreaterThan(0);
  expect(requests.filter(({ errorKind }) => errorKind === 'refused').length).toBeGreaterThan(0);

  const { withoutExecution, notSucceeded, repeated } = matchedIn(record);
  expect({ withoutExecution, repeated }).toEqual({ withoutExecution: nobody, repeated: nobody });
  const killedMs = endedAtMs(record, 'main ended: signal SIGKILL');
  const accepted = (fromMs: number): string[] =>
    requests
      .filter(({ ok, tMs }) => ok && tMs > killedMs - fromMs && tMs < killedMs)
      .map(({ id }) => id);
  // Exactly those whose 5 s were not over; as long again for a machine that stalls.
  expect(notSucceeded.ids.length).toBe(notSucceeded.requests);
  expect(accepted(10_000)).toEqual(expect.arrayContaining(notSucceeded.ids));
  expect(notSucceeded.ids).toEqual(expect.arrayContaining(accepted(4900)));
  expect(accepted(4900).length).toBeGreaterThan(0);
  expect(record.verdict.breaches.map(({ slo }) => slo)).toContain('what is accepted is executed');
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
