import { costOf, priceOfMillion } from '../../../cli/src/analysis/cost';
import { adviceFor, LIMITS } from '../../../cli/src/analysis/limits/table';
import type { AtCapacity } from '../../../cli/src/features/find/record';

const role = (name: AtCapacity['roles'][number]['role'], cores: number, memoryMiB: number) => ({
  ...{ role: name, instances: 1, cpuCoresMean: cores, rssPeakMiB: memoryMiB },
  ...{ rssMedianMiB: null, processesPeak: 1, restarts: 0, oomKills: 0, throttledShare: null },
});

const atCapacity: AtCapacity = {
  ...{ run: 'probes/a', ratePerSecond: 50, meanLatencyMs: 20, cpuMillisecondsPerRequest: 30 },
  roles: [role('main', 1, 512), role('worker', 0.5, 512), role('generator', 3, 4096)],
};
const advised = { share: 0.8, ratePerSecond: 40 };

test('a million requests take the CPU of each request, and the memory for as long as they take at the planned rate', () => {
  const cost = costOf({ atCapacity, advised });
  expect(cost).toMatchObject({ ratePerSecond: 50, cores: 1.5, memoryGiB: 1 });
  // 1.5 cores x 20,000 s; 1 GiB x 25,000 s.
  expect(cost?.perMillion.coreHours).toBeCloseTo(30_000 / 3600, 9);
  expect(cost?.perMillion.gibHours).toBeCloseTo(25_000 / 3600, 9);
  if (cost === null) throw new Error('there is no cost');
  expect(priceOfMillion(cost, { cpu: 0.04, memory: 0.005 })).toBeCloseTo(
    0.04 * (30_000 / 3600) + 0.005 * (25_000 / 3600),
    9,
  );
});

test('nothing is said of what was not seen', () => {
  expect(costOf({ atCapacity: null, advised })).toBeNull();
  expect(costOf({ atCapacity: { ...atCapacity, roles: [] }, advised })).toBeNull();
  expect(costOf({ atCapacity, advised: { ratePerSecond: 0 } })).toBeNull();
});

test('each resource that can be a limit comes with what to change, and no other', () => {
  expect(LIMITS.length).toBeGreaterThan(15);
  expect(LIMITS.filter((limit) => adviceFor(limit, 'queue') === null)).toEqual([]);
  expect(adviceFor(null, 'queue')).toBeNull();
  expect(adviceFor(null, null)).toBeNull();
  const loop = { role: 'main', resource: 'event loop' } as const;
  expect(adviceFor(loop, 'regular')).toContain('queue mode');
  expect(adviceFor(loop, 'queue')).toContain('webhook processors');
  expect(adviceFor({ role: 'webhook', resource: 'CPU limit' }, 'queue')).toBe(
    'raise the CPU limit of webhook processor',
  );
});
