/** Whether a measurement may begin on this machine as it is. */
import type { Command } from 'commander';
import { parsed, seconds } from '../../../options/parsers';
import type { TargetKind } from '../../../record/run-record';
import { isLoopback } from '../../../targets/url/needs';
import { Failure, messageOf } from '../../../ui/exit';
import { interruptible } from '../../../ui/interrupt';
import { startProgress, type Progress } from '../../../ui/progress';
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

export interface QuietOptions {
  /** Seconds. */
  waitForQuiet?: number;
  anyway?: boolean;
}

export const withQuietOptions = (command: Command): Command =>
  command
    .addOption(
      parsed(
        '--wait-for-quiet <time>',
        'maximum time to wait until the machine is quiet (default: refuse to measure on a busy machine)',
        seconds,
      ),
    )
    .option(
      '--anyway',
      'measure even on a busy machine, and report the disturbances with the result',
    );

export const quietOf = ({ waitForQuiet, anyway }: QuietOptions): QuietChoice => ({
  ...{ waitSeconds: waitForQuiet ?? 0, anyway: anyway === true },
});

/** On these, n8n or the server shares this machine with whatever else runs here. */
export const isHere = (kind: TargetKind): boolean =>
  kind === 'process' || kind === 'container' || kind === 'server';

interface Measured {
  kind: TargetKind;
  url?: string;
}

/** Also where n8n already runs at an address of this machine. */
export const isMeasuredHere = ({ kind, url }: Measured): boolean =>
  isHere(kind) || (url !== undefined && isLoopback(url));

/** Before anything is started, so that it is seen without it; null where nothing is measured on this machine. */
export async function quietHere(
  targets: readonly Measured[],
  choice: QuietChoice,
): Promise<BeforeSearch | null> {
  if (!targets.some(isMeasuredHere)) return null;
  const progress = startProgress();
  try {
    return await interruptible((signal) => awaitQuiet(choice, { tell: progress.tell, signal }));
  } finally {
    progress.end();
  }
}

interface QuietDeps {
  tell: Progress;
  signal: AbortSignal;
  look?: (signal: AbortSignal) => Promise<MachineLook>;
  nowMs?: () => number;
}

/** Returns at once on a quiet machine; throws a Failure that says what is to be done where it stays busy. */
export async function awaitQuiet(
  { waitSeconds, anyway }: QuietChoice,
  { tell, signal, look = lookAtMachine, nowMs = () => performance.now() }: QuietDeps,
): Promise<BeforeSearch> {
  const giveUpMs = nowMs() + 1_000 * waitSeconds;
  for (;;) {
    tell('checking what else uses this machine');
    const seen = await look(signal);
    const found = disturbances(seen);
    if (signal.aborted)
      throw new Failure(`${messageOf(signal.reason)} before anything was measured.`);
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
  const since = waitSeconds === 0 ? '' : `, even after ${String(waitSeconds)} s`;
  const wait = waitSeconds === 0 ? 'wait with --wait-for-quiet 10m, or' : 'or';
  return `this machine is not quiet${since}, so no load was generated. ${found.join(' ')} Stop these programs if you can, ${wait} measure anyway with --anyway.`;
}
