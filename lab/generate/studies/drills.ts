// What was lost in drills: each fault in each configuration, over its repeats; very many requests while a worker is killed
// again and again; and the settings that decide it.
import { parse } from 'yaml';
import {
  CONFIGURATIONS,
  FAULTS,
  FULL,
  hadNothingAtRisk,
  isCurrent,
  isNeeded,
  isSlowBeside,
  isUnread,
  MOMENTS,
  PARTS,
  REPEATS,
} from '../../../studies/drills/parts';
import type { Code } from '../../../studies/drills/code';
import { isCurrent as isCurrentKills } from '../../../studies/many-kills/parts';
import { PARTS as SETTING_PARTS, SETTINGS } from '../../../studies/drill-settings/parts';
import {
  LEDGER_WORDS,
  type LedgerClass,
} from '../../../cli/src/features/drill/analysis/ledger-class';
import {
  boundOf,
  boundOfFaults,
  losingFaults,
  repeatingFaults,
  summed,
  type FaultCount,
} from '../../../cli/src/features/drill/analysis/bounds';
import type { DrillLedger, DrillRecord } from '../../../cli/src/features/drill/record';
import { judgedAnew } from '../../../cli/src/features/drill/analysis/judged-anew';
import { counted } from '../../../cli/src/ui/numbers';
import {
  columns,
  link,
  listed,
  number,
  outOf,
  read,
  seconds,
  share,
  table,
  tableOf,
} from '../records';
import type { StudyPage } from '../study-page';
import { distinct, grouped, partsOf, sum } from '../sweeps';

type Configuration = keyof typeof CONFIGURATIONS;
interface Kept {
  name: string;
  path: string;
  fault: string;
  drill: DrillRecord;
  doneTwice: number;
  restarts?: { text: string }[];
  code?: Code;
  atOnce?: number;
  beside?: number;
}
export interface Part extends Kept {
  target: 'process' | 'kubernetes';
  configuration: Configuration;
  isOutdated?: boolean;
}

/** What the report of a drill says of requests; what was executed once, and the counts of lost ones, are told otherwise. */
const OTHERS = (Object.keys(LEDGER_WORDS) as LedgerClass[]).filter(
  (name) => !['once', 'lost', 'not-executed', 'running', 'unknown'].includes(name),
);

/** Drills that were recorded without a class have none in it. */
const requestsIn = (
  { classes: counts }: { classes: Partial<DrillLedger['classes']> },
  name: LedgerClass,
): number => counts[name]?.requests ?? 0;

type Ledger = Pick<DrillLedger, 'classes' | 'sources' | 'lost' | 'exposed'>;

/** "6 of 252 (3 still running)": of those in brackets it is not known. */
function lostOf(ledgers: readonly Ledger[]): string {
  const exposed = sum(ledgers.map((ledger) => ledger.exposed));
  if (exposed === 0) return '-';
  const open = openIn(ledgers);
  const told = outOf(sum(ledgers.map(({ lost }) => lost)), exposed);
  return open.length > 0 ? `${told} (${open.join(', ')})` : told;
}

/** How many requests ended as these classes say, in words. */
const countsIn = (ledgers: readonly Ledger[], names: readonly LedgerClass[]): string[] =>
  names.flatMap((name) => {
    const requests = sum(ledgers.map((ledger) => requestsIn(ledger, name)));
    return requests === 0 ? [] : [`${number(requests)} ${LEDGER_WORDS[name].title}`];
  });

/**
 * What may still be lost, or be lost already: with it, nothing bounds what is. Of a request without a response that no source
 * knows, n8n's own executions tell that it was never accepted.
 */
const openIn = (ledgers: readonly Ledger[]): string[] => [
  ...countsIn(ledgers, ['running']),
  ...countsIn(
    ledgers.filter(({ sources }) => sources.executions === null),
    ['unknown'],
  ),
];

function othersOf(drills: readonly Kept[]): string {
  const schedules = drills.flatMap(({ drill }) => drill.schedule ?? []);
  const due = sum(schedules.map((one) => one.due));
  return (
    [
      ...countsIn(
        drills.map(({ drill }) => drill.ledger),
        OTHERS,
      ),
      ...(due === 0
        ? []
        : [`${number(neverOf(drills))} of ${number(due)} due times never executed`]),
    ].join('; ') || 'none'
  );
}

