import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { compareRecords } from '../../../../../cli/src/features/compare/compare-records';
import {
  alignedPairs,
  anytimeInterval,
  compare,
  turn,
  unlessRejected,
  type Pair,
} from '../../../../../cli/src/features/compare/analysis/compare';
import { answerText } from '../../../../../cli/src/features/compare/report/figures';
import {
  COMPARE_METRICS,
  NEVER,
  valueOfRun,
} from '../../../../../cli/src/features/compare/analysis/metric';
import { sideDoubts } from '../../../../../cli/src/features/compare/compare';
import { capacityOf, type FindRecord } from '../../../../../cli/src/features/find/record';
import { sampleSearch } from '../../../../support/sample-find';
import type { Limit, LimitSeen, RunRecord } from '../../../../../cli/src/record/run-record';
import { sampleRun, withLostGenerator } from '../../../../support/sample-run';
import {
  normal,
  seededRandom,
  type Random,
} from '../../../../../cli/src/analysis/statistics/random';
import { atEqualPrice } from '../../../../../cli/src/features/compare/analysis/equal-price';

const letter = (run: number): 'A' | 'B' => (turn(run, 2) === 0 ? 'A' : 'B');

/** Makes pairs in ABBA order until the comparison is done. */
function experiment(measure: (which: 'A' | 'B', run: number) => number, maxPairs = 20) {
  const pairs: Pair[] = [];
  for (;;) {
    const first = pairs.length * 2;
    const one = measure(letter(first), first);
    const other = measure(letter(first + 1), first + 1);
    pairs.push(letter(first) === 'A' ? { a: one, b: other } : { a: other, b: one });
    const result = compare(pairs, { maxPairs, resolution: 0.01 });
    if (result.done) return result;
  }
}

const noisy = (random: Random, noise: number) => Math.exp(noise * normal(random));

test('runs are interleaved as ABBA', () => {
  const turns = (sides: number, runs: number): string =>
    Array.from({ length: runs }, (_, run) => 'ABCD'[turn(run, sides)]).join('');
  expect(turns(2, 8)).toBe('ABBAABBA');
  expect(turns(4, 8)).toBe('ABCDDCBA');
});

const limitSeen = (role: Limit['role'], resource: Limit['resource']): LimitSeen => ({
  ...{ limit: { role, resource }, evidence: null, next: null },
});

const RUNS = 800;
const isRanked = (answer: string): boolean => ['better', 'worse'].includes(answer);

describe('false alarms', () => {
  test.each([0.02, 0.1, 0.3])(
    'stay rare of A against A, looking after every ABBA, at noise %p',
    (noise) => {
      const random = seededRandom(11);
      let alarms = 0;
      for (let i = 0; i < RUNS; i += 1) {
        if (isRanked(experiment(() => 100 * noisy(random, noise)).answer)) alarms += 1;
      }
      expect(alarms / RUNS).toBeLessThan(0.05);
    },
  );

  test('nor when the machine slows down steadily by a third, or its noise has bursts', () => {
    const random = seededRandom(12);
    let alarms = 0;
    for (let i = 0; i < RUNS; i += 1) {
      const { answer } = experiment((_, run) => {
        const burst = random() < 0.1 ? 0.7 : 1;
        return 100 * (1 - run / 120) * burst * noisy(random, 0.05);
      });
      if (isRanked(answer)) alarms += 1;
    }
    expect(alarms / RUNS).toBeLessThan(0.05);
  });

  test('the interval holds the true ratio at every look at once, as often as it says', () => {
    const random = seededRandom(13);
    let missed = 0;
    for (let i = 0; i < RUNS; i += 1) {
      const logs: number[] = [];
      let excluded = false;
      for (let n = 0; n < 40; n += 1) {
        logs.push(0.5 + 0.2 * normal(random));
        const { low, high } = anytimeInterval(logs, 0.05);
        excluded ||= low > 0.5 || high < 0.5;
      }
      if (excluded) missed += 1;
    }
    expect(missed / RUNS).toBeLessThan(0.05);
  });
});

