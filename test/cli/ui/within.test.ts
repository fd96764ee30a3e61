import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startProgress } from '../../../cli/src/ui/progress';
import { within } from '../../../cli/src/ui/within';
import { pause } from '../../support/wait';
import fc from 'fast-check';
import { scoped } from '../../../cli/src/ui/scope';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const never = new AbortController().signal;

test('the signal fires when its time is over, however much garbage is collected meanwhile', async () => {
  const since = performance.now();
  const signal = await within(300, never, async (patience) => {
    while (!patience.aborted && performance.now() - since < 5000) {
      await pause(20, 'time passes between two collections');
      collectGarbage();
    }
    return patience;
  });
  expect(signal.aborted).toBe(true);
  expect(performance.now() - since).toBeGreaterThan(290);
  expect((signal.reason as Error).name).toBe('TimeoutError');
});

test('the signal fires with the other one, for its reason, also when that had fired before', async () => {
  const other = new AbortController();
  const reason = new Error('stopped by Ctrl-C');
  const reasons = await within(60_000, other.signal, async (before) => {
    expect(before.aborted).toBe(false);
    other.abort(reason);
    return [
      before.reason as unknown,
      await within(60_000, other.signal, (after) => Promise.resolve(after.reason as unknown)),
    ];
  });
  expect(reasons).toEqual([reason, reason]);
});

test('the signal leaves nothing behind on the other one, whether the work succeeds or fails', async () => {
  const other = new AbortController();
  const before = getEventListeners(other.signal, 'abort').length;
  await within(60_000, other.signal, () => Promise.resolve());
  await within(60_000, other.signal, () => Promise.reject(new Error('no'))).catch(() => undefined);
  expect(getEventListeners(other.signal, 'abort')).toHaveLength(before);
});

type Step = 'ok' | 'throws';

test('everything that was taken is released, in reverse order, whichever part fails', async () => {
  const steps = fc.array(fc.constantFrom<Step>('ok', 'throws'), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), async (releases, workFails) => {
      const released: number[] = [];
      const run = scoped((scope) => {
        for (const [index, step] of releases.entries()) {
          scope.defer(() => {
            released.push(index);
            if (step === 'throws') throw new Error(`release ${String(index)}`);
          });
        }
        return workFails ? Promise.reject(new Error('the work')) : Promise.resolve('done');
      }).catch((error: unknown) => (error as Error).message);

      const lastFailing = releases.lastIndexOf('throws');
      const expected = workFails
        ? 'the work'
        : lastFailing < 0
          ? 'done'
          : `release ${String(lastFailing)}`;
      expect(await run).toBe(expected);
      expect(released).toEqual(releases.map((_, index) => index).reverse());
    }),
  );
});

describe('progress in a log', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const logOf = (): { lines: string[]; stream: NodeJS.WriteStream } => {
    const lines: string[] = [];
    const stream = { isTTY: false, write: (line: string) => lines.push(line.trimEnd()) };
    return { lines, stream: stream as unknown as NodeJS.WriteStream };
  };

  test('is a line for what takes longer than 2 s', () => {
    const { lines, stream } = logOf();
    const { tell, end } = startProgress(stream);
    tell('starting n8n');
    jest.advanceTimersByTime(1_500);
    tell('importing workflows');
    jest.advanceTimersByTime(60_000);
    end();
    expect(lines).toEqual(['importing workflows']);
  });

  test('is a line every 30 s for what changes each second', () => {
    const { lines, stream } = logOf();
    const { tell, end } = startProgress(stream);
    for (let second = 1; second <= 95; second += 1) {
      tell(`load: ${String(second)} of 95 s`);
      jest.advanceTimersByTime(1_000);
    }
    end();
    expect(lines).toEqual([30, 60, 90].map((second) => `load: ${String(second)} of 95 s`));
  });
});
