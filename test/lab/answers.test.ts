import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wholePriceOf } from '../../cli/src/features/find/analysis/price';
import type { Measuring } from '../../cli/src/features/study/study';
import { unsure } from '../../lab/generate/records';
import {
  comparisonsText,
  ratesText,
  goalsText,
  onRealN8n,
  worstAgainstStaircase,
} from '../../lab/generate/studies/answers';
import {
  agree,
  asTold,
  comparedAtPrice,
  goalsOf,
  movedAtPrice,
  workToTryNext,
  type Answer,
  type Kept,
  type Pairs,
} from '../../studies/answers/goals';
import { CORES, toolsOnCores } from '../../studies/oha';
import { sampleSearch } from '../support/sample-find';
import study from '../../studies/answers/measure';
import { PARTS, QUICK_PARTS, RATE } from '../../studies/answers/parts';
import { asked } from '../cli/command-line/asked';

const answer = (ratePerSecond: number, cpuMs: number | null = 20, width = 0.1): Answer => ({
  ...{ verdict: 'found', sentence: '', ratePerSecond, cpuMs, alonePerSecond: null },
  ...{ low: ratePerSecond * (1 - width), high: ratePerSecond * (1 + width) },
});

/** Sustained below 0.8 of a core, whatever a request costs at that moment. */
const steps = (...all: [ratePerSecond: number, cpuMs: number][]): Pairs['steps'] =>
  all.map(([ratePerSecond, cpuMs]) => ({
    ...{ ratePerSecond, cpuMs, p95Ms: 100, sustained: ratePerSecond * cpuMs < 800 },
  }));

const pair = (search: Answer): Pairs => ({
  ...{ kind: 'pairs', workload: 'items', mode: 'regular', search },
  steps: steps([34, 20], [46, 20], [30, 25], [33, 25], [50, 15], [55, 15]),
});