describe('real differences', () => {
  test('of 2.8 times is found in a few pairs, with its interval', () => {
    const random = seededRandom(14);
    const result = experiment((which) => (which === 'B' ? 280 : 100) * noisy(random, 0.05));
    expect(result.answer).toBe('better');
    expect(result.pairs).toBeLessThanOrEqual(4);
    expect(result.ratio.low).toBeLessThan(2.8);
    expect(result.ratio.high).toBeGreaterThan(2.8);
  });

  test('of 10% under 5% noise is nearly always found within 20 pairs', () => {
    const random = seededRandom(15);
    let found = 0;
    for (let i = 0; i < 200; i += 1) {
      const { answer } = experiment((which) => (which === 'B' ? 110 : 100) * noisy(random, 0.05));
      if (answer === 'better') found += 1;
    }
    expect(found).toBeGreaterThan(180);
  });

  test('is said of B, in words that never rank inside the noise', () => {
    const pairs = (b: number): Pair[] =>
      [99, 101, 100, 98].map((a) => ({ a, b: b * (1 + (a - 100) / 1_000) }));
    const text = (b: number, settings = {}): string => answerText(compare(pairs(b), settings));
    expect(text(280)).toMatch(/^better by 2\.8\dx \(2\.\d+ to [23]\.\d+\)$/);
    expect(text(50)).toMatch(/^worse by 1\.99x \(1\.\d+ to 2\.\d+\)$/);
    expect(text(50, { moreIsBetter: false })).toMatch(/^better by 1\.99x/);
    expect(text(100.5)).toMatch(/^no difference larger than the noise \(\d+(\.\d+)?%\)$/);
    expect(answerText(compare(pairs(280)), 'one')).toMatch(/^better than one by 2\.8\dx /);
    expect(answerText(compare(pairs(50)), 'one')).toMatch(/^worse than one by 1\.99x /);
    expect(answerText(compare(pairs(100.5)), 'one')).toMatch(/^like one: no difference /);
    expect(answerText(compare([]), 'one')).toBe('not yet distinguishable from one: too few pairs');
  });

  test('so few pairs that no interval can be given decide nothing, however they look', () => {
    const two = [
      { a: 100, b: 300 },
      { a: 101, b: 299 },
    ];
    const unknown = { answer: 'unknown', unknownBecause: { kind: 'no interval' } };
    expect(answerText(compare(two))).toBe('too few pairs for an interval');
    expect(compare(two, { maxPairs: 2 })).toMatchObject({ ...unknown, done: true });
    expect(compare(two)).toMatchObject({ ...unknown, done: false });
  });

  test('two sides are alike only where a large difference is ruled out; else nothing is known', () => {
    const value = fc.double({ min: 1, max: 100, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 4, maxLength: 8 }), (drawn) => {
        const pairs = drawn.map(([a, b]) => ({ a, b }));
        const { ratio, answer } = compare(pairs, { maxPairs: pairs.length });
        const largest = Math.max(ratio.high, 1 / ratio.low);
        if (answer === 'no difference') expect(largest).toBeLessThanOrEqual(1.2);
        if (answer === 'unknown' && pairs.length > 2) expect(largest).toBeGreaterThan(1.2);
      }),
    );
    // Four pairs of a quick study: every run of A did more than every run of B.
    const seen = [21, 31, 35, 38].map((a, index) => ({ a, b: [7.5, 7.5, 7, 4][index] ?? 0 }));
    const known = compare(seen, { maxPairs: 4 });
    expect(known).toMatchObject({
      ...{ answer: 'unknown', unknownBecause: { kind: 'noise' }, done: true },
    });
    expect(answerText(known)).toMatch(/^a difference of \d+x would be within the noise/);
  });

  test('with a precision it goes on until each end of the interval is that near, whatever the answer is', () => {
    const pairs = [3, 4, 3, 4].map((b) => ({ a: 1, b }));
    expect(compare(pairs)).toMatchObject({ answer: 'better', done: true });
    expect(compare(pairs, { precision: 0.25 })).toMatchObject({ answer: 'better', done: false });
    expect(compare(pairs, { precision: 0.9 })).toMatchObject({ answer: 'better', done: true });
    expect(compare(pairs, { precision: 0.25, maxPairs: 4 }).done).toBe(true);
    const alike = [0.98, 1.02, 1.03, 0.97].map((b) => ({ a: 1, b }));
    expect(compare(alike)).toMatchObject({ answer: 'no difference', done: false });
    expect(compare(alike, { precision: 0.25 }).done).toBe(true);
  });

  test('half an ABBA decides nothing', () => {
    const three = [1, 2, 3].map(() => ({ a: 100, b: 300 }));
    expect(compare(three)).toMatchObject({ answer: 'unknown', done: false });
  });
});

