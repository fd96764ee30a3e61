// The plan that measures the target kubernetes beside the target process: its parts, what is kept of a search, and the
// ratio of two capacities.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { cellsOf } from '../../cli/src/features/sweep/plan/plan-cells';
import { chooseTopology } from '../../cli/src/plan/chosen-topology';
import { parseCpu, parseMemory } from '../../cli/src/plan/quantities';
import { type Topology } from '../../cli/src/plan/topology';
import { parseSweepPlan } from '../../cli/src/features/sweep/plan/plan';
import type { FindRecord } from '../../cli/src/features/find/record';
import { valuesOfTopology } from '../../cli/src/plan/chart-values';
import { topologyOfValues } from '../../cli/src/targets/kubernetes/release/values';
import { capacityRatio, wordOf } from '../../lab/generate/studies/kubernetes';
import { contenders, SITTINGS } from '../../studies/charts/sittings';
import { containersOf } from '../../studies/kubernetes/figures';
import * as plan from '../../studies/kubernetes/parts';

const root = join(__dirname, '../..');
const folder = join(root, 'studies/kubernetes');

describe('the parts', () => {
  const parts = plan.PARTS;
  const commands: string[][] = parts.map((part) =>
    plan.commandOf(part, { out: 'out', evidence: 'evidence', isShort: false }),
  );
  const compared = plan.COMPARED;
  const peers = SITTINGS.flatMap(({ name }) =>
    contenders.map((contender) => `${name}-${contender}`),
  );
  const commandOf = (name: string): string[] =>
    commands[parts.findIndex((part) => part.name === name)] ?? [];

  test('are named once each, fit into one sitting, and follow what they rest on', () => {
    const names = parts.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Math.max(...parts.map(({ seconds }) => seconds))).toBeLessThan(11 * 60);
    expect(parts.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThan(60 * 60);
    for (const [at, part] of parts.entries()) {
      if (part.kind === 'prove') expect(names.slice(0, at)).toContain(part.needs);
    }
  });

  test.each(['regular', 'queue'])(
    'the two searches of %s mode differ in nothing but the target',
    (mode) => {
      const [pods, processes] = ['kubernetes', 'process'].map((target) =>
        commandOf(`find-${mode}-${target}`),
      );
      expect(pods).toContain('--cpu');
      expect(pods).toContain('--memory');
      expect(pods?.map((word) => (word === 'kubernetes' ? 'process' : word))).toEqual(processes);
      expect(pods).not.toEqual(processes);
    },
  );

  test.each(['regular', 'queue'])('the chart lays %s mode out as processes are', (mode) => {
    const words = commandOf(`find-${mode}-process`);
    const said = (option: string): string | undefined =>
      words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
    const count = (option: string): number | undefined =>
      said(option) === undefined ? undefined : Number(said(option));
    const wanted = chooseTopology({
      ...{ mode: mode as 'regular' | 'queue', tuning: 'default' as const },
      ...{ workers: count('--workers'), webhooks: count('--webhooks') },
      ...{ cpu: parseCpu(said('--cpu') ?? ''), memory: parseMemory(said('--memory') ?? '') },
    });
    const text = stringify(valuesOfTopology(wanted));
    const deployed = topologyOfValues([{ name: 'values', text }]);
    const roles =
      mode === 'queue' ? (['main', 'workers', 'webhooks'] as const) : (['main'] as const);
    for (const role of roles) {
      const limits = ({ cpuMillicores, memoryMiB, env }: Topology['main']): object => ({
        ...{ role, cpuMillicores, memoryMiB, env },
      });
      expect(limits(deployed[role])).toEqual(limits(wanted[role]));
    }
    expect([deployed.env, deployed.tuning, deployed.mode]).toEqual([{}, wanted.tuning, mode]);
  });

  test('use options that the commands have', () => {
    for (const words of commands) {
      const own = readFileSync(join(root, `docs/reference/${words[0] ?? ''}.md`), 'utf8');
      const unknown = words.filter((word) => /^--/.test(word) && !own.includes(`\`${word}`));
      expect([words[0], unknown]).toEqual([words[0], []]);
    }
  });

  test('sweep six cells, all of which the chart can deploy', () => {
    const file = join(folder, 'sweep.yaml');
    const { possible, skipped } = cellsOf(parseSweepPlan(readFileSync(file, 'utf8'), file));
    expect([possible.length, skipped]).toEqual([6, []]);
    expect(possible.map(({ tuning }) => tuning)).not.toContain('none');
  });

  test('leave the comparison with the official chart to parts that the other plan has', () => {
    expect(compared.length).toBeGreaterThan(0);
    for (const name of compared) expect(peers).toContain(name);
  });
});