/** Due times of a schedule that nothing made up for. */
const neverOf = (drills: readonly Kept[]): number =>
  sum(drills.flatMap(({ drill }) => drill.schedule ?? []).map(({ never }) => never.times));

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

/** Requests of one fault are lost together: how many of the faults that put any at risk lost some; "?": it is not known. */
function faultsOf(drills: readonly Kept[]): string {
  const counts = drills.map(({ drill }) => losingFaults(drill));
  const known = summed(counts.filter((count) => count !== null));
  return counts.includes(null) ? '?' : ofFaults(known);
}

const ofFaults = ({ costly, faults, isAtMost }: FaultCount): string =>
  `${isAtMost ? 'at most ' : ''}${number(costly)}/${number(faults)}`;

const OUTCOME = {
  'lost, of those exposed': ({ drills }: { drills: Kept[] }) =>
    lostOf(drills.map(({ drill }) => drill.ledger)),
  others: ({ drills }: { drills: Kept[] }) => othersOf(drills),
  'SLO met again after': ({ drills }: { drills: Kept[] }) => recoveredAfter(drills),
};

const keptDrills = (): Part[] =>
  partsOf<Part>('drills').filter(
    (record) => !isSlowBeside({ atOnce: undefined, beside: undefined, ...record }),
  );

export const measuredDrills = (): Part[] =>
  keptDrills()
    .filter((record) => !hadNothingAtRisk(record) && !isUnread(record))
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

const markOf = (drills: readonly Part[]): string =>
  drills.some(({ isOutdated }) => isOutdated) ? '†' : '';

/** What was lost, in how many of the faults, after how long the SLO was met again, and what was done twice; † is outdated. */
function outcomeOf(drills: readonly Part[]): string {
  const twice = sum(drills.map(({ doneTwice }) => doneTwice));
  const never = neverOf(drills);
  return [
    lostOf(drills.map(({ drill }) => drill.ledger)),
    faultsOf(drills),
    recoveredAfter(drills),
    ...(twice === 0 ? [] : [`${number(twice)} done twice`]),
    ...(never === 0 ? [] : [`${number(never)} due times missed`]),
  ]
    .join('; ')
    .concat(markOf(drills));
}

/** Drills whose fault was to hit a process at work, and that did not record whether it was. */
const isSilent = ({ fault, drill }: Part): boolean =>
  /^(kill|stall|cut|oom)-/.test(fault) && drill.fault.victims === undefined;

/** Drills that are not in the table: nothing was at risk in them, or what became of some requests is not known. */
interface LeftOut {
  vain?: readonly Part[];
  unread?: readonly Part[];
}

export function drillTable(records: readonly Part[], leftOut: LeftOut = {}): string {
  const groups = groupsOf(records);
  const first = records[0];
  const drill = first?.drill;
  const targets = distinct(groups.map(({ target }) => target));
  return `## Each fault in three configurations

${toldOf(records, leftOut)}${shared(records)} Work of ${seconds(Number(drill?.workload.latencyFloorMs) / 1000)} with an effect outside n8n comes at ${number(drill?.ratePerSecond)}/s to two workers and two webhook processors, or to main in faults of main.
In \`redis-loses-data\`, it comes at ${number(FULL.rate)}/s, and each worker has only ${number(FULL.slots)} slots. The SLO is ${drill?.slo.map(({ text }) => `\`${text}\``).join(' and ') ?? ''}.