describe('a comparison cannot be won by doing less', () => {
  const times = (count: number, value: number): number[] =>
    Array.from({ length: count }, () => value);
  const pairsOf = (a: number[], b: number[]): Pair[] =>
    a.map((value, index) => ({ a: value, b: b[index] ?? 0 }));

  test('zero is a value: a side without one expected response is worse', () => {
    const down = compare(pairsOf([40, 41, 39, 40], times(4, 0)), { maxPairs: 4 });
    expect(answerText(down)).toBe('worse by more than can be measured');
    expect(compare(pairsOf(times(4, 0), [40, 41, 39, 40]), { maxPairs: 4 }).answer).toBe('better');
    expect(compare(pairsOf(times(4, 0), times(4, 0)), { maxPairs: 4 }).ratio.value).toBe(1);
  });

  test('whatever the values, the ratio is a number and zero never beats more', () => {
    const value = fc.constantFrom(0, 1, 40, 41, 1e6);
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 4, maxLength: 12 }), (drawn) => {
        const pairs = drawn.map(([a, b]) => ({ a, b }));
        const { ratio, answer } = compare(pairs, { maxPairs: pairs.length });
        expect(ratio.value).toBeGreaterThan(0);
        expect(Number.isFinite(ratio.value)).toBe(true);
        if (drawn.every(([a, b]) => b === 0 && a > 0)) expect(answer).not.toBe('better');
      }),
    );
  });

  test('pairs keep their round when a run in between was not valid', () => {
    expect(alignedPairs([1, null, 3, 4], [10, 20, null, 40])).toEqual([
      { a: 1, b: 10, round: 1 },
      { a: 4, b: 40, round: 4 },
    ]);
    expect(alignedPairs([1, 2], [10])).toHaveLength(1);
  });

  test('whoever rejects requests does not win where less is better', () => {
    const faster = compare(pairsOf([100, 101, 99, 100], [10, 11, 10, 10]), {
      ...{ moreIsBetter: false, maxPairs: 4 },
    });
    expect(faster.answer).toBe('better');
    const shares = { a: times(4, 1), b: times(4, 0.97) };
    const rejected = unlessRejected(faster, false, shares);
    expect(rejected).toMatchObject({
      answer: 'unknown',
      unknownBecause: { kind: 'rejections', goodShares: { a: 1, b: 0.97 } },
    });
    expect(answerText(rejected)).toBe('its share of expected responses is 97%, compared with 100%');
    const alike = { a: times(4, 0.97), b: times(4, 0.97) };
    expect(unlessRejected(faster, false, alike)).toEqual(faster);
    expect(unlessRejected(faster, true, shares)).toEqual(faster);
  });

  const recordOf = (changes: object): RunRecord => {
    const { record } = sampleRun();
    return { ...record, summary: { ...record.summary, ...changes } } as RunRecord;
  };
  const p95Of = (changes: object) => COMPARE_METRICS.p95.of?.(recordOf(changes));

  test('the p95 of a run is that of all its requests, however many of them were rejected', () => {
    expect(p95Of({ p95OfAllMs: 151 })).toBe(151);
    expect(p95Of({ p95OfAllMs: null })).toBe(NEVER);
    const nothing = { requests: 0, ratePerSecond: 0 };
    expect(p95Of({ p95OfAllMs: null, offered: nothing })).toBeNull();
  });

  test.each([
    ['none was rejected', 1_000, 0, 150],
    ['one was rejected, and the p95 is of the same request', 1_000, 1, 150],
    ['2% were rejected, and it lies between two recorded ones', 1_000, 20, null],
    ['so many were rejected that it is the p99', 10_000, 405, 400],
    ['more than 5% were rejected', 1_000, 51, NEVER],
    ['all were rejected', 1_000, 1_000, NEVER],
  ])(
    'an older record tells the p95 of all requests only where it is a recorded one: if %s',
    (_, requests, rejected, expected) => {
      const count = requests - rejected;
      const latencyMs = { count, p95: 150, p99: 400, p999: 900, max: 1000 };
      const offered = { requests, ratePerSecond: 40 };
      expect(p95Of({ offered, latencyMs: count === 0 ? null : latencyMs })).toBe(expected);
    },
  );
});

const CPU_LIMIT = limitSeen('main', 'event loop');
const side = (
  values: (number | null)[],
  cpuMs: (number | null)[],
  limits: (LimitSeen | null)[] = values.map(() => CPU_LIMIT),
) => ({ values, cpuMs, limits });
const order = { metric: 'throughput', loop: 'closed', maxPairs: 10 } as const;

