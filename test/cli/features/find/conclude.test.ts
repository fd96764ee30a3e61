import { concludeFind } from '../../../../cli/src/features/find/conclude';
import type { Estimate } from '../../../../cli/src/features/find/analysis/estimate';
import type { FindHead } from '../../../../cli/src/features/find/analysis/doubts';
import { GENERATOR } from '../../../../cli/src/analysis/limits/generator';
import type { Probe } from '../../../../cli/src/features/find/analysis/types';
import { outcomeOf, probeOf } from '../../../../cli/src/features/find/analysis/outcome';
import { topologySchema } from '../../../../cli/src/plan/topology';
import type { FindProbe } from '../../../../cli/src/features/find/record';
import type {
  GeneratorPart,
  RunRecord,
  StallCauses,
  VerdictOutcome,
} from '../../../../cli/src/record/run-record';
import { sampleRun } from '../../../support/sample-run';
import { findDocument } from '../../../../cli/src/features/find/report/document';
import { renderTerminal } from '../../../../cli/src/report/text/terminal';

const { record } = sampleRun();

const LOOP = { role: 'main', resource: 'event loop' } as const;

const ASKED: Probe = { kind: 'narrow', ratePerSecond: 40, durationSeconds: 10 };

/** What a run that came of a probe tells the search, by way of its record. */
const toldBy = (run: RunRecord) => outcomeOf(probeOf(ASKED, run, 'probes/x'), run.slo);

function probe(given: Partial<FindProbe>): FindProbe {
  return {
    kind: 'narrow',
    ratePerSecond: 40,
    durationSeconds: 10,
    result: 'sustained',
    achievedPerSecond: 40,
    p95Ms: 100,
    errorShare: 0,
    ...{ cpuPerRequest: null, stallsMs: [], missed: null, doubts: [] },
    littlesLaw: 1,
    limitedBy: { limit: null, evidence: null, next: null },
    sentence: '',
    run: 'probes/x',
    ...given,
  };
}

function head(probes: FindProbe[], budgetSeconds: number | null = null): FindHead {
  return {
    schemaVersion: 2,
    kind: 'find',
    id: 'x',
    startedAt: record.startedAt,
    endedAt: record.endedAt,
    command: ['find'],
    workload: record.workload,
    target: record.target,
    topology: record.topology,
    versions: record.versions,
    machine: record.machine,
    slo: record.slo,
    budgetSeconds,
    totalSeconds: 90,
    probes,
  };
}

const held = probe({ kind: 'confirm', ratePerSecond: 38, run: 'probes/confirmed' });
const failed = probe({
  ratePerSecond: 44,
  result: 'not sustained',
  limitedBy: { limit: LOOP, evidence: null, next: null },
});
const summaries = new Map([['probes/confirmed', record.summary]]);
const quiet = {
  ...{
    stoppedBy: null,
    failure: null,
    restless: [],
    waitedSeconds: 0,
    memoryAtRestMiB: [],
    summaries,
  },
};
const found: Estimate = {
  capacity: 38.5,
  low: 37,
  high: 41,
  level: 'found',
  confirmedPerSecond: 38,
  cutShort: false,
  limit: null,
  contradicting: [],
  price: null,
  whyNoPrice: 'the CPU time of each second was not recorded',
  disagreeing: null,
  narrowing: null,
  refining: null,
};
const unconfirmed = { confirmedPerSecond: null, level: 'not confirmed' } as const;

