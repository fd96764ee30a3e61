import fc from 'fast-check';
import { stringify } from 'yaml';
import { valuesOf, valuesOfTopology } from '../../../cli/src/plan/chart-values';
import { bareTopology } from '../../../cli/src/plan/values-topology';
import { databaseOf, topologySchema, TUNING_NAMES } from '../../../cli/src/plan/topology';
import { readDeployed } from '../../../cli/src/targets/chart/deployed';

const limits = {
  cpuMillicores: fc.integer({ min: 10, max: 8000 }),
  memoryMiB: fc.integer({ min: 512, max: 8192 }),
  heapMiB: fc.oneof(fc.constant('auto' as const), fc.integer({ min: 320, max: 4096 })),
};

const topologies = fc
  .record({
    mode: fc.constantFrom('regular', 'queue'),
    tuning: fc.constantFrom(...TUNING_NAMES),
    main: fc.record(limits),
    workers: fc.record({
      ...limits,
      count: fc.integer({ min: 1, max: 9 }),
      concurrency: fc.integer({ min: 1, max: 200 }),
    }),
    webhooks: fc.record({ ...limits, count: fc.integer({ min: 0, max: 3 }) }),
    env: fc.constantFrom({}, { N8N_LOG_LEVEL: 'error' }),
  })
  .map((choice) => topologySchema.parse(choice));

test('what is asked for is what the values deploy, whatever it is', () => {
  fc.assert(
    fc.property(topologies, (topology) => {
      const { topology: deployed } = readDeployed(stringify(valuesOfTopology(topology)), null);
      const { cpuMillicores, memoryMiB, heapMiB } = topology.main;
      expect(deployed).toMatchObject({
        n8n: topology.n8n,
        mode: topology.mode,
        tuning: topology.tuning,
        main: { cpuMillicores, memoryMiB, heapMiB },
        env: topology.env,
      });
      expect(databaseOf(deployed)).toBe(topology.mode === 'queue' ? 'postgresql' : 'sqlite');
      if (topology.mode === 'regular') return;
      const { count, concurrency } = topology.workers;
      expect(deployed.workers).toMatchObject({ count, concurrency });
      expect(deployed.webhooks.count).toBe(topology.webhooks.count);
    }),
  );
});

test('a topology is the same after it was written as values and read again, tuned or not', () => {
  const all = fc.tuple(topologies, fc.constantFrom('none', ...TUNING_NAMES));
  fc.assert(
    fc.property(all, ([{ workers, webhooks, ...rest }, tuning]) => {
      const isQueue = rest.mode === 'queue';
      const topology = topologySchema.parse({
        ...{ ...rest, tuning, workers: isQueue ? workers : { ...workers, count: 1 } },
        ...(isQueue ? {} : { database: 'postgresql' }),
        webhooks: isQueue ? webhooks : { ...webhooks, count: 0 },
      });
      const values = valuesOf({ ...topology, database: 'postgresql' });
      expect(bareTopology(values)).toEqual({ topology, leftOut: [] });
    }),
  );
});

test('n8n as it comes is refused: the chart always tunes', () => {
  expect(() => valuesOfTopology(topologySchema.parse({ tuning: 'none' }))).toThrow(
    /^the chart cannot deploy n8n without tuning/,
  );
});
