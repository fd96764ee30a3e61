import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SweepFolder, writeSweepReports } from '../../../../../cli/src/features/sweep/folder';
import { Mistake } from '../../../../../cli/src/ui/exit';
import { cellKey, type Cell } from '../../../../../cli/src/features/sweep/plan/cells';
import {
  NO_FIGURES,
  type CellRecord,
  type SweepRecord,
} from '../../../../../cli/src/features/sweep/record';
import { sweepCharts } from '../../../../../cli/src/features/sweep/report/charts';
import { renderSweepCsv } from '../../../../../cli/src/features/sweep/report/csv';
import {
  sweepDoubts,
  sweepFigures,
  sweepTable,
} from '../../../../../cli/src/features/sweep/report/figures';
import { cellName } from '../../../../../cli/src/features/sweep/report/table';
import { drawBar } from '../../../../../cli/src/report/plot/bar';
import { cellOfRun, figuresOfFind } from '../../../../../cli/src/features/sweep/measure-cell';
import { sampleSearch } from '../../../../support/sample-find';
import { sampleRun, withLostGenerator } from '../../../../support/sample-run';
import { sampleCells, sampleSweep, sweepMachine } from '../../../../support/sample-sweep';
import { renderHtml } from '../../../../../cli/src/report/page/html';
import { sweepDocument } from '../../../../../cli/src/features/sweep/report/document';
import { renderMarkdown } from '../../../../../cli/src/report/text/markdown';
import { renderTerminal } from '../../../../../cli/src/report/text/terminal';

const allCharts = (...args: Parameters<typeof sweepCharts>) => sweepCharts(...args).flat();

test('a cell that lost one of its load generators is invalid, and says so', () => {
  const { record } = sampleRun();
  expect(cellOfRun(record)).toMatchObject({
    ...{ outcome: 'not sustained', sentence: record.verdict.sentence },
    figures: { achievedPerSecond: 38.4 },
  });
  const { outcome, sentence } = cellOfRun(withLostGenerator(record));
  expect(outcome).toBe('invalid');
  expect(sentence).toMatch(/^The load generator generator-2 on node-1, one of 2, was lost .*\.$/);
});

test('a search that found no upper limit gives its cell no capacity, and the sweep says which did not', () => {
  const search = sampleSearch();
  expect(figuresOfFind(search, null).capacityPerSecond).toBe(40);
  const min = { ...search, capacity: { ...search.capacity, high: null } };
  expect(figuresOfFind(min, null).capacityPerSecond).toBeNull();
  const sweep = sampleSweep('workers: [1, 2]', 'repeats: 2\n');
  const [first, ...rest] = sampleCells(sweep);
  if (first === undefined) throw new Error('there is no record');
  const unbounded: CellRecord = { ...first, outcome: 'inconclusive', figures: NO_FIGURES };
  expect(sweepDoubts(sweep, [unbounded, ...rest])).toEqual([
    `1 search reached no upper limit, and does not count: ${first.id}`,
  ]);
});

