// `make capacity` ten times in a row: what is kept of a whole run, the searches that others start from, and what the page
// says of it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { topologySchema } from '../../cli/src/plan/topology';
import { evidenceOf } from '../../cli/src/features/recommend/analysis/evidence';
import { plannedRate, recommend } from '../../cli/src/features/recommend/analysis/recommend';
import { valuesYaml } from '../../cli/src/features/recommend/values';
import type { FindRecord } from '../../cli/src/features/find/record';
import { sampleSearch } from '../support/sample-find';
import { readArchive } from '../../cli/src/record/archive';
import * as searches from '../../studies/capacity/searches';
import { atPrice } from '../../lab/generate/records';
import { capacity, tenTimesText } from '../../lab/generate/studies/capacity';

const root = join(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'ten-times-'));
const run = join(folder, 'made/20261124T120000Z');

const found: FindRecord = { ...sampleSearch(), topology: topologySchema.parse({}) };
const inconclusive: FindRecord = {
  ...found,
  verdict: 'inconclusive',
  capacity: { ratePerSecond: 40, low: 25, high: null, confirmed: false },
  confirmedBy: null,
};
const withoutAnswer: FindRecord = {
  ...found,
  verdict: 'invalid',
  capacity: { ratePerSecond: 0, low: 0, high: 0, confirmed: false },
};

function write(file: string, text: string): void {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}

/** Leaves a search as the command does. */
function search(workload: string, record: FindRecord): void {
  const at = join(run, `20261124-120000-${workload}-find-abcd`);
  const command = ['find', '--workload', workload, '--budget', '5m', '--out', run];
  const made = { ...record, workload: { ...record.workload, name: workload }, command };
  write(join(at, 'find.json'), JSON.stringify(made));
  write(join(at, 'report.html'), 'a page');
  write(join(at, 'probes/a/run.json'), '{}');
}

/** The files by their paths; null where nothing is kept. */
function kept(): Record<string, string> | null {
  const files = searches.wholeOf(run);
  return files && Object.fromEntries(files);
}

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  search('last-node', found);
  search('items', inconclusive);
  write(join(run, 'values.yaml'), 'main: {}');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('of a whole run', () => {
  test('the searches and the values are kept', () => {
    const files = kept() ?? {};
    expect(Object.keys(files)).toEqual(['last-node/find.json', 'items/find.json', 'values.yaml']);
    expect(Object.values(files).join('')).not.toContain(folder);
    const { command, verdict } = JSON.parse(files['items/find.json'] ?? '') as FindRecord;
    expect(command.at(-1)).toBe('results/capacity/20261124T120000Z');
    expect(verdict).toBe('inconclusive');
  });

  test.each<[string, () => void]>([
    [
      'values',
      () => {
        rmSync(join(run, 'values.yaml'));
      },
    ],
    [
      'a search',
      () => {
        rmSync(join(run, '20261124-120000-items-find-abcd'), { recursive: true });
      },
    ],
    [
      'an answer',
      () => {
        search('items', withoutAnswer);
      },
    ],
    [
      'all of it',
      () => {
        rmSync(run, { recursive: true });
      },
    ],
  ])('nothing is kept where it lacks %s', (_, lacks) => {
    lacks();
    expect(kept()).toBeNull();
  });
});

const NARROW = [{ workload: 'last-node', low: 30, high: 50 }];
const OPEN = [{ workload: 'last-node', low: 86, high: null }];
const WIDE = [
  { workload: 'last-node', low: 20, high: 50 },
  { workload: 'items', low: 10, high: 11 },
];

test('a run went well that ended with 0 and whose values every Helm renders', () => {
  const charts = (...exits: number[]) => exits.map((exit) => ({ exit }));
  const runs = [
    { exit: 0, charts: charts(0, 0), searches: NARROW },
    { exit: 0, charts: charts(0, 1), searches: NARROW },
    { exit: 2, charts: charts(0, 0), searches: NARROW },
    { exit: 0, charts: [], searches: NARROW },
  ];
  expect(runs.map(searches.isWell)).toEqual([true, false, false, false]);
});

test('a run went well too that refused values with 3 because the interval of the first workload is wider than a factor of two', () => {
  const charts = [{ exit: 0 }, { exit: 0 }];
  const runs = [
    { exit: 3, charts: [], searches: WIDE },
    { exit: 3, charts: [], searches: NARROW },
    { exit: 3, charts: [], searches: [] },
    // Values are a guess with a number then.
    { exit: 0, charts, searches: WIDE },
    { exit: 0, charts, searches: OPEN },
    { exit: 3, charts: [], searches: OPEN },
    // Only the other workload is wide.
    { exit: 0, charts, searches: [...NARROW, { workload: 'items', low: 1, high: 9 }] },
  ];
  expect(runs.map(searches.isWell)).toEqual([true, false, false, false, false, true, true]);
});

test.each([
  ['make: *** [Makefile:14: capacity] Error 3', 2, 3],
  ['no values were written: nothing was measured\nmake: *** [Makefile:14: capacity] Error 3', 2, 3],
  ['make: npm is missing', 2, 2],
  ['', 0, 0],
])('the exit code of what make calls is in its last line: %j', (said, exit, expected) => {
  expect(searches.exitOfRecipe({ exit, said })).toBe(expected);
});

