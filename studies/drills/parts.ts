// The parts of the table of drills, in the order of their worth: one drill of one fault, on one target, in one
// configuration, once. Pure, but for the code in force, which is read from this repository.
import { join } from 'node:path';
import type { Part } from '../../cli/src/features/study/study';
import type { DrillRecord } from '../../cli/src/features/drill/record';
import { codeIn, isSameCode, type Code } from './code';

/** What the pages call them, and what of it is given to the command on each target. */
export const CONFIGURATIONS = {
  'as-it-comes': 'n8n as it comes',
  defaults: "the chart's defaults",
  recovery: 'the same with recovery',
};

export type Target = 'process' | 'kubernetes';
export type Configuration = keyof typeof CONFIGURATIONS;

export interface DrillPart extends Part {
  fault: string;
  target: Target;
  configuration: Configuration;
  repeat: number;
}

/** What a call of the command depends on beside its part. `root`: of this repository. */
export interface CallOf {
  root: string;
  out: string;
  /** To try a part, not to measure. */
  isShort: boolean;
}

/** What is kept of a drill. */
export interface Drilled extends DrillPart {
  atOnce?: number;
  beside?: number;
  code?: Code;
  drill: DrillRecord;
}

const WORKERS = ['--workers', '2'];
/** On kubernetes each is files of values, as the chart has no name for n8n as it comes. */
const OPTIONS: Record<Target, Record<Configuration, (given: { root: string }) => string[]>> = {
  process: {
    'as-it-comes': () => [...WORKERS, '--tuning', 'none'],
    defaults: ({ root }) => [...WORKERS, ...chartEnv(root)],
    recovery: ({ root }) => [...WORKERS, ...chartEnv(root), '--recover'],
  },
  kubernetes: {
    'as-it-comes': ({ root }) => valuesOf(root, 'as-it-comes'),
    defaults: ({ root }) => valuesOf(root, 'defaults'),
    recovery: ({ root }) => [...valuesOf(root, 'defaults'), '--recover'],
  },
};

/** Webhook processors take all requests, so that a fault of main alone puts nothing of the load at risk beside them. */
const OF_MAIN = [
  ...['kill-main', 'stall-main', 'oom-main', 'oom-main-payload'],
  ...['cut-main', 'cut-main-redis', 'cut-main-postgres'],
];
const WEBHOOKS = ['--webhooks', '2'];

/** Who takes the requests: webhook processors, or main where the fault is one of main. */
const takingOf = (fault: string, target: Target, root: string): string[] => {
  const isMain = OF_MAIN.includes(fault);
  if (target === 'process') return isMain ? [] : WEBHOOKS;
  return isMain ? valuesFile(root, 'main-answers') : [];
};

/** Whether main was hit while webhook processors took all requests: the first drills of main's faults were like that. */
export const hadNothingAtRisk = ({
  fault,
  drill: { topology },
}: {
  fault: string;
  drill: { topology?: { webhooks: { count: number } } | null };
}): boolean => OF_MAIN.includes(fault) && (topology?.webhooks.count ?? 0) > 0;

/** Variables in the form in which the command takes them. */
export const variables = (given: Record<string, string | number | boolean>): string[] =>
  Object.entries(given).flatMap(([name, value]) => ['--env', `${name}=${String(value)}`]);

const valuesFile = (root: string, name: string): string[] => [
  '--values',
  join(root, `studies/drills/${name}.yaml`),
];
const valuesOf = (root: string, name: string): string[] =>
  [name, 'shared-node'].flatMap((one) => valuesFile(root, one));

/**
 * What the chart gives n8n and the target process does not give it by itself: every role gets it, and what is meant for
 * another one does nothing there. test/chart/drill-variables.test.ts compares all variables with those of the chart.
 */
