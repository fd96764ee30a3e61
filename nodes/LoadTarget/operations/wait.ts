import type { Bounds } from '../../shared/bounds';
import { Mistake } from '../../shared/mistake';
import { allowanceOf, requireMs } from '../pure/allowance';
import { sampleMs, type Distribution } from '../pure/distribution';
import { sleep } from '../../shared/sleep';
import { choiceOf, numberOf, type Call, type Operation } from './operation';

const LONGEST_MS = 86_400_000;
const bounds = (title: string): Bounds => ({ title, min: 0, max: LONGEST_MS });
const typeOptions = { minValue: 0, maxValue: LONGEST_MS };

export const wait: Operation = {
  option: {
    name: 'Wait',
    value: 'wait',
    description: 'Wait without using the CPU, as for a slow service',
    action: 'Wait',
  },
  properties: [
    {
      displayName: 'Distribution',
      name: 'distribution',
      type: 'options',
      default: 'fixed',
      options: [
        {
          name: 'Exponential',
          value: 'exponential',
          description: 'Mostly short, sometimes long',
        },
        { name: 'Fixed', value: 'fixed', description: 'Always the same' },
        { name: 'Normal', value: 'normal', description: 'Around a mean, never below 0' },
        {
          name: 'Uniform',
          value: 'uniform',
          description: 'Evenly distributed between two durations',
        },
      ],
      description: 'How to choose the duration of each item',
    },
    {
      displayName: 'Duration (Ms)',
      name: 'waitMs',
      type: 'number',
      default: 1000,
      typeOptions,
      displayOptions: { show: { distribution: ['fixed'] } },
      description: 'How long to wait, in milliseconds',
    },
    {
      displayName: 'Shortest (Ms)',
      name: 'minMs',
      type: 'number',
      default: 500,
      typeOptions,
      displayOptions: { show: { distribution: ['uniform'] } },
      description: 'The shortest wait, in milliseconds',
    },
    {
      displayName: 'Longest (Ms)',
      name: 'maxMs',
      type: 'number',
      default: 1500,
      typeOptions,
      displayOptions: { show: { distribution: ['uniform'] } },
      description: 'The longest wait, in milliseconds',
    },
    {
      displayName: 'Mean (Ms)',
      name: 'meanMs',
      type: 'number',
      default: 1000,
      typeOptions,
      displayOptions: { show: { distribution: ['exponential', 'normal'] } },
      description: 'The mean wait, in milliseconds',
    },
    {
      displayName: 'Standard Deviation (Ms)',
      name: 'deviationMs',
      type: 'number',
      default: 200,
      typeOptions,
      displayOptions: { show: { distribution: ['normal'] } },
      description: 'How much the waits vary around the mean, in milliseconds',
    },
  ],
  async run(call) {
    const distribution = distributionOf(call);
    const allowance = allowanceOf(process.env);
    for (const [name, ms] of Object.entries(distribution)) {
      if (name !== 'kind') requireMs(allowance, Number(ms));
    }
    const longestMs = Math.min(LONGEST_MS, allowance.maxMs);
    const drawnMs = sampleMs(distribution, longestMs, Math.random);
    const began = performance.now();
    // A timer counts whole milliseconds and may fire a little early: what is missing is waited too.
    for (let leftMs = drawnMs; leftMs > 0; leftMs = drawnMs - (performance.now() - began)) {
      await sleep(Math.ceil(leftMs), call.signal);
    }
    const { kind, ...figures } = distribution;
    return {
      asked: { distribution: kind, ...figures },
      achieved: { drawnMs: rounded(drawnMs), waitedMs: rounded(performance.now() - began) },
    };
  },
};

function distributionOf(call: Call): Distribution {
  const ms = (name: string, title: string): number => numberOf(call, name, bounds(title));
  const kinds = ['fixed', 'uniform', 'exponential', 'normal'] as const;
  const kind = choiceOf(call, 'distribution', 'Distribution', kinds);
  switch (kind) {
    case 'fixed':
      return { kind, ms: ms('waitMs', 'Duration (Ms)') };
    case 'uniform': {
      const minMs = ms('minMs', 'Shortest (Ms)');
      const maxMs = ms('maxMs', 'Longest (Ms)');
      if (maxMs < minMs) {
        throw new Mistake(`'Longest (Ms)' must not be below 'Shortest (Ms)': ${maxMs} < ${minMs}`);
      }
      return { kind, minMs, maxMs };
    }
    case 'exponential':
      return { kind, meanMs: ms('meanMs', 'Mean (Ms)') };
    case 'normal':
      return {
        kind,
        meanMs: ms('meanMs', 'Mean (Ms)'),
        deviationMs: ms('deviationMs', 'Standard Deviation (Ms)'),
      };
  }
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
