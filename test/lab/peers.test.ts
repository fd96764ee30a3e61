// The comparison of charts: its parts, what the official chart is given as the variables of ours, and the page of it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isChartFile, readChartFile } from '../../cli/src/plan/chart-file';
import { valuesFor, type Manifest, type Variable } from '../../studies/charts/same-environment';
import { commandOf, contenders, MODES, SITTINGS, WORKLOADS } from '../../studies/charts/sittings';
import { peersTable, type Peer } from '../../lab/generate/studies/charts';

const root = join(__dirname, '../..');
const folder = join(root, 'studies/charts');

describe('the sittings', () => {
  const commands = SITTINGS.map((one) => commandOf(one, { out: 'here', isShort: false }));

  test('hold each workload in each mode, once', () => {
    expect(new Set(SITTINGS.map(({ name }) => name)).size).toBe(WORKLOADS.length * MODES.length);
    expect(SITTINGS).toHaveLength(WORKLOADS.length * MODES.length);
  });

  test('compare charts that are described: the official one with each contender, in one sitting', () => {
    for (const [, ...words] of commands) {
      const files = words.slice(0, words.indexOf('--target'));
      const mode = /-(regular|queue)\.yaml$/.exec(files[0] ?? '')?.[1] ?? '';
      expect(files).toEqual(
        ['official', ...contenders].map((name) => `studies/charts/${name}-${mode}.yaml`),
      );
      for (const file of files) expect(isChartFile(join(root, file))).toBe(true);
    }
  });

  test.each(['regular', 'queue'])('ours are described as the others are, in %s mode', (mode) => {
    for (const name of ['tuned', 'tuned-throughput']) {
      const { chart, values } = readChartFile(join(folder, `${name}-${mode}.yaml`));
      expect(existsSync(join(chart, 'Chart.yaml'))).toBe(true);
      expect(values.map(({ text }) => text).join('')).toContain("cpu: '1', memory: 1Gi");
    }
  });
});

describe('the environment of ours, for the official chart', () => {
  const deployment = (role: string, env: Variable[]): Manifest => ({
    kind: 'Deployment',
    spec: {
      template: {
        metadata: { labels: { 'app.kubernetes.io/component': role } },
        spec: { containers: [{ env }] },
      },
    },
  });
  const variable = (name: string, value: string) => ({ name, value });

  test('each role gets the settings that its chart does not set itself, and nothing of the place', () => {
    const ours = [
      deployment('main', [
        variable('N8N_PORT', '5678'),
        variable('DB_POSTGRESDB_HOST', 'postgres'),
        { name: 'DB_POSTGRESDB_PASSWORD', valueFrom: {} },
        variable('DB_POSTGRESDB_POOL_SIZE', '13'),
        variable('EXECUTIONS_DATA_PRUNE', 'true'),
      ]),
      deployment('worker', [variable('DB_POSTGRESDB_POOL_SIZE', '4')]),
    ];
    const theirs = [deployment('main', [variable('EXECUTIONS_DATA_PRUNE', 'true')])];
    expect(valuesFor(ours, theirs)).toEqual({
      webhook: { extraEnv: [variable('DB_POSTGRESDB_POOL_SIZE', '13')] },
      queueMode: { workerExtraEnv: [variable('DB_POSTGRESDB_POOL_SIZE', '4')] },
    });
  });

  test('of the options of Node.js the heap is one, a script is none', () => {
    const options = (value: string) => [deployment('main', [variable('NODE_OPTIONS', value)])];
    expect(valuesFor(options('--max-old-space-size=512 --require=/a.cjs'), [])).toEqual({
      webhook: { extraEnv: [variable('NODE_OPTIONS', '--max-old-space-size=512')] },
    });
    expect(valuesFor(options('--require=/a.cjs --require=/b.cjs'), [])).toEqual({
      webhook: { extraEnv: [] },
    });
  });
});

describe('the page', () => {
  interface Ratio {
    value: number;
    low: number;
    high: number | null;
  }
  const side = (limit: object, ratePerSecond: number): object => ({
    deployedValues: { main: { resources: { limits: { cpu: '1', memory: '1Gi' } } } },
    limits: [{ limit }, null, { limit: { role: 'main', resource: 'CPU limit' } }],
    values: [ratePerSecond, null, ratePerSecond],
    runs: [{ ratePerSecond }, null, { ratePerSecond }],
  });
  const record = (contender: string, ratio: Ratio, more: object = {}) =>
    ({
      ...{ contender, mode: 'queue', file: `${contender}.json` },
      ...{ startedAt: '2026-11-23T18:28:17.801Z', loadAverageAtStart: 1.42 },
      command: ['compare', '--vus', '8', '--warmup', '3s', '--duration', '12s'],
      comparison: {
        ...{ workload: { name: 'items' }, answer: ratio.low > 1 ? 'better' : 'unknown', ratio },
        versions: { n8n: '2.41.1', kubernetes: 'v1.36.3' },
        machine: { cpu: 'a CPU', cores: 2, memoryMiB: 2048 },
      },
      ...{
        a: side({ role: 'worker', resource: 'CPU limit' }, 5),
        b: side({ role: 'host', resource: 'CPU' }, 10),
        ...more,
      },
    }) as unknown as Peer;
  const conclusion = (same: Ratio, ours: Ratio, more: object = {}): string =>
    peersTable([record('official-same', same, more), record('tuned', ours, more)]);

  test('tells of a difference between the variables and the chart only where the intervals are apart', () => {
    const same = { value: 1.5, low: 1.2, high: 1.8 };
    const apart = conclusion(same, { value: 3, low: 2, high: 4 });
    expect(apart).toContain('| 1.5x (1.2 to 1.8) | 3x (2 to 4) | 2x |');
    const overlapping = conclusion(same, { value: 3, low: 1.7, high: 5 });
    expect(overlapping).toContain('| no difference is shown |');
    expect(conclusion(same, { value: 1, low: 0.9, high: 1.1 })).toContain('| 0.667x |');
  });

  test('tells of none where there are too few pairs, or no response to compare with', () => {
    const open = { value: 2, low: 0, high: null };
    expect(conclusion(open, open)).toContain('| not known: too few pairs |');
    const silent = conclusion(open, open, { a: side({ role: 'main', resource: 'memory' }, 0) });
    expect(silent).toContain('| no ratio |');
  });

  test('compares only what was measured in one sitting', () => {
    const ratio = { value: 2, low: 1.5, high: 3 };
    const another = { startedAt: '2026-11-24T01:00:00.000Z' };
    const text = peersTable([record('official-same', ratio), record('tuned', ratio, another)]);
    expect(text).toContain('| not in one sitting |');
  });
});
