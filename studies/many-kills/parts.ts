// More than 100,000 requests while a worker is killed every minute, with recovery beside it, in several drills. On processes,
// all else as the chart has it. Pure.
import {
  AROUND_SECONDS,
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

const LOAD_SECONDS = WARMUP_SECONDS + STEADY_SECONDS + KILLED_SECONDS + BACK_SECONDS;

const DRILLS = 2;

export interface KillsPart extends Part {
  fault: string;
}

export const PARTS: KillsPart[] = Array.from({ length: DRILLS }, (_, index) => ({
  ...{ name: `kill-worker-every-minute-${String(index + 1)}`, fault: 'kill-worker' },
  seconds: AROUND_SECONDS.process + LOAD_SECONDS + TAIL_SECONDS,
}));

/** The call of the command, from anywhere. `isShort`: to try it, not to measure. */
export function commandOf({ fault }: KillsPart, { root, out, isShort }: CallOf): string[] {
  const lasts = isShort ? 2 * EVERY_SECONDS : KILLED_SECONDS;
  return [
    ...['drill', fault, '--target', 'process'],
    ...optionsOf({ target: 'process', configuration: 'recovery' }, root),
    ...KEEPS_ALL,
    ...loadOf({
      ...{ lasts, back: BACK_SECONDS, isShort: false },
      ...{ rate: RATE, workMs: WORK_MS, steady: STEADY_SECONDS },
    }),
    ...['--every', `${String(EVERY_SECONDS)}s`, '--no-control', '--ready', '300s', '--out', out],
  ];
}
