import type { Bounds } from '../../shared/bounds';
import { addUp } from '../pure/loop';
import { burn } from '../world/cpu';
import { choiceOf, numberOf, type Operation } from './operation';

const time: Bounds = { title: 'CPU Time (Ms)', min: 0, max: 3_600_000 };
const loop: Bounds = { title: 'Loop To', min: 0, max: 5_000_000_000, integer: true };
const slice: Bounds = { title: 'Yield Every (Ms)', min: 1, max: 60_000 };

export const cpu: Operation = {
  option: {
    name: 'CPU',
    value: 'cpu',
    description: 'Use the CPU for a time, or for a loop of a given length',
    action: 'Use the CPU',
  },
  properties: [
    {
      displayName: 'Work Until',
      name: 'until',
      type: 'options',
      default: 'time',
      options: [
        { name: 'A CPU Time', value: 'time', description: 'The same time on every machine' },
        { name: 'A Loop Ends', value: 'loop', description: 'The same work on every machine' },
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
      displayName: 'Loop To',
      name: 'loopTo',
      type: 'number',
      default: 500000,
      typeOptions: { minValue: loop.min, maxValue: loop.max },
      displayOptions: { show: { until: ['loop'] } },
      description: 'How many times to run "count += i"',
    },
    {
      displayName: 'Event Loop',
      name: 'eventLoop',
      type: 'options',
      default: 'block',
      options: [
        {
          name: 'Block',
          value: 'block',
          description: 'Nothing else runs in this process meanwhile',
        },
        { name: 'Yield', value: 'yield', description: 'Let others run every so often' },
      ],
      description: 'Whether other executions of the same process can run in between',
    },
    {
      displayName: 'Yield Every (Ms)',
      name: 'yieldEveryMs',
      type: 'number',
      default: 10,
      typeOptions: { minValue: slice.min, maxValue: slice.max },
      displayOptions: { show: { eventLoop: ['yield'] } },
      description: 'After how much CPU time others get their turn, in milliseconds',
    },
  ],
  async run(call) {
    const until = choiceOf(call, 'until', 'Work Until', ['time', 'loop']);
    const eventLoop = choiceOf(call, 'eventLoop', 'Event Loop', ['block', 'yield']);
    const asked = {
      until,
      ...(until === 'time' && { cpuTimeMs: numberOf(call, 'cpuTimeMs', time) }),
      ...(until === 'loop' && { loopTo: numberOf(call, 'loopTo', loop) }),
      eventLoop,
      ...(eventLoop === 'yield' && { yieldEveryMs: numberOf(call, 'yieldEveryMs', slice) }),
    };
    const burned = await burn({
      work: addUp,
      untilIteration: asked.loopTo ?? Infinity,
      untilCpuTimeMs: asked.cpuTimeMs ?? Infinity,
      yieldEveryMs: asked.yieldEveryMs ?? Infinity,
      signal: call.signal,
    });
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
