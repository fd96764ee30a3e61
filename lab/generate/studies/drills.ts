// What was lost in drills: each fault in each configuration, over its repeats; very many requests while a worker is killed
// again and again; and the settings that decide it.
import { parse } from 'yaml';
import {
  CONFIGURATIONS,
  FAULTS,
  FULL,
  hadNothingAtRisk,
  HARMLESS,
  isCurrent,
  isNeeded,
  isOfDatabase,
  isSlowBeside,
  LATER_SCRIPTS,
  PARTS,
  REPEATS,
} from '../../../studies/drills/parts';
import { PARTS as SETTING_PARTS, SETTINGS } from '../../../studies/drill-settings/parts';
import {
  LEDGER_WORDS,
  type LedgerClass,
} from '../../../cli/src/features/drill/analysis/ledger-class';
import { boundAfterNone } from '../../../cli/src/features/drill/analysis/ledger-summary';
import { faultsAtRisk } from '../../../cli/src/features/drill/analysis/verdict';
import type { DrillLedger, DrillRecord } from '../../../cli/src/features/drill/record';
import { counted } from '../../../cli/src/ui/numbers';
import { hrefOf, listed, number, read, seconds, share, tableOf } from '../records';
import type { StudyPage } from '../study-page';
import { distinct, grouped, partsOf, sum } from '../sweeps';
import { causesOf, type LostDue } from './drill-causes';

type Configuration = keyof typeof CONFIGURATIONS;
interface Kept {
  name: string;
  path: string;
  fault: string;
  drill: DrillRecord;
  doneTwice: number;
  restarts?: { text: string }[];
  lostDue?: { before: number; during?: number; after: number };
  atOnce?: number;
  beside?: number;
}
export interface Part extends Kept {
  target: 'process' | 'kubernetes';
  configuration: Configuration;
  isOutdated?: boolean;
}

/** The names that the report of a drill uses; what was executed once is not told. */
const classes = (Object.keys(LEDGER_WORDS) as LedgerClass[]).filter((name) => name !== 'once');
const wordOf = (name: LedgerClass): string => LEDGER_WORDS[name].title;

/** Drills that were recorded without a class have none in it. */
const requestsIn = (
  { classes: counts }: { classes: Partial<DrillLedger['classes']> },
  name: LedgerClass,
): number => counts[name]?.requests ?? 0;

const perDrill = (values: readonly number[]): string => {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (values.length === 1) return '';
  return ` (${min === max ? number(min) : `${number(min)} to ${number(max)}`} per drill)`;
};

/**
 * What may still be lost, or be lost already: with it, nothing bounds what is. Of a request without a response that no source
 * knows, n8n's own executions tell that it was never accepted.
 */
const OPEN: LedgerClass[] = ['running', 'unknown'];
type Ledger = Pick<DrillLedger, 'classes' | 'sources' | 'lost' | 'exposed'>;

function lostOf(ledgers: readonly Ledger[]): string {
  const lost = ledgers.map((ledger) => ledger.lost);
  const exposed = sum(ledgers.map((ledger) => ledger.exposed));
  if (exposed === 0) return '-';
  const open = openIn(ledgers);
  const told = `${number(sum(lost))} of ${number(exposed)}${sum(lost) === 0 ? '' : perDrill(lost)}`;
  return open.length > 0 ? `${told}, and of others it is not known (${open.join(', ')})` : told;
}

const openIn = (ledgers: readonly Ledger[]): string[] =>
  OPEN.flatMap((name) => {
    const requests = sum(
      ledgers
        .filter(({ sources }) => name !== 'unknown' || sources.executions === null)
        .map((ledger) => ledger.classes[name].requests),
    );
    return requests === 0 ? [] : [`${number(requests)} ${wordOf(name)}`];
  });

const othersIn = (ledgers: readonly Pick<Ledger, 'classes'>[]): string[] =>
  classes.flatMap((name) => {
    const counts = ledgers.map((ledger) => requestsIn(ledger, name));
    return sum(counts) === 0 ? [] : [`${number(sum(counts))} ${wordOf(name)}${perDrill(counts)}`];
  });