describe('plots choose what changed', () => {
  test('one dimension of numbers becomes a line, with each run and the interval of the repeats', () => {
    const sweep = sampleSweep('workers: [4, 1, 2]', 'repeats: 3\n');
    const [chart] = allCharts(sweep, sampleCells(sweep));
    if (chart?.kind !== 'line') throw new Error('it is no line');
    expect(chart.title).toBe('Capacity over workers');
    expect(chart.series[0]?.points).toEqual([
      [1, 22, 21, 23],
      [2, 42, 41, 43],
      [4, 82, 81, 83],
    ]);
    expect(chart.series[1]?.points).toHaveLength(9);
  });

  test('one dimension of words becomes bars', () => {
    const sweep = sampleSweep('tuning: [none, default]');
    const [chart] = allCharts(
      sweep,
      sampleCells(sweep, ({ tuning }) => (tuning === 'none' ? 10 : 28)),
    );
    if (chart?.kind !== 'bar') throw new Error('they are no bars');
    expect(chart.bars.map(({ label, value }) => [label, value])).toEqual([
      ['none', 10],
      ['default', 28],
    ]);
  });

  test('two dimensions become a small line for each value of the second, all to the same scale', () => {
    const sweep = sampleSweep('tuning: [none, default], workers: [1, 2, 4]');
    const charts = allCharts(sweep, sampleCells(sweep)).filter(({ id }) =>
      id.startsWith('capacity'),
    );
    expect(charts.map(({ title }) => title)).toEqual([
      'Capacity over workers: tuning none',
      'Capacity over workers: tuning default',
    ]);
    const tops = charts.map((chart) => (chart.kind === 'line' ? chart.y.max : null));
    expect(new Set(tops).size).toBe(1);
    expect(tops[0]).toBeGreaterThan(81);
  });

  test('three dimensions become a heat map for each value of the third', () => {
    const sweep = sampleSweep(
      'tuning: [none, default], workers: [1, 2, 4], cpuMillicores: [500, 1000]',
    );
    const [, chart, ...rest] = allCharts(sweep, sampleCells(sweep));
    if (chart?.kind !== 'heat') throw new Error('it is no heat map');
    expect(chart.x).toEqual({ label: 'workers', values: ['1', '2', '4'] });
    expect(chart.y).toEqual({ label: 'CPU (millicores)', values: ['500', '1000'] });
    expect(chart.cells[0]).toEqual([21, 41, 81]);
    expect(rest.filter(({ id }) => id.startsWith('capacity'))).toHaveLength(1);
  });

  test('two dimensions and more begin with a plot of all cells, the best first', () => {
    const sweep = sampleSweep('tuning: [none, default], workers: [1, 2, 4]', 'repeats: 3\n');
    const [chart] = allCharts(sweep, sampleCells(sweep));
    expect(chart).toMatchObject({ kind: 'bar', id: 'cells', title: 'Capacity by tuning, workers' });
    if (chart?.kind !== 'bar') throw new Error('they are no bars');
    expect(chart.bars[0]).toEqual({
      ...{ label: 'tuning none, 4 workers', value: 82, low: 81, high: 83 },
    });
    expect(chart.bars.map(({ value }) => value)).toEqual([82, 82, 42, 42, 22, 22]);
  });

  test('more cells than a screen has room for become the best of each workload, and the title says how many', () => {
    const sweep = sampleSweep(
      'workload: [last-node, at-once, wait-5s], workers: [1, 2, 3, 4, 5, 6]',
    );
    const [chart] = allCharts(sweep, sampleCells(sweep));
    if (chart?.kind !== 'bar') throw new Error('they are no bars');
    expect(chart.title).toBe('Capacity by workload, workers: the best 3 for each workload');
    expect(chart.bars.map(({ label }) => label.replace(/, \d workers?$/, ''))).toEqual([
      ...Array<string>(3).fill('last-node'),
      ...Array<string>(3).fill('at-once'),
      ...Array<string>(3).fill('wait-5s'),
    ]);
  });

  test('cells of different dimensions have no empty plot, and no label says undefined', () => {
    const sweep = sampleSweep(
      'tuning: [none, default], workers: [1, 2], cpuMillicores: [500, 1000]',
    );
    const mixed = {
      ...sweep,
      steps: sweep.steps.map((step, index) =>
        index % 2 === 0 ? step : { ...step, cell: { mode: 'regular', tuning: 'none' } },
      ),
    };
    const charts = allCharts(mixed, sampleCells(mixed));
    expect(JSON.stringify(charts)).not.toContain('undefined');
    for (const chart of charts) {
      if (chart.kind !== 'heat') continue;
      expect(chart.cells.flat().some((value) => value !== null)).toBe(true);
    }
  });

  test('cells of which no two share two dimensions are all in the first plot', () => {
    const sweep = sampleSweep('tuning: [none, default], workers: [1, 2], cpuMillicores: [500]');
    const mixed = {
      ...sweep,
      steps: sweep.steps.map((step, index) => ({
        ...step,
        cell: index % 2 === 0 ? { ...step.cell, mode: 'regular' } : step.cell,
      })),
    };
    expect(allCharts(mixed, sampleCells(mixed))[0]).toMatchObject({ kind: 'bar', id: 'cells' });
  });

  test('a metric that nothing measured has no plot, one that a cell lacks has a gap', () => {
    const sweep = sampleSweep('workers: [1, 2, 4]');
    const charts = allCharts(
      sweep,
      sampleCells(sweep, ({ workers }) => (workers === 2 ? null : Number(workers))),
    );
    expect(charts.map(({ id }) => id)).toEqual(['capacityPerSecond', 'p99Ms']);
    const [chart] = charts;
    if (chart?.kind !== 'line') throw new Error('it is no line');
    expect(chart.series[0]?.points[1]).toEqual([2, null]);
    expect(chart.series.at(-1)).toMatchObject({ label: 'crashed', points: [[2, 0]] });
  });
});

