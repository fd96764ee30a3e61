import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { within } from '../../../capacity/src/ui/within';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const never = new AbortController().signal;

test('fires when its time is over, however much garbage is collected meanwhile', async () => {
  const signal = within(300, never);
  const since = performance.now();
  while (!signal.aborted && performance.now() - since < 5000) {
    await sleep(20);
    collectGarbage();
  }
  expect(signal.aborted).toBe(true);
  expect(performance.now() - since).toBeGreaterThan(290);
  expect((signal.reason as Error).name).toBe('TimeoutError');
});

test('fires with the other one, for its reason, also when that had fired before', () => {
  const other = new AbortController();
  const before = within(60_000, other.signal);
  const reason = new Error('stopped by Ctrl-C');
  expect(before.aborted).toBe(false);
  other.abort(reason);
  expect([before.reason, within(60_000, other.signal).reason]).toEqual([reason, reason]);
});
