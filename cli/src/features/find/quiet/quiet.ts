/** Whether a search may begin on this machine as it is. */
import { Failure, messageOf } from '../../../ui/exit';
import type { Progress } from '../../../ui/progress';
import { warn } from '../../../ui/print';
import type { BeforeSearch } from '../record';
import { disturbances, type MachineLook } from './disturbances';
import { lookAtMachine } from './look';

export interface QuietChoice {
  /** How long to wait until the machine is quiet. */
  waitSeconds: number;
  /** Measure all the same, and say what was seen. */
  anyway: boolean;
}

interface Hands {
  tell: Progress;
  signal: AbortSignal;
  look?: (signal: AbortSignal) => Promise<MachineLook>;
  nowMs?: () => number;
}

/** Returns at once on a quiet machine; throws a Failure that says what is to be done where it stays busy. */
export async function awaitQuiet(
  { waitSeconds, anyway }: QuietChoice,
  { tell, signal, look = lookAtMachine, nowMs = () => performance.now() }: Hands,
): Promise<BeforeSearch> {
  const giveUpMs = nowMs() + 1_000 * waitSeconds;
  for (;;) {
    tell('looking at what else uses this machine');
    const seen = await look(signal);
    const found = disturbances(seen);
    if (signal.aborted) throw new Failure(`${messageOf(signal.reason)} before the search began.`);
    if (found.length > 0 && nowMs() < giveUpMs) {
      tell(`waiting until this machine is quiet: ${found[0] ?? ''}`);
      continue;
    }
    if (found.length > 0 && !anyway) throw new Failure(refusal(found, waitSeconds));
    found.forEach(warn);
    return { othersCores: seen.usedCores, disturbances: found };
  }
}

function refusal(found: readonly string[], waitSeconds: number): string {
  const since = waitSeconds === 0 ? '' : `, also after ${String(waitSeconds)} s`;
  const wait = waitSeconds === 0 ? 'wait with --wait-for-quiet 10m, or ' : '';
  return `this machine is not quiet${since}, so no load was made. ${found.join(' ')} End what disturbs, ${wait}measure all the same with --anyway.`;
}
