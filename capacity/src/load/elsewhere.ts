/** The load made by a k6 that does not run on this machine, read as it comes. */
import type { RequestSample } from '../record/record';
import { lengthSeconds } from '../plan/profile';
import type { Generator } from '../targets/target';
import { messageOf } from '../ui/exit';
import type { K6Order } from './k6';
import { parseLine, RequestLines } from './lines';
import type { LoadResult } from './load';
import { ENDING_MS, ENOUGH, outcomeOf, remember } from './outcome';
import { RUN_FLAGS, variablesOf } from './variables';

/** How long a k6 that was killed may take to be seen to have ended. */
const GONE_MS = 10_000;
/** How long it may take until the first request is due. */
const STARTING_MS = 60_000;
/** Between two looks at what k6 uses. */
const LOOK_MS = 1_000;

export async function runElsewhere(generator: Generator, order: K6Order): Promise<LoadResult> {
  const startedAtMs = Date.now();
  let notSent = 0;
  const lines = new RequestLines((dueMs) => {
    if (dueMs >= order.plan.warmupSeconds * 1000) notSent += 1;
  });
  const words: string[] = [];
  const usage = new Usage();
  let toldAtMs = -Infinity;
  let stopReason = '';
  const run = generator.start({
    script: order.plan.profile,
    flags: RUN_FLAGS,
    env: variablesOf(order),
    requests: order.requests,
    onLine: (text) => {
      const line = parseLine(text);
      if (line === null) {
        remember(words, text);
        return;
      }
      const known = lines.beganAtMs !== null;
      const sample = lines.read(line);
      if (!known && lines.beganAtMs !== null) {
        order.onBegin(lines.beganAtMs);
        awaitEnd(0);
      }
      if (sample !== null) take(sample);
    },
    behind: () => order.behind?.() ?? null,
    onUsage: (cpuCores, rssMiB) => {
      usage.see(cpuCores, rssMiB);
      // Looks come more often than they are wanted in a long run.
      if (performance.now() - toldAtMs < order.usageEveryMs - LOOK_MS / 2) return;
      toldAtMs = performance.now();
      order.onUsage(cpuCores, rssMiB);
    },
  });
  const timers: NodeJS.Timeout[] = [];
  let overrun: NodeJS.Timeout | undefined;
  const awaitEnd = (beforeMs: number): void => {
    clearTimeout(overrun);
    const longestMs = lengthSeconds(order.plan) * 1000 + order.drainMs + ENDING_MS;
    overrun = setTimeout(() => {
      stop('the load generator did not end when its plan did');
    }, beforeMs + longestMs);
  };
  let giveUp: () => void = () => undefined;
  const cut = new Promise<{ code: null; reason: string }>((resolve) => {
    giveUp = () => {
      resolve({ code: null, reason: stopReason });
    };
  });
  const stop = (why: string): void => {
    if (stopReason !== '') return;
    stopReason = why;
    run.stop('INT');
    timers.push(
      setTimeout(() => {
        run.stop('KILL');
      }, ENDING_MS),
      setTimeout(giveUp, ENDING_MS + GONE_MS),
    );
  };
  const onAbort = (): void => {
    stop(messageOf(order.signal.reason));
  };
  const take = (sample: RequestSample): void => {
    order.onRequest(sample);
    if (order.isEnough?.() === true) stop(ENOUGH);
  };
  awaitEnd(STARTING_MS);
  order.signal.addEventListener('abort', onAbort, { once: true });
  if (order.signal.aborted) onAbort();
  try {
    const { code, reason } = await Promise.race([run.ended, cut]);
    const endedAtMs = Date.now();
    lines.cutOff(endedAtMs).forEach(take);
    const outcome = outcomeOf({ code, signal: null, stopReason, words });
    return {
      beganAtMs: lines.beganAtMs ?? startedAtMs,
      endedAtMs,
      ...(code === null && stopReason === '' ? { outcome: 'killed' as const, reason } : outcome),
      generator: {
        version: generator.version,
        notSent,
        openPeak: lines.openPeak,
        openMax: order.maxOpen,
        coresAvailable: generator.coresAvailable,
        ...usage.figures(),
      },
    };
  } finally {
    clearTimeout(overrun);
    timers.forEach(clearTimeout);
    order.signal.removeEventListener('abort', onAbort);
  }
}

/** Of looks a second apart. */
class Usage {
  private cores = 0;
  private looks = 0;
  private rssPeakMiB = 0;

  see(cpuCores: number, rssMiB: number): void {
    this.cores += cpuCores;
    this.looks += 1;
    this.rssPeakMiB = Math.max(this.rssPeakMiB, rssMiB);
  }

  figures(): { cpuCoresMean: number; rssPeakMiB: number } {
    return {
      cpuCoresMean: this.looks === 0 ? 0 : this.cores / this.looks,
      rssPeakMiB: this.rssPeakMiB,
    };
  }
}