describe('the study of answers', () => {
  it('compares a search with a staircase by work, as rates of a slow minute say nothing of a fast one', () => {
    // 33/s was missed at 25 ms, and 50/s sustained at 15 ms.
    expect(comparedAtPrice(pair(answer(39.4)))).toEqual({
      error: expect.closeTo(0, 1),
      isInside: true,
    });
    expect(comparedAtPrice(pair(answer(39.4, 26)))).toMatchObject({ isInside: false });
    expect(comparedAtPrice(pair(answer(39.4, null)))).toBeNull();
    const oneSided = { ...pair(answer(39.4)), steps: steps([20, 20], [30, 20]) };
    expect(comparedAtPrice(oneSided)).toBeNull();
  });

  it.each([
    [34, 46, 38, 42],
    [20, 25, 22, 23],
    [60, 70, 63, 66],
  ])('finds the boundary with steps at the boundary so far, from %d/s on', (...rates) => {
    const made = steps(...rates.map((rate): [number, number] => [rate, 20]));
    for (const cpuMs of [20, 16, 25, 20, 18, 24, 21]) {
      made.push(...steps([workToTryNext({ steps: made }) / cpuMs, cpuMs]));
    }
    const works = made.map(({ ratePerSecond, cpuMs }) => ratePerSecond * cpuMs);
    const below = Math.max(...works.filter((work) => work < 800));
    const above = Math.min(...works.filter((work) => work >= 800));
    expect(above / below).toBeLessThan(1.03);
  });

  it('compares two searches at equal price, and by their rates where no price is known', () => {
    expect(agree([answer(40, 20), answer(60, 13)])).toBe(true);
    expect(agree([answer(40, 20), answer(60, 20)])).toBe(false);
    expect(agree([answer(40, null), answer(60, 13)])).toBe(false);
    expect(movedAtPrice({ quiet: answer(40, 20), beside: answer(30, 28) })).toBeCloseTo(0.05, 9);
  });

  it('counts the pairs of conclusive searches apart, as wide intervals overlap with nearly anything', () => {
    const wide: Answer = { ...answer(60, 20, 0.5), verdict: 'inconclusive' };
    const endless: Answer = { ...answer(30), high: null, verdict: 'inconclusive' };
    expect(goalsOf([pair(answer(39.4)), pair(endless)])[1]?.figure).toBe(
      '2 of 2; where it is conclusive, 1 of 1',
    );
    const twice = (...searches: [Answer, Answer]): Kept => ({ kind: 'twice', searches });
    const all = [
      twice(answer(40), wide),
      twice(answer(40), answer(41)),
      twice(answer(40), { ...answer(60), verdict: 'rough' }),
    ];
    expect(goalsOf(all)[3]?.figure).toBe('2 of 3; where both are conclusive, 1 of 2');
  });

  it('has a goal met only once all of its parts are measured and enough of them hold', () => {
    const all: Kept[] = [
      ...Array.from({ length: 12 }, () => pair(answer(39.4))),
      ...Array.from({ length: 19 }, (): Kept => ({
        kind: 'twice',
        searches: [answer(40), answer(41)],
      })),
      ...[27.9, 24, 32].map((cpuMs): Kept => ({
        kind: 'spinner',
        quiet: answer(40, 20),
        beside: answer(30, cpuMs),
      })),
      {
        kind: 'rate',
        capacity: answer(40),
        asked: [
          { share: 0.7, ratePerSecond: 28, cpuMs: 20, answer: 'yes', seconds: 30 },
          { share: 1.3, ratePerSecond: 52, cpuMs: 20, answer: 'not yet', seconds: 95 },
        ],
      },
    ];
    const goals = goalsOf(all);
    expect(goals.map(({ figure, isMet }) => [figure, isMet])).toEqual([
      ['12 of 12', true],
      ['12 of 12; where it is conclusive, 12 of 12', true],
      ['12 of 12', true],
      ['19 of 19; where both are conclusive, 19 of 19', false],
      [null, false],
      [null, false],
      ['4.6%, -10.0%, 20.0%', true],
      ['50.0% of 2', false],
      [expect.stringMatching(/ s$/), false],
    ]);
    expect(goalsOf([]).every(({ figure, isMet }) => figure === null && !isMet)).toBe(true);
  });

  it('judges the question about a rate by its share at equal price, and not where the machine moved it near the capacity', () => {
    const asked = (share: number, cpuMs: number | null, given: 'yes' | 'no') => ({
      ...{ share, ratePerSecond: 40 * share, cpuMs, answer: given, seconds: 30 },
    });
    const figure = (...all: ReturnType<typeof asked>[]) =>
      goalsOf([{ kind: 'rate', capacity: answer(40), asked: all }])[7]?.figure;
    // A machine twice as fast does 1.3 times the rate; one that is slower does not do 0.7 times.
    expect(figure(asked(1.3, 10, 'yes'), asked(0.7, 40, 'no'))).toBe('100.0% of 2');
    expect(figure(asked(1.3, 10, 'no'), asked(0.7, 40, 'yes'))).toBe('0.0% of 2');
    expect(figure(asked(1.3, 15.4, 'yes'), asked(0.7, null, 'yes'))).toBe('100.0% of 1');
  });

  it('counts for a neighbour only that the search names it and says what n8n does alone', () => {
    const beside = { ...answer(25), alonePerSecond: 37 };
    const one: Kept = {
      ...{ kind: 'neighbour', when: 'before', isNice: false, pid: 4711, quiet: answer(40), beside },
      said: 'node (pid 4711) uses 1',
    };
    const four = [one, one, one, one];
    const figures = (all: readonly Kept[]) =>
      goalsOf(all)
        .slice(4, 6)
        .map(({ figure }) => figure);
    const found = (count: number): string => `${String(count)} of 4 (FOUND, FOUND, FOUND, FOUND)`;
    expect(figures(four)).toEqual(['4 of 4', found(4)]);
    const missed = { ...one, said: '', beside: { ...beside, alonePerSecond: 60 } };
    expect(figures([...four.slice(1), missed])).toEqual(['3 of 4', found(3)]);
    const faster = { ...one, beside: { ...answer(45, 13), alonePerSecond: 60 } };
    expect(figures([...four.slice(1), faster])).toEqual(['4 of 4', found(4)]);
    const unsure = { ...one, beside: { ...beside, verdict: 'not confirmed' } };
    expect(figures([one, unsure])[1]).toBe('2 of 2 (FOUND, NOT CONFIRMED)');
  });

  it('tells of the questions about a rate which do not count, and why others are not right', () => {
    const asked = (share: number, cpuMs: number, given: 'yes' | 'not yet') => ({
      ...{ share, ratePerSecond: 40 * share, cpuMs, answer: given, seconds: 30 },
    });
    const part = (...all: ReturnType<typeof asked>[]): Kept => ({
      ...{ kind: 'rate', capacity: answer(40), asked: all },
    });
    expect(
      ratesText([
        part(asked(0.7, 20, 'yes'), asked(1.3, 15.4, 'not yet')),
        part(asked(0.7, 29, 'not yet'), asked(1.3, 31, 'not yet')),
      ]),
    ).toBe(
      'Of 4 questions of `find --rate`, 2 do not count, because the rate was within 15% of the capacity at the price of that moment; the answer to 2 of these was NOT YET. Not right in one part: 1 of 2, 1 of them NOT YET; the CPU of a request moved from 20 ms in the search to 31 ms in the questions.',
    );
    expect(ratesText([part(asked(0.7, 20, 'yes'))])).toBe('');
  });

  it('has parts of each kind by names that begin with it, and its quick form has a search, another generator and the question about a rate', () => {
    for (const kind of ['pairs', 'twice', 'neighbour', 'spinner', 'rate']) {
      expect(PARTS.filter(({ name }) => name.startsWith(`${kind}-`)).length).toBeGreaterThan(0);
    }
    expect(PARTS.filter(({ kind }) => kind === 'pairs')).toHaveLength(12);
    expect(new Set(PARTS.map(({ name }) => name)).size).toBe(PARTS.length);
    expect(QUICK_PARTS.map(({ kind }) => kind)).toEqual(['pairs', 'rate']);
  });
});