function chartEnv(root: string): string[] {
  const preloads = ['keep-alive.cjs', 'worker-guard.cjs'].map(
    (name) => `--require=${join(root, 'charts/n8n-tuned/files/preload', name)}`,
  );
  return variables({
    N8N_GRACEFUL_SHUTDOWN_TIMEOUT: 300,
    N8N_TUNED_GUARD_SECONDS: 20,
    N8N_TUNED_KEEP_ALIVE_SECONDS: 620,
    QUEUE_BULL_REDIS_KEEP_ALIVE: true,
    QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD: 60_000,
    NODE_OPTIONS: preloads.join(' '),
  });
}

/**
 * Seconds: `lasts`, where the fault does; `back`, the load after it, until n8n is there again; `tail`, until n8n has given
 * up on what it lost: a job's lock is 60 s, and stalled jobs are looked for every 30 s.
 */
const GIVEN_UP = 100;
const BOTH: Target[] = ['process', 'kubernetes'];

interface Fault {
  name: string;
  on: Target[];
  lasts?: number;
  /** Seconds from one of its moments to the next, beside recovery: one moment tells little of what is done twice. */
  every?: number;
  /** The same for a fault of a worker, on targets where none had been drilled beside the recovery of now. */
  everyOn?: Partial<Record<Target, number>>;
  back: number;
  tail: number;
  load?: Partial<Load>;
  more?: Partial<Record<Target, (root: string) => string[]>>;
  /** On processes, beside recovery: left out, as in the other configurations. */
  recovered?: { lasts: number; load: Partial<Load>; more: string[] };
}

/**
 * A retry begins where a worker was silent for the lock of its job (60 s), until the next check (30 s), for the age (60 s) and for
 * 40 s more. A worker that is away for longer comes back while a retry runs, and looks before its next node whether it may go on.
 */
const SILENT_SECONDS = 240;
/**
 * One that is only cut off works on: what it has just begun is to outlast the cut. In two workers of 20 slots. Before the fault, as
 * much has to end as judges the steady phase.
 */
const OUTLASTING: Partial<Load> = {
  ...{ rate: 0.1, workMs: 270_000, steady: 620, wait: 600 },
  slo: ['--slo', 'errors<1%', '--slo', 'p95<300s'],
};
const OF_SOME_SECONDS: Partial<Load> = {
  ...{ rate: 0.5, workMs: 20_000, steady: 45, wait: 400 },
  slo: ['--slo', 'errors<1%', '--slo', 'p95<40s'],
};

/** Two workers with so few slots just keep up with it, so that jobs wait in Redis. */
export const FULL = { slots: 2, rate: 1.85 };
/**
 * In pods a container that ends again and again is started later each time, after up to 80 s where two workers take turns at ten
 * faults: until then the other one works. `redis-half-open` ends both, so that in pods it is not repeated.
 */
