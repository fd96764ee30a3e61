/** Several load generators begin one schedule at the same time: each is ready before its zero, or none makes load. */
import { setTimeout as sleep } from 'node:timers/promises';
import { knownAheadMs, type ClockOffset } from '../analysis/clock';
import type { Generator, GeneratorRun } from '../targets/target';
import { messageOf } from '../ui/exit';

/** From the order to start until the zero: k6 is ready within it on a machine that is not busy. */
const LEAD_MS = 5_000;
const TRIES = 4;
/** So long before the zero it is decided: those that are ready then can be stopped before they make load. */
const DECIDED_MS = 1_500;

/** How long those that were killed may take to be seen to have ended. */
const GONE_MS = 10_000;

export interface Gathering {
  clocks: readonly (ClockOffset | null)[];
  /** `beginsAtMs`: by the generator's own clock. */
  start(index: number, beginsAtMs: number): { run: GeneratorRun; ready: Promise<void> };
  /** Called before the generators of an attempt are killed: one whose kill comes late still sends requests, which must not count. */
  giveUp(): void;
  signal: AbortSignal;
  leadMs?: number;
}

export interface Gathered {
  runs: readonly GeneratorRun[];
  /** By our clock. */
  beginsAtMs: number;
}

/** Rejects when they are not ready within the longest lead, or when one has ended before the load began. */
export async function gather({
  clocks,
  start,
  giveUp,
  signal,
  leadMs = LEAD_MS,
}: Gathering): Promise<Gathered> {
  for (let attempt = 0; ; attempt += 1) {
    const lead = leadMs * 2 ** attempt;
    const beginsAtMs = Date.now() + lead;
    const begun = clocks.map((clock, index) =>
      start(index, Math.round(beginsAtMs + knownAheadMs(clock))),
    );
    const stopAll = async (): Promise<void> => {
      giveUp();
      for (const { run } of begun) run.stop('KILL');
      const ended = Promise.allSettled(begun.map(({ run }) => run.ended));
      await Promise.race([ended, sleep(GONE_MS, undefined, { ref: false })]);
    };
    const ended = begun.map(async ({ run }) => {
      const { reason, code } = await run.ended;
      throw new Error(reason || `k6 ended with exit code ${String(code)} before the load began`);
    });
    const ready = Promise.all(begun.map((one) => one.ready)).then(() => true);
    try {
      const decided = tooLate(lead - DECIDED_MS, signal);
      const allReady = await Promise.race([ready, decided.promise, ...ended]).finally(decided.end);
      if (allReady) return { runs: begun.map(({ run }) => run), beginsAtMs };
    } catch (error) {
      await stopAll();
      throw error;
    } finally {
      for (const each of ended) each.catch(() => undefined);
    }
    await stopAll();
    if (attempt + 1 === TRIES) {
      throw new Error(
        `not all of the ${String(clocks.length)} load generators were ready within ${String(lead / 1000)} s: give them more CPU, or use fewer`,
      );
    }
  }
}

/** False after the time; rejects when the signal fires before. */
function tooLate(
  milliseconds: number,
  signal: AbortSignal,
): { promise: Promise<boolean>; end(): void } {
  let end: () => void = () => undefined;
  const promise = new Promise<boolean>((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(false);
    }, milliseconds);
    const stop = (): void => {
      reject(new Error(messageOf(signal.reason)));
    };
    end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  return { promise, end };
}

/** One that cannot be asked counts as one whose clock is not known. */
export function clocksOf(generators: readonly Generator[]): Promise<(ClockOffset | null)[]> {
  return Promise.all(generators.map((generator) => generator.clock().catch(() => null)));
}