test('a search is compared at the CPU that n8n tells itself, as the steps of the other generator are: without that of its task runner', () => {
  const search = sampleSearch();
  const probes = search.probes.map((probe) => ({
    ...probe,
    cpuPerRequest: {
      allMs: 40,
      roles: [
        { role: 'main' as const, instances: 1, ms: 14 },
        { role: 'worker' as const, instances: 1, ms: 6 },
        { role: 'runner' as const, instances: 1, ms: 20 },
      ],
    },
  }));
  const { ratePerSecond, low, high, confirmed } = search.capacity;
  const withoutPrice = { ratePerSecond, low, high, confirmed };
  expect(wholePriceOf({ capacity: withoutPrice, probes })).toBe(40);
  expect(wholePriceOf(asTold({ capacity: withoutPrice, probes }))).toBe(20);
  const at = { cpuMs: 21, slowestMs: 30, takenShare: 0, cores: 1 };
  const of = { role: 'main' as const, resource: 'event loop' as const };
  const capacity = { ...search.capacity, at: { ...at, of } };
  expect(wholePriceOf({ capacity, probes })).toBeCloseTo(60, 6);
  const [unseen] = asTold({
    probes: [{ ...probes[0], cpuPerRequest: null }] as typeof search.probes,
  }).probes;
  expect(unseen?.cpuPerRequest).toBeNull();
});