function othersOf(drills: readonly Kept[]): string {
  const twice = sum(drills.map(({ doneTwice }) => doneTwice));
  const schedules = drills.flatMap(({ drill }) => drill.schedule ?? []);
  const due = (countOf: (schedule: (typeof schedules)[number]) => number): string =>
    number(sum(schedules.map(countOf)));
  return (
    [
      ...othersIn(drills.map(({ drill }) => drill.ledger)),
      ...(schedules.length === 0
        ? []
        : [
            `of ${due((one) => one.due)} due times of the schedule, ${due(({ once }) => once)} executed once, ${due(({ never }) => never.times)} never, ${due(({ repeated }) => repeated.times)} more than once`,
          ]),
      ...(twice === 0 ? [] : [`${number(twice)} of those executed more than once completed twice`]),
    ].join('; ') || 'none'
  );
}

/** When the SLO was met again; drills in which it was not are counted. */
function recoveredAfter(drills: readonly Kept[]): string {
  const times = drills.map(({ drill }) => drill.figures?.recoverSeconds ?? null);
  const known = times.filter((time) => time !== null);
  if (known.length === 0) return 'not within the drill';
  const [from, to] = [Math.min(...known), Math.max(...known)].map(number);
  const missing = times.length - known.length;
  const range = from === to ? `${from ?? ''} s` : `${from ?? ''} to ${to ?? ''} s`;
  return missing === 0
    ? range
    : `${range}; not within the drill in ${number(missing)} drill${missing === 1 ? '' : 's'}`;
}

const linksOf = (drills: readonly (Kept & { isOutdated?: boolean })[]): string =>
  drills
    .map(
      ({ path, atOnce, isOutdated = false }, index) =>
        `[${number(index + 1)}](${hrefOf(path)})${atOnce === undefined ? '' : '\\*'}${isOutdated ? '†' : ''}`,
    )
    .join(' ');

/** Says how much of what recovery ran again had been finished before, at most. */
function repeatedBy(drills: readonly Kept[]): string {
  const recovered = drills.filter(({ drill }) => drill.recovery !== undefined);
  if (recovered.length === 0) return '-';
  const retries = sum(
    recovered.flatMap(({ drill }) => Object.values<number>(drill.recovery?.attempts ?? {})),
  );
  const twice = sum(recovered.map(({ doneTwice }) => doneTwice));
  return retries === 0 && twice === 0 ? 'no retry' : `${number(twice)} / ${number(retries)}`;
}

/** Requests of one fault are lost together: how many of the faults lost any, and what none of so few rules out. */
function faultsOf(drills: readonly Kept[]): string {
  const faults = sum(drills.map(({ drill }) => faultsAtRisk(drill.fault)));
  const losing = drills.filter(({ drill }) => drill.ledger.lost > 0);
  if (losing.length === 0) {
    const isKnown = openIn(drills.map(({ drill }) => drill.ledger)).length === 0;
    return `0 of ${number(faults)}${isKnown ? `: at most ${share(boundAfterNone(faults))}` : ''}`;
  }
  const isRepeated = losing.some(({ drill }) => faultsAtRisk(drill.fault) > 1);
  return `${isRepeated ? 'at least ' : ''}${number(losing.length)} of ${number(faults)}`;
}

const LOSING = 'faults that lost any (95% confidence)';
const RECOVERED = 'met the SLO again after';
const REPEATED = 'retries that repeated finished work / retries';

const OUTCOME = {
  'lost, of those exposed': ({ drills }: { drills: Kept[] }) =>
    lostOf(drills.map(({ drill }) => drill.ledger)),
  [LOSING]: ({ drills }: { drills: Kept[] }) => faultsOf(drills),
  'every other class': ({ drills }: { drills: Kept[] }) => othersOf(drills),
  [RECOVERED]: ({ drills }: { drills: Kept[] }) => recoveredAfter(drills),
  drills: ({ drills }: { drills: Kept[] }) => linksOf(drills),
};

const keptDrills = (): Part[] =>
  partsOf<Part>('drills').filter(
    (record) => !isSlowBeside({ atOnce: undefined, beside: undefined, ...record }),
  );

export const measuredDrills = (): Part[] =>
  keptDrills()
    .filter((record) => !hadNothingAtRisk(record))
    .map((record) => ({ ...record, isOutdated: !isCurrent(record) }));

