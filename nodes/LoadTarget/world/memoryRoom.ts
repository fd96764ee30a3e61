import type { INodeProperties } from 'n8n-workflow';
import { Mistake } from '../../shared/mistake';
import { allowanceOf, requireDangerous, requireMiB } from '../pure/allowance';
import { refusal, type MemoryKind } from '../pure/fits';
import { booleanOf, type Call } from '../operations/operation';
import { memoryFigures } from './memoryFigures';

/**
 * What takes less, together with what others are making, is never refused. The heap of an n8n under
 * load is full of garbage that V8 has not collected yet, so the figures would refuse small work that fits.
 */
const ALWAYS_FITS_MiB = 32;

/** What running operations are still about to make: two that each fit may not fit together. */
let promisedMiB = 0;

/** Memory that an operation is about to make, counted as taken until it is made or given up. */
export class Reservation {
  private leftMiB: number;

  constructor(sizeMiB: number) {
    this.leftMiB = sizeMiB;
    promisedMiB += sizeMiB;
  }

  /** So much is made: the figures of the process show it now. */
  made(sizeMiB: number): void {
    promisedMiB -= sizeMiB;
    this.leftMiB -= sizeMiB;
  }

  end(): void {
    this.made(this.leftMiB);
  }
}

export interface Need {
  kind: MemoryKind;
  sizeMiB: number;
  mayCrash: boolean;
  /** Why it needs so much, where that is more than what was asked for. */
  because?: string;
  /** How many times what was asked for it needs. */
  factor?: number;
}

/** Counts the memory as taken, or refuses with the figures where it does not fit. */
export function reserve({ kind, sizeMiB, mayCrash, because }: Need): Reservation {
  const tooMuch = refusal(kind, sizeMiB, memoryFigures(), promisedMiB);
  if (tooMuch !== undefined && !mayCrash) {
    const advice = "Ask for less, or turn on 'May Crash n8n' to go on regardless.";
    throw new Mistake(tooMuch, because === undefined ? advice : `${because} ${advice}`);
  }
  return new Reservation(sizeMiB);
}

/**
 * Runs what makes a document of `bytes`: measured, its objects take 2.5 times its size and its
 * text once more. The copies that n8n makes of the result afterwards are not counted.
 */
export async function withRoomForDocument<T>(
  call: Call,
  bytes: number,
  run: () => Promise<T>,
): Promise<T> {
  return withRoom(
    {
      kind: 'objects',
      sizeMiB: (bytes * DOCUMENT_FACTOR) / MIB,
      mayCrash: mayCrashOf(call),
      factor: DOCUMENT_FACTOR,
      because: `A document takes ${DOCUMENT_FACTOR} times its size in memory.`,
    },
    run,
  );
}

/** Runs what needs the memory, which is refused beforehand where it does not fit. */
export async function withRoom<T>(need: Need, run: () => Promise<T>): Promise<T> {
  requireMiB(allowanceOf(process.env), need.sizeMiB / (need.factor ?? 1));
  const isSmall = promisedMiB + need.sizeMiB < ALWAYS_FITS_MiB;
  const reservation = isSmall ? new Reservation(need.sizeMiB) : reserve(need);
  try {
    return await run();
  } finally {
    reservation.end();
  }
}

export const MIB = 1024 * 1024;
const DOCUMENT_FACTOR = 3.5;

export function mayCrashOf(call: Call): boolean {
  const mayCrash = booleanOf(call, 'mayCrash', mayCrashProperty.displayName);
  if (mayCrash) requireDangerous(allowanceOf(process.env), `'${mayCrashProperty.displayName}'`);
  return mayCrash;
}

export const mayCrashProperty: INodeProperties = {
  // eslint-disable-next-line n8n-nodes-base/node-param-display-name-miscased -- n8n writes itself so
  displayName: 'May Crash n8n',
  name: 'mayCrash',
  type: 'boolean',
  default: false,
  description:
    'Whether to go beyond what fits, so that n8n may run out of memory or be killed. When off, the node refuses with the figures.',
};
