import { staircaseText } from '../../lab/generate/studies/search';
import * as plan from '../../studies/find-against-staircase/parts';
import {
  answerOf,
  atEqualSpeed,
  betweenSteps,
  nextRate,
  ohaFigures,
  type Search,
  type Step,
} from '../../studies/find-against-staircase/staircase';

/** No rate: what has an answer never comes to this. */
const NO_ANSWER = { rate: NaN, cpuMs: null };
const step = (ratePerSecond: number, sustained: boolean) => ({
  ...{ ratePerSecond, sustained, cpuMs: 10 },
});
type Counts = Record<string, number>;
const oha = (codes: Counts, errors: Counts = {}) =>
  ohaFigures(
    {
      ...{ summary: { requestsPerSec: 9 }, latencyPercentiles: { p95: 0.1 } },
      ...{ statusCodeDistribution: codes, errorDistribution: errors },
    },
    300,
  );

describe('the staircase that find is compared with', () => {
  it('goes up around the answer, and further where all steps are on one side', () => {
    const five = (isSustained: (rate: number) => boolean) =>
      [80, 90, 100, 110, 120].map((rate) => step(rate, isSustained(rate)));
    expect(nextRate([], 100, 8)).toBe(80);
    expect(
      nextRate(
        five((rate) => rate < 105),
        100,
        8,
      ),
    ).toBeNull();
    expect(
      nextRate(
        five(() => true),
        100,
        8,
      ),
    ).toBe(138);
    expect(
      nextRate(
        five(() => false),
        100,
        8,
      ),
    ).toBe(69.6);
    expect(
      nextRate(
        five(() => true),
        100,
        5,
      ),
    ).toBeNull();
  });

  it('answers between two neighbours, whatever the order in which steps were made', () => {
    const later = [step(121, false), step(144, false), step(100, true)];
    const odd = [step(80, false), step(90, true), step(100, true), step(121, false)];
    expect(betweenSteps([step(100, true), step(121, false)])).toBeCloseTo(110, 6);
    expect(betweenSteps(later)).toBeCloseTo(110, 6);
    expect(betweenSteps(odd)).toBeCloseTo(110, 6);
    expect(betweenSteps([step(80, true), step(90, true)])).toBeNull();
    expect(betweenSteps([])).toBeNull();
  });

  it('answers in the middle where two places contradict as few steps', () => {
    const steps = [
      ...[step(100, true), step(121, false), step(144, true), step(169, false)],
      ...[step(90, true), step(180, false)],
    ];
    // Between 100 and 121, or between 144 and 169.
    expect(betweenSteps(steps)).toBeCloseTo(Math.sqrt(110 * 156), 6);
    expect(betweenSteps([step(100, true), step(121, false), step(144, true)])).toBeCloseTo(110, 6);
  });

  it('counts a status other than 200 as an error, as find does', () => {
    expect(oha({ 200: 995 }, { timeout: 5 }).sustained).toBe(true);
    expect(oha({ 200: 950, 500: 50 }).errorShare).toBeCloseTo(0.05, 9);
    expect(oha({ 200: 950, 500: 50 }).sustained).toBe(false);
    expect(oha({}).errorShare).toBe(1);
  });

  it('puts both sides on one machine speed by the CPU that a request took near the answers', () => {
    const find = (...probes: Search['probes']) =>
      answerOf({ kind: 'find', capacity: { ratePerSecond: 50 }, probes }) ?? NO_ANSWER;
    const stairs = (answer: number | null, ...steps: Step[]) =>
      answerOf({ kind: 'staircase', answer, steps });
    const found = find(
      { ratePerSecond: 50, cpuPerRequest: { allMs: 20 } },
      { ratePerSecond: 10, cpuPerRequest: { allMs: 90 } },
      { clients: 4, cpuPerRequest: { allMs: 90 } },
    );
    const stair = stairs(100, step(95, true), step(105, false)) ?? NO_ANSWER;
    expect(atEqualSpeed(found, stair)).toEqual({
      ...{ find: 50, staircase: 100, cpuMs: { find: 20, staircase: 10 } },
      ...{ error: -0.5, errorAtEqualSpeed: expect.closeTo(0, 9) },
    });
    const unseen = atEqualSpeed(
      find({ ratePerSecond: 50 }),
      stairs(100, step(95, true)) ?? NO_ANSWER,
    );
    expect(unseen.errorAtEqualSpeed).toBeNull();
    expect(stairs(null, step(95, true))).toBeNull();
  });
});

describe('the parts of the plan', () => {
  const parts = plan.PARTS;
  const rests = parts.map(plan.findOf);
  const cellOf = ({ workload, mode }: plan.PlannedPart): string => `${workload}, ${mode}`;

  it('are named once each, and fit into one sitting', () => {
    const names = parts.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Math.max(...parts.map(({ seconds }) => seconds))).toBeLessThan(10 * 60);
  });

  it('compare three workloads in two modes in each round, all of them before any is compared again', () => {
    const rounds = [1, 2].map((round) => parts.filter((part) => part.round === round));
    expect(parts).toEqual(rounds.flat());
    for (const round of rounds) {
      expect(new Set(round.map(({ workload }) => workload)).size).toBe(3);
      expect(new Set(round.map(cellOf)).size).toBe(6);
      expect(round).toHaveLength(12);
    }
  });

  it('build each staircase around the search right before it', () => {
    for (const [at, part] of parts.entries()) {
      if (part.kind !== 'staircase') continue;
      const before = parts[at - 1];
      expect(before).toMatchObject({ kind: 'find', name: rests[at], round: part.round });
      expect(before && cellOf(before)).toBe(cellOf(part));
    }
  });
});

