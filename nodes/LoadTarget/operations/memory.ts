import type { Bounds } from '../../shared/bounds';
import { allowanceOf, requireDangerous, requireMiB, requireMs } from '../pure/allowance';
import type { MemoryKind } from '../pure/fits';
import { HeldMemory, leakedMiB } from '../world/heldMemory';
import { memoryFigures } from '../world/memoryFigures';
import { mayCrashOf, mayCrashProperty, MIB, reserve, type Reservation } from '../world/memoryRoom';
import { sleep, yieldToOthers } from '../../shared/sleep';
import { choiceOf, numberOf, type Call, type Operation } from './operation';

const KINDS = ['strings', 'objects', 'buffers'] as const;
const size: Bounds = { title: 'Size (MiB)', min: 0, max: 1_048_576 };
const hold: Bounds = { title: 'Hold For (Ms)', min: 0, max: 86_400_000 };
const step: Bounds = { title: 'Step (MiB)', min: 1, max: 1_048_576 };
const pause: Bounds = { title: 'Step Every (Ms)', min: 1, max: 3_600_000 };

/** So much is made before others get their turn on the event loop. */
const UNINTERRUPTED_BYTES = 32 * MIB;

export const memory: Operation = {
  option: {
    name: 'Memory',
    value: 'memory',
    description: 'Hold memory of an exact size for a time, or leak it',
    action: 'Hold memory of an exact size',
  },
  properties: [
    {
      displayName: 'Size (MiB)',
      name: 'sizeMiB',
      type: 'number',
      default: 100,
      typeOptions: { minValue: size.min, maxValue: size.max },
      description: 'How much memory to hold, in MiB of 1,048,576 bytes',
    },
    {
      displayName: 'Memory Type',
      name: 'heldAs',
      type: 'options',
      noDataExpression: false,
      default: 'strings',
      options: [
        {
          name: 'Buffers',
          value: 'buffers',
          description:
            'Outside the JavaScript heap: the container limit applies, not the heap limit',
        },
        {
          name: 'Objects',
          value: 'objects',
          description: 'Many small objects on the heap, which the garbage collector has to visit',
        },
        {
          name: 'Strings',
          value: 'strings',
          description: 'Long strings on the heap, like those of a large response body',
        },
      ],
      description: 'What to allocate',
    },
    {
      displayName: 'Growth',
      name: 'growth',
      type: 'options',
      default: 'atOnce',
      options: [
        { name: 'At Once', value: 'atOnce', description: 'As fast as possible' },
        { name: 'In Steps', value: 'inSteps', description: 'Step by step, with pauses' },
      ],
      description: 'How the memory grows to its size',
    },
    {
      displayName: 'Step (MiB)',
      name: 'stepMiB',
      type: 'number',
      default: 10,
      typeOptions: { minValue: step.min, maxValue: step.max },
      displayOptions: { show: { growth: ['inSteps'] } },
      description: 'How much each step adds',
    },
    {
      displayName: 'Step Every (Ms)',
      name: 'stepEveryMs',
      type: 'number',
      default: 100,
      typeOptions: { minValue: pause.min, maxValue: pause.max },
      displayOptions: { show: { growth: ['inSteps'] } },
      description: 'Pause between two steps, in milliseconds',
    },
    {
      displayName: 'Afterwards',
      name: 'afterwards',
      type: 'options',
      default: 'release',
      options: [
        {
          name: 'Leak',
          value: 'leak',
          description: 'Keep it until the process ends, so that each execution adds to it',
        },
        { name: 'Release', value: 'release', description: 'Leave it to the garbage collector' },
      ],
      description: 'What to do with the memory at the end',
    },
    {
      displayName: 'Hold For (Ms)',
      name: 'holdMs',
      type: 'number',
      default: 5000,
      typeOptions: { minValue: hold.min, maxValue: hold.max },
      description: 'How long to hold the memory, in milliseconds',
    },
    mayCrashProperty,
  ],
  async run(call) {
    const asked = {
      sizeMiB: numberOf(call, 'sizeMiB', size),
      heldAs: choiceOf(call, 'heldAs', 'Memory Type', KINDS),
      growth: choiceOf(call, 'growth', 'Growth', ['atOnce', 'inSteps']),
      afterwards: choiceOf(call, 'afterwards', 'Afterwards', ['release', 'leak']),
      holdMs: numberOf(call, 'holdMs', hold),
      mayCrash: mayCrashOf(call),
      ...(call.parameter('growth') === 'inSteps' && {
        stepMiB: numberOf(call, 'stepMiB', step),
        stepEveryMs: numberOf(call, 'stepEveryMs', pause),
      }),
    };
    const allowance = allowanceOf(process.env);
    if (asked.afterwards === 'leak') requireDangerous(allowance, "'Leak'");
    requireMiB(allowance, asked.sizeMiB + (asked.afterwards === 'leak' ? leakedMiB() : 0));
    requireMs(allowance, growthMs(asked) + asked.holdMs);
    const before = memoryFigures();
    const { heldAs: kind, sizeMiB, mayCrash } = asked;
    const reservation = reserve({ kind, sizeMiB, mayCrash });

    const held = new HeldMemory(asked.heldAs);
    let leaked = false;
    try {
      const externalBefore = process.memoryUsage().arrayBuffers;
      await grow(held, asked, call, reservation);
      const after = memoryFigures();
      const achieved = {
        heldMiB: rounded(held.bytes / MIB),
        heapGrowthMiB: rounded(after.heapUsedMiB - before.heapUsedMiB),
        offHeapGrowthMiB: rounded((process.memoryUsage().arrayBuffers - externalBefore) / MIB),
        rssGrowthMiB: rounded(after.rssMiB - before.rssMiB),
      };
      const heldSinceMs = performance.now();
      await sleep(asked.holdMs, call.signal);
      if (asked.afterwards === 'leak') {
        held.leak();
        leaked = true;
      }
      const heldMs = rounded(performance.now() - heldSinceMs);
      return { asked, achieved: { ...achieved, heldMs, leakedMiB: rounded(leakedMiB()) } };
    } finally {
      reservation.end();
      if (!leaked) held.release();
    }
  },
};

interface Growth {
  sizeMiB: number;
  heldAs: MemoryKind;
  stepMiB?: number;
  stepEveryMs?: number;
}

function growthMs({ sizeMiB, stepMiB, stepEveryMs }: Growth): number {
  if (stepMiB === undefined || stepEveryMs === undefined) return 0;
  return Math.max(0, Math.ceil(sizeMiB / stepMiB) - 1) * stepEveryMs;
}

async function grow(
  held: HeldMemory,
  asked: Growth,
  { signal }: Call,
  reservation: Reservation,
): Promise<void> {
  const targetBytes = Math.round(asked.sizeMiB * MIB);
  const stepBytes = (asked.stepMiB ?? asked.sizeMiB) * MIB;
  while (held.bytes < targetBytes) {
    const stepEnd = Math.min(targetBytes, held.bytes + stepBytes);
    while (held.bytes < stepEnd) {
      const madeFrom = held.bytes;
      const turnEnd = Math.min(stepEnd, madeFrom + UNINTERRUPTED_BYTES);
      while (held.bytes < turnEnd) held.growTowards(turnEnd);
      reservation.made((held.bytes - madeFrom) / MIB);
      await yieldToOthers(signal);
    }
    if (asked.stepEveryMs !== undefined && held.bytes < targetBytes) {
      await sleep(asked.stepEveryMs, signal);
    }
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