export const FAULTS: Fault[] = [
  { name: 'kill-worker', on: BOTH, everyOn: { kubernetes: 120 }, back: 40, tail: GIVEN_UP },
  { name: 'kill-main', on: BOTH, back: 50, tail: 20 },
  { name: 'kill-webhook', on: BOTH, back: 40, tail: 20 },
  { name: 'scale-in', on: BOTH, back: 60, tail: 10 },
  { name: 'rolling-upgrade', on: ['kubernetes'], lasts: 150, back: 30, tail: 10 },
  { name: 'drain-node', on: ['kubernetes'], lasts: 150, back: 30, tail: 10 },
  { name: 'redis-half-open', on: BOTH, everyOn: { process: 120 }, back: 150, tail: 150 },
  { name: 'restart-redis', on: BOTH, back: 45, tail: GIVEN_UP },
  { name: 'stop-redis', on: BOTH, lasts: 30, back: 60, tail: GIVEN_UP },
  { name: 'restart-postgres', on: BOTH, every: 45, back: 45, tail: 20 },
  { name: 'stop-postgres', on: BOTH, lasts: 30, every: 75, back: 60, tail: GIVEN_UP },
  {
    ...{ name: 'stall-worker', on: BOTH, lasts: 75, back: 45, tail: 60 },
    everyOn: { kubernetes: 150 },
    recovered: { lasts: SILENT_SECONDS, load: OF_SOME_SECONDS, more: [] },
  },
  { name: 'stall-main', on: BOTH, lasts: 30, back: 60, tail: 20 },
  { name: 'stall-webhook', on: BOTH, lasts: 30, back: 60, tail: 20 },
  {
    ...{ name: 'cut-worker', on: BOTH, lasts: 75, back: 45, tail: 60 },
    everyOn: { kubernetes: 150 },
    recovered: { lasts: SILENT_SECONDS, load: OUTLASTING, more: ['--concurrency', '20'] },
  },
  {
    ...{ name: 'redis-loses-data', on: BOTH, back: 40, tail: 150, load: { rate: FULL.rate } },
    more: {
      process: () => ['--concurrency', String(FULL.slots)],
      kubernetes: (root) => valuesFile(root, 'few-slots'),
    },
  },
  { name: 'kill-runner', on: BOTH, everyOn: { kubernetes: 90 }, back: 40, tail: 20 },
  {
    ...{ name: 'oom-worker', on: BOTH, back: 45, tail: GIVEN_UP },
    everyOn: { kubernetes: 120 },
    more: { process: () => ['--memory', '1Gi'] },
  },
  {
    ...{ name: 'oom-main', on: BOTH, back: 50, tail: 20 },
    more: { process: () => ['--memory', '1Gi'] },
  },
  {
    ...{ name: 'oom-main-payload', on: ['process'], back: 50, tail: 20 },
    more: { process: () => ['--memory', '1Gi'] },
  },
  { name: 'cut-main', on: BOTH, lasts: 30, back: 60, tail: 20 },
  { name: 'cut-webhook', on: BOTH, lasts: 30, back: 60, tail: 20 },
  { name: 'cut-main-redis', on: BOTH, lasts: 30, back: 60, tail: 20 },
  { name: 'cut-main-postgres', on: BOTH, lasts: 30, back: 60, tail: 20 },
  { name: 'cut-webhook-redis', on: BOTH, lasts: 30, back: 60, tail: 20 },
  { name: 'cut-webhook-postgres', on: BOTH, lasts: 30, back: 60, tail: 20 },
  { name: 'redis-failover', on: BOTH, lasts: 10, back: 60, tail: GIVEN_UP },
  { name: 'postgres-failover', on: BOTH, lasts: 20, back: 60, tail: GIVEN_UP },
  {
    ...{ name: 'postgres-connections-used-up', on: BOTH },
    ...{ lasts: 30, every: 75, back: 60, tail: GIVEN_UP },
  },
  { name: 'redis-sentinel-failover', on: ['process'], lasts: 20, back: 60, tail: GIVEN_UP },
  { name: 'postgres-new-primary', on: ['process'], lasts: 20, back: 60, tail: GIVEN_UP },
  { name: 'pools-used-up', on: ['process'], lasts: 45, back: 60, tail: GIVEN_UP },
  { name: 'burst', on: BOTH, lasts: 10, back: 60, tail: 10 },
  { name: 'slow-redis', on: BOTH, lasts: 30, back: 30, tail: 10 },
  { name: 'slow-postgres', on: BOTH, lasts: 30, back: 30, tail: 10 },
  { name: 'slow-upstream', on: BOTH, lasts: 30, back: 30, tail: 10 },
  { name: 'failing-upstream', on: BOTH, lasts: 30, back: 30, tail: 10 },
  { name: 'hanging-upstream', on: BOTH, lasts: 30, back: 30, tail: 10 },
  { name: 'throttling-upstream', on: BOTH, lasts: 30, back: 30, tail: 10 },
  { name: 'take-cpu', on: ['process'], lasts: 60, back: 60, tail: 20 },
  { name: 'dns-failure', on: ['process'], lasts: 30, back: 60, tail: 20 },
  { name: 'clock-jump', on: ['process'], lasts: 60, back: 60, tail: 20 },
  { name: 'rotate-secrets', on: ['process'], lasts: 60, back: 60, tail: 20 },
  { name: 'restore-backup', on: ['process'], lasts: 10, back: 60, tail: GIVEN_UP },
  { name: 'crash-across-a-schedule', on: BOTH, lasts: 20, back: 180, tail: 20 },
  {
    ...{ name: 'full-disk', on: BOTH, lasts: 20, every: 60, back: 60, tail: GIVEN_UP },
    more: { kubernetes: (root) => valuesFile(root, 'sized-volume') },
  },
];

