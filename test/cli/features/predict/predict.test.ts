import { normal, seededRandom } from '../../../../cli/src/analysis/statistics/random';
import { uslRate } from '../../../../cli/src/features/predict/analysis/usl';
import { topologySchema, type Topology } from '../../../../cli/src/plan/topology';
import {
  measurementOf,
  measurementOfRun,
  seen,
  type MeasuredSize,
} from '../../../../cli/src/features/predict/analysis/measurement';
import {
  answer,
  groupsOf,
  sizes,
  leftOut,
  type Group,
} from '../../../../cli/src/features/predict/analysis/answer';
import { SCALES, type ScaleName } from '../../../../cli/src/features/predict/analysis/scale';
import { predictCharts } from '../../../../cli/src/features/predict/report/charts';
import {
  predictFigures,
  predictSentence,
} from '../../../../cli/src/features/predict/report/figures';
import { sampleSearch } from '../../../support/sample-find';
import { sampleRun } from '../../../support/sample-run';
import { renderHtml } from '../../../../cli/src/report/page/html';
import { predictDocument } from '../../../../cli/src/features/predict/report/document';
import { renderMarkdown } from '../../../../cli/src/report/text/markdown';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readMeasurements } from '../../../../cli/src/features/predict/command';

const truth = { g: 30, a: 0.08, b: 0.004 };

function measurement(
  layout: object,
  ratePerSecond: number,
  more: Partial<MeasuredSize> = {},
): MeasuredSize {
  const topology: Topology = topologySchema.parse(layout);
  return {
    source: `search-${String(topology.workers.count)}`,
    startedAt: '2026-11-20T12:00:00.000Z',
    workload: {
      name: 'last-node',
      title: 'Webhook to last node',
      variant: 'native',
      method: 'GET',
      path: '/webhook/load-last-node',
      parameters: {},
      answers: 'when-done',
      latencyFloorMs: 0,
    },
    slo: ['p95<1s'],
    topology,
    machine: { cpu: 'Test CPU', cores: 16, memoryMiB: 16_000, os: 'Linux', node: 'v24' },
    ratePerSecond,
    lightLatencySeconds: 0.05,
    cpuMillisecondsPerRequest: 40,
    roleCpu: {},
    ...more,
  };
}

const workers = (
  counts: readonly number[],
  more: Partial<MeasuredSize> = {},
  noise = 0,
  seed = 7,
): MeasuredSize[] => {
  const random = seededRandom(seed);
  return counts.map((count) =>
    measurement(
      { mode: 'queue', workers: { count, concurrency: 10 } },
      uslRate(truth, count) * Math.exp(noise * normal(random)),
      more,
    ),
  );
};

function predicted(
  measurements: readonly MeasuredSize[],
  n: number,
  over: keyof typeof SCALES = 'workers',
) {
  const [group] = groupsOf(measurements, over);
  if (group === undefined) throw new Error('there is no group');
  return answer(group, n, seededRandom(1));
}

