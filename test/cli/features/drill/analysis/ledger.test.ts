import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { ranAtOnce, readEffects, type Effect } from '../../../../../cli/src/analysis/effects';
import {
  ledgerOf,
  lossesIn,
  type Ledger,
  type Sources,
} from '../../../../../cli/src/features/drill/analysis/ledger';
import { LEDGER_CLASSES } from '../../../../../cli/src/features/drill/analysis/ledger-class';
import { BEHAVIOURS, behaviour, fates, RUN, sourcesOf } from './histories';

const classes = ({ entries }: Ledger): string[] => entries.map((entry) => entry.class);
const truth = (names: readonly string[]): string[] => names.map((name) => behaviour(name).class);
const withExecutions = (
  sources: Sources,
  change: (
    all: Extract<Sources['executions'], { source: string }>['executions'],
  ) => Extract<Sources['executions'], { source: string }>['executions'],
): Sources => {
  if ('skipped' in sources.executions) throw new Error('there are none');
  return {
    ...sources,
    executions: { ...sources.executions, executions: change(sources.executions.executions) },
  };
};

test.each(Object.keys(BEHAVIOURS))('the class of a request is that of one that %s', (name) => {
  expect(classes(ledgerOf(sourcesOf([name])))).toEqual([behaviour(name).class]);
});

test('every class has a behaviour that leads to it', () => {
  const reached = new Set(Object.values(BEHAVIOURS).map((one) => one.class));
  // What becomes unknown is so because n8n cannot be asked.
  expect(reached).toEqual(new Set(LEDGER_CLASSES.filter((name) => name !== 'unknown')));
});

describe('any history', () => {
  test('is counted exactly, each request in one class, and the classes add up to what was sent', () => {
    fc.assert(
      fc.property(fates(), (names) => {
        const ledger = ledgerOf(sourcesOf(names));
        expect(classes(ledger)).toEqual(truth(names));
        const sum = LEDGER_CLASSES.reduce((all, name) => all + ledger.counts[name], 0);
        expect(sum).toBe(names.length);
        expect(ledger.unexpected).toEqual([]);
      }),
    );
  });

  test('reads the same in whatever order the sources tell it', () => {
    fc.assert(
      fc.property(fates(40), fc.infiniteStream(fc.nat()), (names, random) => {
        const sources = sourcesOf(names);
        const shuffled = <T>(items: readonly T[]): T[] =>
          [...items]
            .map((item) => ({ item, key: random.next().value }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item);
        const mixed = withExecutions(
          {
            ...sources,
            requests: shuffled(sources.requests),
            effects: shuffled(sources.effects ?? []),
          },
          shuffled,
        );
        expect(ledgerOf(mixed).counts).toEqual(ledgerOf(sources).counts);
      }),
    );
  });

  // n8n writes over the data of what a dead worker left, the id of the request included.
  test('loses no more and no less where the ids of crashed executions are gone', () => {
    const left = [
      ...['works', 'crashes at work', 'refuses', 'is silent', 'calls its success a crash'],
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...left), { maxLength: 80 }), (names) => {
        const nameless = withExecutions(sourcesOf(names), (all) =>
          all.map((one) =>
            one.hasCrashed === true
              ? { loadId: null, outcome: 'failed' as const, isOverwritten: true }
              : one,
          ),
        );
        const ledger = ledgerOf(nameless);
        expect(classes(ledger)).toEqual(truth(names));
        expect(ledger.nameless).toBe(0);
      }),
    );
  });

  test('without a service that counts, tells the same of all that n8n tells right itself', () => {
    const told = Object.keys(BEHAVIOURS).filter(
      (name) =>
        ![
          ...['calls its success a crash', 'begins again after a crash'],
          'fails after its work was done',
        ].includes(name),
    );
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...told), { maxLength: 80 }), (names) => {
        expect(classes(ledgerOf({ ...sourcesOf(names), effects: null }))).toEqual(truth(names));
      }),
    );
  });

  test('without n8n, no request that the service outside knows of changes its class', () => {
    fc.assert(
      fc.property(fates(80), (names) => {
        const sources = sourcesOf(names);
        const ledger = ledgerOf({ ...sources, executions: { skipped: 'it is away' } });
        expect(ledger.withoutExecutions).toBe('it is away');
        ledger.entries.forEach((entry, index) => {
          const name = names[index] ?? '';
          const { begun, class: known } = behaviour(name);
          if (begun === 0) return;
          // Only n8n knows what it calls crashed, and what it still has running.
          const hidden: Record<string, string> = {
            'done-marked-crashed': 'error-but-done',
            running: 'lost',
            failed: 'lost',
          };
          expect(entry.class).toBe(hidden[known] ?? known);
        });
      }),
    );
  });
});

test('an error that n8n says nothing about may have been accepted', () => {
  const sources = sourcesOf(['answers an error alone', 'refuses']);
  const ledger = ledgerOf({ ...sources, executions: { skipped: 'it is away' } });
  expect(classes(ledger)).toEqual(['unknown', 'refused']);
});

test('executions that n8n has deleted are no source', () => {
  const ledger = ledgerOf(withExecutions(sourcesOf(['works', 'works']), (all) => all.slice(1)));
  expect(ledger.withoutExecutions).toBe('n8n ran 2 executions, but kept only 1 of them');
  expect(classes(ledger)).toEqual(['once', 'once']);
});

