import type { INodeProperties } from 'n8n-workflow';
import type { Bounds } from '../../shared/bounds';
import { allowanceOf, requireDangerous, requireMs } from '../pure/allowance';
import { Mistake } from '../../shared/mistake';
import { burn, Frozen } from '../world/cpu';
import { booleanOf, choiceOf, numberOf, type Operation } from './operation';

/** The published loop, from `from` to below `to`: its sum goes on where an earlier part ended. */
export function addUp(sum: number, from: number, to: number): number {
  let count = sum;
  for (let i = from; i < to; i += 1) count += i;
  return count;
}

const time: Bounds = { title: 'CPU Time (Ms)', min: 0, max: 3_600_000 };
const loop: Bounds = { title: 'Iterations', min: 0, max: 5_000_000_000, integer: true };
const slice: Bounds = { title: 'Yield Every (Ms)', min: 1, max: 60_000 };

/**
 * n8n's queue takes a worker for dead whose lock was not renewed for 60 s, and it is renewed every
 * 10 s (QUEUE_WORKER_LOCK_DURATION, QUEUE_WORKER_LOCK_RENEW_TIME): below the difference nobody notices.
 */
const LONGEST_FREEZE_MS = 45_000;

const eventLoop: INodeProperties = {
  displayName: 'Event Loop',
  name: 'eventLoop',
  type: 'options',
  default: 'yield',
  options: [
    {
      name: 'Block',
      value: 'block',
      description:
        'Nothing else runs in this process meanwhile, and the execution cannot be cancelled',
    },
    { name: 'Yield', value: 'yield', description: 'Let others run every so often' },
  ],
  description: 'Whether other executions of the same process can run in between',
};

const mayFreeze: INodeProperties = {
  // eslint-disable-next-line n8n-nodes-base/node-param-display-name-miscased -- n8n writes itself so
  displayName: 'May Freeze n8n',
  name: 'mayFreeze',
  type: 'boolean',
  default: false,
  description: `Whether to block the event loop for more than ${LONGEST_FREEZE_MS / 1000} seconds at a time, so that n8n may be restarted or lose its job. When off, the node refuses or stops.`,
};

export const cpu: Operation = {
  option: {
    name: 'CPU',
    value: 'cpu',
    description: 'Use the CPU for a given time or number of iterations',
    action: 'Use CPU time',
  },
  properties: [
    {
      displayName: 'Limit By',
      name: 'until',
      type: 'options',
      default: 'time',
      options: [
        { name: 'CPU Time', value: 'time', description: 'The same time on every machine' },
        { name: 'Iterations', value: 'loop', description: 'The same work on every machine' },
      ],
      description: 'What ends the work',
    },
    {
      displayName: 'CPU Time (Ms)',
      name: 'cpuTimeMs',
      type: 'number',
      default: 100,
      typeOptions: { minValue: time.min, maxValue: time.max },
      displayOptions: { show: { until: ['time'] } },
      description: 'How much CPU time to use, in milliseconds',
    },
    {
      displayName: 'Iterations',
      name: 'loopTo',
      type: 'number',
      default: 500000,
      typeOptions: { minValue: loop.min, maxValue: loop.max },
      displayOptions: { show: { until: ['loop'] } },
      description: 'How many times to run "count += i"',
    },
    eventLoop,
    {
      displayName: 'Yield Every (Ms)',
      name: 'yieldEveryMs',
      type: 'number',
      default: 10,
      typeOptions: { minValue: slice.min, maxValue: slice.max },
      displayOptions: { show: { eventLoop: ['yield'] } },
      description: 'After how much CPU time others get their turn, in milliseconds',
    },
    mayFreeze,
  ],
  async run(call) {
    const until = choiceOf(call, 'until', 'Limit By', ['time', 'loop']);
    const mode = choiceOf(call, 'eventLoop', 'Event Loop', ['block', 'yield']);
    const asked = {
      until,
      ...(until === 'time' && { cpuTimeMs: numberOf(call, 'cpuTimeMs', time) }),
      ...(until === 'loop' && { loopTo: numberOf(call, 'loopTo', loop) }),
      eventLoop: mode,
      ...(mode === 'yield' && { yieldEveryMs: numberOf(call, 'yieldEveryMs', slice) }),
    };
    const allowance = allowanceOf(process.env);
    const limited = !booleanOf(call, 'mayFreeze', mayFreeze.displayName);
    if (!limited) requireDangerous(allowance, `'${mayFreeze.displayName}'`);
    requireMs(allowance, asked.cpuTimeMs ?? 0);
    const blockedMs = Math.min(asked.cpuTimeMs ?? 0, asked.yieldEveryMs ?? Infinity);
    if (limited && blockedMs > LONGEST_FREEZE_MS) throw tooLong('would block', blockedMs);
    const burned = await burn({
      work: addUp,
      untilIteration: asked.loopTo ?? Infinity,
      untilCpuTimeMs: asked.cpuTimeMs ?? allowance.maxMs,
      yieldEveryMs: asked.yieldEveryMs ?? Infinity,
      longestFreezeMs: limited ? LONGEST_FREEZE_MS : Infinity,
      signal: call.signal,
    }).catch((error: unknown) => {
      throw error instanceof Frozen ? tooLong('was stopped after it blocked', error.ms) : error;
    });
    // The iterations that are left would take longer than n8n allows.
    if (burned.iterations < (asked.loopTo ?? 0)) requireMs(allowance, burned.cpuTimeMs + 1);
    return {
      asked,
      achieved: {
        cpuTimeMs: Math.round(burned.cpuTimeMs * 1000) / 1000,
        iterations: burned.iterations,
        sum: burned.sum,
      },
    };
  },
};

function tooLong(what: string, ms: number): Mistake {
  return new Mistake(
    `The work ${what} the event loop for ${Math.round(ms / 1000)} s; the longest allowed is ${LONGEST_FREEZE_MS / 1000} s`,
    "Choose 'Yield', ask for less, or turn on 'May Freeze n8n' to go on regardless.",
  );
}
