import fc from 'fast-check';
import { BreachWatch, MissWatch, type Breached } from '../../../../cli/src/run/analysis/breach';
import { planOf } from '../../../../loadtests/lib/profile';
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

/** 40 s at 50/s after a warm-up of 10 s. */
const STEADY = planOf('load', { ratePerSecond: 50, durationSeconds: 40, warmupSeconds: 10 });
const SENT = Array.from({ length: 2_500 }, (_, index) => 20 * index);

function firstMiss(slo: string, latencyAt: (tMs: number) => number): Breached | null {
  const watch = new MissWatch(parseSlos(slo), STEADY);
  const all = SENT.map((tMs) => request(tMs, latencyAt(tMs)));
  all.sort((a, b) => a.tMs + a.durationMs - b.tMs - b.durationMs);
  for (const sample of all) {
    const found = watch.see(sample);
    if (found !== null) return found;
  }
  return null;
}

describe('the certain miss of a load at one rate', () => {
  it('is seen with the first late request beyond the share of all planned ones, and never where fewer are late', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 9 }), (late, gap) => {
        const isLate = (tMs: number): boolean =>
          tMs >= 10_000 && (tMs / 20) % gap === 0 && (tMs - 10_000) / 20 / gap < late;
        const many = SENT.filter(isLate).length;
        const found = firstMiss('p95<300ms', (tMs) => (isLate(tMs) ? 400 : 40));
        // 5% of the 2,000 requests of the measured part.
        if (many <= 100) expect(found).toBeNull();
        else {
          const last = SENT.filter(isLate)[100] ?? 0;
          expect(found).toMatchObject({ tMs: last + 400, slo: 'p95<300ms' });
        }
      }),
      { numRuns: runs(60) },
    );
  });

  it('counts nothing of the warm-up', () => {
    expect(firstMiss('p95<300ms', (tMs) => (tMs < 10_000 ? 5_000 : 40))).toBeNull();
  });

  it('allows each percentile its own share', () => {
    const latencyAt = (tMs: number): number => (tMs % 1_000 < 40 ? 400 : 40);
    expect(firstMiss('p95<300ms', latencyAt)).toBeNull();
    expect(firstMiss('p99<300ms', latencyAt)?.slo).toBe('p99<300ms');
    expect(firstMiss('errors<1%', latencyAt)).toBeNull();
  });

  it('is there at once where most responses take ten times the limit', () => {
    const found = firstMiss('p95<300ms', () => 3_100);
    // The twentieth response of the measured part.
    expect(found?.tMs).toBe(10_000 + 19 * 20 + 3_100);
    expect(found?.text).toBe(
      '20 of the last 20 responses took at least 10 times the limit of 300 ms',
    );
    expect(firstMiss('p95<300ms', (tMs) => (tMs < 10_200 ? 3_100 : 40))).toBeNull();
  });

  it('takes more than ten late requests, however few the load has', () => {
    const few = planOf('load', { ratePerSecond: 1, durationSeconds: 60, warmupSeconds: 0 });
    const watch = new MissWatch(parseSlos('p95<300ms'), few);
    const seen = Array.from({ length: 11 }, (_, index) => watch.see(request(1_000 * index, 400)));
    expect(seen.findIndex((found) => found !== null)).toBe(10);
  });

  it('is nothing to end the load for once all of it was made', () => {
    expect(firstMiss('p95<300ms', (tMs) => (tMs < 45_000 ? 40 : 60_000 - tMs))).toBeNull();
  });

  it('is no matter of requests that were cut off', () => {
    const watch = new MissWatch(parseSlos('p95<300ms'), STEADY);
    const cut = SENT.map((tMs) => request(tMs, 50_000 - tMs, 'unanswered'));
    expect(cut.map((sample) => watch.see(sample)).filter((found) => found !== null)).toEqual([]);
  });
});