interface Group extends Pick<Part, 'fault' | 'target' | 'configuration'> {
  drills: Part[];
}

/** Those of one fault on one target in one configuration, in the order of the plan. */
function groupsOf(records: readonly Part[]): Group[] {
  const order = (FAULTS as { name: string }[]).map(({ name }) => name);
  const place = ({ fault, configuration }: Group): number =>
    10 * order.indexOf(fault) + Object.keys(CONFIGURATIONS).indexOf(configuration);
  const keyOf = ({ target, fault, configuration }: Part): string =>
    [target, fault, configuration].join(' ');
  return [...grouped(records, keyOf).values()]
    .flatMap((drills) => (drills[0] === undefined ? [] : [{ ...drills[0], drills }]))
    .toSorted((a, b) => b.target.localeCompare(a.target) || place(a) - place(b));
}

/** All requests of a control count as exposed. */
const controlsOf = (groups: readonly Group[]): Group[] =>
  groups.flatMap((group) => {
    const drills = group.drills.flatMap((part) => {
      const { control, ledger } = part.drill;
      if (control === null) return [];
      const lost = control.classes.lost.requests + control.classes['not-executed'].requests;
      const { sent, classes: own } = control;
      return [
        {
          ...{ ...part, doneTwice: 0 },
          drill: {
            ...{ ...part.drill, figures: null, schedule: [] as never },
            ledger: { ...ledger, sent, classes: own, exposed: sent, lost },
          },
        },
      ];
    });
    return drills.length === 0 ? [] : [{ ...group, fault: NO_FAULT, drills }];
  });
const NO_FAULT = 'no fault';

const isBusyOf = /^(kill|stall|cut|oom)-/;

/** What of the records shows less than it seems to; `vain` are those that are left out. */
function littleShown(records: readonly Part[], vain: readonly Part[]): string {
  const silent = records.filter(
    ({ fault, drill }) => isBusyOf.test(fault) && drill.fault.victims === undefined,
  ).length;
  const left = vain.length;
  return [
    ...(left === 0
      ? []
      : [
          ` ${counted(left, 'drill')} of ${distinct(vain.map(({ fault }) => fault)).join(', ')} ${left === 1 ? 'is' : 'are'} left out: webhook processors took every request, so nothing was at risk on main.`,
        ]),
    ...(silent === 0
      ? []
      : [` ${counted(silent, 'drill')} did not record whether their victim was busy.`]),
  ].join('');
}