describe.each<[string, FindRecord]>([
  ['found', found],
  ['inconclusive', inconclusive],
])('from a search that was %s', (_, recorded) => {
  const RATES = [0.02, 40, 5_000];
  const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8];
  const others = RATES.flatMap((rate, i) =>
    SEEDS.map((seed) => searches.withCapacity(recorded, rate, searches.randomOf(100 * i + seed))),
  );

  test('another capacity is drawn around which the interval lies, with every verdict', () => {
    expect([...new Set(others.map(({ verdict }) => verdict))].sort()).toEqual([
      ...['found', 'inconclusive', 'not confirmed', 'rough'],
    ]);
    for (const [i, { capacity, verdict, confirmedBy }] of others.entries()) {
      const { ratePerSecond, low, high, confirmed } = capacity;
      expect(ratePerSecond).toBe(RATES[Math.floor(i / SEEDS.length)]);
      expect(low).toBeLessThanOrEqual(ratePerSecond);
      expect(high).toBeGreaterThanOrEqual(ratePerSecond);
      const isSure = verdict === 'found' || verdict === 'rough';
      expect([confirmed, confirmedBy !== null]).toEqual([isSure, isSure]);
    }
  });

  test('values follow, for the CPU that the recorded capacity took', () => {
    for (const other of others) {
      const evidence = evidenceOf(other);
      if (evidence === null) throw new Error('it tells nothing');
      const recommendation = recommend([evidence], plannedRate([evidence]));
      if (recommendation === null) throw new Error('nothing is recommended');
      const yaml = valuesYaml(recommendation);
      expect(parse(yaml)).toHaveProperty('main.resources.requests.cpu');
      // No figure has more digits than anyone measures.
      expect(yaml).not.toMatch(/\.\d{7,}/);
      const share = (evidence.at?.ratePerSecond ?? 0) / other.capacity.ratePerSecond;
      expect(share).toBeCloseTo((recorded.atCapacity?.ratePerSecond ?? 0) / 40);
      expect(evidence.at?.roles).toEqual(recorded.atCapacity?.roles);
    }
  });
});

describe('the page', () => {
  const well = {
    exit: 0,
    charts: [
      { helm: 'helm3', exit: 0 },
      { helm: 'helm4', exit: 0 },
    ],
    searches: NARROW,
  };
  const refused = { exit: 3, charts: [], searches: WIDE };
  const text = (record: Parameters<typeof tenTimesText>[0]): string => tenTimesText(record);

  test('says how often it went well, in whole runs and from recorded searches', () => {
    const runs = [
      { kind: 'full', ...well },
      { kind: 'full', exit: 2, charts: [], searches: NARROW },
      { kind: 'full', ...refused },
      ...Array.from({ length: 3 }, () => ({ kind: 'recorded', ...well })),
    ];
    const said = text({ runs });
    expect(said).toContain('5 of 6 times');
    expect(said).toContain('In 4 of them, Helm 3 and Helm 4 rendered');
    expect(said).toContain('In 1, the interval was wider than a factor of two');
    expect(said).toContain('`recommend` ended with exit code 3');
    expect(said).toMatch(/`make` then ends with 2/);
    expect(said).toContain('2 of 3 whole runs');
    expect(said).toContain('3 of 3');
    expect(said).toContain('(studies/capacity/results.jsonl.gz#ten-times)');
  });

  test('says how often values were written for an interval without an upper end', () => {
    const runs = [well, refused].map((run) => ({ kind: 'full', ...run }));
    expect(text({ runs })).not.toContain('no upper end');
    expect(text({ runs: [...runs, { kind: 'full', ...well, searches: OPEN }] })).toMatch(
      /In 1, values were written although the interval was as wide or had no upper end; `recommend` refuses these now\./,
    );
  });

  test('says of the five newest whole runs with a price whether all intervals overlap at equal price', () => {
    const made = (low: number, high: number, cpuMs?: number) => ({
      ...{ kind: 'full', ...well },
      searches: ['last-node', 'items'].map((workload) => ({
        ...{ workload, low, high: workload === 'items' ? low + 1 : high },
        verdict: workload === 'items' && low > 32 ? 'inconclusive' : 'found',
        ...(cpuMs === undefined ? {} : { cpuMs }),
      })),
    });
    const five = [made(30, 40, 20), made(60, 80, 10), made(35, 45, 20), made(30, 37, 20)];
    const runs = [made(1, 2), made(5, 6, 20), ...five, made(31, 41, 20)];
    const said = text({ runs });
    expect(said).toContain(
      'Goal: all intervals of last-node in the 5 newest whole runs overlap at equal price. Met: 10 of 10 pairs overlap, from 0.70 to 0.74 CPU seconds per second.',
    );
    expect(said).toContain(
      'Goal: all intervals of items in the 5 newest whole runs overlap at equal price. Not met: 5 of 10 pairs overlap. 2 of 5 of these searches were INCONCLUSIVE.',
    );
    expect(text({ runs: runs.slice(0, 2) })).not.toContain('overlap');
  });

  test('says where there was no whole run yet', () => {
    expect(text({ runs: [{ kind: 'recorded', ...well }] })).toContain('no whole run');
  });

  test('names each capacity with the speed at which it holds, as those of two machines do not compare otherwise', () => {
    for (const text of [capacity.parts[0]?.() ?? '', capacity.answer?.().sentence ?? '']) {
      expect(text.match(/ at [\d.]+ ms of CPU/g)).toHaveLength(2);
    }
    expect(atPrice({ ...found, probes: [], capacity: inconclusive.capacity })).toBe('');
  });

  test('is of the record that is kept', () => {
    const archive = readArchive(join(root, 'studies/capacity/results.jsonl.gz'));
    const { runs } = archive.get('ten-times')?.record as { runs: object[] };
    expect(capacity.parts[1]?.()).toContain(`of ${String(runs.length)} times`);
  });
});
