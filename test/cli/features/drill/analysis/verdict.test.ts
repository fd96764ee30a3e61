import {
  drillVerdict,
  type DrillFacts,
} from '../../../../../cli/src/features/drill/analysis/verdict';
import { FAULTS } from '../../../../../cli/src/features/drill/faults';
import {
  LEDGER_CLASSES,
  type LedgerClass,
} from '../../../../../cli/src/features/drill/analysis/ledger-class';
import { parsePromises } from '../../../../../cli/src/features/drill/analysis/promise';
import type {
  DrillLedger,
  DrillSchedule,
  Victim,
} from '../../../../../cli/src/features/drill/record';
import type { NamedRequests } from '../../../../../cli/src/record/run-record';
import { Mistake } from '../../../../../cli/src/ui/exit';
import { sampleRun } from '../../../../support/sample-run';

const classes = (given: Partial<Record<LedgerClass, number>>): Record<LedgerClass, NamedRequests> =>
  Object.fromEntries(
    LEDGER_CLASSES.map((name) => [name, { requests: given[name] ?? 0, ids: [] }]),
  ) as unknown as Record<LedgerClass, NamedRequests>;

const ledger = (given: Partial<DrillLedger> = {}): DrillLedger => ({
  ...{ sent: 150, classes: classes({ once: 150 }), exposed: 100, lost: 0 },
  ...{ sources: { executions: 'database', effects: 'service outside n8n' } },
  ...{ withoutExecutions: null, nameless: 0, lostWithError: null, ...given },
});

const facts = (given: Partial<DrillFacts> = {}): DrillFacts => ({
  fault: {
    ...{ name: 'kill-worker', title: 'SIGKILL of one worker', kind: 'accident', lastsSeconds: 0 },
    done: [{ tMs: 20_000, text: 'SIGKILL of worker-1' }],
  },
  run: sampleRun().record,
  ...{ steadyMissed: null, steadyRequests: 50, faultFailed: null, stopped: null },
  ...{ isOver: true, isAnythingAtRisk: true, unexpected: [] },
  ledger: ledger(),
  figures: {
    ...{ detectSeconds: 46, recoverSeconds: 3, slowestMs: 6_000 },
    ...{ backlog: { before: 0, peak: 12, drainSeconds: 9 }, errors: null },
    availability: {
      ...{ during: { requests: 20, answered: 8 }, outside: { requests: 80, answered: 79 } },
    },
  },
  schedule: null,
  control: { run: 'runs/x', sent: 150, classes: classes({ once: 150 }), missed: null },
  promises: parsePromises('lost=0,repeated=0,recover<60s'),
  ...given,
});

test('what was promised and kept passes, with what was measured', () => {
  const verdict = drillVerdict(facts());
  expect(verdict.outcome).toBe('pass');
  expect(verdict.sentence).toBe(
    'After SIGKILL of worker-1, every promise was kept: none of 100 requests were lost; the SLO was met again after 3 s.',
  );
  expect(verdict.doubts).toEqual([]);
});

test('what was promised and broken fails, and says by how much', () => {
  const verdict = drillVerdict(
    facts({ ledger: ledger({ lost: 8, classes: classes({ once: 142, lost: 8 }) }) }),
  );
  expect(verdict.outcome).toBe('fail');
  expect(verdict.sentence).toBe(
    'After SIGKILL of worker-1, the promise lost=0 was broken: 8 of 100 requests were accepted and lost.',
  );
});

test('a fault that outlasts the load lets nothing pass, and what it broke stays broken', () => {
  const passing = drillVerdict(facts({ isOver: false }));
  expect(passing.outcome).toBe('invalid');
  expect(passing.sentence).toMatch(/the load ended before the fault did.*use a longer --for/);
  const broken = ledger({ lost: 8, classes: classes({ once: 142, lost: 8 }) });
  const failing = drillVerdict(facts({ isOver: false, ledger: broken }));
  expect(failing.outcome).toBe('fail');
  expect(failing.doubts).toContain(
    'The load ended before the fault did: more requests may have been lost afterwards.',
  );
});