describe('what is kept of a run', () => {
  test('is what the control groups used after the warm-up, and what of it was n8n with its task runner', () => {
    const rows = [
      [500, 'main', 'n8n-main-0', 'groupCpuCores', 9],
      [1000, 'main', 'n8n-main-0', 'groupCpuLimitCores', 0.5],
      [1000, 'main', 'n8n-main-0', 'groupCpuCores', 0.4],
      [2000, 'main', 'n8n-main-0', 'groupCpuCores', 0.5],
      [1000, 'main', 'n8n-main-0', 'cpuCores', 0.3],
      [2000, 'main', 'n8n-main-0', 'cpuCores', 0.35],
      [2000, 'main', 'n8n-main-0/77', 'cpuCores', 0.02],
      [1000, 'runner', 'n8n-main-0', 'cpuCores', 0.05],
      [2000, 'runner', 'n8n-main-0', 'cpuCores', 0.05],
      [2000, 'postgresql', 'n8n-pg-0', 'groupCpuCores', 0.3],
      [3000, 'main', 'n8n-main-0', 'groupCpuCores', 9],
    ];
    const text = ['tMs,role,instance,metric,value', ...rows.map((row) => row.join(','))].join('\n');
    const [main, ...others] = containersOf(text, { fromMs: 1000, toMs: 3000 }) as unknown as Record<
      string,
      number
    >[];
    expect(others).toEqual([]);
    expect(main).toMatchObject({ role: 'main', instances: 1, limitCores: 0.5 });
    expect(main?.['cores']).toBeCloseTo(0.45);
    expect(main?.['n8nCores']).toBeCloseTo(0.325 + 0.01 + 0.05);
  });
});

describe('the ratio of the capacities', () => {
  const capacity = (
    ratePerSecond: number,
    low: number,
    high: number | null,
    verdict = 'found',
  ) => ({
    find: { verdict, capacity: { ratePerSecond, low, high, confirmed: true } } as FindRecord,
  });
  const processes = capacity(40, 38, 42);

  test('has the interval of two independent estimates', () => {
    const ratio = capacityRatio(capacity(32, 30.4, 33.6), processes);
    expect(ratio.value).toBeCloseTo(0.8, 12);
    expect([ratio.low, ratio.high]).toEqual([
      expect.closeTo(0.745, 3) as number,
      expect.closeTo(0.859, 3) as number,
    ]);
    expect(wordOf(ratio)).toBe('it sustains less');
  });

  test('is no difference where its interval contains 1, and has no bound above where a search has none', () => {
    expect(wordOf(capacityRatio(capacity(39, 37, 41), processes))).toBe('no difference is shown');
    expect(capacityRatio(capacity(39, 37, null), processes).high).toBeNull();
    expect(wordOf(capacityRatio(capacity(60, 57, null), processes))).toBe('it sustains more');
  });

  test('is not known where a search was inconclusive, wherever its interval lies', () => {
    const ratio = capacityRatio(capacity(10, 9, 11, 'inconclusive'), processes);
    expect(wordOf(ratio)).toBe('the answer is not known, because a search was inconclusive');
  });
});
