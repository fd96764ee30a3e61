// More than 100,000 requests while a worker is killed every minute, with recovery beside it, in several drills. On processes,
// all else as the chart has it. Pure.
import {
  AROUND_SECONDS,
  hadCodeOfNow,
  loadOf,
  type CallOf,
  optionsOf,
  variables,
  WARMUP_SECONDS,
} from '../drills/parts';
import type { Part } from '../../cli/src/features/study/study';

/** While a worker starts every minute, two fast cores have a quarter of their time left at it; slow ones fall behind at 14/s. */
const RATE = 25;
/** So that a worker that is killed has some requests at work. */
const WORK_MS = 200;
const STEADY_SECONDS = 15;
const EVERY_SECONDS = 60;
const KILLED_SECONDS = 34 * 60;
const BACK_SECONDS = 120;
/** Until n8n has failed what the last worker had, and recovery has run it again. */
const TAIL_SECONDS = 240;
/** By default n8n deletes all but 10,000 executions within the hour, and with them what tells what came of a request. */
const KEEPS_ALL = variables({ EXECUTIONS_DATA_PRUNE: false });

const AROUND_LOAD_SECONDS = WARMUP_SECONDS + STEADY_SECONDS + BACK_SECONDS;

const DRILLS = 2;

export interface KillsPart extends Part {
  fault: string;
  everySeconds: number;
  /** How long the fault is repeated. */
  lastsSeconds: number;
}

const partOf = (part: Omit<KillsPart, 'seconds'>): KillsPart => ({
  ...part,
  seconds: AROUND_SECONDS.process + AROUND_LOAD_SECONDS + part.lastsSeconds + TAIL_SECONDS,
});

/** More than 100,000 requests too, with 60 kills, at 20 of which PostgreSQL starts again as well. */
const BOTH_EVERY_SECONDS = 75;
const withRestarts = (fault: string, times: number): KillsPart =>
  partOf({
    ...{ name: `${fault}-${String(times)}-times`, fault },
    ...{ everySeconds: BOTH_EVERY_SECONDS, lastsSeconds: times * BOTH_EVERY_SECONDS },
  });

export const PARTS: KillsPart[] = [
  ...Array.from({ length: DRILLS }, (_, index) =>
    partOf({
      ...{ name: `kill-worker-every-minute-${String(index + 1)}`, fault: 'kill-worker' },
      ...{ everySeconds: EVERY_SECONDS, lastsSeconds: KILLED_SECONDS },
    }),
  ),
  withRestarts('kill-worker+restart-postgres', 20),
  withRestarts('kill-worker', 40),
];

/** The call of the command, from anywhere. `isShort`: to try it, not to measure. */
export function commandOf(
  { fault, everySeconds, lastsSeconds }: KillsPart,
  { root, out, isShort }: CallOf,
): string[] {
  const lasts = isShort ? 2 * everySeconds : lastsSeconds;
  return [
    ...['drill', fault, '--target', 'process'],
    ...optionsOf({ target: 'process', configuration: 'recovery' }, root),
    ...KEEPS_ALL,
    ...loadOf({
      ...{ lasts, back: BACK_SECONDS, isShort: false },
      ...{ rate: RATE, workMs: WORK_MS, steady: STEADY_SECONDS },
    }),
    ...['--every', `${String(everySeconds)}s`, '--no-control', '--ready', '300s', '--out', out],
  ];
}

/** Whether the record of a part had the scripts and the recovery of now: recovery is what these drills are about. */
export const isCurrent = (record: Parameters<typeof hadCodeOfNow>[0]): boolean =>
  hadCodeOfNow(record);
