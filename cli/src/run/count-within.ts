import type { CountedWithin } from './analysis/completions';
import type { Window } from '../analysis/metrics';
import type { Running } from '../targets/target';
import type { ExecutionCounts } from '../record/run-record';

interface Look {
  counts: ExecutionCounts;
  atMs: number;
}

/** Looks at n8n's counts when the measured part begins and when it ends. */
export class CountWithin {
  private readonly looks: Promise<Look | null>[] = [];
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly running: Pick<Running, 'executions'>,
    private readonly measured: Window,
  ) {}

  /** Only the first call counts. */
  begin(beganAtMs: number): void {
    if (this.timers.length > 0) return;
    for (const tMs of [this.measured.fromMs, this.measured.toMs]) {
      const inMs = Math.max(0, beganAtMs + tMs - Date.now());
      this.timers.push(setTimeout(() => this.looks.push(this.look()), inMs));
    }
  }

  /** Null where n8n could not be asked, or the load ended before its time. */
  async end(): Promise<CountedWithin | null> {
    this.timers.forEach(clearTimeout);
    const [first, last] = await Promise.all(this.looks);
    if (!first || !last) return null;
    const ended = ({ counts: { succeeded } }: Look): number => succeeded;
    return {
      executions: ended(last) - ended(first),
      seconds: (last.atMs - first.atMs) / 1000,
      openAtEnd: last.counts.unfinished,
      source: last.counts.source,
    };
  }

  private async look(): Promise<Look | null> {
    const beganMs = performance.now();
    // What they count lies somewhere between question and answer.
    const counts = await this.running.executions().catch(() => null);
    return counts && { counts, atMs: (beganMs + performance.now()) / 2 };
  }
}
