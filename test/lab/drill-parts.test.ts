// The table of drills: the parts of its plan against the faults that there are, and the page of what was measured.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { FAULTS } from '../../cli/src/features/drill/faults';
import {
  LEDGER_CLASSES,
  type LedgerClass,
} from '../../cli/src/features/drill/analysis/ledger-class';
import type { DrillLedger, DrillRecord } from '../../cli/src/features/drill/record';
import { topologyOfValues } from '../../cli/src/targets/kubernetes/release/values';
import { sampleDrill } from '../support/sample-drill';
import { dueWithin, steadyPart } from '../../cli/src/features/drill/analysis/phases';
import { codeIn, hashOf } from '../../studies/drills/code';
import * as plan from '../../studies/drills/parts';
import { isCurrent as isCurrentKills } from '../../studies/many-kills/parts';
import { drillTable, type Part as DrilledPart } from '../../lab/generate/studies/drills';
import { restartsIn, seenIn, waysIn } from '../../studies/drills/ledger';

const root = join(__dirname, '../..');

type Counts = Partial<Record<LedgerClass, number>>;
const classesOf = (given: Counts): DrillLedger['classes'] =>
  Object.fromEntries(
    LEDGER_CLASSES.map((name) => [name, { requests: given[name] ?? 0, ids: [] }]),
  ) as unknown as DrillLedger['classes'];

interface Part {
  fault: string;
  target: 'process' | 'kubernetes';
  configuration: string;
  repeat: number;
  name: string;
  loadSeconds: number;
  seconds: number;
}

