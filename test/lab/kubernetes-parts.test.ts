// The plan that measures the target kubernetes beside the target process: its parts, what is kept of a search, and the
// page of what was measured.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { cellsOf } from '../../cli/src/features/sweep/plan/plan-cells';
import { chooseTopology } from '../../cli/src/plan/chosen-topology';
import { parseCpu, parseMemory } from '../../cli/src/plan/quantities';
import { topologySchema, type Topology } from '../../cli/src/plan/topology';
import { parseSweepPlan } from '../../cli/src/features/sweep/plan/plan';
import type { FindRecord } from '../../cli/src/features/find/record';
import { valuesOfTopology } from '../../cli/src/plan/chart-values';
import { topologyOfValues } from '../../cli/src/targets/kubernetes/release/values';
import { sampleSearch } from '../support/sample-find';
import * as page from '../../lab/generate/studies/kubernetes.mjs';
import { factors } from '../../lab/generate/studies/kubernetes-ratio.mjs';
import * as charts from '../../studies/charts/parts.mjs';
import { containersOf } from '../../studies/kubernetes/figures.mjs';
import * as plan from '../../studies/kubernetes/parts.mjs';

const root = join(__dirname, '../..');
const folder = join(root, 'studies/kubernetes');

interface Part {
  name: string;
  kind: string;
  mode?: string;
  target: string;
  seconds: number;
  needs?: string;
}