describe('what a sweep decides', () => {
  const figuresOf = (...args: Parameters<typeof sweepFigures>): Record<string, string> =>
    Object.fromEntries(sweepFigures(...args).map(({ name, value }) => [name, value]));

  test('is told: the best cell and the worst, what limits the best, and what to change for more', () => {
    const sweep = sampleSweep('workers: [1, 2, 4]', 'repeats: 3\n');
    const limitedBy = {
      limit: { role: 'worker', resource: 'slots' },
      evidence: 'all 40 slots were busy',
      next: null,
    } as const;
    const records = sampleCells(sweep).map((record) => ({ ...record, limitedBy }));
    expect(figuresOf(sweep, records)).toMatchObject({
      'Best cell':
        '4 workers: capacity 82 (81 to 83) requests per second; worst: 1 worker: 22 (21 to 23)',
      'Limit of the best cell': 'worker slots: all 40 slots were busy',
      'For more': 'raise the concurrency of the workers, or add a worker',
    });
  });

  test('is told with the interval of a search where each cell was searched once', () => {
    const sweep = sampleSweep('workers: [1, 2, 4]');
    const records = sampleCells(sweep).map((record) => ({
      ...record,
      figures: { ...record.figures, capacityLow: 45, capacityHigh: 110 },
    }));
    expect(figuresOf(sweep, records)['Best cell']).toMatch(
      /^4 workers: capacity 81 \(45 to 110\) requests per second/,
    );
  });

  test('is told of each workload by itself, since their rates do not compare', () => {
    const sweep = sampleSweep('workload: [last-node, cpu], workers: [1, 2]');
    const records = sampleCells(sweep, ({ workload, workers }) =>
      workload === 'cpu' ? Number(workers) : 100 - Number(workers),
    );
    const found = figuresOf(sweep, records);
    expect(found['Best for last-node']).toBe(
      '1 worker: capacity 99 requests per second; worst: 2 workers: 98',
    );
    expect(found['Best for cpu']).toMatch(/^2 workers: capacity 2 /);
    expect(found).not.toHaveProperty('Limit of the best cell');
    const [chart] = allCharts(sweep, records);
    if (chart?.kind !== 'bar') throw new Error('they are no bars');
    expect(chart.bars.map(({ label }) => label)).toEqual([
      ...['last-node, 1 worker', 'last-node, 2 workers', 'cpu, 2 workers', 'cpu, 1 worker'],
    ]);
  });

  test('goes by the latency where the rate was given, and is no cell that missed the SLO', () => {
    const sweep = sampleSweep(
      'workers: [1, 2, 4]',
      'measure: { profile: load, ratePerSecond: 20 }\n',
    );
    const records = sampleCells(sweep).map((record) => ({
      ...record,
      outcome: record.cell['workers'] === 4 ? ('not sustained' as const) : record.outcome,
      figures: {
        ...{ ...NO_FIGURES, achievedPerSecond: 20, p50Ms: 50 },
        p99Ms: 400 / Number(record.cell['workers']),
      },
    }));
    expect(figuresOf(sweep, records)['Best cell']).toBe(
      '2 workers: p99 200 ms; worst: 1 worker: 400',
    );
    const missed = records.map((record) => ({ ...record, outcome: 'not sustained' as const }));
    expect(figuresOf(sweep, missed)['Best cell']).toBe('no cell met the SLO');
  });

  test('is the smallest cell that sustains, where the rate was given and amounts differ', () => {
    const sweep = sampleSweep(
      'cpuMillicores: [250, 500, 1000], memoryMiB: [1024, 2048]',
      'measure: { profile: load, ratePerSecond: 20 }\n',
    );
    const records = sampleCells(sweep).map((record) => ({
      ...record,
      outcome:
        Number(record.cell['cpuMillicores']) < 500 ? ('not sustained' as const) : record.outcome,
      figures: { ...NO_FIGURES, achievedPerSecond: 20, p50Ms: 50, p99Ms: 100 },
    }));
    expect(figuresOf(sweep, records)['Smallest that sustains']).toBe(
      '500m CPU, 1 GiB memory: p99 100 ms',
    );
    const missed = records.map((record) => ({ ...record, outcome: 'not sustained' as const }));
    expect(figuresOf(sweep, missed)['Smallest that sustains']).toBe('no cell met the SLO');
    // What is found, not given, has no smallest.
    const found = sampleSweep('cpuMillicores: [250, 500]');
    expect(figuresOf(found, sampleCells(found))).not.toHaveProperty('Smallest that sustains');
  });

  describe('where no rate was given', () => {
    const byWorkers = (controls: (index: number) => number, dimensions = 'workers: [1, 2, 4]') => {
      const sweep = sampleSweep(dimensions, 'repeats: 4\ncontrolEvery: 2\n');
      return sweepDocument(sweep, sampleCells(sweep, undefined, controls)).verdict;
    };
    const noise = (by: number) => (index: number) => 100 + (index % 2 === 0 ? by : -by);

    test('the verdict names the best cell with its figure, and that its lead is more than noise', () => {
      expect(byWorkers(noise(1))).toEqual({
        ...{ tone: 'good', word: 'DONE' },
        sentence:
          'Workers & CPU: the best cell has 4 workers with a capacity of 82.5 (81 to 84) requests per second; its lead over the next cell is larger than the noise.',
      });
    });

    test('it is not good news while nothing is decided', () => {
      expect(byWorkers(noise(60))).toMatchObject({
        tone: 'unsure',
        sentence: expect.stringContaining(
          'requests per second; its lead over the next cell is not larger than the noise.',
        ) as string,
      });
      // Equal cells are a tie, however quiet the machine is.
      expect(byWorkers(() => 100, 'tuning: [none, default], workers: [1, 2]').tone).toBe('unsure');
      const once = sampleSweep('workers: [1, 2]');
      const { verdict } = sweepDocument(
        once,
        sampleCells(once).map((record) =>
          record.isControl ? { ...record, figures: NO_FIGURES } : record,
        ),
      );
      expect(verdict.tone).toBe('unsure');
      expect(verdict.sentence).toMatch(
        /; too few control measurements tell its lead from noise\.$/,
      );
    });

    test('each load has a best cell of its own', () => {
      expect(byWorkers(noise(1), 'workload: [last-node, cpu], workers: [1, 2]').sentence).toMatch(
        /the best cell has 2 workers for last-node with a capacity of 42\.5 .*, and 2 workers for cpu with a capacity of /,
      );
    });

    test('no cell that met the SLO is bad news, and nothing measured is none', () => {
      const sweep = sampleSweep('workers: [1, 2]');
      const missed = sampleCells(sweep).map((record) => ({
        ...record,
        outcome: 'not sustained' as const,
      }));
      expect(sweepDocument(sweep, missed).verdict).toMatchObject({
        ...{ tone: 'bad', sentence: 'Workers & CPU: no cell met the SLO.' },
      });
      const crashed = sampleCells(sweep, () => null);
      expect(sweepDocument(sweep, crashed).verdict).toMatchObject({
        tone: 'unsure',
        sentence: expect.stringMatching(/all \d measurements are done, .*crashed\.$/) as string,
      });
    });
  });

  test('the report says at its top which tuning and which patches its cells had', () => {
    const sweep = sampleSweep('tuning: [none, default], workers: [1, 2]');
    const records = sampleCells(sweep);
    expect(sweepDocument(sweep, records).ranOn).toMatch(
      /^n8n 2\.41\.1, queue mode, n8n's default settings or tuning default, \d+ patches loaded; 2 cores of Test CPU/,
    );
    const patches = { main: { 'zone-once': 'known' as const, 'read-once': 'waiting' as const } };
    const shown = records.map((record) =>
      record.cell['tuning'] === 'default' ? { ...record, patches } : record,
    );
    expect(sweepDocument(sweep, shown).ranOn).toContain(
      "n8n's default settings or tuning default, 1 of 2 patches in force (1 waiting);",
    );
  });

  test('a cell keeps the patches that its run or search showed', () => {
    const { record } = sampleRun();
    const patches = { main: { 'zone-once': 'known' as const } };
    expect(cellOfRun({ ...record, patches }).patches).toEqual(patches);
    expect(cellOfRun(record)).not.toHaveProperty('patches');
  });

  describe('where the rate was given', () => {
    const OF_LOAD = 'measure: { profile: load, ratePerSecond: 20 }\n';
    const needing = (sweep: SweepRecord, min: (cell: Cell) => number): CellRecord[] =>
      sampleCells(sweep).map((record) => ({
        ...record,
        outcome:
          Number(record.cell['cpuMillicores']) < min(record.cell) ? 'not sustained' : 'sustained',
        figures: { ...NO_FIGURES, achievedPerSecond: 20, p50Ms: 50, p99Ms: 100 },
      }));
    const several = sampleSweep(
      'workload: [json, disk-read, hog], cpuMillicores: [250, 500, 1000, 2000], memoryMiB: [1024, 1536]',
      OF_LOAD,
    );
    const needed = needing(several, ({ workload }) =>
      workload === 'json' ? 250 : workload === 'hog' ? 4000 : 1000,
    );

    test('the verdict names the smallest cell of each load, and how sure it is how many sustained', () => {
      const { verdict, howSure } = sweepDocument(several, needed);
      expect(verdict).toEqual({
        ...{ tone: 'good', word: 'DONE' },
        sentence:
          'Workers & CPU: the smallest cell that sustains 20 requests per second has 250m CPU and 1 GiB memory for json, and 1000m CPU and 1 GiB memory for disk-read; no cell sustains this rate for hog.',
      });
      expect(howSure).toMatch(
        /^\d+ measurements of 24 cells, \d+ sustained, \d+ not sustained; control: /,
      );
    });

    test('the verdict on one load does not name it, and says where no cell sustains it', () => {
      const sweep = sampleSweep('cpuMillicores: [250, 500, 1000]', OF_LOAD);
      expect(
        sweepDocument(
          sweep,
          needing(sweep, () => 500),
        ).verdict.sentence,
      ).toBe('Workers & CPU: the smallest cell that sustains 20 requests per second has 500m CPU.');
      expect(
        sweepDocument(
          sweep,
          needing(sweep, () => 4000),
        ).verdict,
      ).toEqual({
        ...{ tone: 'bad', word: 'DONE' },
        sentence: 'Workers & CPU: no cell sustains 20 requests per second.',
      });
    });

    test('a cell is not the smallest that sustains if a larger one did not, and a doubt names both', () => {
      const sweep = sampleSweep('cpuMillicores: [250, 500, 1000, 2000]', OF_LOAD);
      const passing = (...sizes: number[]): CellRecord[] =>
        needing(sweep, ({ cpuMillicores }) => (sizes.includes(Number(cpuMillicores)) ? 0 : 9_999));
      const byLuck = passing(250, 1000, 2000);
      expect(sweepDocument(sweep, byLuck).verdict.sentence).toBe(
        'Workers & CPU: the smallest cell that sustains 20 requests per second has 1000m CPU.',
      );
      expect(sweepDoubts(sweep, byLuck)).toContain(
        '250m CPU sustained the load, but the larger 500m CPU did not: near its limit, a cell sometimes passes by chance.',
      );
      const unclear = passing(250, 500);
      expect(sweepDocument(sweep, unclear).verdict).toEqual({
        ...{ tone: 'unsure', word: 'DONE' },
        sentence:
          'Workers & CPU: it is not clear which cell sustains 20 requests per second: a cell met the SLO, but a larger one did not.',
      });
      expect(figuresOf(sweep, unclear)['Smallest that sustains']).toBe(
        'not clear: 250m CPU sustained the load, but the larger 1000m CPU did not',
      );
      expect(allCharts(sweep, unclear)[0]?.title).not.toContain('none sustains');
    });

    test('a cell is larger only if nothing of it is less, and nothing else differs', () => {
      const sweep = sampleSweep(
        'cpuMillicores: [500, 1000], memoryMiB: [1024, 2048], tuning: [none, default]',
        OF_LOAD,
      );
      const records = needing(sweep, ({ memoryMiB, tuning }) =>
        tuning === 'none' || memoryMiB === 1024 ? 9_999 : 0,
      );
      expect(sweepDoubts(sweep, records).join()).not.toContain('by chance');
      expect(figuresOf(sweep, records)['Smallest that sustains']).toMatch(
        /^500m CPU, 2 GiB memory, tuning default|^tuning default, 500m CPU, 2 GiB memory/,
      );
    });

    test('the verdict names rates that differ, and counts the loads that a sentence has no room for', () => {
      const sweep = sampleSweep(
        'ratePerSecond: [5, 10, 15, 20, 25], cpuMillicores: [250, 500]',
        'measure: { profile: load }\n',
      );
      expect(
        sweepDocument(
          sweep,
          needing(sweep, () => 250),
        ).verdict.sentence,
      ).toBe(
        'Workers & CPU: the smallest cell that sustains the load has 250m CPU for 5/s, 250m CPU for 10/s, and 250m CPU for 15/s; 2 more loads below.',
      );
    });

    test('the first picture marks this cell between its neighbours, from small to large', () => {
      const [chart] = allCharts(several, needed);
      if (chart?.kind !== 'bar') throw new Error('they are no bars');
      expect(chart.title).toBe(
        '99th percentile of the latency around the smallest cell that sustains the load for each workload',
      );
      expect(chart.bars.map(({ label, note, isChosen }) => [label, note, isChosen])).toEqual([
        ['json, 250m CPU, 1 GiB memory', 'smallest', true],
        ['json, 250m CPU, 1.5 GiB memory', undefined, undefined],
        ['json, 500m CPU, 1 GiB memory', undefined, undefined],
        ['disk-read, 500m CPU, 1.5 GiB memory', 'not sustained', undefined],
        ['disk-read, 1000m CPU, 1 GiB memory', 'smallest', true],
        ['disk-read, 1000m CPU, 1.5 GiB memory', undefined, undefined],
        ['hog, 1000m CPU, 1.5 GiB memory', 'not sustained', undefined],
        ['hog, 2000m CPU, 1 GiB memory', 'not sustained', undefined],
        ['hog, 2000m CPU, 1.5 GiB memory', 'not sustained', undefined],
      ]);
      expect(drawBar(chart).match(/class="bar chosen"/g)).toHaveLength(2);
    });
  });

  test('what sets a cell apart has its unit', () => {
    const cell = {
      ...{ workload: 'json', mode: 'queue', cpuMillicores: 1000, memoryMiB: 1536, heapMiB: 900 },
      ...{ workers: 1, webhooks: 2, concurrency: 10, clients: 8, ratePerSecond: 5, instances: 2 },
      ...{ tuning: 'none', 'env.INSTANCES': 4 },
    };
    expect(cellName(cell, Object.keys(cell))).toBe(
      'json, queue mode, 1000m CPU, 1.5 GiB memory, 900 MiB heap, 1 worker, 2 webhook processors, concurrency 10, 8 clients, 5/s, 2 instances, tuning none, INSTANCES 4',
    );
  });

  test('is nothing before anything was measured', () => {
    const sweep = sampleSweep('workers: [1, 2, 4]');
    expect(figuresOf(sweep, [])).not.toHaveProperty('Best cell');
  });
});