export function drillTable(records: readonly Part[], vain: readonly Part[] = []): string {
  const groups = groupsOf(records);
  const first = records[0]?.drill;
  return `## Each fault in three configurations

${toldOf(records)} ${first?.workload.title ?? ''} for ${seconds(Number(first?.workload.latencyFloorMs) / 1000)} at ${number(first?.ratePerSecond)}/s, two workers and two webhook processors; in faults of main, main takes the requests.${littleShown(records, vain)} In \`redis-loses-data\` it
comes at ${number(FULL.rate)}/s and each worker has only ${number(FULL.slots)} slots, so that jobs wait in Redis when it loses them.

- _${CONFIGURATIONS['as-it-comes']}_: without the tuning, the patches and the variables of this kit.
- _${CONFIGURATIONS.defaults}_: with them, the worker guard included. Processes have the chart's variables and scripts, but not what belongs to
  pods. Pods have a memory limit with the heap that follows from it, the pause before the end (\`preStop\`) with its script, and
  probes that restart a container.
- _${CONFIGURATIONS.recovery}_: \`n8n-tuned recover --retry\` beside it. It runs what was lost again from its trigger, or from the node
  whose task runner died, so what had begun is executed more than once. The table says how often its work was completed twice.${recovery(records)}

The SLO, before the fault and after it, is ${first?.slo.map(({ text }) => `\`${text}\``).join(' and ') ?? ''}. The time until the SLO was met again counts from the
fault. It is zero where all requests that were due after the fault met it; those that were open when it came may have failed later.
_Exposed_ are requests that were open when the fault came, or due later. A fault loses its requests together, so a column bounds the share of
faults that lose any: after three faults without a loss, it is ${share(boundAfterNone(3))}. There is no bound if requests were still running
or nothing is known of them. The row _${NO_FAULT}_ is the same load on the same n8n, before the fault.
What each fault was promised to do is in [the promise](docs/drills.md#the-promise).
${shared(records)}${beforeScripts(records)}
${distinct(groups.map(({ target }) => target))
  .map((target) => {
    const own = groups.filter((group) => group.target === target);
    return `### On ${target === 'process' ? 'processes' : 'Kubernetes'}

${tableOf([...controlsOf(own), ...own], {
  fault: ({ fault }) => fault,
  configuration: ({ configuration }) => CONFIGURATIONS[configuration],
  ...OUTCOME,
  [LOSING]: ({ fault, drills }) => (fault === NO_FAULT ? '-' : faultsOf(drills)),
  [REPEATED]: ({ fault, drills }) => (fault === NO_FAULT ? '-' : repeatedBy(drills)),
  [RECOVERED]: ({ fault, drills }) => (fault === NO_FAULT ? '-' : recoveredAfter(drills)),
})}
`;
  })
  .join('\n')}
${failures(groups)}`;
}

/** How much of the plan there is, and what is not in it. */
function toldOf(records: readonly Part[]): string {
  const byName = new Map(
    records.filter(({ isOutdated }) => isOutdated !== true).map((record) => [record.name, record]),
  );
  const left = (PARTS as { name: string }[]).filter(
    (part) => !byName.has(part.name) && isNeeded(part as never, (name: string) => byName.get(name)),
  );
  const outdated = records.filter(({ isOutdated }) => isOutdated).length;
  return `${number(records.length)} drills of [the plan](studies/drills/parts.ts), each kept only when it was valid. How much is lost depends on the moment of
the fault, so each fault is drilled ${number(REPEATS)} times in each configuration. Some should lose nothing:
${HARMLESS.join(', ')}. They are drilled once, until one of their drills has lost something. Except in faults of the database,
recovery is drilled only once if nothing was lost with it or with the chart's defaults. ${left.length === 0 ? 'The plan is complete.' : `Of the drills of the plan, ${number(left.length)} have not been measured yet.`}${outdated === 0 ? '' : ` ${number(outdated)} drill${outdated === 1 ? '' : 's'}, marked with †, had earlier defaults or scripts of the chart, fewer moments of the fault, or shorter work, and count${outdated === 1 ? 's' : ''} as not measured.`}`;
}

function beforeScripts(records: readonly Part[]): string {
  const scripted = records.filter(({ configuration }) => configuration !== 'as-it-comes');
  const before = (LATER_SCRIPTS as Record<'name' | 'since' | 'did', string>[]).flatMap(
    ({ name, since, did }) => {
      const count = scripted.filter(
        ({ drill }) => Date.parse(drill.startedAt) < Date.parse(since),
      ).length;
      return count === 0
        ? []
        : [`${number(count)} ran before [\`${name}\`](docs/chart/patches.md#${name}) ${did}`];
    },
  );
  return before.length === 0
    ? ''
    : `\nOf the ${number(scripted.length)} drills with the chart's scripts:\n\n${before.map((one) => `- ${one}`).join('\n')}\n`;
}

/** What recovery in a drill and in the chart wait for: it decides when lost work is done. */
function recovery(records: readonly Part[]): string {
  const drilled = records.find(({ drill }) => drill.recovery !== undefined)?.drill.recovery;
  if (drilled === undefined) return '';
  const { ageSeconds, schedule } = chartValues().recovery;
  const everySeconds = 60 * Number(/^\*\/(\d+) /.exec(schedule)?.[1]);
  const later = ageSeconds + everySeconds - drilled.ageSeconds - drilled.everySeconds;
  return ` What was lost is done up to ${seconds(later)} later with the settings of the chart, which retries what gave its last sign of life ${seconds(ageSeconds)} ago.`;
}

/** What is not told of drills that were alone. */
function shared(records: readonly Part[]): string {
  const atOnce = records.flatMap((record) => record.atOnce ?? []);
  return atOnce.length === 0
    ? ''
    : `
${number(atOnce.length)} of these drills, marked with \\*, shared the machine with others: up to ${number(Math.max(...atOnce))} loads began together. Times may be longer
there than alone. A drill that broke a promise about a time beside others is left out until it is measured again alone. What was lost
counts all the same, since the steady phase has to meet its SLO in each of them.
`;
}