describe('the parts', () => {
  const parts = plan.PARTS as unknown as Part[];
  const commands: string[][] = plan.PARTS.map((part) =>
    plan.commandOf(part, { root: '/here', out: 'out', isShort: false }),
  );

  test('have every fault on every target that can make it, and no other', () => {
    const can = FAULTS.flatMap(({ name, notOn }) =>
      (['process', 'kubernetes'] as const)
        .filter((target) => notOn?.[target] === undefined)
        .map((target) => `${name} ${target}`),
    );
    expect([...new Set(parts.map(({ fault, target }) => `${fault} ${target}`))].sort()).toEqual(
      can.sort(),
    );
  });

  test('are named once each, as often as a count needs, and none takes more than 35 minutes', () => {
    expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
    expect(parts.filter(({ repeat }) => repeat === 1)).toHaveLength(parts.length / 3);
    expect(Math.max(...parts.map(({ seconds }) => seconds))).toBeLessThan(35 * 60);
    expect(parts[0]?.name).toBe('kill-worker-process-as-it-comes-1');
  });

  test('say how long a fault lasts where it does, and only there', () => {
    for (const [index, { fault }] of parts.entries()) {
      const lasts = FAULTS.find(({ name }) => name === fault)?.defaultSeconds ?? 0;
      const isRepeated = commands[index]?.includes('--every') === true;
      expect([fault, commands[index]?.includes('--for')]).toEqual([fault, lasts > 0 || isRepeated]);
    }
  });

  test('have ten moments beside recovery of each fault of the database, and of faults of a worker, each over before the next', () => {
    const repeated = parts.flatMap(({ fault, target, configuration, name }, index) => {
      const words = commands[index] ?? [];
      const numberOf = (option: string): number =>
        Number.parseInt(words[words.indexOf(option) + 1] ?? '', 10);
      const times = { every: numberOf('--every'), lasts: numberOf('--for') };
      return words.includes('--every') ? [{ fault, target, configuration, name, ...times }] : [];
    });
    expect([...new Set(repeated.map(({ configuration }) => configuration))]).toEqual(['recovery']);
    const ofDatabase = [
      ...['full-disk', 'postgres-connections-used-up', 'restart-postgres', 'stop-postgres'],
    ];
    const inPods = ['cut-worker', 'kill-runner', 'kill-worker', 'oom-worker', 'stall-worker'];
    const faultsOn = (on: string): string[] =>
      [...new Set(repeated.flatMap(({ fault, target }) => (target === on ? [fault] : [])))].sort();
    expect(faultsOn('process')).toEqual([...ofDatabase, 'redis-half-open'].sort());
    expect(faultsOn('kubernetes')).toEqual([...ofDatabase, ...inPods].sort());
    for (const { fault, every, lasts } of repeated) {
      expect([fault, lasts / every]).toEqual([fault, plan.MOMENTS]);
      const turn = FAULTS.find(({ name }) => name === fault)?.defaultSeconds ?? Infinity;
      expect(every).toBeGreaterThanOrEqual(turn + 40);
    }
  });

  describe('are needed', () => {
    type Kept = ReturnType<Parameters<typeof plan.isNeeded>[1]>;
    const record = (counts: Counts): Kept =>
      ({ drill: { ledger: { classes: classesOf({ once: 100, ...counts }) } } }) as Kept;
    /** Those of the named parts that are needed once there are these records. */
    const needed = (names: string[], records: Record<string, Kept> = {}): string[] =>
      plan.PARTS.filter((part) => names.includes(part.name))
        .filter((part) => plan.isNeeded(part, (name: string) => records[name]))
        .map(({ name }) => name);
    const all = (fault: string, target = 'process'): string[] =>
      parts.filter((part) => part.fault === fault && part.target === target).map((p) => p.name);

    test('three times where a fault can lose something, whatever its first drill has lost', () => {
      const names = all('stall-worker');
      expect(names).toHaveLength(9);
      const withoutRecovery = names.filter((name) => !name.includes('-recovery-'));
      const nothingLost = { 'stall-worker-process-defaults-1': record({ refused: 9 }) };
      expect(needed(withoutRecovery)).toEqual(withoutRecovery);
      expect(needed(withoutRecovery, nothingLost)).toEqual(withoutRecovery);
    });

    test.each([
      ['nothing is known', {}, 1],
      ['n8n as it comes has lost something', { 'as-it-comes': { lost: 3 } }, 1],
      [
        'the defaults have only refused something',
        { defaults: { refused: 3, 'no-response': 2 } },
        1,
      ],
      ['the defaults have lost something', { defaults: { lost: 3 } }, 3],
      ['recovery has left something undone', { recovery: { running: 1 } }, 3],
    ] as [string, Record<string, Counts>, number][])(
      'with recovery, when %s',
      (_, counts, times) => {
        const records = Object.fromEntries(
          Object.entries(counts).map(([name, of]) => [
            `stall-worker-process-${name}-1`,
            record(of),
          ]),
        );
        const names = all('stall-worker').filter((name) => name.includes('-recovery-'));
        expect(needed(names, records)).toEqual(names.slice(0, times));
        const elsewhere = all('stall-worker', 'kubernetes').filter((n) => n.includes('-recovery-'));
        expect(needed(elsewhere, records)).toHaveLength(1);
      },
    );

    test('once, on processes, where the pods add nothing, whatever was lost', () => {
      const names = [...all('cut-main'), ...all('dns-failure'), ...all('cut-main', 'kubernetes')];
      const lost = { 'cut-main-process-defaults-1': record({ lost: 3 }) };
      const once = names.filter((name) => name.includes('process') && name.endsWith('-1'));
      expect(once).toHaveLength(6);
      expect(needed(names)).toEqual(once);
      expect(needed(names, lost)).toEqual(once);
    });

    test('three times beside recovery where the database fails, whatever was lost', () => {
      for (const fault of [
        ...['restart-postgres', 'stop-postgres', 'postgres-connections-used-up', 'full-disk'],
      ]) {
        const names = all(fault).filter((name) => name.includes('-recovery-'));
        expect([names.length, needed(names)]).toEqual([3, names]);
      }
    });

    test('once beside recovery where one drill has ten moments of a fault of a worker, whatever was lost', () => {
      const lost = { 'kill-worker-kubernetes-defaults-1': record({ lost: 3 }) };
      const recovering = (target: string): string[] =>
        all('kill-worker', target).filter((name) => name.includes('-recovery-'));
      expect(needed(recovering('kubernetes'), lost)).toEqual(['kill-worker-kubernetes-recovery-1']);
      const onProcesses = { 'kill-worker-process-defaults-1': record({ lost: 3 }) };
      expect(needed(recovering('process'), onProcesses)).toHaveLength(3);
    });

    test('once in each configuration where a fault should lose nothing', () => {
      const once = ['as-it-comes', 'defaults', 'recovery'].map(
        (name) => `restart-redis-process-${name}-1`,
      );
      const names = all('restart-redis');
      expect(needed(names)).toEqual(once);
      const refused = record({ refused: 9, 'error-but-done': 1, 'no-response': 3 });
      expect(needed(names, { 'restart-redis-process-defaults-1': refused })).toEqual(once);
    });

    test.each(['lost', 'not-executed', 'repeated', 'unknown', 'running'])(
      'all of it once one of its drills on that target had a request that was %s',
      (name) => {
        const names = all('restart-redis');
        const of = (configuration: string): Record<string, Kept> => ({
          [`restart-redis-process-${configuration}-1`]: record({ [name]: 1 }),
        });
        expect(needed(names, of('defaults'))).toEqual(names);
        const laterRecovery = /-recovery-[23]$/;
        expect(needed(names, of('as-it-comes'))).toEqual(
          names.filter((one) => !laterRecovery.test(one)),
        );
        expect(needed(names, of('recovery'))).toEqual(
          names.filter((one) => one.endsWith('-1') || laterRecovery.test(one)),
        );
        expect(needed(all('restart-redis', 'kubernetes'), of('defaults'))).toHaveLength(3);
      },
    );

    test('harmless are those that operators do on purpose, and those that only make it slow', () => {
      expect([...plan.HARMLESS].sort()).toEqual(
        FAULTS.filter(({ name, kind }) => kind === 'planned' || /^(slow-|burst)/.test(name))
          .map(({ name }) => name)
          .sort(),
      );
    });
  });

  test('of faults of main have no webhook processors, so that main takes the requests', () => {
    for (const [index, { fault, target }] of parts.entries()) {
      const words = commands[index] ?? [];
      const isMain = /-main\b/.test(fault);
      expect(words.includes('--webhooks')).toBe(target === 'process' && !isMain);
      const isWithout = words.some((word) => word.endsWith('main-answers.yaml'));
      expect([fault, isWithout]).toEqual([fault, target === 'kubernetes' && isMain]);
    }
    const files = ['main-answers', 'defaults', 'shared-node'].map((name) => ({
      ...{ name, text: readFileSync(join(root, `studies/drills/${name}.yaml`), 'utf8') },
    }));
    const own = parts.findIndex(({ name }) => name === 'kill-main-kubernetes-defaults-1');
    const given = (commands[own] ?? []).flatMap((word) => /([\w-]+)\.yaml$/.exec(word)?.[1] ?? []);
    // The last one counts.
    const inOrder = given.map((name) => files.find((file) => file.name === name) ?? files[0]);
    expect(topologyOfValues(inOrder as typeof files).webhooks.count).toBe(0);
  });

  test('are measured again where webhook processors took the requests and main was hit', () => {
    const topology = (count: number): object => ({ webhooks: { count } });
    const vain = (fault: string, count: number): boolean =>
      plan.hadNothingAtRisk({ fault, drill: { topology: topology(count) as never } });
    expect([vain('kill-main', 2), vain('kill-main', 0), vain('kill-webhook', 2)]).toEqual([
      ...[true, false, false],
    ]);
    const name = 'kill-main-process-defaults-1';
    const command = (commands[parts.findIndex((part) => part.name === name)] ?? []).map((word) =>
      word.replaceAll('/here', '.'),
    );
    const isCurrent = (count: number): boolean =>
      plan.isCurrent({ name, drill: { command, topology: topology(count) as never } });
    expect([isCurrent(0), isCurrent(2)]).toEqual([true, false]);
  });

  test('whose point is the fence beside recovery keep a worker away until a retry has begun, on processes', () => {
    const wordsOf = (name: string): string =>
      (commands[parts.findIndex((one) => one.name === name)] ?? []).join(' ');
    for (const fault of ['stall-worker', 'cut-worker']) {
      expect(wordsOf(`${fault}-process-recovery-1`)).toContain('--for 240s');
      expect(wordsOf(`${fault}-process-defaults-1`)).toContain('--for 75s');
      expect(wordsOf(`${fault}-kubernetes-recovery-1`)).toContain('--for 1500s --every 150s');
    }
    expect(wordsOf('cut-worker-process-recovery-1')).toContain('--param ms=270000');
  });

  test('are measured again once n8n gets other variables', () => {
    const [name, other] = ['kill-main-process-defaults-1', 'kill-main-process-as-it-comes-1'];
    const isCurrent = (of: string, command: string[]): boolean =>
      plan.isCurrent({ name: of, drill: { command } });
    const command = (of: string): string[] =>
      (commands[parts.findIndex((part) => part.name === of)] ?? []).map((word) =>
        word.replaceAll('/here', '.'),
      );
    expect(isCurrent(name, command(name))).toBe(true);
    expect(isCurrent(other, command(other))).toBe(true);
    expect(isCurrent(name, command(other))).toBe(false);
    const longer = command(name).map((word) => word.replace(/(_GUARD_SECONDS)=.*/, '$1=90'));
    expect(isCurrent(name, longer)).toBe(false);
  });

  test('are not measured again because a record shows no value that could hold a secret', () => {
    const name = 'kill-main-process-defaults-1';
    const isCurrentWith = (variable: string): boolean => {
      const command = (commands[parts.findIndex((part) => part.name === name)] ?? []).map((word) =>
        word.replace(/^NODE_OPTIONS=.*/, variable).replaceAll('/here', '.'),
      );
      return plan.isCurrent({ name, drill: { command } });
    };
    expect(isCurrentWith('NODE_OPTIONS=***')).toBe(true);
    expect(isCurrentWith('NODE_OPTIONS_X=***')).toBe(false);
  });

  test('are measured again beside recovery where workers did not yet store later, or with fewer moments', () => {
    const isCurrent = (name: string, startedAt: string, without = ''): boolean => {
      const command = (commands[parts.findIndex((part) => part.name === name)] ?? [])
        .map((word) => word.replaceAll('/here', '.'))
        .filter((word, index, all) => without === '' || ![word, all[index - 1]].includes(without));
      return plan.isCurrent({ name, drill: { command, startedAt } });
    };
    const last = Math.max(...plan.LATER_SCRIPTS.map(({ since }) => Date.parse(since)));
    const [before, after] = [-60_000, 60_000].map((ms) => new Date(last + ms).toISOString()) as [
      string,
      string,
    ];
    const of = (configuration: string): string => `stop-postgres-process-${configuration}-1`;
    expect(isCurrent(of('recovery'), before)).toBe(false);
    expect(isCurrent(of('recovery'), after)).toBe(true);
    expect(isCurrent(of('recovery'), after, '--every')).toBe(false);
    expect(isCurrent(of('defaults'), before)).toBe(true);
  });

  test('are measured again beside recovery once the code of now is another than the recorded one, whatever the date', () => {
    const name = 'kill-worker-process-recovery-1';
    const command = (commands[parts.findIndex((part) => part.name === name)] ?? []).map((word) =>
      word.replaceAll('/here', '.'),
    );
    const now = codeIn(root);
    const isCurrent = (code: typeof now, startedAt = '2026-11-24T00:00:00Z'): boolean =>
      plan.isCurrent({ name, code, drill: { command, startedAt } });
    expect(isCurrent(now)).toBe(true);
    expect(isCurrent({ ...now, recovery: 'other' }, '2027-01-01T00:00:00Z')).toBe(false);
    const scripts = { ...now.scripts, 'running-work': 'other' };
    expect(isCurrent({ ...now, scripts }, '2027-01-01T00:00:00Z')).toBe(false);
    expect(isCurrentKills({ code: now, drill: {} })).toBe(true);
    expect(isCurrentKills({ drill: { startedAt: '2026-11-26T03:29:59Z' } })).toBe(false);
  });

  test('are not measured again because a comment of that code is another', () => {
    expect(hashOf(['// One.\nconst a = 1;\n'])).toBe(hashOf(['/* Two. */ const a  = 1;']));
    expect(hashOf(['const a = 1;'])).not.toBe(hashOf(['const a = 2;']));
  });

  test('judge their steady phase by requests that end before the fault begins', () => {
    for (const [index, { name }] of parts.entries()) {
      const words = commands[index] ?? [];
      const valueOf = (option: string): number =>
        Number.parseFloat((words[words.indexOf(option) + 1] ?? '').replace('ms=', ''));
      const [rate, workMs] = [valueOf('--rate'), valueOf('--param')];
      const [warmupMs, steadyMs] = [1000 * valueOf('--warmup'), 1000 * valueOf('--steady')];
      const faultMs = warmupMs + steadyMs;
      // Work is that slow beside other drills.
      const durationMs = 1.1 * workMs + 100;
      const requests = Array.from({ length: Math.floor((faultMs / 1000) * rate) }, (_, turn) => ({
        ...{ tMs: (turn * 1000) / rate, durationMs, status: 200, ok: true, errorKind: '' },
        ...{ id: String(turn), workload: 'side-effect', ranBy: '' },
      }));
      const judged = dueWithin(requests, steadyPart(requests, warmupMs, faultMs));
      const late = judged.filter(({ tMs }) => tMs + durationMs >= faultMs).length;
      expect([name, late, judged.length >= 10]).toEqual([name, 0, true]);
    }
  });

  test('are measured again where it is unknown what became of some requests, whatever else was broken', () => {
    const { record } = sampleDrill();
    const drill = (unknown: number, executions: string | null): typeof record => ({
      ...record,
      ledger: {
        ...record.ledger,
        classes: classesOf({ unknown }),
        sources: { ...record.ledger.sources, executions },
      },
    });
    const isUnread = (...given: Parameters<typeof drill>): boolean =>
      plan.isUnread({ drill: drill(...given) });
    expect([isUnread(27, null), isUnread(0, null), isUnread(27, 'database')]).toEqual([
      ...[true, false, false],
    ]);
  });

  test('are measured again alone where they broke a promise of a time beside others', () => {
    const isSlowBeside = (
      broken: string[],
      given: { fault?: string; configuration?: string; atOnce?: number; beside?: number },
    ): boolean =>
      plan.isSlowBeside({
        ...{
          fault: 'stop-redis',
          configuration: 'as-it-comes',
          atOnce: undefined,
          beside: undefined,
          ...given,
        },
        drill: {
          verdict: {
            promises: ['lost', 'running', 'recover'].map((metric) => ({
              promise: { metric },
              kept: !broken.includes(metric),
            })),
          },
        },
      });
    expect(isSlowBeside(['recover'], { atOnce: 3 })).toBe(true);
    expect(isSlowBeside(['recover'], { beside: 2 })).toBe(true);
    expect(isSlowBeside(['recover'], {})).toBe(false);
    expect(isSlowBeside(['lost', 'recover'], { atOnce: 3 })).toBe(true);
    expect(isSlowBeside(['lost'], { atOnce: 3 })).toBe(false);
    expect(isSlowBeside([], { atOnce: 3 })).toBe(false);
    // Alone, a worker that is away for so long would break it as well.
    for (const fault of ['stall-worker', 'cut-worker']) {
      const given = { fault, configuration: 'recovery', atOnce: 3 };
      expect([
        isSlowBeside(['recover'], given),
        isSlowBeside(['recover'], { ...given, configuration: 'defaults' }),
      ]).toEqual([false, true]);
    }
    const stuck = { fault: 'redis-half-open', atOnce: 3 };
    expect(isSlowBeside(['running', 'recover'], stuck)).toBe(false);
    expect(isSlowBeside(['recover'], { ...stuck, configuration: 'defaults' })).toBe(true);
  });

  test('have the machine for themselves in pods where others beside them failed', () => {
    const alone = plan.PARTS.filter(plan.isAlone).map(({ name }) => name);
    const isAlone = (name: string): boolean => alone.includes(`${name}-defaults-1`);
    expect(isAlone('oom-worker-kubernetes')).toBe(true);
    expect(isAlone('oom-worker-process')).toBe(false);
    expect(isAlone('stop-redis-kubernetes')).toBe(false);
    expect(isAlone('drain-node-kubernetes')).toBe(true);
  });

  test('have controls in every configuration on each target', () => {
    const controlled = parts.filter((_, index) => !commands[index]?.includes('--no-control'));
    expect(new Set(controlled.map(({ fault }) => fault))).toEqual(new Set(['kill-worker']));
    expect(controlled.map(({ target, configuration }) => `${target} ${configuration}`)).toEqual(
      parts
        .filter(({ fault }) => fault === 'kill-worker')
        .filter(
          ({ target, configuration }) => `${target} ${configuration}` !== 'kubernetes recovery',
        )
        .map(({ target, configuration }) => `${target} ${configuration}`),
    );
    const [both, one] = ['kill-worker', 'kill-webhook'].map(
      (name) => parts.find(({ fault }) => fault === name)?.loadSeconds ?? 0,
    );
    expect(both).toBeGreaterThan(2 * (one ?? 0));
  });

  test('load what the chart loads and the target does not, in all but n8n as it comes', () => {
    for (const [index, { target, configuration }] of parts.entries()) {
      const words = commands[index] ?? [];
      const hasGuard = words.some((word) => word.endsWith('worker-guard.cjs'));
      expect(hasGuard).toBe(target === 'process' && configuration !== 'as-it-comes');
      expect(words.includes('--recover')).toBe(configuration === 'recovery');
    }
  });

  test('n8n as it comes is laid out alike in the pods of the chart, and loads no patch of behaviour', () => {
    const textOf = (name: string): string =>
      readFileSync(join(root, `studies/drills/${name}.yaml`), 'utf8');
    for (const name of ['as-it-comes', 'defaults']) {
      const files = [name, 'shared-node'].map((one) => ({ name: one, text: textOf(one) }));
      const { workers, webhooks, mode } = topologyOfValues(files);
      expect([mode, workers.count, webhooks.count]).toEqual(['queue', 2, 2]);
    }
    const text = textOf('as-it-comes');
    const { tuning, worker } = parse(text) as {
      tuning: Record<string, unknown>;
      worker: { guardSeconds: number };
    };
    const patches = [
      'lazyCharacterMap',
      'warmExpressions',
      'zoneOnce',
      'sessionOnce',
      'readOnce',
      'keepStalled',
      'requeueLost',
    ];
    const loaded = [...patches, 'finishJobs'].filter((name) => tuning[name] !== false);
    expect([loaded, worker.guardSeconds]).toEqual([[], 0]);
  });
});