/**
 * When scripts of the chart came, or were extended, after drills had been measured. Drills until 2026-12-01 did not record which code
 * was in force, and are judged by these dates; later ones by that code.
 */
export const LATER_SCRIPTS = [
  // requeue-lost queues lost jobs again.
  { since: '2026-11-26T12:30:00Z' },
  // keep-stalled waits for PostgreSQL, and keeps the results of executions whose success n8n could not store.
  { since: '2026-11-26T14:45:00Z' },
  // It lets workers store later what PostgreSQL did not take, and tells recovery what workers run.
  { since: '2026-11-27T20:02:00Z' },
  // It lets workers run no node, and store no result, if neither store says whose the execution is.
  { since: '2026-11-29T16:30:00Z' },
  // requeue-lost asks the database once for all jobs that Redis has lost.
  { since: '2026-11-29T17:22:30Z' },
  // Workers tell Redis at once what they run, and recovery leaves alone what nobody can tell it of.
  { since: '2026-12-01T14:06:00Z' },
];

/** How many times one drill repeats a fault. */
export const MOMENTS = 10;

/** Enough for a count of losses to show how much it varies. */
export const REPEATS = 3;
/** The first executions of a worker that has just come up are slow, the more so beside other drills. */
export const WARMUP_SECONDS = 30;
/** A usual response takes 2 s: at least 10 s of requests judge the steady phase. */
export const STEADY_SECONDS = 15;
const WORK_MS = 2000;
/**
 * What the steady phase must meet. That of latency is far above what the work takes: it lets the load generator be late
 * by as much as several drills at a time make it.
 */
const SLO = ['--slo', 'errors<1%', '--slo', 'p95<10s'];
/** So little that n8n as it comes keeps up on two cores that several drills share; two workers have slots for 10/s. */
const RATE = 2;
const PATIENCE_SECONDS = 150;
export interface Load {
  rate: number;
  workMs: number;
  steady: number;
  slo: string[];
  /** Seconds that callers wait; left out: as usual. */
  wait?: number;
}
const DEFAULT_LOAD: Load = { rate: RATE, workMs: WORK_MS, steady: STEADY_SECONDS, slo: SLO };
/** From the call to the load, and from the last look to the end. */
export const AROUND_SECONDS = { process: 60, kubernetes: 150 };
/** The age that recovery waits for, and its retries. */
const RECOVERY_SECONDS = 90;
/** The drills of one fault have a control, but for one of ten moments; it stands for all: the same load on the same n8n, before the fault. */
export const hasControl = ({ fault }: { fault: string }): boolean => fault === 'kill-worker';
/** From the end of the control to the load with the fault. */
const AFTER_CONTROL_SECONDS = 20;

/** Faults by which n8n should lose nothing: what operators do on purpose, and what only makes it slow. */
export const HARMLESS = [
  ...['scale-in', 'rolling-upgrade', 'drain-node', 'restart-redis', 'restart-postgres'],
  'rotate-secrets',
  ...['burst', 'slow-redis', 'slow-postgres', 'slow-upstream'],
];
/** One drill on processes shows what happens; what the pods add is in the drills of other faults. */
const ONCE_ON_PROCESSES = [
  ...['stall-main', 'stall-webhook', 'oom-main'],
  ...['cut-main', 'cut-main-redis', 'cut-main-postgres'],
  ...['cut-webhook', 'cut-webhook-redis', 'cut-webhook-postgres'],
  ...['redis-failover', 'postgres-failover'],
  ...['oom-main-payload', 'redis-sentinel-failover', 'postgres-new-primary', 'pools-used-up'],
  ...['slow-upstream', 'failing-upstream', 'hanging-upstream', 'throttling-upstream'],
  ...['take-cpu', 'dns-failure', 'clock-jump', 'rotate-secrets', 'restore-backup'],
];
/** Its load uses up what other drills run on, or all its pods start again under load. */
const ALONE = ['burst', 'rolling-upgrade', 'drain-node'];
/** In pods, two cores are not enough for these and others beside them. */
const ALONE_IN_PODS = ['oom-worker', 'stop-postgres'];
/**
 * After the guard has ended all workers of `redis-half-open`, they start again and work off what has waited, and beside others
 * that do the same they miss the promised time.
 */