/** Whether requests that were lost were due before the fault, while it was being made, and after it. */
function lostDueOf(drills: readonly Part[]): LostDue {
  const losing = drills.filter(({ drill }) => drill.ledger.lost > 0);
  const due = losing.map(({ lostDue, drill }) => lostDue ?? dueByErrors(drill));
  return {
    before: due.some(({ before }) => before > 0),
    during: due.some(({ during = 0 }) => during > 0),
    after: due.some(({ after }) => after > 0),
    late: losing.some(({ drill }) => (drill.figures?.errors?.toSeconds ?? 1) > madeAfter(drill)),
  };
}

/** Seconds from the begin of the fault until it was made. */
const madeAfter = ({ fault, phases }: DrillRecord): number =>
  ((fault.done[0]?.tMs ?? 0) - (phases.faultMs ?? 0)) / 1000;

/** Older records have only the first and the last of all requests without the expected response. */
function dueByErrors({ ledger, figures }: DrillRecord): NonNullable<Kept['lostDue']> {
  const { fromSeconds, toSeconds } = figures?.errors ?? { fromSeconds: -1, toSeconds: 1 };
  return {
    before: toSeconds <= 0 ? ledger.lost : 0,
    after: fromSeconds > 0 ? ledger.lost : 0,
  };
}

/** Recovery beside a fault of the database promises it; drills that were recorded without the promise are judged by it as well. */
const ONCE = { text: 'done-twice=0', metric: 'done-twice' };

/** Promises that a drill broke. */
function brokenBy({
  fault,
  configuration,
  doneTwice,
  drill,
}: Part): Record<'text' | 'metric', string>[] {
  const own = drill.verdict.promises
    .filter(({ kept }) => !kept)
    .map(({ promise: { text, metric } }) => ({ text, metric }));
  const isTwice = configuration === 'recovery' && isOfDatabase(fault) && doneTwice > 0;
  return isTwice && own.every(({ text }) => text !== ONCE.text) ? [...own, ONCE] : own;
}

/** Promises that were broken in any of the drills, by cause. */
function failures(groups: readonly Group[]): string {
  const broken = groups.flatMap(({ fault, target, configuration, drills }) =>
    [
      ...grouped(
        drills.flatMap((part) => brokenBy(part)),
        ({ text }) => text,
      ),
    ].map(([text, promises]) => ({
      ...{ text, where: `${fault} (${target}, ${CONFIGURATIONS[configuration]})` },
      ...causesOf({
        ...{ fault, configuration, metric: promises[0]?.metric ?? '' },
        lostDue: lostDueOf(drills),
        classes: classes.filter((name) =>
          drills.some(({ drill }) => requestsIn(drill.ledger, name) > 0),
        ),
      }),
    })),
  );
  const byCause = [
    ...grouped(broken, ({ cause, prevention }) => `${cause} ${prevention}`).values(),
  ];
  return byCause.length === 0
    ? ''
    : `### What failed, why, and what would prevent it

Most causes come from reading the code of n8n and Bull, from the counts above and from when the lost requests were due, not
from an experiment of their own.

${tableOf(byCause, {
  cause: ([one]) => one?.cause ?? '',
  'what would prevent it': ([one]) => one?.prevention ?? '',
  'broken promise': (all) => distinct(all.map(({ text }) => text)).join(', '),
  in: (all) => distinct(all.map(({ where }) => where)).join('; '),
})}
`;
}

const COMPARED = ['as-it-comes', 'defaults', 'recovery'] as const;

/** Faults that were measured in each configuration on the same target, so that the three sums compare alike. */
function comparedDrills(): Part[] {
  const all = measuredDrills();
  const isInEach = ({ fault, target }: Part): boolean =>
    COMPARED.every((each) =>
      all.some((one) => one.fault === fault && one.target === target && one.configuration === each),
    );
  return all.filter(isInEach);
}

export function lostInFaults(configuration: (typeof COMPARED)[number]): string {
  const all = lossesOf(configuration);
  return `${number(sum(all.map(({ lost }) => lost)))} of ${number(sum(all.map(({ exposed }) => exposed)))}`;
}