describe('the control cell', () => {
  const sweep = sampleSweep('workers: [1, 2, 4]', 'repeats: 4\ncontrolEvery: 2\n');
  const controlText = (records: CellRecord[]): string | undefined =>
    sweepFigures(sweep, records).find(({ name }) => name === 'Control')?.value;

  test('shows a machine that grows slower', () => {
    const records = sampleCells(sweep, undefined, (index) => 100 - index);
    expect(controlText(records)).toMatch(/capacity, measured 9 times: drifted by -\d+(\.\d+)?%/);
    expect(sweepDoubts(sweep, records)).toContain(
      'The speed of the machine changed during the sweep, as the control cell shows.',
    );
  });

  test('shows none in noise, and how large that is', () => {
    const records = sampleCells(sweep, undefined, (index) => 100 + (index % 2 === 0 ? 1 : -1));
    expect(controlText(records)).toMatch(/no drift larger than the noise; differences below \d/);
  });

  test('says which cells the best one does not clearly beat', () => {
    const best = (controls: (index: number) => number): string | undefined =>
      sweepFigures(
        sweep,
        sampleCells(
          sweep,
          ({ workers }) => (workers === 1 ? 20 : 40 + 0.1 * Number(workers)),
          controls,
        ),
      ).find(({ name }) => name === 'Best cell')?.value;
    expect(best((index) => 100 + (index % 2 === 0 ? 1 : -1))).toBe(
      '4 workers: capacity 40.4 (40.4 to 40.4) requests per second, not clearly better than 2 workers; worst: 1 worker: 20 (20 to 20)',
    );
    expect(best((index) => 100 + (index % 2 === 0 ? 60 : -60))).toContain(
      'not clearly better than 2 workers and 1 worker',
    );
    expect(best(() => 100)).not.toContain('clearly');
  });

  test('is judged by what ranks the cells: of a given rate, by the 99th percentile', () => {
    const given = sampleSweep(
      'workers: [1, 2, 4]',
      'repeats: 4\nmeasure: { profile: load, ratePerSecond: 20 }\n',
    );
    const records = sampleCells(given).map((record, index) => ({
      ...record,
      figures: { ...NO_FIGURES, achievedPerSecond: 20, p50Ms: 50, p99Ms: 200 + 50 * (index % 3) },
    }));
    const { value } = sweepFigures(given, records).find(({ name }) => name === 'Control') ?? {};
    expect(value).toMatch(/^99th percentile of the latency, measured 5 times: no drift/);
    expect(value).not.toContain('below 0%');
  });

  test('that scatters too much says that no difference can be told', () => {
    const records = sampleCells(sweep, undefined, (index) => 100 + (index % 2 === 0 ? 60 : -60));
    expect(controlText(records)).toMatch(/noise; no difference between cells is larger than/);
  });

  test('says when there are too few of them', () => {
    expect(controlText(sampleCells(sweep).slice(0, 2))).toContain('too few to tell');
  });
});