describe('the page of it', () => {
  const textOf = (records: object[]): string =>
    staircaseText(records as Parameters<typeof staircaseText>[0]);

  const record = (kind: string, workload: string, mode: string, more: object): object => ({
    ...{ name: `${workload}-${mode}-1-${kind}`, kind, workload, mode, round: 1 },
    path: `studies/find-against-staircase/results/${workload}-${mode}-1-${kind}.json`,
    startedAt: '2026-11-24T10:00:00.000Z',
    ...{ machine: { cores: 2, cpu: 'a CPU' }, versions: { n8n: '2.41.1' } },
    ...{ cores: { n8n: '0', generator: '1' }, slo: 'p95<300ms, errors<1%', arrivals: 'even' },
    ...{ loadAverageAtStart: 0.5, ...more },
  });
  const find = (workload: string, mode: string, rate: number, verdict = 'found'): object =>
    record('find', workload, mode, {
      ...{ budget: '5m', totalSeconds: 330, verdict },
      capacity: {
        ...{ ratePerSecond: rate, low: 0.9 * rate, high: 1.1 * rate },
        confirmed: verdict === 'found',
      },
      probes: [{ ratePerSecond: rate, cpuPerRequest: { allMs: 20 } }],
    });
  /** Half of the steps are sustained, so that it answers `rate`. */
  const stairs = (workload: string, mode: string, rate: number, cpuMs: number): object =>
    record('staircase', workload, mode, {
      ...{ generator: 'oha 1.14.0', stepSeconds: 60, answer: rate },
      startedAt: '2026-11-24T10:06:30.000Z',
      steps: [0.95, 1 / 0.95].map((share) => ({
        ...{ ratePerSecond: share * rate, sustained: share < 1, cpuMs },
      })),
    });
  const rowsIn = (text: string): string[] =>
    text.split('\n').filter((line) => /^\| \S+ +\|/.test(line));

  it('has a search alone as a row', () => {
    expect(textOf([find('items', 'queue', 40)])).toContain('| not measured yet | - | - | [record]');
  });

  it('has both answers, and how far they are apart, at equal speed too', () => {
    const text = textOf([
      ...[find('last-node', 'regular', 50), stairs('last-node', 'regular', 52, 20)],
      // On half the speed.
      ...[find('last-node', 'queue', 50, 'inconclusive'), stairs('last-node', 'queue', 100, 10)],
      ...[find('items', 'regular', 50), stairs('items', 'regular', 50, 40)],
      ...[find('items', 'queue', 50, 'not confirmed'), stairs('items', 'queue', 100, 20)],
    ]);
    const cells = rowsIn(text).map((row) => row.split(' | ').slice(2, 6));
    expect(cells.slice(-4)).toEqual([
      ['50/s (45 to 55)', '52/s', '-3.85%', '-3.85%'],
      [...['50/s (45 to 55), inconclusive', '100/s, not in that interval'], ...['-50%', '0%']],
      ['50/s (45 to 55)', '50/s', '0%', '-50%'],
      [...['50/s (45 to 55), not confirmed', '100/s, not in that interval'], ...['-50%', '-50%']],
    ]);
    expect(text).toContain(
      'The difference was at most 10% in 2 of 4 comparisons, or in 2 if we corrected for the speed of',
    );
  });

  it('counts what has no answer as not near enough', () => {
    const steps = (sustained: boolean): object => ({
      ...{ generator: 'oha 1.14.0', stepSeconds: 60, answer: null },
      steps: [80, 120].map((ratePerSecond) => ({ ratePerSecond, sustained, cpuMs: 10 })),
    });
    const text = textOf([
      ...[find('items', 'regular', 100), record('staircase', 'items', 'regular', steps(true))],
      ...[find('items', 'queue', 100), record('staircase', 'items', 'queue', steps(false))],
      find('expressions', 'queue', 0, 'nothing sustained'),
    ]);
    expect(text).toContain('| more than 120/s | - | - |');
    expect(text).toContain('| less than 80/s | - | - |');
    expect(text).toContain('| nothing sustained | not measured yet | - | - |');
    expect(text).toContain('in 0 of 3 comparisons');
  });

  it('says under which conditions, what is missing, and how to repeat it', () => {
    const text = textOf([
      ...[find('items', 'queue', 40), stairs('items', 'queue', 41, 20)],
    ]).replaceAll('\n', ' ');
    for (const said of [
      ...[
        '`find --budget 5m` searched a real n8n with p95<300ms, errors<1%',
        '(oha 1.14.0)',
        '60 s per step',
      ],
      'After it, another generator made a staircase',
      ...['Both send at even distances', 'on core 0, the generator on core 1'],
      ...['22 of 24 parts have no record yet'],
      '[record](studies/find-against-staircase/results.jsonl.gz#items-queue-1-find)',
    ])
      expect(text).toContain(said);
  });
});