test('pods that share a node ask for less, and have the limits of the chart', () => {
  interface Resources {
    resources: { limits: object };
  }
  const limitsIn = (text: string): object[] => {
    const { main, worker, webhook, database, redis } = parse(text) as Record<
      'main' | 'worker' | 'webhook',
      Resources
    > &
      Record<'database' | 'redis', { own: Resources }>;
    return [main, worker, webhook, database.own, redis.own].map(
      ({ resources }) => resources.limits,
    );
  };
  // If the chart decides by itself, its value stands in a comment.
  const chart = readFileSync(join(root, 'charts/n8n-tuned/values.yaml'), 'utf8').replaceAll(
    /resources: \{\} # default: (\{.*\})$/gm,
    'resources: $1',
  );
  const shared = readFileSync(join(root, 'studies/drills/shared-node.yaml'), 'utf8');
  expect(limitsIn(shared)).toEqual(limitsIn(chart));
});

describe('the table', () => {
  const { record } = sampleDrill();
  const page = (records: object[]): string => drillTable(records as DrilledPart[]);
  const part = (drill: DrillRecord, repeat: number, configuration = 'defaults'): object => ({
    ...{ fault: 'kill-worker', target: 'process', configuration, repeat, drill, doneTwice: 0 },
    path: `studies/drills/results/parts/${String(repeat)}.json`,
  });
  const { ledger } = record;
  const without: DrillRecord = {
    ...record,
    ledger: { ...ledger, lost: 0 },
    verdict: { ...record.verdict, outcome: 'pass', promises: [] },
  };

  test('adds repeats up', () => {
    const text = page([part(record, 1), part(without, 2)]);
    expect(ledger.lost).toBeGreaterThan(0);
    expect(text).toContain(`| fault | n8n as it comes | the chart's defaults |`);
    expect(text).toContain(
      `| kill-worker | - | ${String(ledger.lost)} of ${String(2 * ledger.exposed)}; 1/2; `,
    );
  });

  const clean: DrillRecord = {
    ...without,
    ledger: { ...without.ledger, classes: classesOf({ once: ledger.sent }) },
  };

  test('says how many drills are missing: more of a fault once it has lost something', () => {
    const missing = (fault: string, drill: DrillRecord): number => {
      const name = `${fault}-process-defaults-1`;
      const text = page([{ ...part(drill, 1), fault, name }]);
      return Number(/(\d+) have not been measured yet/.exec(text)?.[1]);
    };
    // Two more with recovery.
    expect(missing('kill-worker', record) - missing('kill-worker', clean)).toBe(2);
    // Two more in each configuration.
    expect(missing('scale-in', record) - missing('scale-in', clean)).toBe(6);
  });

  test('names a fault without a row where no configuration differs, with when the SLO was met again', () => {
    const quiet = page([part(without, 1, 'as-it-comes'), part(without, 2)]);
    expect(quiet).not.toContain('| kill-worker |');
    expect(quiet).toMatch(/in each configuration that was drilled:\n\n- kill-worker$/m);
    const late = {
      ...without,
      figures: without.figures && { ...without.figures, recoverSeconds: 99 },
    };
    for (const more of [
      part(late, 2),
      { ...part(without, 2), doneTwice: 1 },
      part({ ...without, ledger: { ...without.ledger, lost: 1 } }, 2),
    ]) {
      expect(page([part(without, 1, 'as-it-comes'), more])).toContain('| kill-worker |');
    }
  });

  test('says where requests are still running, or unknown to every source', () => {
    const open = (counts: Counts, executions: string | null = null): DrillRecord => ({
      ...without,
      ledger: {
        ...without.ledger,
        sources: { ...without.ledger.sources, executions },
        classes: classesOf(counts),
      },
    });
    const text = page([part(open({ running: 3 }), 1), part(open({ unknown: 2 }), 2)]);
    const all = String(2 * ledger.exposed);
    expect(text).toContain(`| 0 of ${all} (3 still running, 2 unknown); `);
    // With n8n as a source it is known that these were never accepted.
    expect(page([part(open({ unknown: 2 }, 'database'), 1)])).not.toContain('unknown)');
  });

  test('says what its SLO is', () => {
    expect(page([part(record, 1)])).toContain('The SLO is `errors<1%` and `p95<6s`.');
  });

  test('says how many drills were not alone', () => {
    expect(page([part(record, 1)])).not.toContain('shared the machine');
    const text = page([part(record, 1), { ...part(without, 2), atOnce: 3 }]);
    expect(text).toContain('1 shared the machine with up to 2 others, so times may be longer');
  });

  test('says what was done twice and which due times of a schedule were missed', () => {
    const [schedule] = [{ due: 9, once: 7, never: { times: 2 }, repeated: { times: 0 } }];
    const text = page([
      { ...part({ ...without, schedule } as unknown as DrillRecord, 1), doneTwice: 3 },
    ]);
    expect(text).toMatch(/; [\d.]+ s; 3 done twice; 2 due times missed/);
  });

  test('says in how many faults any was lost, and what three without a loss do not rule out', () => {
    const text = page([part(without, 1, 'as-it-comes'), part(record, 1), part(without, 2)]);
    expect(text).toMatch(/\| 0 of \d+; 0\/1; [\d.]+ s \| .*; 1\/2; /);
    expect(text).toContain(
      'none lost still allows 63.2% of such faults to lose some (95% confidence)',
    );
    const idle = { tMs: 1, name: 'worker-1', executions: 0 };
    const spared = { ...without, fault: { ...without.fault, victims: [idle] } };
    expect(page([part(spared, 1), part(record, 2)])).toContain('; 1/1; ');
  });

  test('says what is left out, and which drills did not record whether their victim was busy', () => {
    const fault = { ...without.fault };
    delete fault.victims;
    const silent = { ...without, fault };
    const vain = [{ ...part(without, 1), fault: 'kill-main' }] as DrilledPart[];
    const text = drillTable([part(silent, 1), part(without, 2)] as DrilledPart[], { vain });
    expect(text).toContain('1 drill is left out, because nothing was at risk.');
    expect(text).toContain('1 drill did not record whether their victim was busy.');
    expect(page([part(without, 1)])).not.toMatch(/left out, because|whether their victim was busy/);
  });

  test('marks drills of earlier defaults, which count as not measured', () => {
    const name = 'kill-worker-process-defaults-1';
    const missing = (isOutdated: boolean): number => {
      const text = page([{ ...part(clean, 1), name, isOutdated }]);
      expect(text).toMatch(isOutdated ? /- kill-worker†/ : /- kill-worker$/m);
      expect(text.includes('1 drill, marked with †')).toBe(isOutdated);
      return Number(/(\d+) have not been measured yet/.exec(text)?.[1]);
    };
    expect(missing(true) - missing(false)).toBe(1);
  });

  test('takes from a ledger which work was done twice, and when what was lost was due', () => {
    const csv = [
      'tMs,id,class,heard,executions,begun,done',
      ...['5100,a,once,expected,succeeded,1,1', '5200,b,lost,error,failed,1,0'],
      ...['5250,c,repeated,error,crashed + succeeded,2,2', '5300,d,not-executed,success,,0,0'],
      ...['5260,e,repeated,error,crashed + succeeded,2,1', '5270,f,lost,nothing,crashed,0,0'],
      // Not begun: it may have waited for its worker, or reached none before the fault.
      ...['3240,g,lost,error,crashed,0,0', '3260,h,lost,error,crashed,0,0'],
      // Due while the fault was being made, and only then.
      ...['5255,i,lost,error,crashed,0,0', '5256,j,once,expected,succeeded,1,1'],
    ].join('\n');
    expect(seenIn(`${csv}\n`, { faultMs: 5250, madeMs: 5260 })).toEqual({
      doneTwice: 1,
      lostDue: { before: 2, during: 1, after: 3 },
    });
  });

  test('takes from the ledger of a repeated fault each other way of a request, and when it was due', () => {
    const csv = [
      'tMs,id,class,heard,executions,begun,done',
      ...['900,a,once,expected,succeeded,1,1', '950,b,repeated,error,failed + succeeded,2,1'],
      ...['2400,c,repeated,error,failed + succeeded,2,1', '2450,d,error-but-done,error,failed,1,1'],
      '3200,e,refused,error,,0,0',
    ].join('\n');
    expect(waysIn(`${csv}\n`, [1000, 2000, 3000])).toEqual([
      {
        ...{ class: 'repeated', executions: 'failed + succeeded', begun: '2', done: '1' },
        ...{ requests: 2, beforeSeconds: 0.6, afterSeconds: null },
      },
      {
        ...{ class: 'error-but-done', executions: 'failed', begun: '1', done: '1' },
        ...{ requests: 1, beforeSeconds: 0.6, afterSeconds: 0.5 },
      },
      {
        ...{ class: 'refused', executions: '', begun: '0', done: '0' },
        ...{ requests: 1, beforeSeconds: null, afterSeconds: 0.2 },
      },
    ]);
  });

  test('takes from a run what ended and was started again', () => {
    const events = [
      { tMs: 100, kind: 'sampler', text: 'sampler queue: no answer' },
      { tMs: 460, kind: 'exit', text: 'worker-1 ended: signal SIGKILL', inFlight: 3 },
      { tMs: 1210, kind: 'restart', text: 'worker-1 was started again', inFlight: 0 },
    ];
    expect(restartsIn({ events }, 250)).toEqual([
      { afterSeconds: 0.2, text: 'worker-1 ended: signal SIGKILL' },
      { afterSeconds: 1, text: 'worker-1 was started again' },
    ]);
  });

  test('names in each configuration only records that are there', () => {
    const text = readFileSync(join(root, 'studies/drills/README.md'), 'utf8');
    const named = [...text.matchAll(/\]\((results\/[^)]+)\)/g)];
    for (const [, path = ''] of named)
      expect([path, existsSync(join(root, path))]).toEqual([path, true]);
  });
});