describe('what counts in a comparison', () => {
  const { record } = sampleRun();
  const as = (outcome: RunRecord['verdict']['outcome']): RunRecord => ({
    ...record,
    verdict: { ...record.verdict, outcome },
  });
  const search = sampleSearch();
  const found = (verdict: FindRecord['verdict'], capacity = {}): FindRecord => ({
    ...{ ...search, verdict },
    capacity: { ...search.capacity, ...capacity },
  });

  test('is no run that lost one of its load generators, nor one that was invalid or did not end', () => {
    expect(valueOfRun(record, 'throughput')).toBe(38.4);
    expect(valueOfRun(as('inconclusive'), 'throughput')).toBe(38.4);
    expect(valueOfRun(as('invalid'), 'throughput')).toBeNull();
    expect(valueOfRun(as('aborted'), 'throughput')).toBeNull();
    expect(valueOfRun(withLostGenerator(record), 'throughput')).toBeNull();
  });

  test('is no search that only says which rate is sustained at the least', () => {
    expect(capacityOf(found('found'))).toBe(40);
    expect(capacityOf(found('inconclusive'))).toBe(40);
    expect(capacityOf(found('found', { high: null }))).toBeNull();
    expect(capacityOf(found('invalid'))).toBeNull();
    const nothing = { ratePerSecond: 0, low: 0, high: null };
    expect(capacityOf(found('nothing sustained', nothing))).toBe(0);
  });

  test('is doubted in the words of its runs, each kind once, and where a search was inconclusive', () => {
    const few = (count: number) => ({
      kind: 'few responses',
      text: `only ${String(count)} responses were measured`,
    });
    const cold = { kind: 'cold', text: 'it was cold' };
    const runs = ['runs/1', 'runs/2', 'runs/3'];
    const outcomes = ['found', 'inconclusive', 'inconclusive'];
    const ofRuns = [[few(80)], [], [few(90), cold]];
    const values = [40, 41, 42];
    const doubts = sideDoubts('B', { values, runs, outcomes }, { metric: 'capacity', ofRuns });
    expect(doubts).toEqual([
      'The capacity of B is inconclusive in 2 of 3 rounds (2, 3); the first of these runs is runs/2',
      'In 2 of 3 runs of B (figures of the first): only 80 responses were measured.',
      'In 1 of 3 runs of B: it was cold.',
    ]);
    // What an SLO leaves open changes no throughput, and a search that does not count is told elsewhere.
    const none = { ofRuns: [] };
    expect(sideDoubts('A', { values, runs, outcomes }, { ...none, metric: 'throughput' })).toEqual(
      [],
    );
    const left = { values: [40, null, null], runs, outcomes };
    expect(sideDoubts('A', left, { ...none, metric: 'capacity' })).toEqual([]);
  });
});

describe('the ratio at equal price', () => {
  test('of one n8n on a fast and on a slow machine is 1', () => {
    const fast = side([100, 102, 98, 100], [10, 10, 10, 10]);
    const slow = side([50, 51, 49, 50], [20, 20, 20, 20]);
    expect(atEqualPrice(fast, slow, order)).toMatchObject({
      cpuMs: { a: 10, b: 20 },
      ratio: { value: expect.closeTo(1, 9) },
    });
  });

  test('follows each pair, so that a machine that slows down for one run changes nothing', () => {
    const a = side([100, 50, 100, 100], [10, 20, 10, 10]);
    const b = side([200, 200, 100, 200], [10, 10, 20, 10]);
    const found = atEqualPrice(a, b, order);
    expect(found?.ratio.value).toBeCloseTo(2, 9);
    expect(found?.ratio.low).toBeCloseTo(2, 9);
  });

  test('leaves out pairs of which one run was not valid, or whose CPU was not seen', () => {
    const a = side([100, null, 100], [10, 10, null]);
    const b = side([100, 100, 100], [10, 10, 10]);
    expect(atEqualPrice(a, b, order)).toMatchObject({ cpuMs: { a: 10, b: 10 } });
    expect(atEqualPrice(side([null, 1], [1, null]), b, order)).toBeNull();
    expect(atEqualPrice({ values: [100], limits: [CPU_LIMIT] }, b, order)).toBeNull();
  });

  test('is none of a given rate, which a cheaper request does not raise', () => {
    const dear = side([20, 20, 20, 20], [20, 20, 20, 20]);
    const cheap = side([20, 20, 20, 20], [10, 10, 10, 10]);
    expect(atEqualPrice(dear, cheap, { ...order, loop: 'open' })).toBeNull();
    // A search gives each probe a rate as well, but its capacity follows the price.
    const capacity = { ...order, metric: 'capacity', loop: 'open' } as const;
    expect(atEqualPrice(dear, cheap, capacity)?.ratio.value).toBeCloseTo(0.5, 9);
  });

  test.each([
    ['nothing', { ...CPU_LIMIT, limit: null }],
    ['slots', limitSeen('worker', 'slots')],
    ['a disk', limitSeen('host', 'disk')],
    ['the CPU of PostgreSQL', limitSeen('postgresql', 'CPU limit')],
    ['what nobody saw', null],
  ])('leaves out pairs of which one run was limited by %s', (_, limit) => {
    const a = side([100, 100], [10, 10]);
    expect(atEqualPrice(a, side([100, 300], [10, 10], [CPU_LIMIT, limit]), order)).toMatchObject({
      ratio: { value: 1 },
    });
    expect(atEqualPrice(a, side([100, 100], [10, 10], [limit, limit]), order)).toBeNull();
  });

  test.each([
    limitSeen('main', 'event loop'),
    limitSeen('worker', 'CPU limit'),
    limitSeen('host', 'CPU'),
  ])('counts pairs that were limited by the CPU that n8n uses: $limit.resource', (limit) => {
    const both = side([100, 100], [10, 10], [limit, limit]);
    expect(atEqualPrice(both, both, order)).not.toBeNull();
  });

  test.each(['p95', 'memory', 'cpu-per-request'] as const)('is none of %s', (metric) => {
    const both = side([100, 100], [10, 10]);
    expect(atEqualPrice(both, both, { ...order, metric })).toBeNull();
  });
});