describe('the answer of a prediction', () => {
  test('is what the scaling allows, where CPU and slots leave room', () => {
    const result = predicted(workers([1, 2, 3, 4]), 6);
    expect(result.bounds.map(({ name }) => name)).toEqual(['worker slots', 'CPU', 'scaling']);
    expect(result.lowest?.name).toBe('scaling');
    expect(result.lowest?.ratePerSecond.value).toBeCloseTo(uslRate(truth, 6), 3);
    expect(predictSentence(result)).toMatch(
      /6 workers should sustain .* bounded by how n8n scales\.$/,
    );
  });

  test('is what the slots allow, where each is held for long', () => {
    const result = predicted(workers([1, 2, 3, 4], { lightLatencySeconds: 5 }), 6);
    expect(result.lowest).toMatchObject({ name: 'worker slots', ratePerSecond: { value: 12 } });
  });

  test("is what the task runner's slots allow, where a Code node waits and they are fewer", () => {
    const waiting = workers([1, 2, 3, 4]).map((one): MeasuredSize => ({
      ...one,
      workload: { ...one.workload, latencyFloorMs: 5000 },
      lightLatencySeconds: 5,
      topology: { ...one.topology, env: { N8N_RUNNERS_MAX_CONCURRENCY: '4' } },
    }));
    expect(predicted(waiting, 2).lowest).toMatchObject({
      name: 'runner slots',
      ratePerSecond: { value: 1.6 },
    });
  });

  test('is what the CPU allows, of which there is no more than the machine has', () => {
    const dear = workers([1, 2, 3, 4], { cpuMillisecondsPerRequest: 400 });
    expect(predicted(dear, 4).lowest).toMatchObject({ name: 'CPU', ratePerSecond: { value: 40 } });
  });

  test('is what the one thread of main allows, before which all workers queue', () => {
    const busyMain = workers([1, 2, 3, 4], { roleCpu: { main: { own: 20, withRunner: 20 } } });
    expect(predicted(busyMain, 8).lowest).toMatchObject({
      name: 'CPU of main',
      ratePerSecond: { value: 50 },
    });
  });

  test('is what the limit of a role allows, which its task runners share', () => {
    const limited = [1, 2, 3, 4].map((count) =>
      measurement(
        { mode: 'queue', workers: { count, concurrency: 10, cpuMillicores: 200 } },
        2 * count,
        { roleCpu: { worker: { own: 30, withRunner: 100 } } },
      ),
    );
    const bounds = predicted(limited, 6).bounds.map((bound) => [
      bound.name,
      bound.ratePerSecond.value,
    ]);
    expect(bounds).toContainEqual(['CPU of the workers', 12]);
  });

  test('is what the CPU limits of the processes allow, where they have some', () => {
    const limited = [500, 1000, 1500, 2000].map((cpuMillicores) =>
      measurement({ main: { cpuMillicores } }, cpuMillicores / 50),
    );
    const result = predicted(limited, 3, 'cpu');
    expect(result.bounds.find(({ name }) => name === 'CPU')?.ratePerSecond.value).toBe(75);
    expect(result.group.points.map(({ n }) => n)).toEqual([0.5, 1, 1.5, 2]);
  });

  test('says how far it may be off', () => {
    const result = predicted(workers([1, 2, 3, 4, 5, 6], {}, 0.03), 8);
    const { low = 0, high = 0, value = 0 } = result.lowest?.ratePerSecond ?? {};
    expect(low).toBeLessThan(value);
    expect(high).toBeGreaterThan(value);
    const actual = uslRate(truth, 8);
    expect(low).toBeLessThan(actual);
    expect(high).toBeGreaterThan(actual);
  });
});

describe('the interval of an answer', () => {
  test('reaches as low as any bound, and no higher than the lowest upper end', () => {
    const costs = [36, 40, 44, 50, 60];
    const measurements = [1, 2, 3, 4].flatMap((count, index) =>
      workers([count], { cpuMillisecondsPerRequest: costs[index] ?? 0 }, 0.2, index),
    );
    const { lowest, bounds } = predicted(measurements, 3);
    const [cpu, scaling] = ['CPU', 'scaling'].map((wanted) =>
      bounds.find(({ name }) => name === wanted),
    );
    expect(lowest?.ratePerSecond).toEqual({
      value: Math.min(cpu?.ratePerSecond.value ?? 0, scaling?.ratePerSecond.value ?? 0),
      low: Math.min(cpu?.ratePerSecond.low ?? 0, scaling?.ratePerSecond.low ?? 0),
      high: Math.min(cpu?.ratePerSecond.high ?? 0, scaling?.ratePerSecond.high ?? 0),
    });
  });

  test('is not known where the bound rests on fewer than three measurements, and the sentence says about', () => {
    const busyMain = workers([1, 2, 3, 4], { roleCpu: { main: { own: 20, withRunner: 20 } } });
    const result = predicted(busyMain, 8);
    expect(result.lowest?.ratePerSecond).toEqual({ value: 50, low: null, high: null });
    expect(predictSentence(result)).toBe(
      'n8n with 8 workers should sustain about 50 req/s of last-node, bounded by the CPU of main.',
    );
    expect(predictFigures(result)).toContainEqual({
      name: 'Lowest: CPU of main',
      value: 'about 50/s: 1 cores, 20 ms of CPU per request',
    });
  });
});

