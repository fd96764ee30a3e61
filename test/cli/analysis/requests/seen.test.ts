import fc from 'fast-check';
import { InFlight } from '../../../../cli/src/run/finish';
import { seededRandom } from '../../../../cli/src/analysis/statistics/random';
import { GoodResponses } from '../../../../cli/src/analysis/requests/figures';
import { RequestsSeen } from '../../../../cli/src/analysis/requests/seen';
import { ProcessSpread } from '../../../../cli/src/analysis/requests/figures';
import type { RequestSample } from '../../../../cli/src/record/run-record';
import { keptIn } from '../../../support/kept';
import { runs } from '../../../support/properties';

const moment = fc.double({ min: 0, max: 1000, noNaN: true });
const request = fc.record({ tMs: moment, durationMs: moment });
const few = { numRuns: runs(300) };

describe('what is told of requests that are seen once', () => {
  it('good replies are counted as if the fastest had been known before', () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 60 }), moment, moment, (requests, one, other) => {
        const measured = { fromMs: Math.min(one, other), toMs: Math.max(one, other) };
        const good = new GoodResponses(measured, 4);
        for (const each of requests) good.add(each);
        const fastest = Math.min(...requests.map(({ durationMs }) => durationMs));
        const expected = requests.filter(({ tMs, durationMs }) => {
          const arrival = tMs + durationMs - fastest;
          return arrival >= measured.fromMs && arrival < measured.toMs;
        });
        expect(good.count()).toBe(expected.length);
      }),
      few,
    );
  });

  it('those in flight at a time are those that had begun and not ended', () => {
    fc.assert(
      fc.property(fc.array(request), fc.array(moment), (requests, times) => {
        const inFlight = new InFlight(times);
        for (const each of requests) inFlight.add(each);
        expect(inFlight.counts()).toEqual(
          times.map(
            (atMs) =>
              requests.filter(({ tMs, durationMs }) => tMs <= atMs && atMs < tMs + durationMs)
                .length,
          ),
        );
      }),
      few,
    );
  });

  it('ever new processes are counted together once there are too many', () => {
    const spread = new ProcessSpread(3);
    for (const pid of [1, 2, 3, 4, 5, 1]) spread.add(`host/${String(pid)}/main`);
    expect(spread.rows()).toEqual([
      { host: 'host', pid: 1, role: 'main', requests: 2 },
      { host: '', pid: 0, role: 'others', requests: 2 },
      { host: 'host', pid: 2, role: 'main', requests: 1 },
      { host: 'host', pid: 3, role: 'main', requests: 1 },
    ]);
  });
});

/** A day of 10 to 200 requests per second would have these due times, latencies and errors. */
function* requestsOfADay(count: number): Generator<RequestSample> {
  const random = seededRandom(8);
  for (let i = 0; i < count; i += 1) {
    const ok = random() > 0.02;
    yield {
      tMs: (86_400_000 * i) / count,
      durationMs: 5 - 40 * Math.log(1 - random()),
      status: ok ? 200 : 500,
      ok,
      errorKind: ok ? '' : 'status 500',
      id: `run-0-${String(i)}`,
      workload: 'last-node',
      ranBy: `host/${String(i % 7)}/worker`,
      lateMs: random(),
      connected: 0,
    };
  }
}

const EXACT = { all: 2_000, perWindow: 50 };

function keptOf(count: number): number {
  const day = { warmupSeconds: 60, durationSeconds: 86_340 };
  const seen = new RequestsSeen(day, 0, EXACT);
  for (const each of requestsOfADay(count)) seen.add(each);
  expect(seen.figures.requests).toBe(count);
  return keptIn(seen);
}

test('what is kept of a run does not grow with its requests', () => {
  const [few, many, max] = [20_000, 80_000, 320_000].map(keptOf);
  // Beyond the bounds only rare latencies still open a bucket.
  expect(many).toBeLessThan(1.3 * (few ?? 0));
  expect(max).toBeLessThan(1.1 * (many ?? 0));
});
