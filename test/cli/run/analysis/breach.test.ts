import fc from 'fast-check';
import { BreachWatch, type Breached } from '../../../../cli/src/run/analysis/breach';
import { parseSlos } from '../../../../loadtests/lib/slo';
import type { RequestSample } from '../../../../cli/src/record/run-record';
import { runs } from '../../../support/properties';

const request = (tMs: number, durationMs: number, errorKind = ''): RequestSample => ({
  ...{ tMs, durationMs, errorKind, ok: errorKind === '', status: errorKind === '' ? 200 : 500 },
  ...{ id: String(tMs), workload: 'request', ranBy: '' },
});

/** The rate grows by one request per second each second. */
const dueAt = (index: number): number => 1000 * Math.sqrt(2 * index);

function firstBreach(slo: string, of: (tMs: number) => RequestSample): Breached | null {
  const watch = new BreachWatch(parseSlos(slo));
  const all = Array.from({ length: 7200 }, (_, index) => of(dueAt(index)));
  all.sort((a, b) => a.tMs + a.durationMs - b.tMs - b.durationMs);
  for (const sample of all) {
    const found = watch.see(sample);
    if (found !== null) return found;
  }
  return null;
}

describe('the breach of a growing load', () => {
  it('is where the latency goes past its limit for good', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 90 }), (seconds) => {
        const found = firstBreach('p95<300ms', (tMs) =>
          request(tMs, tMs < seconds * 1000 ? 40 : 600),
        );
        expect(found?.slo).toBe('p95<300ms');
        expect(found?.tMs).toBeGreaterThan((seconds - 6) * 1000);
        expect(found?.tMs).toBeLessThan((seconds + 6) * 1000);
      }),
      { numRuns: runs(30) },
    );
  });

  it('is not a single stall of a second', () => {
    const stall = (tMs: number): RequestSample =>
      request(tMs, tMs > 60_000 && tMs < 61_000 ? 1000 : 40);
    expect(firstBreach('p95<300ms', stall)).toBeNull();
  });

  it('is a share of errors, also where no SLO speaks of them', () => {
    const failing = (tMs: number): RequestSample =>
      request(tMs, 5, tMs > 70_000 && tMs % 3 < 1 ? 'status 500' : '');
    expect(firstBreach('p95<300ms', failing)?.slo).toBe('errors<5%');
    expect(firstBreach('p95<300ms,errors<50%', failing)).toBeNull();
  });
});