describe('what a search answers', () => {
  it('names the confirming run, what limits above it, and what to plan with', () => {
    const answer = concludeFind(head([failed, held]), { ...found, limit: LOOP }, quiet);
    expect(answer).toMatchObject({
      verdict: 'found',
      confirmedBy: 'probes/confirmed',
      atCapacity: { run: 'probes/confirmed', roles: record.summary.roles },
      limit: LOOP,
      advised: { share: 0.8, ratePerSecond: expect.closeTo(29.6, 6) },
      doubts: [],
    });
    expect(answer.sentence).toContain('n8n sustains 38.5 req/s');
    expect(answer.sentence).toContain('between 37 and 41');
  });

  it('says so when nothing was confirmed, and why', () => {
    const answer = concludeFind(
      head([probe({}), failed], 60),
      { ...found, ...unconfirmed, cutShort: true },
      quiet,
    );
    expect(answer.verdict).toBe('not confirmed');
    expect(answer.confirmedBy).toBeNull();
    expect(answer.sentence).toContain('no full-length run was made to confirm it');
    expect(answer.doubts).toEqual([
      expect.stringContaining('a larger --budget narrows the interval'),
    ]);
  });

  it('names the run that confirmed it though its verdict was open, not a later one at that rate that did not', () => {
    const clear = { ...held, result: 'inconclusive', leans: 'sustained', pressure: 0.7 } as const;
    const close = { ...clear, pressure: 0.95, run: 'probes/close' };
    expect(concludeFind(head([clear, close, failed]), found, quiet)).toMatchObject({
      verdict: 'found',
      confirmedBy: 'probes/confirmed',
    });
  });

  it.each(['inconclusive', 'not sustained'] as const)(
    'tells what a run of full length has shown that was %s',
    (result) => {
      const missed = 'p95 290 ms (between 270 ms and 315 ms), limit 300 ms';
      const far = { ...held, ratePerSecond: 20 };
      const near = { ...held, ratePerSecond: 38.2, result, missed };
      const { sentence, confirmedBy } = concludeFind(
        head([far, near, failed]),
        { ...found, ...unconfirmed },
        quiet,
      );
      expect(confirmedBy).toBeNull();
      expect(sentence).toMatch(/^n8n seems to sustain 38\.5 req\/s/);
      expect(sentence).toContain(`confirmed it: the run at 38.2/s was ${result} (${missed}).`);
    },
  );

  it('concludes what was measured before n8n was gone, and says why it ended', () => {
    const failure = 'main did not come up: signal SIGKILL';
    const answer = concludeFind(
      head([probe({}), failed]),
      { ...found, ...unconfirmed, cutShort: true },
      { ...quiet, failure },
    );
    expect(answer.verdict).toBe('not confirmed');
    expect(answer.doubts).toEqual([expect.stringContaining(failure)]);
  });

  it('says nothing of a system whose search was stopped before it had found a rate', () => {
    const none = { ...found, ...unconfirmed, capacity: 0, low: 0, high: 1 };
    const stopped = { ...quiet, stoppedBy: 'stopped by Ctrl-C' };
    const answer = concludeFind(head([failed]), none, stopped);
    expect(answer.verdict).toBe('invalid');
    expect(answer.sentence).toContain('the search ended too early');
  });

  it('tells a system that sustains nothing from a generator that could not measure', () => {
    const none = { ...found, ...unconfirmed, capacity: 0, low: 0, high: 1 };
    expect(concludeFind(head([failed]), none, quiet).verdict).toBe('nothing sustained');
    const invalid = [probe({ result: 'invalid' }), probe({ result: 'invalid' })];
    const answer = concludeFind(head(invalid), none, quiet);
    expect(answer.verdict).toBe('invalid');
    expect(answer.doubts[0]).toContain('2 of 2 probes were invalid');
  });

  it('says for how long it waited for other programs, if that was more than some looks', () => {
    const doubtsAt = (waitedSeconds: number) =>
      concludeFind(head([held]), found, { ...quiet, waitedSeconds }).doubts.join(' ');
    expect(doubtsAt(45.2)).toContain(
      'the search waited 45.2 s in all until other programs used less CPU',
    );
    expect(doubtsAt(3)).not.toContain('waited');
  });

  it('doubts a search over which n8n at rest has grown', () => {
    const doubtsAt = (...memoryAtRestMiB: number[]) =>
      concludeFind(head([held]), found, { ...quiet, memoryAtRestMiB }).doubts;
    expect(doubtsAt(400, 700, 820)).toEqual([
      expect.stringContaining('400 MiB before the first probe and 820 MiB before the last'),
    ]);
    expect(doubtsAt(400, 900, 500)).toEqual([]);
  });

  it('has no upper end in its record where nothing failed', () => {
    const open = { ...found, high: Infinity };
    const answer = concludeFind(head([held]), open, quiet);
    expect(answer.capacity.high).toBeNull();
    expect(answer.sentence).toContain('at least 37');
  });

  it('is no answer where the interval is wide, whatever was confirmed', () => {
    const answer = concludeFind(head([held]), { ...found, low: 20, level: 'inconclusive' }, quiet);
    expect(answer.verdict).toBe('inconclusive');
    // 20 to 41 around 38.5: the report says how sure it is in the same form.
    expect(answer.sentence).toContain('an interval of ±27.3% is too wide for an answer');
    expect(renderTerminal(findDocument(answer), { width: 80, colour: false })).toMatch(
      /^INCONCLUSIVE/,
    );
  });

  it('says that a confirming run is missing where the interval is narrow enough for a rough answer', () => {
    const narrowing = 'A full-length run of 50 s that sustains 27/s would confirm it';
    const open = { ...found, low: 30, level: 'inconclusive', narrowing } as const;
    expect(concludeFind(head([held]), open, quiet).sentence).toMatch(
      /: no full-length run sustained the low end, which an interval of ±14\.3% needs\. A full-length run of 50 s that sustains 27\/s would confirm it\.$/,
    );
  });

  it('says where no probe missed the SLO what would reach one that does', () => {
    const narrowing = 'About 4 minutes of additional probes would find a rate that misses the SLO';
    const open = { ...found, high: Infinity, level: 'inconclusive', narrowing } as const;
    expect(concludeFind(head([held]), open, quiet).sentence).toMatch(
      /; the upper limit was not reached\. About 4 minutes of .* misses the SLO\.$/,
    );
  });

  it('says of slots how many there are, how long a request holds one, and the rate that uses them up', () => {
    const slots = { role: 'worker', resource: 'slots' } as const;
    const full = {
      ...{ ...failed, achievedPerSecond: 40, ratePerSecond: 50 },
      limitedBy: { limit: slots, evidence: null, next: null },
    };
    const queue = topologySchema.parse({ mode: 'queue', workers: { count: 2, concurrency: 10 } });
    const { sentence, capacity } = concludeFind(
      { ...head([full, held]), topology: queue },
      { ...found, limit: slots },
      quiet,
    );
    expect(sentence).toContain(
      ', limited by the worker slots (20, each held for 500 ms by a request: 40/s use them up)',
    );
    expect(capacity.held).toEqual({
      ...{ of: slots, count: 20, ratePerSecond: 40, slowestPerSecond: 40 },
    });
  });

  describe('by the CPU of each second', () => {
    const price = {
      cpuMs: 18,
      slowestMs: 24,
      speeds: [
        { cpuMs: 18, seconds: 60 },
        { cpuMs: 24, seconds: 60 },
      ],
      takenShare: 0,
      usedShare: 1,
      resource: LOOP,
      cores: 1,
    };
    const priced: Estimate = { ...found, price, whyNoPrice: null, limit: LOOP };
    const answerOf = (given: Partial<Estimate> = {}, speed?: 'median' | 'slow') =>
      concludeFind(head([failed, held]), { ...priced, ...given }, quiet, speed);

    it('says at which price it holds, and what is left at the slowest speed of the machine, in fewer than 35 words', () => {
      const { sentence, capacity } = answerOf();
      expect(sentence).toMatch(
        /^n8n sustains 38\.5 req\/s of .* \(between 37 and 41\) at 18 ms of CPU per request; in the slowest minute 24\.6\/s, limited by .*; confirmed at 38\/s\.$/,
      );
      expect(sentence.split(' ').length).toBeLessThan(35);
      expect(capacity).toMatchObject({
        at: {
          ...{ cpuMs: 18, slowestMs: 24, takenShare: 0, of: LOOP, cores: 1 },
          slowestPerSecond: expect.closeTo(24.6, 1),
        },
        speeds: price.speeds,
        method: {
          name: 'virtual queue',
          text: expect.stringContaining('for 18 ms of main CPU per request'),
        },
      });
    });

    it('says what it would sustain alone, only if others took time from it', () => {
      expect(answerOf().sentence).not.toContain('alone');
      expect(answerOf({ price: { ...price, takenShare: 0.1 } }).sentence).toContain(
        'without other programs about 42.8/s',
      );
    });

    it('says so too where there is no answer', () => {
      const open = { level: 'inconclusive', low: 20 } as const;
      expect(answerOf({ ...open, price: { ...price, takenShare: 0.1 } }).sentence).toMatch(
        /breaks at 41\/s at the latest; without other programs about 42\.8\/s, limited by /,
      );
      expect(answerOf(open).sentence).not.toContain('without other programs');
    });

    it('says how much of its CPU n8n used, if something else held it up as well', () => {
      const textOf = (usedShare: number): string =>
        answerOf({ price: { ...price, usedShare } }).capacity.method?.text ?? '';
      expect(textOf(1)).toContain('because n8n used up its CPU; the answer is valid for 18 ms');
      // A process whose other threads are counted uses more than its loop.
      expect(textOf(1.7)).toContain('because n8n used up its CPU');
      expect(textOf(0.72)).toContain('under full load, n8n used 72% of its CPU. The answer is');
    });

    it('advises a part of the lower end: at the slowest speed, or at the median if that is asked for', () => {
      expect(answerOf().advised).toEqual({
        share: 0.8,
        ratePerSecond: expect.closeTo(18.5, 1),
        speed: 'slow',
      });
      expect(answerOf({}, 'median').advised).toMatchObject({
        ratePerSecond: expect.closeTo(0.8 * 37, 6),
        speed: 'median',
      });
    });

    it('leaves less than the CPU alone at the slowest speed, where a request waits for CPU and the SLO is tight', () => {
      // A queue at 15 ms keeps 95% below 100 ms at 36.7/s, and at 22.5 ms at 14.5/s; as busy as before, it would be 24.5/s.
      const tight = { ...price, cpuMs: 15, slowestMs: 22.5 };
      const { sentence, advised, capacity } = answerOf({ capacity: 36.7, low: 36.7, price: tight });
      expect(sentence).toContain('in the slowest minute 14.5/s');
      expect(capacity.at?.slowestPerSecond).toBeCloseTo(14.5, 1);
      expect(advised.ratePerSecond).toBeCloseTo(0.8 * 14.5, 1);
      const steady = { ...price, cpuMs: 27, slowestMs: 27 };
      expect(answerOf({ low: 37, price: steady }).advised.ratePerSecond).toBeCloseTo(0.8 * 37, 6);
      const hopeless = { ...price, cpuMs: 15, slowestMs: 45 };
      expect(answerOf({ price: hopeless }).advised.ratePerSecond).toBe(0);
    });

    it('is a rough answer in words where the interval is wide but a run confirms its low end', () => {
      const { verdict, sentence } = answerOf({ level: 'rough', low: 33 });
      expect(verdict).toBe('rough');
      expect(sentence).toMatch(/^n8n sustains between 33 and 41 req\/s of .*, probably 38\.5 /);
    });

    it('gives no answer but both estimates where they do not overlap', () => {
      const replayed = { capacity: 60, low: 57, high: 63 };
      const believed = { capacity: 40, low: 37, high: 44 };
      const narrowing =
        'About 3 minutes of load between them (find --rate 50.1) would show which is right';
      const { sentence, advised, capacity } = answerOf({
        ...{ level: 'inconclusive', capacity: 60, low: 37, high: 63 },
        ...{ disagreeing: { replayed, believed }, narrowing },
      });
      expect(sentence).toMatch(
        /^n8n is safe up to 37 req\/s of .* and breaks at 63\/s at the latest, limited by .*: two estimates do not overlap, 60\/s \(57 to 63\) from the CPU of each second and 40\/s \(37 to 44\) from passes and misses alone\. About 3 minutes of .*\.$/,
      );
      expect(advised.ratePerSecond).toBeLessThanOrEqual(0.8 * 37);
      expect(capacity).toMatchObject({ ratePerSecond: 60, low: 37, high: 63 });
    });

    it('gives both estimates too where no probe failed, so that one of them has no upper end', () => {
      const replayed = { capacity: 60, low: 57, high: 63 };
      const believed = { capacity: 80, low: 76, high: Infinity };
      const { sentence } = answerOf({
        ...{ level: 'inconclusive', capacity: 60, low: 57, high: Infinity },
        disagreeing: { replayed, believed },
      });
      expect(sentence).toMatch(
        /^n8n is safe up to 57 req\/s of .*: two estimates do not overlap, 60\/s \(57 to 63\) from the CPU of each second and 80\/s \(at least 76\) from passes and misses alone\.$/,
      );
    });
  });

  it('says why it rests on pass and miss alone', () => {
    const { capacity } = concludeFind(head([held]), found, quiet);
    expect(capacity.method).toEqual({
      name: 'pass and miss',
      text: 'The capacity is estimated only from whether each probe met the SLO, because the CPU time of each second was not recorded.',
    });
    expect(capacity.at).toBeUndefined();
  });

  it('says first what is known to one side where there is no answer, then what would narrow it', () => {
    const narrowing =
      'The interval is wide mainly because the speed of the machine changed; about 9 minutes';
    const { sentence } = concludeFind(
      head([held]),
      { ...found, low: 30, level: 'inconclusive', narrowing },
      quiet,
    );
    expect(sentence).toMatch(
      /^n8n is safe up to 30 req\/s of .* and breaks at 41\/s at the latest: /,
    );
    expect(sentence).toContain(narrowing);
  });

  it('leaves to that sentence what would help: no doubt advises a larger budget beside it', () => {
    const stalling = probe({ ratePerSecond: 44, result: 'not sustained', stallsMs: [1_200] });
    const doubtsOf = (estimate: Estimate): string =>
      concludeFind(head([held, stalling], 300), estimate, quiet).doubts.join(' ');
    const open: Estimate = { ...found, low: 20, cutShort: true, level: 'inconclusive' };
    expect(doubtsOf(open)).toContain('used up its budget of 300 s.');
    expect(doubtsOf(open)).toContain('The system stalled');
    expect(doubtsOf(open)).not.toContain('larger --budget');
    expect(doubtsOf({ ...open, level: 'rough' })).toContain('a larger --budget narrows');
  });

  describe('to a search that was asked for a precision', () => {
    const asked = { ...head([held, failed], 300), precision: 0.05 };
    const price = {
      ...{
        cpuMs: 18,
        slowestMs: 18,
        speeds: [],
        takenShare: 0,
        usedShare: 1,
        resource: LOOP,
        cores: 1,
      },
    };
    // 35 to 42 around 38.5: 18.2% wide.
    const wide: Estimate = { ...found, low: 35, high: 42, price, whyNoPrice: null };
    const refining = 'The interval is wide mainly because too few requests were measured; about 61';

    it('says that it was not reached and what would narrow it, though the capacity is FOUND', () => {
      const { verdict, doubts } = concludeFind(asked, { ...wide, refining }, quiet);
      expect(verdict).toBe('found');
      expect(doubts).toEqual([
        `The interval is 18.2% wide, so --precision 5% was not reached. ${refining}.`,
      ]);
    });

    it('says nothing where it was reached, or where nobody asked for one', () => {
      expect(concludeFind({ ...asked, precision: 0.19 }, wide, quiet).doubts).toEqual([]);
      expect(concludeFind(head([held, failed], 300), wide, quiet).doubts).toEqual([]);
    });

    it('leaves what would narrow it to the sentence of an answer that is INCONCLUSIVE', () => {
      const open = { ...wide, low: 20, level: 'inconclusive', refining } as const;
      expect(concludeFind(asked, open, quiet).doubts).toEqual([
        'The interval is 57.1% wide, so --precision 5% was not reached.',
      ]);
    });

    it('says of a search by pass and miss that ended before its budget that it looks no closer', () => {
      const believed = { ...wide, price: null, whyNoPrice: 'no CPU was seen', refining };
      expect(concludeFind(asked, believed, quiet).doubts).toEqual([
        expect.stringMatching(
          /was not reached\. By passes and misses alone, .* a smaller --precision/,
        ),
      ]);
      expect(concludeFind(asked, { ...believed, cutShort: true }, quiet).doubts).toContain(
        `The interval is 18.2% wide, so --precision 5% was not reached. ${refining}.`,
      );
    });

    it('says that an interval without an upper end does not reach it', () => {
      expect(concludeFind(asked, { ...wide, high: Infinity }, quiet).doubts).toEqual([
        'The interval has no upper end, so --precision 5% was not reached.',
      ]);
    });
  });

  it('names the probes that contradict it', () => {
    const contradicting = [{ ratePerSecond: 51.2, sustained: true }];
    const answer = concludeFind(head([held]), { ...found, contradicting }, quiet);
    expect(answer.doubts).toEqual([expect.stringContaining('51.2/s was sustained')]);
  });

  describe('on a machine whose speed changes', () => {
    const at = (ratePerSecond: number, ms: number, given: Partial<FindProbe> = {}): FindProbe =>
      probe({
        ratePerSecond,
        achievedPerSecond: ratePerSecond,
        cpuPerRequest: { allMs: ms, roles: [{ role: 'main', instances: 1, ms }] },
        ...given,
      });
    const slow = at(47, 17.8, { result: 'not sustained' });
    const doubtsOf = (probes: FindProbe[], given: Partial<Estimate> = {}): string[] =>
      concludeFind(head(probes), { ...found, capacity: 48, low: 47, high: 49, ...given }, quiet)
        .doubts;

    it('says by how much, where probes contradict each other', () => {
      expect(doubtsOf([at(49, 13.7), slow])).toEqual([
        expect.stringContaining(
          'up to 29.9% slower in some probes: at about the same load (47 to 49/s), a request took 13.7 to 17.8 ms of CPU time in main',
        ),
      ]);
    });

    it('says so too where the interval is too wide for an answer', () => {
      expect(doubtsOf([at(46, 13.7), slow])).toEqual([]);
      expect(doubtsOf([at(46, 13.7), slow], { low: 30, level: 'inconclusive' })).toEqual([
        expect.stringContaining('The machine was up to 29.9% slower'),
      ]);
    });

    it('does not blame it for what probes of equal cost contradict', () => {
      expect(doubtsOf([at(49, 17.3), slow])).toEqual([]);
    });
  });

  it('passes on the warnings of its probes, each kind once', () => {
    const late = (count: number) => ({
      kind: 'not sent',
      text: `${String(count)} requests were due but could not be sent`,
    });
    const sampler = { kind: 'sampler metrics', text: 'the sampler metrics failed' };
    const probes = [probe({ doubts: [late(3)] }), probe({ doubts: [late(17), sampler] }), held];
    expect(concludeFind(head(probes), found, quiet).doubts).toEqual([
      'In 2 of 3 probes (figures of the first): 3 requests were due but could not be sent.',
      'In 1 of 3 probes: the sampler metrics failed.',
    ]);
  });

  it('fits a terminal of 80 columns', () => {
    const answer = concludeFind(head([failed, held]), found, quiet);
    const lines = renderTerminal(findDocument(answer), { width: 80, colour: false }).split('\n');
    expect(lines[0]).toMatch(/^FOUND {4}/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe('stalls', () => {
  const stalling = [
    probe({ kind: 'confirm', ratePerSecond: 38, durationSeconds: 50, stallsMs: [1_600, 900] }),
    probe({ ratePerSecond: 44, durationSeconds: 50, result: 'not sustained', stallsMs: [1_200] }),
    probe({ ratePerSecond: 60, durationSeconds: 50, result: 'invalid', stallsMs: [9_000] }),
  ];
  const wide: Estimate = { ...found, low: 20, level: 'inconclusive' };

  it('are named where the answer is not known, of the probes that count', () => {
    expect(concludeFind(head(stalling), wide, quiet).doubts).toEqual(
      expect.arrayContaining([
        expect.stringContaining(
          '3 times in 100 s of probes: for up to 1.6 s, no request was answered',
        ),
      ]),
    );
  });

  it('are told with what was seen meanwhile, and with what may have been where nothing was', () => {
    const doubt = (...causes: (StallCauses | undefined)[]): string => {
      const probes = causes.map((stallCauses) =>
        probe({ stallsMs: [900, 800], ...(stallCauses === undefined ? {} : { stallCauses }) }),
      );
      const { doubts } = concludeFind(head(probes), wide, quiet);
      return doubts.find((text) => text.includes('no request was answered')) ?? '';
    };
    expect(doubt({ cpuLimit: 2, collection: 1 }, { cpuLimit: 1, collection: 1 })).toContain(
      'Possible causes: a CPU limit stopped a process during 3 stalls, and a heap was collected during 2 stalls; the threads that collect a heap share their CPU limit with the threads that respond to requests.',
    );
    expect(doubt({ cpuLimit: 0, collection: 1 }, undefined)).toMatch(
      /Possible causes: a heap was collected during 1 stall\.$/,
    );
    expect(doubt({ cpuLimit: 0, collection: 0 }, undefined)).toMatch(/may be the cause\.$/);
  });

  it('are not worth a word where the answer stands, nor where none was seen or recorded', () => {
    const cases: [FindProbe[], typeof found][] = [
      [stalling, found],
      [[held, { ...failed, stallsMs: [] }], wide],
    ];
    for (const [probes, estimate] of cases) {
      const { doubts } = concludeFind(head(probes), estimate, quiet);
      expect(doubts.filter((text) => text.includes('no request was answered'))).toEqual([]);
    }
  });

  it('of a run reach the search as what they cost under its SLOs', () => {
    const slow = {
      ...record,
      slo: [{ text: 'p95<300ms', metric: 'p95' as const, operator: '<' as const, bound: 300 }],
      summary: { ...record.summary, stallsMs: [1_600] },
    };
    const [cost, ...more] = toldBy(slow).stallCostsSeconds;
    expect(cost).toBeCloseTo(26);
    expect(more).toEqual([]);
  });
});

/** The sample run, made by one of two generators that was lost. */
function madeBy(lost: GeneratorPart['lost'], outcome: VerdictOutcome): RunRecord {
  const { summary, verdict } = record;
  const part: GeneratorPart = {
    ...{ name: 'k6-1', node: 'node-1', requests: 9, notSent: 0, latenessMs: null },
    ...{ cpuCores: 0.1, coresAvailable: 1, clock: { aheadMs: 0, uncertainMs: 1 }, lost },
  };
  return {
    ...record,
    summary: { ...summary, generator: { ...summary.generator, parts: [part] } },
    verdict: { ...verdict, outcome },
  };
}

describe('what a probe tells the search', () => {
  it('leans to one side where its run was inconclusive, and is not decided', () => {
    const undecided = (seemsMet: boolean) => ({
      ...record,
      verdict: {
        ...record.verdict,
        outcome: 'inconclusive' as const,
        slos: record.verdict.slos.map((one) => ({ ...one, state: 'undecided' as const, seemsMet })),
      },
    });
    expect(toldBy(undecided(true))).toMatchObject({ result: 'sustained', decided: false });
    expect(toldBy(undecided(false))).toMatchObject({ result: 'not sustained', decided: false });
  });

  it('is its verdict, its throughput, and how close the worst SLO came to its bound', () => {
    expect(toldBy(record)).toEqual({
      result: 'not sustained',
      decided: true,
      achievedPerSecond: 38.4,
      // 4% errors against 1% are worse than a p95 of 152 ms against 300 ms.
      pressure: 4,
      // Two workers with 0.9 cores are each less busy than one main with 0.5.
      cpuMs: (1_000 * 0.5) / 38.4,
      stallCostsSeconds: [],
      limit: { role: 'worker', resource: 'slots' },
      spentSeconds: null,
      trace: null,
    });
  });

  it('is how long it lasted where its end was early', () => {
    const early = { ...probeOf(ASKED, record, 'probes/x'), endedAfterSeconds: 4.5 };
    expect(outcomeOf(early, record.slo).spentSeconds).toBe(4.5);
  });

  it('is nothing where the run was broken off', () => {
    const aborted = { ...record, verdict: { ...record.verdict, outcome: 'aborted' as const } };
    expect(toldBy(aborted).result).toBe('invalid');
  });

  it('is what its record says of it, also where a load generator was lost', () => {
    const outcomes = ['sustained', 'not sustained', 'inconclusive', 'invalid', 'aborted'] as const;
    for (const outcome of outcomes) {
      for (const lost of [null, { tMs: 9_000, why: 'its node is gone', inFlight: 2 }]) {
        const ended = madeBy(lost, outcome);
        const kept = probeOf(ASKED, ended, 'probes/x').result;
        const { result, decided } = toldBy(ended);
        expect(kept === 'invalid').toBe(result === 'invalid');
        expect(kept === 'inconclusive').toBe(!decided);
        if (decided) expect(kept).toBe(result);
        if (lost !== null) expect(result).toBe('invalid');
      }
    }
  });

  it('blames the load generator only for what it could not do', () => {
    const limitedBy = { limit: GENERATOR, evidence: 'it used 2 of 2 cores', next: null };
    const doubtsOf = (probes: FindProbe[]): string[] =>
      concludeFind(head([held, ...probes]), found, quiet).doubts;
    expect(
      doubtsOf([probe({ result: 'invalid', limitedBy }), probe({ result: 'invalid' })]),
    ).toEqual([
      '1 of 3 probes were invalid, because the load generator was the limit; they do not count.',
      '1 of 3 probes were invalid, because k6 could not send all requests; they do not count.',
    ]);
  });
});