test.each<[string, Partial<DrillFacts>]>([
  ['the SLO was missed before the fault (errors was 4%)', { steadyMissed: 'errors was 4%' }],
  ['the fault could not be injected (no worker runs)', { faultFailed: 'no worker runs' }],
  ['use a longer --steady', { steadyRequests: 0 }],
  // What is lost by then may yet be retried.
  [
    'the drill was stopped by Ctrl-C before n8n had finished the accepted requests',
    { stopped: 'stopped by Ctrl-C', ledger: ledger({ lost: 8 }) },
  ],
  [
    'the ledger does not add up: a source has requests that the drill did not send (run-7-7)',
    { unexpected: ['run-7-7'] },
  ],
  [
    'the control without the fault missed the SLO (p95 was 9 s)',
    { control: { run: 'r', sent: 1, classes: classes({}), missed: 'p95 was 9 s' } },
  ],
  [
    "only the callers' data is available (it is away)",
    {
      ledger: ledger({
        sources: { executions: null, effects: null },
        withoutExecutions: 'it is away',
      }),
    },
  ],
])('it says nothing where %s', (words, given) => {
  const verdict = drillVerdict(facts(given));
  expect(verdict.outcome).toBe('invalid');
  expect(verdict.sentence).toContain(words);
});

describe('a drill in which nothing could have been seen to break says nothing', () => {
  const sentenceOf = (given: Partial<DrillFacts>, promises = 'lost=0'): string => {
    const verdict = drillVerdict(facts({ promises: parsePromises(promises), ...given }));
    expect(verdict.outcome).toBe('invalid');
    return verdict.sentence;
  };

  test('as no request was open during the fault', () => {
    expect(sentenceOf({ isAnythingAtRisk: false })).toContain(
      'no request was open during the fault, so nothing was at risk',
    );
  });

  const hit = (...victims: Victim[]): Partial<DrillFacts> => ({
    fault: { ...facts().fault, victims },
  });
  const idle = { tMs: 20_000, name: 'worker-1', executions: 0 };

  test('as the victim of the fault ran nothing, though others did', () => {
    expect(sentenceOf(hit(idle, { ...idle, tMs: 30_000 }))).toBe(
      'The drill is invalid: worker-1 ran no execution when the fault occurred, so nothing was at risk: use a higher --rate, a workload that takes longer, or --every.',
    );
    // One of two is enough.
    expect(drillVerdict(facts(hit(idle, { ...idle, executions: 3 }))).outcome).toBe('pass');
  });

  test('as no victim tells whether it ran anything', () => {
    expect(sentenceOf(hit({ ...idle, executions: null }))).toBe(
      'The drill is invalid: the metrics of n8n do not show whether worker-1 was at work when the fault occurred, so it is unknown whether anything was at risk.',
    );
    const told = facts(hit({ ...idle, executions: null }, { ...idle, executions: 1 }));
    expect(drillVerdict(told).outcome).toBe('pass');
  });

  test('as a webhook processor that had answered many requests had none open', () => {
    const webhook = { tMs: 20_000, name: 'webhook-1', requests: 90, open: 0 };
    expect(sentenceOf(hit(webhook))).toContain('webhook-1 took none of the requests');
    expect(sentenceOf(hit({ ...webhook, open: null }))).toContain('was at work when the fault');
    expect(drillVerdict(facts(hit({ ...webhook, open: 1 }))).outcome).toBe('pass');
  });

  test('as the victim took none of the requests, as main beside webhook processors', () => {
    const main = { tMs: 20_000, name: 'main', requests: 0 };
    expect(sentenceOf(hit(main))).toBe(
      'The drill is invalid: main took none of the requests, so nothing was at risk: to drill main, remove --webhooks; otherwise, use a higher --rate, a workload that takes longer, or --every.',
    );
    // Bytes of its own passed through its links.
    expect(sentenceOf(hit({ ...main, connections: 3, bytes: 900 }))).toContain('took none of');
    expect(drillVerdict(facts(hit({ ...main, requests: 1 }))).outcome).toBe('pass');
    expect(drillVerdict(facts(hit({ ...main, requests: null }))).doubts).toContain(
      'The metrics of n8n do not show how many requests the victim of the fault took.',
    );
  });

  test('as nothing passed through the links that were cut or slowed', () => {
    const dead = { tMs: 20_000, name: 'redis', connections: 0, bytes: 0 };
    expect(sentenceOf(hit(dead))).toContain(
      'nothing passed between n8n and redis during the fault, so nothing was at risk',
    );
    for (const alive of [{ connections: 1 }, { bytes: 12 }]) {
      expect(drillVerdict(facts(hit({ ...dead, ...alive }))).outcome).toBe('pass');
    }
  });

  test('as any of the failed executions without an id may be work that was lost', () => {
    expect(sentenceOf({ ledger: ledger({ nameless: 2 }) })).toContain(
      '2 failed executions no longer have a request id',
    );
    const other = facts({ promises: parsePromises('repeated=0'), ledger: ledger({ nameless: 2 }) });
    expect(drillVerdict(other).outcome).toBe('pass');
  });

  test('as too few requests were due after the fault to tell when it was over', () => {
    const figures = {
      ...{ detectSeconds: 46, recoverSeconds: null, isRecoveryUnknown: true as const },
      ...{ slowestMs: 6_000, backlog: null, errors: null },
    };
    for (const promised of ['recover<60s,lost=0', 'lost=0']) {
      expect(sentenceOf({ figures }, promised)).toContain(
        'too few requests were due after the fault',
      );
    }
  });
});

