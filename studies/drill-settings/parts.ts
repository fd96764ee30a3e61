// The settings that decide what a fault costs, each with values beside that of the chart: the locks of jobs, the guard of a
// worker, how long n8n waits for Redis, how often it tries to reach PostgreSQL, where it keeps schedules, the grace in which a
// worker may finish, and the age at which recovery retries. On processes, all else as the chart has it. Pure.
import {
  AROUND_SECONDS,
  loadOf,
  optionsOf,
  STEADY_SECONDS,
  variables,
  WARMUP_SECONDS,
  type CallOf,
  type Configuration,
  type Load,
} from '../drills/parts';
import type { Part } from '../../cli/src/features/study/study';

type Value = (number | string)[];

interface Drill {
  fault: string;
  lasts?: number;
  /** Seconds of load after the fault. */
  back: number;
  /** Until n8n has given up on what it lost. */
  tail: number;
  load?: Partial<Load>;
}

interface Case {
  value: Value;
  drill: Drill;
  waits?: number;
}

interface Setting {
  given(value: Value): string[];
  repeats?: number;
  configuration?: Configuration;
  cases: Case[];
}

export interface SettingPart extends Part {
  setting: string;
  value: Value;
  fault: string;
  lasts?: number;
  repeat: number;
}

/** Two values of one setting are compared by drills of the same fault. */
const REPEATS = 3;

/** A lock lasts `lock` seconds from its last renewal, one every `renew`; every `check` n8n looks for jobs without a lock. */
const locks = ([lock, renew, check]: Value): string[] =>
  variables({
    QUEUE_WORKER_LOCK_DURATION: 1000 * Number(lock),
    QUEUE_WORKER_LOCK_RENEW_TIME: 1000 * Number(renew),
    QUEUE_WORKER_STALLED_INTERVAL: 1000 * Number(check),
  });
const guard = ([seconds = '']: Value): string[] => variables({ N8N_TUNED_GUARD_SECONDS: seconds });
const grace = ([seconds = '']: Value): string[] =>
  variables({ N8N_GRACEFUL_SHUTDOWN_TIMEOUT: seconds });
/** n8n ends itself when Redis has been away for so long. */
const timeout = ([seconds]: Value): string[] =>
  variables({ QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD: 1000 * Number(seconds) });
/** From one try to reach PostgreSQL to the next n8n waits 1 s, then twice as long each time, at most so long. */
const reconnect = ([seconds]: Value): string[] =>
  variables({ DB_RECOVERY_BACKOFF_MAX_MS: 1000 * Number(seconds) });
/** The variables that say where n8n keeps schedules: both variables, or none. */
const schedules = ([where]: Value): string[] =>
  variables(
    where === 'database'
      ? { N8N_SCHEDULER_ENABLED: true, N8N_USE_WORKFLOW_PUBLICATION_SERVICE: true }
      : {},
  );
const age = ([seconds]: Value): string[] => ['--recover-age', `${String(seconds)}s`];

const kill: Drill = { fault: 'kill-worker', back: 40, tail: 100 };
const stall = (seconds: number): Drill => ({
  fault: 'stall-worker',
  lasts: seconds,
  back: 60,
  tail: 60,
});
const noRedis: Drill = { fault: 'stop-redis', lasts: 30, back: 60, tail: 100 };
/** n8n notices after 6 s, and tries 0, 1, 3, 7, 15 and 31 s later: PostgreSQL is back just after the last of these. */
const noDatabase: Drill = { fault: 'stop-postgres', lasts: 40, back: 60, tail: 100 };
/**
 * Executions that take longer than the 30 s that n8n gives them, few enough for the slots of one worker. Judged are those
 * that were due one and a half of their times before the fault.
 */
const longWork = {
  ...{ workMs: 45_000, rate: 0.2, steady: 140 },
  slo: ['--slo', 'errors<1%', '--slo', 'p95<60s'],
};

/** Work that outlasts what Redis has forgotten by far: does recovery run beside a worker that is still at it? */
const fourMinutes = {
  ...{ workMs: 240_000, rate: 0.07, steady: 620, wait: 420 },
  slo: ['--slo', 'errors<1%', '--slo', 'p95<300s'],
};
const forgetful: Drill = {
  ...{ fault: 'redis-loses-data', back: 300, tail: 420, load: fourMinutes },
};

/**
 * Each setting: its values, each with a drill. While a worker stops for less time than its locks last, it loses none.
 */