test('a sweep that went on elsewhere says so', () => {
  const sweep = sampleSweep('workers: [1, 2]', 'repeats: 2\n');
  const records = sampleCells(sweep);
  expect(sweepDoubts(sweep, records)).toEqual([]);
  const said = 'Of the 2 cores of this machine bash (pid 7) uses 1.';
  const beside = records.map((record) => ({ ...record, disturbances: [said] }));
  expect(sweepDoubts(sweep, beside)).toEqual([said]);
  const [first, ...rest] = records;
  if (first === undefined) throw new Error('there is no record');
  const moved = [{ ...first, machine: { ...sweepMachine, cores: 64 } }, ...rest];
  expect(sweepDoubts(sweep, moved)).toEqual([
    'The sweep was measured on several machines: Test CPU, 64 cores; Test CPU, 2 cores',
  ]);
});

describe('the texts', () => {
  const sweep = sampleSweep('workers: [1, 2, 4]', 'repeats: 2\n');
  const records = sampleCells(sweep, ({ workers }, block) => (workers === 4 ? null : 20 + block));

  test('have a row a cell, with the range of its repeats, and what became of it', () => {
    const { head, rows } = sweepTable(sweep, records);
    expect(head[1]).toBe('Capacity (requests per second)');
    expect(rows[0]).toEqual([
      '1 worker',
      '21.5 (21 to 22)',
      '100 (100 to 100)',
      '-',
      '-',
      'sustained',
      'host CPU',
    ]);
    expect(rows[2]?.slice(-2)).toEqual(['crashed', 'host CPU']);
  });

  test('say of an unfinished sweep that it is one', () => {
    const style = { width: 100, colour: false };
    expect(renderTerminal(sweepDocument(sweep, records.slice(0, 3)), style)).toMatch(
      /^STOPPED .*3 of 9/,
    );
    expect(renderTerminal(sweepDocument(sweep, records), style)).toMatch(/^DONE/);
  });

  test('are the same in Markdown and HTML, and what n8n said is text there', () => {
    expect(renderMarkdown(sweepDocument(sweep, records))).toContain(
      '![Capacity over workers](plots/capacityPerSecond.svg)',
    );
    const html = renderHtml(sweepDocument(sweep, records));
    expect(html).toContain('main &lt;died&gt;');
    expect(html).not.toContain('<died>');
    expect(html).toContain('Workers &amp; CPU');
  });

  test('as CSV have a line a measurement with every dimension and figure', () => {
    const lines = renderSweepCsv(records).trim().split('\n');
    expect(lines).toHaveLength(records.length + 1);
    expect(lines[0]).toMatch(/^id,block,control,mode,workers,outcome,capacityPerSecond,/);
    const first = records.findIndex(({ cell, isControl }) => !isControl && cell['workers'] === 1);
    expect(lines[first + 1]).toContain(
      `"${records[first]?.block ?? ''}:${cellKey({ mode: 'queue', workers: 1 })}"`,
    );
  });
});