describe('a promise that nobody can judge is neither kept nor broken, and the drill invalid', () => {
  const judge = (promise: string, given: Partial<DrillFacts>) =>
    drillVerdict(facts({ promises: parsePromises(promise), ...given }));
  const counts = (
    given: Partial<Record<LedgerClass, number>>,
    more: Partial<DrillLedger> = {},
  ) => ({
    ledger: ledger({ classes: classes({ once: 110, ...given }), ...more }),
  });
  const withoutEffects = ledger({ sources: { executions: 'database', effects: null } });
  const { figures } = facts();

  test.each<[string, Partial<DrillFacts>, string]>([
    ['lost=0', counts({ running: 30 }), '30 requests were still running at the end'],
    ['lost=0', counts({ unknown: 1 }), 'it is unknown whether n8n lost 1 request'],
    ['lost<40', counts({ running: 40 }), 'so any of them may be lost'],
    ['repeated=0', { ledger: withoutEffects }, 'no service outside n8n counts'],
    ['due-never=0', {}, 'no run was scheduled'],
    [
      'drain<60s',
      figures === null ? {} : { figures: { ...figures, backlog: null } },
      'nothing shows how many jobs waited after the fault',
    ],
  ])('such as %s', (promise, given, reason) => {
    const verdict = judge(promise, given);
    expect(verdict).toMatchObject({ outcome: 'invalid', promises: [{ kept: null }] });
    expect(verdict.sentence).toContain(reason);
  });

  test('unless it is kept or broken whatever became of them', () => {
    expect(judge('lost<50', counts({ running: 30 })).promises).toMatchObject([{ kept: true }]);
    expect(judge('lost=0', counts({ running: 30, lost: 1 }, { lost: 1 }))).toMatchObject({
      ...{ outcome: 'fail', promises: [{ kept: false }] },
    });
  });

  test('and where another one is broken, the drill fails, but does not count it as kept', () => {
    expect(judge('lost=0,running=0', counts({ running: 30 }))).toMatchObject({
      ...{ outcome: 'fail', promises: [{ kept: null }, { kept: false }] },
    });
  });
});

