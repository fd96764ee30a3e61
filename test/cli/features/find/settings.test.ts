import { Command } from 'commander';
import { findOrder, register, type FindOptions } from '../../../../cli/src/features/find/command';
import { CapacitySearch } from '../../../../cli/src/features/find/analysis/search';
import { withDefaults } from '../../../../cli/src/features/find/analysis/types';
import fc from 'fast-check';
import { parseSlos } from '../../../../loadtests/lib/slo';
import { searchSettings, defaultLengths } from '../../../../cli/src/features/find/settings';

const choice = { probeSeconds: null, fullSeconds: null, budgetSeconds: null, latencyFloorMs: 0 };

describe('how long probes are', () => {
  test('follows from the budget where nobody says', () => {
    expect(defaultLengths(null)).toEqual({ shortSeconds: 10, fullSeconds: 60 });
    expect(defaultLengths(300)).toEqual({ shortSeconds: 8, fullSeconds: 50 });
    expect(defaultLengths(100)).toEqual({ shortSeconds: 6, fullSeconds: 20 });
    expect(defaultLengths(3_600)).toEqual({ shortSeconds: 10, fullSeconds: 60 });
  });

  test('several whole replies fit into one, whatever was chosen', () => {
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: 10, max: 7_200 })),
        fc.option(fc.integer({ min: 1, max: 600 })),
        fc.integer({ min: 0, max: 60_000 }),
        (budgetSeconds, probeSeconds, latencyFloorMs) => {
          const settings = searchSettings({
            ...choice,
            budgetSeconds,
            probeSeconds,
            latencyFloorMs,
            slos: parseSlos('p95<1s'),
          });
          expect(settings.shortSeconds).toBeGreaterThanOrEqual((4 * latencyFloorMs) / 1000);
          expect(settings.fullSeconds).toBeGreaterThanOrEqual(settings.shortSeconds ?? 0);
        },
      ),
    );
  });

  test.each([
    ['p95<1s,errors<1%', 90],
    ['p99<1s', 460],
    ['p99.9<1s', 4_610],
    ['p50<1s', 38],
  ])('%s needs %p requests in a probe, warm-up included', (slo, min) => {
    expect(searchSettings({ ...choice, slos: parseSlos(slo) }).minRequests).toBe(min);
  });
});

describe('what a replay in a queue is asked for', () => {
  test.each([
    ['p95<300ms,errors<1%', { p: 0.95, boundSeconds: 0.3 }],
    ['p50<2s', { p: 0.5, boundSeconds: 2 }],
    ['p95<300ms,p99<1s', null],
    ['errors<1%', null],
    ['mean<1s', null],
  ])('of %s is %p: one percentile of latency', (slo, percentile) => {
    expect(searchSettings({ ...choice, slos: parseSlos(slo) }).percentile).toEqual(percentile);
  });

  test('is as precise as the call says, and gentle only if it says so', () => {
    const slos = parseSlos('p95<1s');
    expect(searchSettings({ ...choice, slos })).not.toHaveProperty('precision');
    expect(
      searchSettings({ ...choice, slos, options: { precision: 0.2, isGentle: true } }),
    ).toMatchObject({ precision: 0.2, isGentle: true });
  });
});

describe('the clients of the first probes', () => {
  const settingsOf = (...options: string[]) => {
    const command = register(new Command());
    command.parseOptions(['--workload', 'last-node', ...options]);
    const order = findOrder(command.opts<FindOptions>());
    return { order, settings: order.settings };
  };

  it('are at most as many as --max-clients says, and the user is told so before a search of a URL', () => {
    const { order, settings } = settingsOf(
      '--max-clients',
      '10',
      '--target',
      'url',
      '--url',
      'http://n8n.test',
    );
    expect(settings.maxClients).toBe(10);
    expect(JSON.stringify(order.target)).toContain('first from up to 10 clients');
    const search = new CapacitySearch(settings);
    const clients: number[] = [];
    for (let probe = search.next(); probe?.kind === 'ladder'; probe = search.next()) {
      clients.push(probe.clients);
      const result = { result: 'sustained', decided: true } as const;
      const outcome = { ...result, achievedPerSecond: 9 * probe.clients };
      const unseen = { pressure: null, cpuMs: null, stallCostsSeconds: [], limit: null };
      search.record({ ...outcome, ...unseen, spentSeconds: null, trace: null });
    }
    expect(clients).toEqual([1, 4]);
  });

  it('are up to 1,024 otherwise', () => {
    expect(settingsOf().settings).not.toHaveProperty('maxClients');
    expect(withDefaults({}).maxClients).toBe(1024);
  });
});

describe('the budget of a search', () => {
  const budgetOf = (...options: string[]) => {
    const command = register(new Command());
    command.parseOptions(['--workload', 'last-node', ...options]);
    return findOrder(command.opts<FindOptions>()).settings.budgetSeconds;
  };

  it('is five minutes where none is given, so that a first search ends', () => {
    expect(budgetOf()).toBe(300);
    expect(budgetOf('--probe', '5s')).toBe(300);
    expect(budgetOf('--budget', '2m')).toBe(120);
  });

  it('follows from the length of a full probe where that alone is given', () => {
    expect(budgetOf('--full', '4s')).toBeNull();
  });
});