describe('a prediction is refused', () => {
  test('for more than three times the largest size, of which only upper bounds are known', () => {
    const result = predicted(workers([1, 2, 3, 4]), 13);
    expect(result.refused[0]).toContain('more than 3 times the largest size measured (4)');
    expect(result.bounds.map(({ name }) => name)).toEqual(['worker slots', 'CPU']);
    expect(result.lowest).toBeNull();
    expect(predictSentence(result)).toMatch(
      /^The capacity of last-node with 13 workers cannot be predicted: 13 is more than 3 times .*\. The upper bound is 400\/s \(400 to 400\), from the CPU\.$/,
    );
    const text = renderMarkdown(predictDocument(result));
    expect(text).toContain('UNKNOWN');
    expect(text).toContain('400/s');
    expect(text).not.toContain('Expected');
  });

  test('for a size from searches at three sizes, also one of these three', () => {
    const three = workers([1, 2, 3]);
    expect(predicted(three, 4).refused[0]).toContain('needs 4 different sizes');
    for (const size of [3, 4]) expect(predicted(three, size).lowest).toBeNull();
  });

  test('for slots in regular mode', () => {
    const result = predicted(
      [500, 1000].map((cpuMillicores) =>
        measurement({ main: { cpuMillicores } }, 20, { lightLatencySeconds: null }),
      ),
      1,
      'cpu',
    );
    expect(result.refused).toContain('regular mode has no worker slots');
  });

  test('for slots whose work the response does not wait for', () => {
    const [one] = workers([1]);
    if (one === undefined) throw new Error('there is none');
    const result = predicted([{ ...one, workload: { ...one.workload, answers: 'at-once' } }], 1);
    expect(result.refused).toContainEqual(expect.stringContaining('responds at once'));
  });

  test('for every size where nothing was measured', () => {
    const result = predicted(
      workers([1], { cpuMillisecondsPerRequest: null, lightLatencySeconds: null }),
      2,
    );
    expect(result.lowest).toBeNull();
    expect(predictSentence(result)).toMatch(/^The capacity of .* cannot be predicted: /);
  });
});

describe('groups', () => {
  test('hold what differs in the size only', () => {
    const tuned = workers([1, 2, 3, 4]);
    const plain = tuned.map((one): MeasuredSize => ({
      ...one,
      topology: { ...one.topology, tuning: 'none' },
    }));
    const other = workers([1, 2], { slo: ['p95<2s'] });
    const groups = groupsOf([...other, ...plain, ...tuned, ...workers([6])], 'workers');
    expect(groups.map((group) => sizes(group).length)).toEqual([5, 4, 2]);
  });

  test('leave out what has no such size', () => {
    expect(groupsOf([measurement({}, 40)], 'workers')).toEqual([]);
    expect(groupsOf([measurement({}, 40)], 'cpu')).toEqual([]);
    expect(groupsOf(workers([1, 2]), 'webhooks')).toEqual([]);
  });
});

test('of sizes held out under 3% noise, nine in ten are predicted from the others within 10%', () => {
  const errors = Array.from({ length: 40 }, (_, seed) => {
    const result = predicted(workers([1, 2, 3, 4, 6, 8], {}, 0.03, seed), 8);
    if (typeof result.fit === 'string') throw new Error(result.fit);
    return result.fit.leaveOneOut.map(({ error }) => Math.abs(error));
  }).flat();
  expect(errors.filter((error) => error < 0.1).length / errors.length).toBeGreaterThan(0.9);
});

test('the bound that decides is in the picture, however far it lies above what was measured', () => {
  const result = predicted(workers([1], { cpuMillisecondsPerRequest: 0.5 }), 3);
  expect(result.fit).toEqual(expect.any(String));
  const [chart] = predictCharts(result);
  if (chart?.kind !== 'line') throw new Error('there is no chart');
  const named = chart.marks?.map(({ label }) => label);
  expect(named).toEqual(expect.arrayContaining(['asked for', 'worker slots']));
});

test('the report shows bounds, law, errors and refusals, and the curve with its band', () => {
  const result = predicted(workers([1, 2, 3, 4], {}, 0.02), 6);
  const names = predictFigures(result).map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['Lowest: scaling', 'worker slots', 'CPU', 'Law', 'Left out']),
  );
  const [chart] = predictCharts(result);
  if (chart?.kind !== 'line') throw new Error('there is no chart');
  expect(chart.series[1]?.points.at(-1)).toHaveLength(4);
  // Both other bounds lie far above.
  expect(chart.marks?.map(({ label }) => label)).toEqual(['asked for']);
  expect(renderMarkdown(predictDocument(result))).toContain('search-3');
  expect(renderHtml(predictDocument(result))).toContain('EXPECTED');
});