export const isAlone = ({ fault, target, configuration }: DrillPart): boolean =>
  ALONE.includes(fault) ||
  (target === 'kubernetes' && ALONE_IN_PODS.includes(fault)) ||
  (fault === 'redis-half-open' && configuration !== 'as-it-comes');

/**
 * Whether it is unknown of some of its requests what became of them, since n8n's executions could not be read: then it keeps no
 * promise on lost work, whatever else it broke.
 */
export const isUnread = ({ drill: { ledger, verdict } }: Pick<Drilled, 'drill'>): boolean =>
  ledger.sources.executions === null &&
  ledger.classes.unknown.requests > 0 &&
  verdict.promises.some(({ promise }) => promise.metric === 'lost');

type Lossy = { drill: Pick<DrillRecord, 'ledger'> };

/** Requests that were lost, may be lost, or were done again. */
const NOT_HARMLESS = ['lost', 'failed', 'not-executed', 'repeated', 'unknown', 'running'] as const;
const hasLost = ({ drill }: Lossy): boolean => {
  // Drills that were recorded without a class have none in it.
  const classes: Partial<DrillRecord['ledger']['classes']> = drill.ledger.classes;
  return NOT_HARMLESS.some((name) => (classes[name]?.requests ?? 0) > 0);
};

/**
 * Whether a part has to be measured. `recordOf` gives the record of a part by its name, undefined as long as there is none.
 * How much is lost hangs on the moment of the fault, so what can lose something is repeated whatever the first drill has
 * lost. A harmless fault is drilled once, and 3 times as soon as one of its drills on the same target has lost something.
 * Recovery has nothing to do where the chart's defaults lose nothing: it is drilled once there, and 3 times if it did
 * something again. Beside it, the faults of the database are always repeated: there it did most of its work twice. One drill
 * with ten moments of a worker's fault takes the place of three with one. What is
 * drilled once on processes says only what can happen: the page bounds the share of faults that lose something by one.
 */
export function isNeeded(
  { fault, target, configuration, repeat }: DrillPart,
  recordOf: (name: string) => Lossy | undefined,
): boolean {
  if (ONCE_ON_PROCESSES.includes(fault)) return target === 'process' && repeat === 1;
  const lostIn = (configurations: Configuration[]): boolean =>
    PARTS.filter((part) => part.fault === fault && part.target === target)
      .filter((part) => configurations.includes(part.configuration))
      .map(({ name }) => recordOf(name))
      .some((record) => record !== undefined && hasLost(record));
  if (configuration === 'recovery') {
    if (hasMoments(fault, target)) return repeat === 1;
    return repeat === 1 || isOfDatabase(fault) || lostIn(['defaults', 'recovery']);
  }
  return repeat === 1 || !HARMLESS.includes(fault) || lostIn(['as-it-comes', 'defaults']);
}

/** Whether n8n's workers live, and its database does not take what they have done. */
export const isOfDatabase = (fault: string): boolean =>
  FAULTS.some(({ name, every }) => name === fault && every !== undefined);

/** Whether one drill beside recovery has ten moments of a worker's fault. */
const hasMoments = (fault: string, target: Target): boolean =>
  FAULTS.some(({ name, everyOn }) => name === fault && everyOn?.[target] !== undefined);

