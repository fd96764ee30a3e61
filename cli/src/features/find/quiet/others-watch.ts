/** While a search goes on: what processes that are no part of it use of this machine, about every second. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Strangers, type Stranger } from '../../../linux/strangers';
import type { Running } from '../../../targets/target';
import type { Progress } from '../../../ui/progress';
import { steadyClock } from '../../../ui/within';
import type { OthersUsed } from '../traces/seconds';
import { mostly } from './disturbances';

const EVERY_MS = 1_000;

export interface OthersSeen extends OthersUsed {
  busiest: Stranger | null;
}

export class OthersWatch {
  private seen: OthersSeen[] = [];
  private readonly nowMs = steadyClock();
  private readonly strangers: Strangers;
  private readonly timer: NodeJS.Timeout;

  constructor(running: Pick<Running, 'processes'>) {
    this.strangers = new Strangers(() => running.processes());
    this.look();
    this.timer = setInterval(() => {
      this.look();
    }, EVERY_MS);
    this.timer.unref();
  }

  /** What was seen since a time, in milliseconds since 1970, from which the times are counted then; the rest is forgotten. */
  since(atMs: number): OthersSeen[] {
    this.look();
    const seen = this.seen.filter(({ toMs }) => toMs > atMs);
    this.seen = [];
    return seen.map((one) => ({ ...one, fromMs: one.fromMs - atMs, toMs: one.toMs - atMs }));
  }

  /** Waits until others use no more than this in a second, and returns for how many seconds it waited. */
  async gone(
    max: { othersMs: number; seconds: number },
    tell: Progress,
    signal: AbortSignal,
  ): Promise<number> {
    const beganMs = performance.now();
    const passed = (): number => (performance.now() - beganMs) / 1_000;
    let waited = 0;
    while (!signal.aborted && passed() < max.seconds) {
      const last = this.seen.at(-1);
      if (last !== undefined) {
        if (1_000 * last.cpuMs <= max.othersMs * (last.toMs - last.fromMs)) break;
        tell(`waiting until other programs use less CPU${mostly(last.busiest)}`);
      }
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
      if (last !== undefined) waited = passed();
    }
    return waited;
  }

  end(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const { passedMs, cpuMs, busiest } = this.strangers.look();
    const toMs = this.nowMs();
    if (passedMs === 0) return;
    this.seen.push({ fromMs: toMs - passedMs, toMs, cpuMs, busiest: busiest[0] ?? null });
  }
}