describe('two records side by side', () => {
  const top = mkdtempSync(join(tmpdir(), 'compare-records-'));
  afterAll(() => {
    rmSync(top, { recursive: true });
  });
  const written = (name: string, file: string, record: object): string => {
    const folder = join(top, name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), JSON.stringify(record));
    return folder;
  };

  test('by p95 need that of all requests, and say why an older one has none', () => {
    const { record } = sampleRun();
    const older = written('older', 'run.json', record);
    const newer = written('newer', 'run.json', {
      ...record,
      summary: { ...record.summary, p95OfAllMs: 160 },
    });
    expect(compareRecords(newer, newer, 'p95').a.values).toEqual([160]);
    expect(() => compareRecords(newer, older, 'p95')).toThrow(
      'does not contain 95th percentile of the latency (some of its requests have no latency, and the version',
    );
  });

  test('repeat what is doubtful of each run, and say which did not count', () => {
    const { record } = sampleRun();
    // Records had only the text.
    const doubtful = { ...record, verdict: { ...record.verdict, doubts: ['it was cold'] } };
    const a = written('doubtful', 'run.json', doubtful);
    const b = written('lost', 'run.json', withLostGenerator(record));
    const { doubts } = compareRecords(a, b, null);
    expect(doubts).toEqual([
      'In the run of A: it was cold.',
      expect.stringMatching(/^The run of B is not valid: The load generator .* was lost/) as string,
    ]);
  });

  test('of searches need a capacity each, and one that is inconclusive is doubted', () => {
    const search = sampleSearch();
    const known = written('known', 'find.json', { ...search, verdict: 'inconclusive' });
    const oneSided = written('one-sided', 'find.json', {
      ...search,
      capacity: { ...search.capacity, high: null },
      sentence: 'n8n sustains at least 38 req/s; the upper limit was not reached.',
    });
    expect(compareRecords(known, known, null).doubts[0]).toContain(
      'The capacity of A is inconclusive in 1 of 1',
    );
    expect(() => compareRecords(known, oneSided, null)).toThrow(
      `${oneSided} contains no capacity to compare: n8n sustains at least 38 req/s; the upper limit was not reached.`,
    );
  });

  test('give a ratio at equal price only if CPU limited both, with as many requests as clients could send', () => {
    const { record } = sampleRun();
    const limitedBy = { ...record.verdict.limitedBy, limit: CPU_LIMIT.limit };
    const busy = { ...record, verdict: { ...record.verdict, limitedBy } };
    const profile = { ...record.profile, loop: 'closed', clients: 8 };
    const given = written('given-rate', 'run.json', busy);
    const clients = written('clients', 'run.json', { ...busy, profile });
    const held = written('held', 'run.json', { ...record, profile });
    const both = compareRecords(clients, clients, null);
    expect(both.equalPrice).toMatchObject({ ratio: { value: 1 } });
    expect(both.sentence).toContain('if requests took the same CPU time on both sides');
    for (const other of [given, held]) {
      const { equalPrice, sentence } = compareRecords(clients, other, null);
      expect(equalPrice).toBeUndefined();
      expect(sentence).not.toContain('CPU time');
    }
  });
});