const lossesOf = (configuration: (typeof COMPARED)[number]): { lost: number; exposed: number }[] =>
  comparedDrills()
    .filter((record) => record.configuration === configuration)
    .map(({ drill: { ledger } }) => ({ lost: ledger.lost, exposed: ledger.exposed }));

export function lostShare(configuration: (typeof COMPARED)[number]): number {
  const all = lossesOf(configuration);
  return sum(all.map(({ lost }) => lost)) / sum(all.map(({ exposed }) => exposed));
}

/** The requests that one drill lost, from the fewest to the most. */
export function spreadOfFaults(configuration: (typeof COMPARED)[number]) {
  const each = lossesOf(configuration).map(({ lost }) => lost);
  return { low: Math.min(...each), high: Math.max(...each) };
}

/** Belongs wherever the sum of recovery stands; nothing to say once its drills are measured again. */
export function caveatOfRecovery(records: readonly Part[] = comparedDrills()): string {
  const own = records.filter(({ configuration }) => configuration === 'recovery');
  const outdated = own.filter(({ isOutdated }) => isOutdated).length;
  if (outdated === 0) return '';
  const which = outdated === own.length ? 'The' : `${number(outdated)} of ${number(own.length)}`;
  const twice = sum(own.map(({ doneTwice }) => doneTwice));
  return ` ${which} recovery drills used older chart scripts or older drill settings, and the work of ${number(twice)} requests was done twice.`;
}

const NAMES: Record<(typeof COMPARED)[number], string> = {
  'as-it-comes': 'default n8n',
  defaults: "the chart's defaults",
  recovery: 'recovery',
};

/** Belongs beside the sums: what became of these requests is not known. */
export function stillRunning(records: readonly Part[] = comparedDrills()): string {
  const told = COMPARED.flatMap((configuration) => {
    const own = records.filter((record) => record.configuration === configuration);
    const running = sum(own.map(({ drill }) => requestsIn(drill.ledger, 'running')));
    return running === 0 ? [] : [`${number(running)} with ${NAMES[configuration]}`];
  });
  return told.length === 0
    ? ''
    : ` The lost do not include requests that were still running when a drill ended: ${listed(told)}.`;
}

/** The n8n that had those faults. */
export const n8nOfFaults = (): string[] =>
  distinct(comparedDrills().flatMap(({ drill }) => drill.versions['n8n'] ?? []));

export const drills: StudyPage = {
  study: 'drills',
  answer: () => {
    const all = measuredDrills();
    const kept = all.filter((part) => brokenBy(part).length === 0).length;
    return {
      sentence: `Over all faults that were drilled with each configuration, n8n with its own settings lost ${lostInFaults('as-it-comes')} exposed requests, the chart's defaults lost ${lostInFaults('defaults')}, and recovery lost ${lostInFaults('recovery')}.${caveatOfRecovery()} Of ${number(all.length)} drills, ${number(kept)} kept every promise and ${number(all.length - kept)} broke at least one.`,
    };
  },
  parts: [() => drillTable(measuredDrills(), keptDrills().filter(hadNothingAtRisk))],
};

interface ManyKills extends Kept {
  ways: Way[];
}
interface Way {
  class: LedgerClass;
  executions: string;
  begun: string;
  done: string;
  requests: number;
  beforeSeconds: number | null;
  afterSeconds: number | null;
}
const farthest = (distances: readonly (number | null)[]): number | null =>
  distances.includes(null) ? null : Math.max(...distances.map(Number));

/** The same way in several drills is one way. */
const together = (ways: readonly Way[]): Way[] =>
  [...grouped(ways, (way) => [way.class, way.executions, way.begun, way.done].join()).values()]
    .flatMap((same) =>
      same[0] === undefined
        ? []
        : [
            {
              ...same[0],
              requests: sum(same.map(({ requests }) => requests)),
              beforeSeconds: farthest(same.map(({ beforeSeconds }) => beforeSeconds)),
              afterSeconds: farthest(same.map(({ afterSeconds }) => afterSeconds)),
            },
          ],
    )
    .toSorted((a, b) => b.requests - a.requests);

/** One that is made of several tells several times of each time. */
const killsIn = ({ fault: { turns, done } }: DrillRecord): number => (turns ?? done).length;