The configuration _${CONFIGURATIONS['as-it-comes']}_ is without the tuning, the patches and the variables of this kit. The second has them and the worker guard, in pods also limits, probes and \`preStop\`. The third has \`n8n-tuned recover --retry\` beside it.

A cell shows the requests lost of those exposed (open when the fault came, or due later), in how many of the faults that put something at risk, and when the SLO was met again. What was still running or unknown may be lost too.
A fault was drilled ${number(REPEATS)} times where one can lose something; beside recovery, one drill makes faults of the database, and in new drills those of a worker, ${number(MOMENTS)} times. After ${number(REPEATS)} faults, none lost still allows ${share(boundOfFaults(0, REPEATS))} of such faults to lose some (95% confidence).
A record is \`parts/FAULT-TARGET-CONFIGURATION-N\`${first === undefined ? '' : `, such as this ${link(first.path)}`}; it also has the other classes and [the promise](docs/drills.md#the-promise).

${targets.map((target) => `### On ${target === 'process' ? 'processes' : 'Kubernetes'}\n\n${targetTable(groups.filter((group) => group.target === target))}`).join('\n\n')}`;
}

/** What makes a fault tell configurations apart: a loss, work done twice, or another time until the SLO was met again. */
const isAlike = (groups: readonly Group[]): boolean => {
  const drills = groups.flatMap((group) => group.drills);
  const times = drills.map(({ drill }) => drill.figures?.recoverSeconds ?? Infinity);
  return (
    openIn(drills.map(({ drill }) => drill.ledger)).length === 0 &&
    drills.every(({ drill, doneTwice }) => drill.ledger.lost === 0 && doneTwice === 0) &&
    neverOf(drills) === 0 &&
    Math.max(...times) - Math.min(...times) < 10
  );
};

/** A row for each fault that tells configurations apart, and a sentence on the others. */
function targetTable(groups: readonly Group[]): string {
  const all = [...grouped(groups, ({ fault }) => fault).values()];
  const alike = all.filter(isAlike).map((same) => {
    const drills = same.flatMap((group) => group.drills);
    return `${same[0]?.fault ?? ''}${markOf(drills)}`;
  });
  const rows = all.filter((same) => !isAlike(same));
  return `${tableOf(rows, {
    fault: ([one]) => one?.fault ?? '',
    ...columns(
      Object.entries(CONFIGURATIONS),
      ([, title]) => title,
      (same: Group[], [configuration]) => {
        const group = same.find((one) => one.configuration === configuration);
        return group === undefined ? null : outcomeOf(group.drills);
      },
    ),
  })}${alike.length === 0 ? '' : `\n\nNothing was lost or done twice, and the SLO was met again after about as long in each configuration that was drilled:\n\n${alike.map((one) => `- ${one}`).join('\n')}`}`;
}

/** How much of the plan there is, and what is not in it. */
function toldOf(records: readonly Part[], { vain = [], unread = [] }: LeftOut): string {
  const byName = new Map(
    records.filter(({ isOutdated }) => isOutdated !== true).map((record) => [record.name, record]),
  );
  const left = (PARTS as { name: string }[]).filter(
    (part) => !byName.has(part.name) && isNeeded(part as never, (name: string) => byName.get(name)),
  );
  const outdated = records.filter(({ isOutdated }) => isOutdated).length;
  const silent = records.filter(isSilent).length;
  return [
    `${number(records.length)} valid drills of [the plan](studies/drills/parts.ts): ${number(REPEATS)} of each fault and configuration, and one where nothing should be lost and nothing was, or where one on processes shows what happens.\n`,
    left.length === 0
      ? 'The plan is complete.'
      : `Of the drills of the plan, ${number(left.length)} have not been measured yet.`,
    outdated === 0
      ? ''
      : ` ${counted(outdated, 'drill')}, marked with †, had earlier defaults or scripts of the chart, fewer moments of the fault, or shorter work, and count${outdated === 1 ? 's' : ''} as not measured.`,
    vain.length === 0
      ? ''
      : ` ${counted(vain.length, 'drill is', 'drills are')} left out, because nothing was at risk.`,
    unread.length === 0
      ? ''
      : ` ${counted(unread.length, 'drill is', 'drills are')} left out, because it is unknown what became of some requests.`,
    silent === 0
      ? ''
      : ` ${counted(silent, 'drill')} did not record whether their victim was busy.`,
  ].join('');
}