/** Every fault once on each target, on this machine first, before any of them again. */
export const PARTS: DrillPart[] = Array.from({ length: REPEATS }, (_, index) => index + 1).flatMap(
  (repeat) =>
    BOTH.flatMap((target) =>
      FAULTS.filter(({ on }) => on.includes(target)).flatMap((one) =>
        (Object.keys(OPTIONS[target]) as Configuration[]).map((configuration) => {
          const fault = drilledIn(one, target, configuration);
          return {
            ...{ fault: fault.name, target, configuration, repeat },
            name: `${fault.name}-${target}-${configuration}-${String(repeat)}`,
            loadSeconds: allLoadSecondsOf(fault, target, configuration),
            seconds: secondsOf(fault, target, configuration),
          };
        }),
      ),
    ),
);

/** A fault as it is made in a configuration. */
function drilledIn(fault: Fault, target: Target, configuration: Configuration): Fault {
  const { recovered, more = {} } = fault;
  if (recovered === undefined || target !== 'process' || configuration !== 'recovery') return fault;
  const { lasts, load } = recovered;
  return { ...fault, lasts, load, more: { ...more, process: () => recovered.more } };
}

/** From the begin of the first load to the end of the last one. */
function allLoadSecondsOf(fault: Fault, target: Target, configuration: Configuration): number {
  const { name, back, load: { steady = STEADY_SECONDS } = {} } = fault;
  const { lasts = 0, every } = timesOf(fault, target, configuration);
  const seconds = WARMUP_SECONDS + steady + lasts + back;
  return hasControl({ fault: name }) && every === undefined
    ? 2 * seconds + AFTER_CONTROL_SECONDS
    : seconds;
}

/** For how long the fault lasts or is repeated, and how often. */
function timesOf(
  { lasts, everyOn, every: onBoth }: Fault,
  target: Target,
  configuration: Configuration,
): { lasts: number | undefined; every?: number } {
  const every = onBoth ?? everyOn?.[target];
  if (every === undefined || configuration !== 'recovery') return { lasts };
  return { lasts: MOMENTS * every, every };
}

function secondsOf(fault: Fault, target: Target, configuration: Configuration): number {
  const recovering = configuration === 'recovery' ? RECOVERY_SECONDS : 0;
  return (
    AROUND_SECONDS[target] +
    allLoadSecondsOf(fault, target, configuration) +
    fault.tail +
    recovering
  );
}

/** The options of a drill, with who takes the requests in that of this fault; left out: webhook processors. */
export const optionsOf = (
  {
    fault = '',
    target,
    configuration,
  }: Pick<DrillPart, 'target' | 'configuration'> & { fault?: string },
  root: string,
): string[] => [...OPTIONS[target][configuration]({ root }), ...takingOf(fault, target, root)];

/** The call of the command, from anywhere. */
export function commandOf(
  { fault, target, configuration }: DrillPart,
  { root, out, isShort }: CallOf,
): string[] {
  const found = FAULTS.find(({ name }) => name === fault);
  if (found === undefined) throw new Error(`there is no fault ${fault}`);
  const drilled = drilledIn(found, target, configuration);
  const { back, load = {}, more = {} } = drilled;
  const times = timesOf(drilled, target, configuration);
  return [
    ...['drill', fault, '--target', target, ...optionsOf({ fault, target, configuration }, root)],
    ...(more[target]?.(root) ?? []),
    ...loadOf({ ...times, back, isShort, ...load }),
    ...(hasControl({ fault }) && times.every === undefined ? [] : ['--no-control']),
    ...['--ready', '300s', '--out', out],
  ];
}

const variablesIn = (command: readonly string[]): string[] =>
  command.filter((_, index) => command[index - 1] === '--env').sort();

/** A record shows no value that could hold a secret, so that of such a variable only the name can be compared. */
const MASKED = /=\*\*\*$/;

function haveSameVariables(now: readonly string[], then: readonly string[]): boolean {
  const [planned, recorded] = [variablesIn(now), variablesIn(then)];
  const isSame = (one = '', other = '') =>
    one === other || (MASKED.test(other) && one.split('=')[0] === other.split('=')[0]);
  return planned.length === recorded.length && planned.every((one, i) => isSame(one, recorded[i]));
}

/** What recovery repeats hangs on them, so that it is measured anew with them. */
const RECOVERS_WITH_MS = Math.max(...LATER_SCRIPTS.map(({ since }) => Date.parse(since)));