export function manyKillsText(records: readonly ManyKills[]): string {
  const first = records[0]?.drill;
  const times = (count: string): string => (count === '1' ? 'once' : `${count} times`);
  const of = (figure: (drill: DrillRecord) => number): string =>
    number(sum(records.map(({ drill }) => figure(drill))));
  return `## Many requests, a worker killed every minute

[Drills](studies/many-kills/parts.ts) on processes with the chart's defaults and recovery, each with ${number(Number(first?.fault.lastsSeconds) / 60)} minutes at ${number(first?.ratePerSecond)}/s of work
that takes ${number(Number(first?.workload.latencyFloorMs))} ms. Every ${number(first?.fault.everySeconds)} s one of the two workers is killed. n8n keeps all executions.

${tableOf([{ drills: [...records] }], {
  'workers killed': () => of(killsIn),
  'restarts of PostgreSQL': () =>
    of((drill) => (drill.fault.name.includes('restart-postgres') ? killsIn(drill) : 0)),
  sent: () => of(({ ledger }) => ledger.sent),
  'answered and executed once': () => of(({ ledger }) => ledger.classes.once.requests),
  ...OUTCOME,
  [REPEATED]: ({ drills }) => repeatedBy(drills),
})}

Every request that was not simply answered and executed once, by what its sources say. A request that a worker had begun when it was killed
is executed again from its trigger, so its work begins twice. It is done twice where the worker had finished the work,
but n8n had not stored that yet. One that the worker had been given and had not begun is executed once, after its caller got an
error. The times say how far from a kill these requests were due; there is none where some were due before the first kill, or after
the last.

${tableOf(together(records.flatMap(({ ways }) => ways)), {
  class: (way) => wordOf(way.class),
  requests: ({ requests }) => requests,
  "n8n's executions of it": ({ executions }) => executions || 'none',
  'work begun': ({ begun }) => times(begun),
  'work done': ({ done }) => times(done),
  'due before a kill, at most': ({ beforeSeconds }) => seconds(beforeSeconds),
  'due after a kill, at most': ({ afterSeconds }) => seconds(afterSeconds),
})}`;
}

export const manyKills: StudyPage = {
  study: 'many-kills',
  parts: [() => manyKillsText(partsOf<ManyKills>('many-kills'))],
};

interface ChartValues {
  database: { reconnectSeconds: number };
  recovery: { ageSeconds: number; schedule: string };
  redis: { outageSeconds: number };
  worker: { guardSeconds: number };
}
const chartValues = (): ChartValues => parse(read('charts/n8n-tuned/values.yaml')) as ChartValues;