/** What is not told of drills that were alone. */
function shared(records: readonly Part[]): string {
  const atOnce = records.flatMap((record) => record.atOnce ?? []);
  return atOnce.length === 0
    ? ''
    : ` ${number(atOnce.length)} shared the machine with up to ${number(Math.max(...atOnce) - 1)} others, so times may be longer than alone; one that broke a promise about a time is left out until it is measured alone.`;
}

/** Recovery promises to do no work twice; older drills are judged by it as well, and by the rules of today. */
function verdictOf({ configuration, doneTwice, drill }: Part): DrillRecord['verdict']['outcome'] {
  if (configuration === 'recovery' && doneTwice > 0) return 'fail';
  return judgedAnew(drill).outcome;
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
  return outOf(sum(all.map(({ lost }) => lost)), sum(all.map(({ exposed }) => exposed)));
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
    const of = (outcome: ReturnType<typeof verdictOf>): number =>
      all.filter((record) => verdictOf(record) === outcome).length;
    const invalid = of('invalid');
    return {
      sentence: `Over all faults that were drilled with each configuration, n8n with its own settings lost ${lostInFaults('as-it-comes')} exposed requests, the chart's defaults lost ${lostInFaults('defaults')}, and recovery lost ${lostInFaults('recovery')}.${caveatOfRecovery()} Of ${number(all.length)} drills, ${number(of('pass'))} kept every promise and ${number(of('fail'))} broke at least one${invalid === 0 ? '' : `; by the rules of today, ${number(invalid)} prove nothing`}.`,
    };
  },
  records: () => measuredDrills(),
  parts: [
    () =>
      drillTable(measuredDrills(), {
        vain: keptDrills().filter(hadNothingAtRisk),
        unread: keptDrills().filter((record) => !hadNothingAtRisk(record) && isUnread(record)),
      }),
  ],
};

/** One that is made of several tells several times of each time. */
const killsIn = ({ fault: { turns, done } }: DrillRecord): number => (turns ?? done).length;

/** Old scripts and new ones are not summed: old ones are shown only as long as there is nothing else. */
export function manyKillsText(all: readonly Kept[]): string {
  const current = all.filter(isCurrentKills);
  const isOld = current.length === 0;
  const records = isOld ? all : current;
  const first = records[0]?.drill;
  const of = (figure: (drill: DrillRecord) => number): string =>
    number(sum(records.map(({ drill }) => figure(drill))));
  const retries = sum(
    records.flatMap(({ drill }) => Object.values<number>(drill.recovery?.attempts ?? {})),
  );
  const losing = records.map(({ drill }) => losingFaults(drill));
  const repeating = records.map(({ drill, doneTwice }) => repeatingFaults(drill, doneTwice));
  const boundText = (counts: readonly (FaultCount | null)[]): string => {
    const known = summed(counts.filter((count) => count !== null));
    return counts.includes(null)
      ? 'not known'
      : `${ofFaults(known)}, at most ${share(boundOf(known))}`;
  };
  return `## Many requests, a worker killed every minute

[Drills](studies/many-kills/parts.ts) on processes with the chart's defaults and recovery, each with ${number(Number(first?.fault.lastsSeconds) / 60)} minutes at ${number(first?.ratePerSecond)}/s of work
that takes ${number(Number(first?.workload.latencyFloorMs))} ms. Every ${number(first?.fault.everySeconds)} s one of the two workers is killed. n8n keeps all executions.

In ${number(records.length)} drills (${records.map(({ path }) => link(path)).join(', ')}), ${of(killsIn)} workers were killed and PostgreSQL was restarted ${of((drill) => (drill.fault.name.includes('restart-postgres') ? killsIn(drill) : 0))} times. The SLO was met again after ${recoveredAfter(records)}.${isOld ? ' They used older scripts of the chart, and count as not measured.' : ''}

${table(
  ['requests or faults', 'number'],
  [
    ['sent', of(({ ledger }) => ledger.sent)],
    ['answered and executed once', of(({ ledger }) => ledger.classes.once.requests)],
    ['lost, of those exposed', lostOf(records.map(({ drill }) => drill.ledger))],
    ['retried', number(retries)],
    ['repeated though finished, at most', number(sum(records.map(({ doneTwice }) => doneTwice)))],
    ['faults that lost any, and the bound (95% confidence)', boundText(losing)],
    ['faults after which any was repeated, and the bound', boundText(repeating)],
  ],
)}`;
}

