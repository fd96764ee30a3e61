// The study of small pods: its parts, its search downwards, and the page of what was measured.
import fc from 'fast-check';
import * as plan from '../../studies/small-pods/parts';
import { smallPodsAnswer, smallPodsText } from '../../lab/generate/studies/small-pods';

const parts = plan.PARTS;
const quick = plan.QUICK_PARTS;
const settings = Object.keys(plan.SETTINGS);
const roles = Object.keys(plan.ROLES);
const secondsOf = (some: plan.SearchPart[]): number =>
  some.reduce((sum, { seconds }) => sum + seconds, 0);

describe('the parts', () => {
  test('are named once each and fit into half an hour, the quick ones into three minutes', () => {
    for (const some of [parts, quick]) {
      const names = some.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
    expect(secondsOf(parts)).toBeLessThanOrEqual(30 * 60);
    expect(secondsOf(quick)).toBeLessThan(150);
  });

  test('search memory and CPU of every role, as n8n comes and as the chart has it', () => {
    for (const kind of ['memory', 'cpu']) {
      const own = parts.filter((part) => part.kind === kind);
      expect(own.map(({ role }) => role).sort()).toEqual([...roles].sort());
      for (const part of own) {
        expect(part.settings).toEqual(expect.arrayContaining(['as-it-comes', 'default']));
        expect(part.values).toEqual([...(part.values ?? [])].sort((a, b) => a - b));
      }
    }
  });

  test('try every setting', () => {
    expect(parts.find(({ kind }) => kind === 'settings')?.settings).toEqual(settings);
  });
});

describe('the search', () => {
  /** What it finds, and in how many trials, where everything from `threshold` on passes. */
  function search({ values, threshold }: { values: number[]; threshold: number }): {
    min: number | null;
    count: number;
  } {
    const trials: { value: number; passed: boolean }[] = [];
    for (
      let value: number | null = plan.nextToTry(values, trials);
      value !== null;
      value = plan.nextToTry(values, trials)
    )
      trials.push({ value, passed: value >= threshold });
    return { min: plan.lowestThatPassed(trials), count: trials.length };
  }
  const values = fc
    .uniqueArray(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 20 })
    .map((some) => some.toSorted((a, b) => a - b));

  test('finds the least that passes by halving', () => {
    const cases = fc.sample(
      fc.record({ values, threshold: fc.integer({ min: 1, max: 2100 }) }),
      300,
    );
    for (const one of cases) {
      const found = search(one);
      const min = one.values.find((value) => value >= one.threshold) ?? null;
      expect([one, found.min]).toEqual([one, min]);
      expect(found.count).toBeLessThanOrEqual(Math.ceil(Math.log2(one.values.length + 1)));
    }
  });
});

test('a limit is sustained if every response is the expected one and few are late', () => {
  const response = (ms: number, isExpected = true): plan.Answer => ({ ms, isExpected });
  const load = { requests: 3, lateMs: 1000, lateAtMost: 1 };
  const cases = [
    [response(10), response(20), response(30)],
    [response(10), response(2000), response(30)],
    [response(10), response(2000), response(3000)],
    [response(10), response(20, false), response(30)],
    [response(10), response(20)],
    [],
  ];
  const isSustained = cases.map((responses) => plan.isSustained(responses, load));
  expect(isSustained).toEqual([true, true, false, false, false, false]);
});

test('a setting is put on top of the limits, and a share of the memory becomes a heap', () => {
  const asked = Object.fromEntries(
    Object.keys(plan.SETTINGS).map((name) => [
      name,
      plan.asked(name, { memoryMiB: 600 }, { cacheFolder: 'cache' }),
    ]),
  );
  expect(asked['as-it-comes']).toEqual({ tuning: 'none', memoryMiB: 600, env: {} });
  expect(asked['default']).toEqual({ tuning: 'default', memoryMiB: 600, env: {} });
  expect(asked['lean']).toMatchObject({ heapMiB: 400, env: { N8N_DISABLE_UI: 'true' } });
  expect(asked['compile-cache']?.env).toEqual({ NODE_COMPILE_CACHE: 'cache' });
});

describe('the page', () => {
  const common = {
    startedAt: '2026-11-22T20:00:00.000Z',
    versions: { n8n: '2.41.1' },
    machine: { cores: 2, cpu: 'a CPU' },
    loadAverageAtStart: 0.5,
    load: 8,
  };
  const trial = (value: number, passed: boolean, more: object = {}): object => ({
    ...{ value, passed, readySeconds: passed ? 9.5 : null, cpuSecondsToReady: 12.7 },
    ...{ sent: passed ? 8 : 0, expected: passed ? 8 : 0, slowestMs: 40 },
    ...{ workingSetMiB: 500, memoryPeakMiB: 600, end: null, ...more },
  });
  /** A trial of a process that had been started before. */
  const unstarted = { sent: 8, readySeconds: undefined };
  const records = [
    {
      ...{ ...common, name: 'memory-main', path: 'a.json', kind: 'memory', role: 'main' },
      bySetting: {
        default: { min: 640, trials: [trial(512, false, { end: 'heap' }), trial(640, true)] },
        lean: { min: 448, trials: [trial(384, false, { end: 'memory' }), trial(448, true)] },
        'as-it-comes': { min: null, trials: [trial(1024, false)] },
      },
    },
    {
      ...{ ...common, name: 'cpu-main', path: 'b.json', kind: 'cpu', role: 'main' },
      bySetting: {
        default: {
          ...{ min: 100, trials: [trial(75, false, unstarted), trial(100, true)] },
          ...{ unlimited: { readySeconds: 9, cpuSecondsToReady: 12 }, starts: [trial(500, true)] },
        },
      },
    },
    {
      ...{ ...common, name: 'settings-main', path: 'c.json', kind: 'settings', role: 'main' },
      bySetting: { default: trial(0, true), 'no-editor': trial(0, true, { workingSetMiB: 400 }) },
    },
  ];
  const text = (some: object[]): string => smallPodsText(some as never);

  test('has the least limits, why the next lower ones are not enough, and what a setting changes', () => {
    const whole = text(records);
    expect(whole).toContain(
      '| main, regular mode | 640 MiB (512 MiB: the heap is full) | 448 MiB (384 MiB: killed by the kernel) | - (1,024 MiB: not ready in time) |',
    );
    expect(whole).toContain('| 100m (75m: no expected response) |');
    expect(whole).toContain('| without the editor | 400 MiB | -100 MiB |');
  });

  test('is answered by the chart’s default, beside n8n as it comes and all that lowers it', () => {
    expect(smallPodsAnswer(records as never)).toEqual({
      sentence:
        "With the chart's defaults, main in regular mode needs at least 640 MiB and 100m of CPU to sustain one request per second (512 MiB or 75m is too little).",
      ours: '448 MiB with all memory-saving settings; 100m of CPU',
    });
  });
});
