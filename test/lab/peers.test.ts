// The comparison of charts: its parts, and what the official chart is given as the variables of ours.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isChartFile, readChartFile } from '../../capacity/src/plan/chart-file';
import { told } from '../support/told';

const root = join(__dirname, '../..');
const folder = join(root, 'studies/charts');

interface Part {
  workload: string;
  mode: string;
  contender: string;
  name: string;
}

describe('the parts', () => {
  const { parts, commands, contenders, size } = told<{
    parts: Part[];
    commands: string[][];
    contenders: string[];
    size: number;
  }>(
    join(folder, 'parts.mjs'),
    `{ parts: it.PARTS, commands: it.SITTINGS.map((one) => it.commandOf(one, { out: 'here', isShort: false })),
       contenders: Object.keys(it.CONTENDERS),
       size: Object.keys(it.LOADS).length * Object.keys(it.CONTENDERS).length * it.MODES.length }`,
  );

  test('hold each contender by each workload in each mode, once', () => {
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
    expect(parts).toHaveLength(size);
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
  const deployment = (role: string, env: unknown[]) => ({
    kind: 'Deployment',
    spec: {
      template: {
        metadata: { labels: { 'app.kubernetes.io/component': role } },
        spec: { containers: [{ env }] },
      },
    },
  });
  const variable = (name: string, value: string) => ({ name, value });
  const valuesFor = (ours: unknown[], theirs: unknown[]) =>
    told(
      join(folder, 'same-environment.mjs'),
      `it.valuesFor(${JSON.stringify(ours)}, ${JSON.stringify(theirs)})`,
    );

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