test('that no work runs twice at the same time is told, and not judged where a worker may have died in between', () => {
  const judge = (requests: number, unknown: number) =>
    drillVerdict(
      facts({
        promises: parsePromises('at-once=0'),
        ledger: ledger({ atOnce: { requests, unknown } }),
      }),
    );
  expect([judge(0, 0).outcome, judge(0, 2).outcome, judge(1, 2).outcome]).toEqual([
    ...['pass', 'invalid', 'fail'],
  ]);
  expect(judge(1, 2).promises[0]?.measured).toBe(
    'the work of 1 of 150 requests ran twice at the same time, and 2 that were begun again may have',
  );
});

describe('that no work is done twice', () => {
  const promises = parsePromises('done-twice=0');
  const of = (more: number): Partial<DrillFacts> => ({
    promises,
    ledger: ledger({
      workByResponse: {
        never: { expected: 0, error: 3, nothing: 0 },
        once: { expected: 147 - more, error: 0, nothing: 0 },
        more: { expected: more, error: 0, nothing: 0 },
      },
    }),
  });

  test('is told with the retries that were made', () => {
    const recovery = {
      ...{ ageSeconds: 60, everySeconds: 10, passes: 9, failedPasses: 0, left: {} },
      attempts: { recovered: 4, failed: 1 },
    };
    expect(drillVerdict(facts({ ...of(0), recovery })).sentence).toBe(
      'After SIGKILL of worker-1, every promise was kept: the work of none of 150 requests was done more than once, with 5 retries by recovery.',
    );
    expect(drillVerdict(facts({ ...of(2), recovery }))).toMatchObject({
      outcome: 'fail',
      sentence:
        'After SIGKILL of worker-1, the promise done-twice=0 was broken: the work of 2 of 150 requests was done more than once, with 5 retries by recovery.',
    });
    expect(drillVerdict(facts(of(0))).promises[0]?.measured).toBe(
      'the work of none of 150 requests was done more than once',
    );
  });

  test("n8n's own successes do not show", () => {
    const ofN8n = ledger({ ...of(0).ledger, sources: { executions: 'database', effects: null } });
    expect(drillVerdict(facts({ promises, ledger: ofN8n })).outcome).toBe('invalid');
  });

  test('is unknown as long as another execution of work that was done has not ended', () => {
    const twins = (more: number) => ledger({ ...of(more).ledger, unfinishedTwins: 1 });
    expect(drillVerdict(facts({ promises, ledger: twins(0) }))).toMatchObject({
      outcome: 'invalid',
      promises: [
        {
          kept: null,
          measured:
            'the work of none of 150 requests was done more than once, and of 1 that was done once, a second execution has not ended',
        },
      ],
    });
    expect(drillVerdict(facts({ promises, ledger: twins(1) })).outcome).toBe('fail');
  });

  test('says nothing where nothing counts the work', () => {
    const { outcome, sentence } = drillVerdict(facts({ promises }));
    expect([outcome, sentence]).toEqual([
      'invalid',
      expect.stringContaining('no service outside n8n counts how often work was done') as string,
    ]);
  });

  test('is doubtful where recovery had nothing to retry', () => {
    const recovery = {
      ...{ ageSeconds: 60, everySeconds: 10, passes: 9, failedPasses: 0, left: {}, attempts: {} },
    };
    expect(drillVerdict(facts({ ...of(0), recovery })).doubts).toEqual([
      'Recovery retried nothing, so the drill does not show what a retry repeats.',
    ]);
  });
});

test('what your own commands do is not measured, which is a doubt', () => {
  const fault = { ...facts().fault, name: 'custom' };
  const verdict = drillVerdict(facts({ fault }));
  expect(verdict.doubts).toEqual([
    'The drill did not measure whether the commands of this fault had an effect on n8n: set --proof.',
  ]);
  expect(verdict.sentence).toMatch(/; nothing proves that the fault had an effect\.$/);
});

test('what another command of yours proves is neither doubted nor said to be unproven', () => {
  const fault = { ...facts().fault, name: 'custom', isProven: true as const };
  const verdict = drillVerdict(facts({ fault }));
  expect([verdict.doubts, verdict.sentence.includes('nothing proves')]).toEqual([[], false]);
});

