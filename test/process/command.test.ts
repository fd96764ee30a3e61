import { leftOf } from './left-behind';
import {
  endedAtMs,
  inFoldersOfItsOwn,
  kill,
  loading,
  matchedIn,
  nobody,
  promises,
} from './loading';
import { EXIT } from '../../cli/src/ui/exit';
import { readWholeRun } from '../support/read-run';
import { unlessInvalid } from '../support/wait';

/** The command `run` on real n8n processes when n8n dies in the middle. */

jest.setTimeout(330_000);

const place = inFoldersOfItsOwn();

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