export const SETTINGS: Record<string, Setting> = {
  locks: {
    given: locks,
    cases: [
      ...[
        [60, 10, 30],
        [30, 5, 10],
        [15, 3, 5],
      ].map((value) => ({ value, drill: kill })),
      ...(
        [
          [[60, 10, 30], 75],
          [[30, 5, 10], 20],
          [[30, 5, 10], 40],
          [[30, 5, 10], 60],
          [[15, 3, 5], 10],
          [[15, 3, 5], 20],
          [[15, 3, 5], 40],
        ] as [Value, number][]
      ).map(([value, seconds]) => ({ value, drill: stall(seconds) })),
    ],
  },
  guard: {
    given: guard,
    // How much is lost is decided before the guard acts; what it decides is a time.
    repeats: 2,
    cases: [
      ...[[60], [30], [20]].map((value) => ({
        value,
        drill: { fault: 'redis-half-open', back: 150, tail: 150 },
      })),
      // In these nothing is wrong with the connections of a worker for long: the quickest guard must not end one.
      { value: [20], drill: { fault: 'restart-redis', back: 45, tail: 60 } },
      { value: [20], drill: noRedis },
    ],
  },
  timeout: {
    given: timeout,
    cases: [[10], [60]].map((value) => ({ value, drill: noRedis })),
  },
  reconnect: {
    given: reconnect,
    cases: [[30], [5], [2]].map((value) => ({ value, drill: noDatabase })),
  },
  schedules: {
    given: schedules,
    cases: [['memory'], ['database']].map((value) => ({
      value,
      drill: { fault: 'crash-across-a-schedule', lasts: 20, back: 180, tail: 20 },
    })),
  },
  grace: {
    given: grace,
    repeats: 2,
    cases: [[300], [30]].map((value) => ({
      value,
      drill: { fault: 'scale-in', back: 90, tail: 60, load: longWork },
    })),
  },
  age: {
    given: age,
    repeats: 2,
    configuration: 'recovery',
    cases: [[60], [20], [120]].flatMap((value) => [
      { value, drill: kill, waits: Number(value[0]) },
      { value, drill: noRedis, waits: Number(value[0]) },
    ]),
  },
  forgotten: {
    given: age,
    configuration: 'recovery',
    cases: [{ value: [60], drill: forgetful, waits: 60 }],
  },
};

const nameOf = (
  setting: string,
  { value, drill: { fault, lasts } }: Case,
  repeat: number,
): string =>
  [setting, ...value, fault, ...(fault === 'stall-worker' ? [lasts] : []), repeat].join('-');

/** Every case once before any of them again, so that a slow hour of the machine meets all values. */
export const PARTS: SettingPart[] = Array.from(
  { length: REPEATS },
  (_, index) => index + 1,
).flatMap((repeat) =>
  Object.entries(SETTINGS).flatMap(([setting, { repeats = REPEATS, cases }]) =>
    cases
      .filter(() => repeat <= repeats)
      .map((one) => {
        const { fault, lasts = 0, back, tail, load = {} } = one.drill;
        const loadSeconds = WARMUP_SECONDS + (load.steady ?? STEADY_SECONDS) + lasts + back;
        return {
          ...{ setting, value: one.value, fault, ...(lasts > 0 ? { lasts } : {}), repeat },
          ...{ name: nameOf(setting, one, repeat), loadSeconds },
          seconds: AROUND_SECONDS.process + loadSeconds + tail + (one.waits ?? 0),
        };
      }),
  ),
);

const drillOf = ({ setting, value, fault, lasts }: SettingPart): Drill | undefined =>
  SETTINGS[setting]?.cases.find(
    ({ value: own, drill }) =>
      own.join() === value.join() && drill.fault === fault && drill.lasts === lasts,
  )?.drill;

/** The call of the command, from anywhere. */
export function commandOf(part: SettingPart, { root, out, isShort }: CallOf): string[] {
  const [setting, drill] = [SETTINGS[part.setting], drillOf(part)];
  if (setting === undefined || drill === undefined) throw new Error(`no drill is ${part.name}`);
  const { given, configuration = 'defaults' } = setting;
  const { fault, lasts, back, load = {} } = drill;
  return [
    ...['drill', fault, '--target', 'process'],
    ...optionsOf({ target: 'process', configuration }, root),
    ...given(part.value),
    ...loadOf({ lasts, back, isShort, ...load }),
    ...['--no-control', '--ready', '300s', '--out', out],
  ];
}