test('of lost work, the verdict tells whether its callers know', () => {
  const measured = (lostWithError: number | null): string | undefined =>
    drillVerdict(
      facts({
        promises: parsePromises('lost=0'),
        ledger: ledger({ lost: 8, lostWithError, classes: classes({ once: 142, lost: 8 }) }),
      }),
    ).promises[0]?.measured;
  expect(measured(8)).toBe('8 of 100 requests were accepted and lost; every caller got an error');
  expect(measured(7)).toBe(
    '8 of 100 requests were accepted and lost; 1 of the callers got no error',
  );
  expect(measured(null)).toBe('8 of 100 requests were accepted and lost');
});

describe('without n8n as a source', () => {
  const unread = {
    ...{ sources: { executions: null, effects: 'service outside n8n' } },
    withoutExecutions: 'it made 145 and still has 144',
  };
  const verdictOf = (given: Partial<Record<LedgerClass, number>>, lost = 0) =>
    drillVerdict(
      facts({ ledger: ledger({ ...unread, lost, classes: classes({ once: 140, ...given }) }) }),
    );

  test('a request that nobody knows of keeps no promise that none was lost', () => {
    const { outcome, sentence } = verdictOf({ unknown: 10 });
    expect(outcome).toBe('invalid');
    expect(sentence).toContain(
      "it is unknown whether n8n lost 10 requests, because n8n's executions could not be read (it made 145 and still has 144)",
    );
  });

  test.each(['errors<20%', 'repeated=0', 'refused=0', 'recover<60s'])(
    'it keeps no other promise alone either, such as %s',
    (promise) => {
      const unknown = ledger({ ...unread, classes: classes({ once: 140, unknown: 10 }) });
      const verdict = drillVerdict(facts({ promises: parsePromises(promise), ledger: unknown }));
      expect(verdict.outcome).toBe('invalid');
      expect(verdict.sentence).toContain('it is unknown whether n8n lost 10 requests');
    },
  );

  test('what is broken already stays so, and what nobody misses passes', () => {
    expect(verdictOf({ unknown: 9, lost: 1 }, 1).outcome).toBe('fail');
    expect(verdictOf({}).outcome).toBe('pass');
  });
});

test('doubts name what could not be seen', () => {
  const { doubts } = drillVerdict(
    facts({
      control: null,
      ledger: ledger({ sources: { executions: 'database', effects: null } }),
    }),
  );
  expect(doubts.join(' ')).toContain('The side-effect workload calls such a service.');
  expect(doubts.join(' ')).toContain('There was no control');
});

test.each<[Partial<Record<LedgerClass, number>>, string]>([
  [{ lost: 8 }, '8 of 100 requests were accepted and lost'],
  [{ 'not-executed': 1 }, '1 of 100 requests was answered, not executed'],
  [
    { lost: 8, 'not-executed': 1 },
    '9 of 100 requests were accepted and lost, or answered, not executed',
  ],
  [{ refused: 5 }, 'none of 100 requests were lost'],
])('with %j, what was lost is: %s', (given, words) => {
  const lost = (given.lost ?? 0) + (given['not-executed'] ?? 0);
  const { promises } = drillVerdict(
    facts({ ledger: ledger({ lost, classes: classes({ once: 110, ...given }) }) }),
  );
  expect(promises[0]).toMatchObject({ measured: words, kept: lost === 0 });
});