const ROOT = join(import.meta.dirname, '../..');

/** Whether a drill beside recovery had the scripts and the recovery of now. */
export const hadCodeOfNow = ({
  code,
  drill: { startedAt = '' },
}: {
  code?: Code | undefined;
  drill: { startedAt?: string };
}): boolean =>
  code === undefined ? Date.parse(startedAt) >= RECOVERS_WITH_MS : isSameCode(code, codeIn(ROOT));

/** What of its fault and its load decides whether it shows anything. */
const SHOWN_BY = ['--every', '--param'];
const shownBy = (command: readonly string[]): string =>
  command.filter((_, index) => SHOWN_BY.includes(command[index - 1] ?? '')).join(' ');

/**
 * Whether n8n had the variables that the plan gives it now: when a default of the chart changes, they do. Beside recovery
 * it also had the scripts of now, and the fault as many moments and work as long.
 */
export function isCurrent({
  name,
  code,
  drill,
}: {
  name: string;
  code?: Code | undefined;
  drill: {
    command?: readonly string[];
    startedAt?: string;
    topology?: { webhooks: { count: number } } | null;
  };
}): boolean {
  const part = PARTS.find((one) => one.name === name);
  if (part === undefined || hadNothingAtRisk({ fault: part.fault, drill })) return false;
  if (part.configuration === 'recovery' && !hadCodeOfNow({ code, drill })) return false;
  const planned = commandOf(part, { root: '/root', out: 'out', isShort: false });
  // A record has no folder of a machine.
  const now = planned.map((word) => word.replaceAll('/root', '.'));
  const then = drill.command ?? [];
  return haveSameVariables(now, then) && shownBy(now) === shownBy(then);
}

const TIMES = ['detect', 'recover', 'drain'];
/**
 * It shared the machine and broke a promise of a time, which is longer there: it has to be measured again, alone. Not where
 * workers take no job any more until they are restarted, or one is away for minutes: alone, it would break the promise as well.
 */
export function isSlowBeside({
  fault,
  configuration,
  atOnce,
  beside,
  drill,
}: {
  fault: string;
  configuration: string;
  atOnce?: number | undefined;
  beside?: number | undefined;
  drill: {
    verdict: { promises: readonly { promise: { metric: string }; kept: boolean | null }[] };
  };
}): boolean {
  const isShared = atOnce !== undefined || beside !== undefined;
  const isStuck =
    (fault === 'redis-half-open' && configuration === 'as-it-comes') ||
    (configuration === 'recovery' &&
      FAULTS.some((one) => one.name === fault && one.recovered !== undefined));
  const broken = drill.verdict.promises.filter(({ kept }) => kept === false);
  return isShared && !isStuck && broken.some(({ promise }) => TIMES.includes(promise.metric));
}

/** The load of a drill. Its fault lasts `lasts` seconds, an instantaneous one none; `back`: seconds of load after it. */
export function loadOf({
  lasts,
  every,
  back,
  isShort,
  ...given
}: Partial<Load> & {
  lasts: number | undefined;
  every?: number;
  back: number;
  isShort: boolean;
}): string[] {
  const { rate, workMs, steady, slo, wait = PATIENCE_SECONDS } = { ...DEFAULT_LOAD, ...given };
  const time = (seconds: number): string => `${String(seconds)}s`;
  return [
    ...['--rate', String(rate), '--param', `ms=${String(workMs)}`],
    ...['--warmup', time(WARMUP_SECONDS), '--steady', time(isShort ? 8 : steady)],
    ...(lasts === undefined ? [] : ['--for', time(isShort ? shortened(lasts, every) : lasts)]),
    ...(every === undefined ? [] : ['--every', time(every)]),
    ...['--after', time(isShort ? Math.min(back, 20) : back)],
    ...['--wait', time(wait), ...slo],
  ];
}

/** Seconds; two of its moments, where it has several. */
const shortened = (lasts: number, every?: number): number =>
  every === undefined ? Math.min(lasts, 20) : Math.min(lasts, 2 * every);