describe('the parts', () => {
  const parts: Part[] = plan.PARTS;
  const commands: string[][] = parts.map((part) =>
    plan.commandOf(part, { out: 'out', evidence: 'evidence', isShort: false }),
  );
  const compared: string[] = plan.COMPARED.map(plan.peerPart);
  const peers = charts.PARTS.map(({ name }: { name: string }) => name);
  const commandOf = (name: string): string[] =>
    commands[parts.findIndex((part) => part.name === name)] ?? [];

  test('are named once each, fit into one sitting, and follow what they rest on', () => {
    const names = parts.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Math.max(...parts.map(({ seconds }) => seconds))).toBeLessThan(11 * 60);
    expect(parts.reduce((sum, { seconds }) => sum + seconds, 0)).toBeLessThan(60 * 60);
    for (const [at, { needs }] of parts.entries()) {
      if (needs !== undefined) expect(names.slice(0, at)).toContain(needs);
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
    const reference = readFileSync(join(root, 'docs/reference.md'), 'utf8').split(/^## /m);
    for (const words of commands) {
      const own = reference.find((section) => section.startsWith(`${words[0] ?? ''}\n`)) ?? '';
      const unknown = words.filter((word) => /^--/.test(word) && !own.includes(`| \`${word}`));
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

/** Made up: main may use half a core, `cpuMs` of CPU for a response, of which `readingMs` is not n8n's. */
function searchRecord(
  mode: string,
  target: 'process' | 'kubernetes',
  {
    rate,
    cpuMs,
    readingMs,
    width = 0.05,
  }: { rate: number; cpuMs: number; readingMs: number; width?: number },
): object {
  const search = sampleSearch();
  const run = (share: number, outcome: string): object => {
    const ratePerSecond = share * rate;
    const cores = (ratePerSecond * cpuMs) / 1000;
    const n8nCores = cores - (ratePerSecond * readingMs) / 1000;
    return {
      ...{
        run: `probes/${String(share)}`,
        outcome,
        ratePerSecond,
        achievedPerSecond: ratePerSecond,
      },
      latencyMs: { mean: 2 * cpuMs, p50: 1.5 * cpuMs, p95: 5 * cpuMs, p99: 9 * cpuMs },
      ...{ cpuMillisecondsPerRequest: cpuMs, generatorCores: 0.05 },
      roles: [
        { role: 'main', instances: 1, cpuCoresMean: cores, throttledShare: 0.3 },
        { role: 'host', instances: 1, cpuCoresMean: 1.5, throttledShare: null },
      ],
      containers: [{ role: 'main', instances: 1, limitCores: 0.5, cores, n8nCores }],
    };
  };
  const changed: FindRecord = {
    ...search,
    target: { ...search.target, kind: target },
    topology: topologySchema.parse({ main: { cpuMillicores: 500, memoryMiB: 1024 } }),
    capacity: {
      ratePerSecond: rate,
      low: rate * (1 - width),
      high: rate * (1 + width),
      confirmed: true,
    },
    confirmedBy: 'probes/1',
    atCapacity: search.atCapacity
      ? { ...search.atCapacity, run: 'probes/1', ratePerSecond: rate }
      : null,
  };
  return {
    path: `studies/kubernetes/results/parts/find-${mode}-${target}.json`,
    ...{ name: `find-${mode}-${target}`, kind: 'find', mode, target, clusterRuns: true },
    startedAt: target === 'process' ? '2026-11-22T10:10:00.000Z' : '2026-11-22T10:00:00.000Z',
    command: ['find', '--target', target, '--slo', 'p95<300ms'],
    ...{
      search: changed,
      runs: [
        run(0.6, 'inconclusive'),
        run(0.8, 'inconclusive'),
        run(1, 'sustained'),
        run(1.3, 'not sustained'),
      ],
    },
  };
}

describe('the page', () => {
  const named = (records: object[]): object =>
    Object.fromEntries(records.map((one) => [(one as { name: string }).name, one]));
  const pageOf = (records: object[]): string => page.sideBySide(named(records));
  const commandsOf = (records: object[]): string => page.commands(named(records), []);
  const answerOf = (records: object[]): object => page.answer(named(records));
  const processes = searchRecord('regular', 'process', { rate: 40, cpuMs: 12, readingMs: 0 });
  const pods = searchRecord('regular', 'kubernetes', { rate: 32, cpuMs: 14, readingMs: 1 });

  test('is left out while nothing was measured', () => {
    expect([pageOf([]), commandsOf([])]).toEqual(['', '']);
  });

  test('has one search alone as a row, without a ratio, and names what is missing', () => {
    const text = pageOf([pods]);
    expect(text).toContain('| regular | Kubernetes | 32/s (30.4 to 33.6) | found |');
    expect(text).not.toContain('### ');
    expect(text).toContain('Each process of n8n may use 0.5 cores and 1024 MiB');
    const calls = commandsOf([pods]);
    expect(calls).toMatch(/Not measured yet: .*find-regular-process.*last-node-regular-tuned/s);
    expect(calls).toContain(`- \`n8n-tuned find --target kubernetes --slo 'p95<300ms'\``);
    expect(answerOf([pods])).toMatchObject({
      sentence: expect.stringContaining('1 have a') as string,
    });
  });

  test('has the ratio with its interval, and the share of it that the CPU for a response makes', () => {
    const text = pageOf([processes, pods]);
    expect(text).toContain('### Why they differ in regular mode');
    expect(text).toContain(
      'Kubernetes sustains 0.8x (95% interval: 0.745 to 0.859) of what processes do.',
    );
    const share = Math.log(12 / 14) / Math.log(0.8);
    expect(text).toContain(
      'At comparable rates n8n takes 1.17x the CPU for a response in pods (2 pairs',
    );
    expect(text).toContain(`${String(Number((100 * share).toPrecision(3)))}% of the difference`);
    expect(text).toContain('began 10 minutes apart');
    expect(text).toContain('the cluster ran beside the processes, too');
    expect(text).toContain('| of it, reading figures within its containers, ms | 0 | 1 | - |');
    expect(answerOf([processes, pods])).toMatchObject({
      ours: '0.8x (0.745 to 0.859) in regular mode',
      sentence: 'In regular mode it sustains less.',
    });
  });

  test('calls nothing a difference whose interval contains 1', () => {
    const near = { rate: 39, cpuMs: 12, readingMs: 0.2 };
    const text = pageOf([processes, searchRecord('regular', 'kubernetes', near)]);
    expect(text).toContain('### What differs in regular mode');
    expect(text).toContain('no difference, as the interval contains 1');
    expect(text).not.toContain('of the difference |');
    const wide = pageOf([
      processes,
      searchRecord('regular', 'kubernetes', { ...near, width: 0.4 }),
    ]);
    expect(wide).toContain('not known, as the interval contains 1');
  });

  test('calls nothing a difference that rests on an inconclusive search, wherever its interval lies', () => {
    const { search } = pods as { search: FindRecord };
    const unsure = { ...pods, search: { ...search, verdict: 'inconclusive' } };
    const text = pageOf([processes, unsure]);
    expect(text).toContain('### What differs in regular mode');
    expect(text).toContain('a search on which it rests was inconclusive');
    expect(text).not.toContain('of the difference');
    expect(answerOf([processes, unsure])).toMatchObject({
      sentence: 'In regular mode it is not known, as a search was inconclusive.',
    });
  });

  test('says what it does not know, where a search has no run of full length that was sustained', () => {
    const unsure = processes as { search: FindRecord };
    const without = { ...unsure, search: { ...unsure.search, atCapacity: null } };
    const text = pageOf([without, pods]);
    expect(text).toContain('### Why they differ in regular mode');
    expect(text).toContain('One of the searches rests on no run of full length');
    expect(text).toContain('| 40/s (38 to 42) | found | main event loop | -; - | - |');
    expect(text).not.toContain('The ratio is the product');
  });

  test('says what every command gave, where all was measured', () => {
    const { search } = pods as { search: FindRecord };
    const verdict = { outcome: 'sustained', sentence: 'It sustained 15 a second.' };
    const cell = (tuning: string, isControl: boolean): object => ({
      ...{
        cell: { tuning },
        isControl,
        limitedBy: { limit: { role: 'main', resource: 'CPU limit' } },
      },
      figures: { achievedPerSecond: 30, p95Ms: 400, cpuMillisecondsPerRequest: 12 },
    });
    const of = (name: string, more: object): object => ({
      ...{ name, path: `studies/kubernetes/results/parts/${name}.json`, command: ['x'] },
      ...more,
    });
    const text = commandsOf([
      ...[processes, pods],
      ...[
        searchRecord('queue', 'process', { rate: 30, cpuMs: 15, readingMs: 0 }),
        searchRecord('queue', 'kubernetes', { rate: 30, cpuMs: 15, readingMs: 0 }),
      ],
      of('run-queue', { run: { verdict } }),
      of('prove', {
        proof: { verdict: 'PROVEN', attempts: [{ sentence: 'It sustained 25.6.' }] },
      }),
      of('sweep-tuning-cpu', {
        sweep: {
          title: 'Tuning by CPU',
          plan: {
            dimensions: { tuning: ['default', 'throughput'] },
            measure: { clients: 8, duration: 10 },
          },
          cells: [
            cell('default', true),
            cell('throughput', false),
            cell('default', false),
            cell('default', true),
          ],
        },
      }),
    ]);
    expect(text).toContain('| `run` | It sustained 15 a second. |');
    expect(text).toContain(
      '| `recommend --prove` | PROVEN after 1 of its values files: It sustained 25.6. |',
    );
    expect(text).toContain('2 cells, and 2 measurements of the control cell');
    expect(text.indexOf('| default | 30/s')).toBeLessThan(text.indexOf('| throughput | 30/s'));
    expect(text).toContain(search.sentence);
    expect(text).toContain('Not measured yet: last-node-regular-tuned, last-node-queue-tuned.');
  });
});

test('the factors of a ratio multiply to it', () => {
  const records = [
    searchRecord('regular', 'kubernetes', { rate: 32, cpuMs: 14, readingMs: 1 }),
    searchRecord('regular', 'process', { rate: 40, cpuMs: 12, readingMs: 0.1 }),
  ];
  const { role, ...made } = factors(...(records as [object, object])) as unknown as Record<
    string,
    number
  >;
  expect(role).toBe('main');
  expect(Object.keys(made)).toHaveLength(4);
  expect(Object.values(made).reduce((product, factor) => product * factor, 1)).toBeCloseTo(32 / 40);
  expect(made['reading']).toBeCloseTo(12 / 11.9 / (14 / 13));
});