describe('a promise', () => {
  test.each([
    ['detect<30s', 'the first caller had an error after 46 s', false],
    ['drain<=9s', 'the backlog was cleared after 9 s', true],
    ['errors<1%', 'none of 100 requests were not answered as expected', true],
    [
      'errors-during<50%',
      '12 of 20 requests open during the fault were not answered as expected',
      false,
    ],
    ['errors-outside=1', '1 of 80 requests outside the fault was not answered as expected', true],
    ['once<=150', '150 of 150 requests were answered and executed once', true],
  ])('%s: %s', (text, measured, kept) => {
    const [first] = drillVerdict(facts({ promises: parsePromises(text) })).promises;
    expect(first).toMatchObject({ measured, kept });
  });

  test('about a class is a share of all requests, which the class counts', () => {
    const counts = { once: 370, lost: 30 };
    const lossy = ledger({ sent: 400, lost: 30, exposed: 100, classes: classes(counts) });
    const { promises } = drillVerdict(
      facts({ ledger: lossy, promises: parsePromises('once>=99%,lost<30%') }),
    );
    expect(promises.map(({ kept, measured }) => [kept, measured])).toEqual([
      [false, '370 of 400 requests were answered and executed once'],
      [false, '30 of 100 requests were accepted and lost'],
    ]);
  });

  test.each([
    ['lots', "'lots' is not a valid promise: use a form such as lost=0"],
    ['p95<1s', 'uses a metric that a drill does not measure'],
    ['lots=0', 'uses a metric that a drill does not measure (did you mean lost?)'],
    ['lost=1.5', 'requires a whole number, or a percentage'],
    ['recover<soon', 'is not a valid promise'],
    ['recover<5q', 'requires a time with a unit'],
  ])('%s is refused in one sentence', (text, sentence) => {
    expect(() => parsePromises(text)).toThrow(Mistake);
    expect(() => parsePromises(text)).toThrow(sentence);
  });

  test('each fault has some, and they can be read', () => {
    for (const { promise } of FAULTS) expect(parsePromises(promise).length).toBeGreaterThan(2);
  });
});

test('a promise about the time of the fault is not judged where no request was open then', () => {
  const { figures } = facts();
  const none = { during: { requests: 0, answered: 0 }, outside: { requests: 80, answered: 80 } };
  const asked = (promise: string): string =>
    drillVerdict(
      facts({
        ...(figures === null ? {} : { figures: { ...figures, availability: none } }),
        promises: parsePromises(promise),
      }),
    ).outcome;
  expect(asked('errors-during=0')).toBe('invalid');
  expect(asked('errors-outside=0')).toBe('pass');
});

describe('a schedule', () => {
  const at = (times: number): DrillSchedule['never'] => ({ times, at: [] });
  const schedule = (never: number, repeated: number): DrillSchedule => ({
    ...{ everySeconds: 2, due: 30, once: 30 - never - repeated },
    ...{ never: at(never), repeated: at(repeated) },
  });
  const judge = (given: Partial<DrillFacts>): ReturnType<typeof drillVerdict> =>
    drillVerdict(facts({ promises: parsePromises('due-never=0,due-repeated<5%'), ...given }));

  test('that was executed once each time keeps its promises', () => {
    const verdict = judge({ schedule: schedule(0, 0) });
    expect(verdict.outcome).toBe('pass');
    expect(verdict.promises.map(({ measured }) => measured)).toEqual([
      'none of 30 scheduled runs were skipped',
      'none of 30 scheduled runs were executed more than once',
    ]);
  });

  test('that misses due times, or executes them again, fails by as much', () => {
    const verdict = judge({ schedule: schedule(9, 1) });
    expect(verdict.outcome).toBe('fail');
    expect(verdict.sentence).toBe(
      'After SIGKILL of worker-1, the promise due-never=0 was broken: 9 of 30 scheduled runs were skipped.',
    );
    expect(judge({ schedule: schedule(0, 2) }).sentence).toContain(
      'the promise due-repeated<5% was broken: 2 of 30 scheduled runs were executed more than once',
    );
  });

  test('that never ran at all says nothing', () => {
    expect(judge({ schedule: schedule(30, 0) }).sentence).toContain('no scheduled run took place');
  });

  test('that is not there keeps no promise, and one that the control missed is a doubt', () => {
    expect(judge({})).toMatchObject({
      outcome: 'invalid',
      promises: [{ kept: null }, { kept: null }],
    });
    const control = { run: 'r', sent: 150, classes: classes({ once: 150 }), missed: null };
    const { doubts } = judge({ control: { ...control, schedule: schedule(2, 0) } });
    expect(doubts).toEqual(['In the control, 2 scheduled runs were not executed exactly once.']);
  });
});