test('where the response says that the work was accepted, work that was begun and not done is lost, or has failed', () => {
  const sources = sourcesOf([
    ...['answers without executing', 'answers what was ended', 'answers what failed'],
  ]);
  expect(classes(ledgerOf({ ...sources, answers: 'at-once' }))).toEqual([
    ...['not-executed', 'lost', 'failed'],
  ]);
});

test('ids that nobody sent are named, and those of others are left alone', () => {
  const sources = sourcesOf(['works']);
  const effects = [
    ...(sources.effects ?? []),
    ...[`${RUN}-7-7`, 'ready', 'another-run-0-0'].map((id) => ({ id, step: 'done' as const })),
  ];
  expect(ledgerOf({ ...sources, effects }).unexpected).toEqual([`${RUN}-7-7`]);
});

test('a crash that no request is left for is counted', () => {
  const crashed = {
    loadId: null,
    outcome: 'failed',
    hasCrashed: true,
    isOverwritten: true,
  } as const;
  expect(ledgerOf(withExecutions(sourcesOf(['works']), (all) => [...all, crashed])).nameless).toBe(
    1,
  );
});

test('losses are what n8n took and did not do', () => {
  const { counts } = ledgerOf(sourcesOf(Object.keys(BEHAVIOURS)));
  expect(lossesIn(counts)).toBe(counts.lost + counts['not-executed']);
});

test('what the service outside has written is read line by line, also with half of the last', () => {
  expect(readEffects('begun a-1 1700\ndone a-1\nnoise\n\nbegun b')).toEqual([
    { step: 'begun', id: 'a-1', atMs: 1700 },
    { step: 'done', id: 'a-1' },
    { step: 'begun', id: 'b' },
  ]);
});

test.each([
  ['begun done begun done', false],
  ['begun done', false],
  ['begun begun done done', true],
  ['begun begun done begun done', null],
  ['begun begun done', null],
  ['begun begun begun done done', true],
  ['begun begun begun done done done', true],
  ['begun done begun begun done done', true],
])('of the calls "%s" it is told whether work ran twice at the same time: %s', (calls, atOnce) => {
  expect(ranAtOnce(calls.split(' ') as Effect['step'][])).toBe(atOnce);
});

describe('a ledger with another rule', () => {
  const file = join(__dirname, '../../../../../cli/src/features/drill/analysis/ledger.ts');
  const source = readFileSync(file, 'utf8');

  /** The ledger with `from` of its source replaced by `to`. */
  function changed(from: string, to: string): typeof ledgerOf {
    if (source.split(from).length !== 2) throw new Error(`the ledger does not have once: ${from}`);
    const { outputText } = transpileModule(source.replace(from, to), {
      compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 },
    });
    const own = {} as { ledgerOf: typeof ledgerOf };
    const load = (name: string): unknown => jest.requireActual(join(dirname(file), name));
    new Function('exports', 'require', outputText)(own, load);
    return own.ledgerOf;
  }

  /** Behaviours that it puts into another class than the true one. */
  const wrongIn = (ledger: typeof ledgerOf): string[] =>
    Object.keys(BEHAVIOURS).filter(
      (name) => classes(ledger(sourcesOf([name])))[0] !== behaviour(name).class,
    );

  test('is none where nothing is changed', () => {
    expect(wrongIn(changed('done > 1', 'done > 1'))).toEqual([]);
  });

  test.each([
    ['work that was done twice is done', 'done > 1 ||', 'done > 2 ||'],
    ['work that was begun twice was begun once', '(effects?.begun ?? 0) > 1', 'false'],
    [
      'what n8n says counts more than the effects',
      'effects?.done ?? endedWell(executions);\n  // Work',
      'endedWell(executions);\n  // Work',
    ],
    [
      'a crash of what was done is not told',
      'effects !== null && isMarkedCrashed',
      'false && isMarkedCrashed',
    ],
    ['a response is nothing', "if (heard === 'expected') return 'once';", ''],
    [
      'an error for what was done is no error',
      "heard === 'error' || heard === 'success' ?",
      'false ?',
    ],
    [
      'another response of success is as good',
      "if (heard === 'success' && !atOnce) return 'not-executed';",
      '',
    ],
    ['what still runs is lost', "executions?.includes('unfinished') === true", 'false'],
    [
      'a caller who was told counts for nothing',
      "const isTold = heard === 'expected' || heard === 'success'",
      'const isTold = false',
    ],
    [
      'an error of a node is a loss',
      "executions?.includes('node failed') === true ? 'failed' : 'lost'",
      "'lost'",
    ],
    [
      'every loss is an error of a node',
      "executions?.includes('node failed') === true ? 'failed' : 'lost'",
      "'failed'",
    ],
    [
      'what was refused is unknown',
      "heard === 'refused' || executions !== null ? 'refused' : 'unknown'",
      "'unknown'",
    ],
    ['an execution is no acceptance', '(executions ?? []).length > 0 ||', ''],
    [
      'a crash is an error like others',
      "if (hasCrashed === true || isOverwritten === true) return 'crashed';",
      '',
    ],
    ['no node fails', "hasFailedNode === true ? 'node failed' : outcome", 'outcome'],
    ['a retry belongs to nobody', "loadId ?? retryFor ?? ''", "loadId ?? ''"],
  ])('is caught: %s', (_, from, to) => {
    expect(wrongIn(changed(from, to))).not.toEqual([]);
  });
});