export const manyKills: StudyPage = {
  study: 'many-kills',
  parts: [() => manyKillsText(partsOf<Kept>('many-kills'))],
};

interface ChartValues {
  database: { reconnectSeconds: number };
  recovery: { ageSeconds: number };
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
    `Shorter locks find a dead worker sooner, but also fail what a paused worker would have finished. \`QUEUE_WORKER_LOCK_DURATION\`, \`QUEUE_WORKER_LOCK_RENEW_TIME\` and \`QUEUE_WORKER_STALLED_INTERVAL\` are 60, 10 and 30 s in n8n and in the chart.`,
  ],
  guard: [
    'The worker guard',
    '`worker.guardSeconds`',
    `The guard ends a worker that has lost Redis silently, after jobs have waited for so long, and no other: in \`stop-redis\` n8n ended itself, after 10 s. The chart has ${seconds(worker.guardSeconds)}.`,
  ],
  timeout: [
    'How long n8n waits for Redis',
    '`QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD` (s)',
    `After so long without Redis a process of n8n ends, and is started again; until then its callers wait. n8n's own is 10 s;
the chart waits ${seconds(redis.outageSeconds)} (\`redis.outageSeconds\`).`,
  ],
  reconnect: [
    'How long n8n waits for PostgreSQL',
    '`DB_RECOVERY_BACKOFF_MAX_MS` (s)',
    `The most that n8n waits between two tries to reach PostgreSQL; n8n's own is 30 s, the chart's ${seconds(database.reconnectSeconds)} (\`database.reconnectSeconds\`). In pods, [\`stop-postgres\`](studies/drills/README.md#on-kubernetes) loses more.`,
  ],
  schedules: [
    'Where n8n keeps schedules',
    'schedules in',
    `By itself n8n keeps schedules in the memory of main. \`executions.durableSchedules\` of the chart (n8n 2.41 or newer, off by
default) keeps them in the database, and executes late what was due while main was down.`,
  ],
  grace: [
    'The grace of a worker',
    '`N8N_GRACEFUL_SHUTDOWN_TIMEOUT` (s)',
    `How long a worker that is to end may finish what it has begun, here work of 45 s. n8n's own is 30 s, the chart's 300 s (\`shutdown.timeoutSeconds\`).`,
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
    `Recovery leaves alone what gave its last sign of life more recently. What is executed more than once was begun by the worker that died. The chart has ${seconds(ages.ageSeconds)}: n8n may need so long to notice a dead worker, its lock (60 s) and four checks (30 s each).`,
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

/** Settings that decide whether workers end. */
const ENDING = new Set(['guard', 'timeout']);

export function settingsText(records: readonly SettingPart[]): string {
  const words = told(chartValues());
  const plan = (SETTING_PARTS as { name: string }[]).map(({ name }) => name);
  const inOrder = records.toSorted((a, b) => plan.indexOf(a.name) - plan.indexOf(b.name));
  const left = plan.length - records.length;
  return `## The settings that decide what a fault costs

${number(records.length)} drills of [a plan](studies/drill-settings/parts.ts), on processes, two or three for each row; ${left === 0 ? 'none is missing' : `${number(left)} have not been measured yet`}. Except for the one setting, n8n had the defaults that the chart had then, some of which these results have changed since.
A record is \`parts/SETTING-VALUE-FAULT-N\`${records[0] === undefined ? '' : `, such as this ${link(records[0].path)}`}. A \`?\` stands where it was not recorded which workers ended.

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
  ...(ENDING.has(setting) ? { 'workers that ended': ({ drills }) => endedOf(drills) } : {}),
})}`;
  })
  .filter((text) => text !== '')
  .join('\n\n')}`;
}

export const drillSettings: StudyPage = {
  study: 'drill-settings',
  records: () => partsOf<SettingPart>('drill-settings'),
  parts: [() => settingsText(partsOf<SettingPart>('drill-settings'))],
};