test('a search that is not sure goes on, by commands that are accepted, before a question is asked about its rate', async () => {
  const part = PARTS.find(({ kind }) => kind === 'rate');
  if (part === undefined) throw new Error('no part asks about a rate');
  const folder = mkdtempSync(join(tmpdir(), 'answers-'));
  try {
    const unsureYet = { ...sampleSearch(), verdict: 'inconclusive', folder };
    writeFileSync(join(folder, 'find.json'), JSON.stringify(unsureYet));
    const commands: string[][] = [];
    const call = (words: string[]) => {
      commands.push(words);
      return Promise.resolve({ record: unsureYet });
    };
    const measuring = { call, scratch: folder, isShort: false } as unknown as Measuring;
    await expect(study.measured(part, measuring)).rejects.toThrow(unsureYet.sentence);
    expect(commands).toHaveLength(1 + RATE.continued);
    for (const [name = '', ...words] of commands) {
      expect(await asked(name, words, () => 'accepted')).toBe('"accepted"');
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('each tool of the lab runs on the core of n8n, and k6 on that of the generator, wherever the command runs that starts it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tools-on-cores-'));
  try {
    const lab = join(folder, 'lab');
    mkdirSync(join(lab, 'bin'), { recursive: true });
    mkdirSync(join(lab, 'n8n'));
    const affinity =
      '#!/bin/sh\ngrep Cpus_allowed_list /proc/self/status; echo "$(basename "$0") $@"\n';
    writeFileSync(join(lab, 'bin', 'k6'), affinity, { mode: 0o755 });
    writeFileSync(join(folder, 'of-many-names'), affinity, { mode: 0o755 });
    symlinkSync('of-many-names', join(folder, 'redis-server'));
    symlinkSync('../../redis-server', join(lab, 'bin', 'redis-server'));
    const tools = toolsOnCores(join(folder, 'tools'), lab);
    expect(readdirSync(tools).sort()).toEqual(['bin', 'n8n', 'programs']);
    const ran = (name: string): string =>
      execFileSync(join(tools, 'bin', name), ['run', 'a b'], { encoding: 'utf8' });
    // The lab itself is closed to the user of n8n.
    expect(readdirSync(join(tools, 'programs'))).toEqual(['k6']);
    expect(ran('redis-server')).toBe(`Cpus_allowed_list:\t${CORES.n8n}\nredis-server run a b\n`);
    expect(ran('k6')).toBe(`Cpus_allowed_list:\t${CORES.generator}\nk6 run a b\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a page says of a kept answer that it is not sure only where its verdict says so', () => {
  const verdicts = ['found', 'rough', 'not confirmed', 'inconclusive'];
  expect(verdicts.map((verdict) => unsure({ verdict }))).toEqual([
    ...['', '', ', not confirmed', ', inconclusive'],
  ]);
  expect(unsure({ confirmed: false })).toBe(', not confirmed');
});

test('its page says of each goal whether it is met so far, by which figure, and leads to a record', () => {
  const path = 'studies/answers/results/pairs-items-regular-1.json';
  const text = goalsText([{ ...pair(answer(39.4)), path }]);
  expect(text).toMatch(
    /a search of five minutes ends FOUND or ROUGHLY, 10 of 12 +\| so far: 1 of 1 +\| .*results\.jsonl\.gz#pairs-items-regular-1/,
  );
  expect(text).toMatch(/takes in the median, below 90 s +\| not measured yet +\| -/);
  const wide: Answer = { ...answer(39.4), verdict: 'inconclusive' };
  const all = Array.from({ length: 12 }, () => ({ ...pair(wide), path }));
  expect(goalsText(all)).toMatch(/ends FOUND or ROUGHLY, 10 of 12 +\| not met: 0 of 12/);
});

test('its page compares each search with the staircase at the price of the search', () => {
  const path = 'studies/answers/results/pairs-items-regular-1.json';
  const wide: Answer = { ...answer(80), verdict: 'inconclusive' };
  const failed: Pairs = { ...pair(answer(40)), steps: steps([50, 20]) };
  const all = [pair(answer(39.4)), pair(wide), failed].map((one) => ({ ...one, path }));
  const rows = comparisonsText(all).split('\n').slice(-3);
  // The boundary is at 0.8 of a core, which is 39.7/s at 20 ms between the steps that are nearest to it.
  expect(rows[0]).toMatch(
    /items +\| regular +\| 39\.4\/s at 20 ms of CPU \(35\.5 to 43\.3\) +\| 39\.\d+\/s +\| -?0\.?\d*% +\| \[record\]/,
  );
  expect(rows[1]).toMatch(/80\/s .*, inconclusive +\| 39\.\d+\/s, not in that interval +\| 10\d% /);
  expect(rows[2]).toMatch(/\| no boundary +\| - +\|/);
  expect(onRealN8n(all)).toMatch(
    / 2 of 3 searches were FOUND or ROUGHLY, and 1 of 3 were within 10% of a stepwise load test at equal CPU/,
  );
  expect(worstAgainstStaircase(all)).toBe(Infinity);
});
