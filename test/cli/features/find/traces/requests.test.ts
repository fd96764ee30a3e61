import fc from 'fast-check';
import {
  packLatencies,
  packTimes,
  unpackLatencies,
  unpackTimes,
} from '../../../../../cli/src/features/find/traces/codec';
import {
  keepRequests,
  plannedDueMs,
  requestTimes,
  type EndedRequest,
} from '../../../../../cli/src/features/find/traces/requests';
import type { RecordedProfile } from '../../../../../cli/src/record/run-record';
import { planOf } from '../../../../../loadtests/lib/profile';
import { runs } from '../../../../support/properties';

const planned = (seed: number, ratePerSecond = 40, durationSeconds = 30): RecordedProfile => {
  const plan = planOf('load', {
    ...{ ratePerSecond, durationSeconds, warmupSeconds: 5, arrivals: 'random', seed },
  });
  const { profile: name, ...rest } = plan;
  return { name, ...rest };
};

const closed: RecordedProfile = {
  ...{ name: 'closed', loop: 'closed', durationSeconds: 10, warmupSeconds: 0, clients: 4 },
};

const ended = (dueMs: number, latencyMs: number): EndedRequest => ({
  ...{ dueMs, latencyMs, endMs: dueMs + (latencyMs || 0), isExpected: !Number.isNaN(latencyMs) },
});

/** In the order of their ends, as they come. */
const asTheyEnd = (requests: EndedRequest[]): EndedRequest[] =>
  [...requests].sort((a, b) => a.endMs - b.endMs);

describe('packed figures', () => {
  it('give back latencies to half a percent, and where there was none', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0.1, max: 600_000, noNaN: true })), (latencies) => {
        const back = unpackLatencies(packLatencies([NaN, ...latencies]));
        expect(back[0]).toBeNaN();
        expect(back).toHaveLength(latencies.length + 1);
        latencies.forEach((ms, index) => {
          expect(Math.abs((back[index + 1] ?? 0) / ms - 1)).toBeLessThan(0.0051);
        });
      }),
      { numRuns: runs(100) },
    );
  });

  it('give back times to a tenth of a millisecond, whatever lies between them', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 10_000_000, noNaN: true })), (all) => {
        const times = [...all].sort((a, b) => a - b);
        const back = unpackTimes(packTimes(times));
        expect(back).toHaveLength(times.length);
        times.forEach((ms, index) => {
          expect(Math.abs((back[index] ?? 0) - ms)).toBeLessThan(0.051);
        });
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('the requests that a probe keeps', () => {
  it('have due times that the seed alone gives back, and the latencies that were seen', () => {
    const profile = planned(4711);
    const due = [...(plannedDueMs(profile, 1) ?? [])];
    expect(due.length).toBeGreaterThan(1_200);
    const all = due.map((dueMs, index) => ended(dueMs, 20 + (index % 300)));
    const kept = keepRequests(asTheyEnd(all), profile, 1);
    expect(kept.dueMs).toBeUndefined();
    const times = requestTimes(kept);
    expect([...(times?.dueMs ?? [])]).toEqual(due);
    times?.latencyMs.forEach((ms, index) => {
      expect(Math.abs(ms / (20 + (index % 300)) - 1)).toBeLessThan(0.0051);
    });
  });

  it('are those that were sent and have a latency', () => {
    const profile = planned(12);
    const due = [...(plannedDueMs(profile, 1) ?? [])].slice(0, 400);
    const seen = due.flatMap((dueMs, index) =>
      index % 7 === 0 ? [] : [ended(dueMs, index % 11 === 0 ? NaN : 30)],
    );
    const times = requestTimes(keepRequests(seen, profile, 1));
    const known = due.filter((_, index) => index % 7 !== 0 && index % 11 !== 0);
    expect([...(times?.dueMs ?? [])]).toEqual(known);
  });

  it.each([
    ['a closed loop', closed],
    ['a load whose seed is another', planned(2)],
  ])('have due times of their own in %s', (_, profile) => {
    const sent = [0, 3.5, 3.6, 900, 40_000];
    const kept = keepRequests(
      sent.map((dueMs) => ended(dueMs, 12)),
      profile,
      1,
    );
    expect(kept.dueMs).toBeDefined();
    expect([...(requestTimes(kept)?.dueMs ?? [])].map((ms) => Math.round(10 * ms) / 10)).toEqual(
      sent,
    );
  });

  it('are a sample, which nothing is replayed by, where they are very many', () => {
    const profile = planned(3, 3_000, 20);
    const due = [...(plannedDueMs(profile, 1) ?? [])];
    const kept = keepRequests(
      due.map((dueMs) => ended(dueMs, 5)),
      profile,
      1,
    );
    expect(kept.every).toBe(Math.ceil(due.length / 20_000));
    expect(unpackLatencies(kept.latencyMs).length).toBeLessThanOrEqual(20_000);
    expect(requestTimes(kept)).toBeNull();
  });

  it('take less than two bytes each in a record', () => {
    const profile = planned(5, 100, 50);
    const due = [...(plannedDueMs(profile, 1) ?? [])];
    const noise = (index: number): number => ((index * 7_919) % 1_000) / 1_000;
    const kept = keepRequests(
      due.map((dueMs, index) => ended(dueMs, 15 * Math.exp(3 * noise(index)))),
      profile,
      1,
    );
    expect(kept.latencyMs.length).toBeLessThan(2 * due.length);
  });
});