/** What a table calls a setting, what its values are, and which one the chart has. */
const told = ({
  database,
  recovery: ages,
  redis,
  worker,
}: ChartValues): Record<string, [title: string, values: string, about: string]> => ({
  locks: [
    'The locks of jobs',
    'lock, renewal, check (s)',
    `A worker renews the lock of each of its jobs. n8n checks for jobs whose lock has run out, and fails their executions. With
shorter locks it finds a dead worker sooner, but it also fails the jobs of a worker that was only paused and would
still have finished them. The variables are \`QUEUE_WORKER_LOCK_DURATION\`, \`QUEUE_WORKER_LOCK_RENEW_TIME\` and \`QUEUE_WORKER_STALLED_INTERVAL\`; 60, 10 and 30 s are n8n's own.
The chart keeps them: a caller who waits for a dead worker gets an error either way, and recovery, if you enable it, retries what was lost.`,
  ],
  guard: [
    'The worker guard',
    '`worker.guardSeconds`',
    `The guard ends a worker that has lost Redis silently, after jobs have waited for so long. \`restart-redis\` and \`stop-redis\` show
whether it ends workers that have not lost it: in \`stop-redis\` n8n ended itself, after 10 s. The chart has ${seconds(worker.guardSeconds)}.`,
  ],
  timeout: [
    'How long n8n waits for Redis',
    '`QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD` (s)',
    `After so long without Redis a process of n8n ends, and is started again. 10 s are n8n's own. While it waits, so do its callers;
the chart waits ${seconds(redis.outageSeconds)} (\`redis.outageSeconds\`).`,
  ],
  reconnect: [
    'How long n8n waits for PostgreSQL',
    '`DB_RECOVERY_BACKOFF_MAX_MS` (s)',
    `A process of n8n that has lost PostgreSQL tries to reach it again: after 1 s, then it waits twice as long each time, up to this
limit. n8n's own limit is 30 s, so a process can be without PostgreSQL for 30 s after it is back. A webhook processor refuses
requests meanwhile. A worker takes jobs and fails each at once, if webhook processors are back earlier; what that loses shows
in \`stop-postgres\` [on Kubernetes](studies/drills/README.md#on-kubernetes). The chart has ${seconds(database.reconnectSeconds)} (\`database.reconnectSeconds\`).`,
  ],
  schedules: [
    'Where n8n keeps schedules',
    'schedules in',
    `By itself n8n keeps schedules in the memory of main. \`executions.durableSchedules\` of the chart (n8n 2.41 or newer, off by
default) keeps them in the database, so that what was due while main was down is executed late.`,
  ],
  grace: [
    'The grace of a worker',
    '`N8N_GRACEFUL_SHUTDOWN_TIMEOUT` (s)',
    `A worker that is to end has so long to finish what it has begun, here work that takes 45 s. 30 s are n8n's own; the chart has
300 s (\`shutdown.timeoutSeconds\`).`,
  ],
  forgotten: [
    'Work of 240 s, and a Redis that loses its data',
    'age (s)',
    `Redis comes back empty while workers are at work that takes 240 s, with recovery beside it. The question is whether
recovery runs again what a worker is still at: its signs of life are in Redis too, and it renews them.`,
  ],
  age: [
    'The age at which recovery retries',
    'age (s)',
    `Recovery leaves alone what gave its last sign of life more recently. If it retried too soon, it would run again
what n8n still runs or is about to queue. With none of these ages it did: what is executed more than once below was begun by
the worker that died. The chart has ${seconds(ages.ageSeconds)}: n8n may need so long to notice that a worker died, its lock (60 s) and four checks (30 s each).`,
  ],
});

export interface SettingPart extends Kept {
  setting: string;
  value: (number | string)[];
  lasts?: number;
}

/** How many workers ended, of whatever cause; older records do not tell. */
const endedOf = (own: readonly Kept[]): string =>
  own
    .map(({ restarts }) =>
      restarts === undefined
        ? '?'
        : number(restarts.filter(({ text }) => /^worker\S* ended/.test(text)).length),
    )
    .join(', ');

export function settingsText(records: readonly SettingPart[]): string {
  const words = told(chartValues());
  const plan = (SETTING_PARTS as { name: string }[]).map(({ name }) => name);
  const inOrder = records.toSorted((a, b) => plan.indexOf(a.name) - plan.indexOf(b.name));
  const left = plan.length - records.length;
  return `## The settings that decide what a fault costs

${number(records.length)} drills of [a plan](studies/drill-settings/parts.ts), on processes; ${left === 0 ? 'none is missing' : `${number(left)} have not been measured yet`}. Except for the one setting, n8n had the defaults that the chart had then, some of which these results have changed since; each record has its command. A \`?\` stands where it was not recorded which workers ended.

${Object.keys(SETTINGS)
  .map((setting) => {
    const own = inOrder.filter((record) => record.setting === setting);
    if (own.length === 0) return '';
    const [title, values, about] = words[setting] ?? [setting, 'value', ''];
    const keyOf = ({ value, fault, lasts }: SettingPart): string =>
      [value, fault, lasts ?? ''].join(' ');
    const rows = [...grouped(own, keyOf).values()]
      .flatMap((same) => (same[0] === undefined ? [] : [{ ...same[0], drills: same }]))
      .toSorted((a, b) => Number(b.value[0]) - Number(a.value[0]) || 0);
    return `### ${title}

${about}

${tableOf(rows, {
  [values]: ({ value }) => value.join(', '),
  fault: ({ fault, lasts }) => (lasts === undefined ? fault : `${fault}, ${number(lasts)} s`),
  ...OUTCOME,
  'workers that ended, by drill': (row) => endedOf(row.drills),
})}`;
  })
  .filter((text) => text !== '')
  .join('\n\n')}`;
}

export const drillSettings: StudyPage = {
  study: 'drill-settings',
  parts: [() => settingsText(partsOf<SettingPart>('drill-settings'))],
};