test('every report tells what limited each cell, with its figures and what came next', () => {
  const sweep = sampleSweep('workers: [1, 2]');
  const limitedBy = {
    limit: { role: 'host', resource: 'CPU' },
    evidence: 'it used 2 of 2 cores',
    next: { role: 'worker', resource: 'event loop' },
  } as const;
  const records = sampleCells(sweep).map((record) => ({ ...record, limitedBy }));
  const sentence = '2 workers: host CPU: it used 2 of 2 cores; next worker event loop';
  expect(renderTerminal(sweepDocument(sweep, records), { width: 400, colour: false })).toContain(
    sentence,
  );
  expect(renderMarkdown(sweepDocument(sweep, records))).toContain(`- ${sentence}`);
  expect(renderHtml(sweepDocument(sweep, records))).toContain(`<li>${sentence}</li>`);
  expect(renderSweepCsv(records)).toContain('host CPU,it used 2 of 2 cores,worker event loop');
  const crashed = sampleCells(sweep).map((record) => ({ ...record, limitedBy: null }));
  expect(renderMarkdown(sweepDocument(sweep, crashed))).not.toContain('What limited each cell');
});

describe('the folder of a sweep', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'sweep-folder-'));
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  test('keeps what the user puts beside its plots, and loses the plots that it no longer has', () => {
    const plots = join(root, 'plots');
    const many = sampleSweep('tuning: [none, default], workers: [1, 2, 4]');
    expect(writeSweepReports(root, many, sampleCells(many))).toEqual([]);
    const before = readdirSync(plots).filter((name) => name.endsWith('.svg'));
    writeFileSync(join(plots, 'mine.svg'), '<svg/>');
    const few = sampleSweep('workers: [1, 2, 4]');
    expect(writeSweepReports(root, few, sampleCells(few))).toEqual([]);
    const after = readdirSync(plots).filter((name) => name.endsWith('.svg'));
    expect(after).toContain('mine.svg');
    expect(before.filter((name) => !after.includes(name)).length).toBeGreaterThan(0);
    expect(after.length).toBeLessThan(before.length + 1);
  });

  test('may be new or empty, but not one in which something else is', () => {
    const sweep = sampleSweep('workers: [1, 2]');
    const foreign = join(root, 'analysis');
    mkdirSync(join(foreign, 'plots'), { recursive: true });
    const begin = (): void => {
      new SweepFolder(foreign).begin(sweep);
    };
    expect(begin).toThrow(Mistake);
    expect(begin).toThrow(
      `${foreign} already exists, and n8n-tuned did not write it: choose another folder with --out, or rename the plan.`,
    );
    expect(existsSync(join(foreign, 'sweep.json'))).toBe(false);
    rmSync(join(foreign, 'plots'), { recursive: true });
    begin();
    expect(new SweepFolder(foreign).sweep()).toMatchObject({ kind: 'sweep' });
  });
});