test('a closed loop tells what its clients could get, an open loop nothing', () => {
  const { record } = sampleRun();
  const closed = { ...record.profile, loop: 'closed' as const, clients: 8 };
  expect(measurementOfRun({ ...record, profile: closed })).toMatchObject({
    ratePerSecond: 38.4,
    slo: ['8 clients'],
    cpuMillisecondsPerRequest: 27.5,
  });
  expect(measurementOfRun(record)).toBeNull();
  const completions = {
    ...{ requests: 60, ratePerSecond: 10, shareOfOffered: 0.25 },
    ...{ openAtEnd: 180, source: 'database' },
  };
  const behind = { ...record, profile: closed, summary: { ...record.summary, completions } };
  expect(measurementOfRun(behind)).toMatchObject({
    ratePerSecond: 10,
    roleCpu: { main: { own: 50 } },
  });
});

test('slots are held for the mean latency of the fewest clients, if these were no more than there are slots', () => {
  const { record } = sampleRun();
  const { summary } = record;
  const search = sampleSearch();
  const [probe] = search.probes;
  if (probe === undefined || summary.latencyMs === null) throw new Error('nothing was measured');
  const skewed = { ...summary.latencyMs, p50: 200, mean: 380 };
  const run = { ...record, summary: { ...summary, latencyMs: skewed } };
  const heldWith = (...clients: number[]) =>
    measurementOf(
      {
        ...search,
        topology: topologySchema.parse({ mode: 'queue', workers: { count: 2, concurrency: 5 } }),
        probes: clients.map((count) => ({
          ...probe,
          clients: count,
          result: 'sustained' as const,
        })),
      },
      () => run,
    )?.lightLatencySeconds;
  expect(heldWith(10, 20)).toBe(0.38);
  expect(heldWith(11, 20)).toBeNull();
  expect(heldWith()).toBeNull();
});

test('what was seen is its middle, from least to most of three or more values', () => {
  expect(seen([3, null, 1, 2])).toEqual({ value: 2, low: 1, high: 3 });
  expect(seen([3, null, 1])).toEqual({ value: 2, low: null, high: null });
  expect(seen([null, 0])).toBeNull();
});

test('the report says when its measurements were made', () => {
  const [first, ...others] = workers([1, 2, 3]);
  if (first === undefined) throw new Error('there is no measurement');
  const subtitleOf = (all: MeasuredSize[]): string => predictDocument(predicted(all, 6)).subtitle;
  expect(subtitleOf([first, ...others])).toBe(
    'Webhook to last node, measured on 2026-11-20 12:00 UTC',
  );
  expect(subtitleOf([{ ...first, startedAt: '2026-11-23T08:00:00.000Z' }, ...others])).toBe(
    'Webhook to last node, measured from 2026-11-20 12:00 UTC to 2026-11-23 08:00 UTC',
  );
});

test("two requests of the user's own are two workloads", () => {
  const asked = (title: string): MeasuredSize[] =>
    workers([1, 2]).map((one) => ({
      ...one,
      workload: { ...one.workload, name: 'request', title },
    }));
  const all = [...asked('POST /webhook/order'), ...asked('POST /webhook/invoice')];
  expect(groupsOf(all, 'workers')).toHaveLength(2);
});

const studies = join(__dirname, '../../../../studies');

function recorded(study: string, over: ScaleName): Group {
  const folder = join(studies, study, 'results.jsonl.gz');
  expect(existsSync(folder)).toBe(true);
  const [group] = groupsOf(readMeasurements([folder]), over);
  if (group === undefined) throw new Error(`${folder} has no measurements over ${over}`);
  return group;
}

describe.each([['workers', 'workers']] as const)('the recorded sweep %s', (study, over) => {
  test('has sizes enough to leave one out', () => {
    expect(sizes(recorded(study, over)).length).toBeGreaterThanOrEqual(5);
  });

  // How near it comes is the record's to tell: one run a size, on cores whose speed changes.
  test('predicts each size from the others, none far off', () => {
    const group = recorded(study, over);
    const errors = leftOut(group, seededRandom(1));
    expect(errors.map(({ n }) => n)).toEqual(sizes(group));
    expect(errors.filter(({ error }) => Math.abs(error) > 0.25)).toEqual([]);
  });
});
