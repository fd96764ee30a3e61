import { setTimeout as sleep } from 'node:timers/promises';
import type { DrillFault } from '../record/drill-record';
import { FAULT, FAULT_STEP } from '../record/drill-record';
import type { RunOrder } from '../run/order';
import type { Running } from '../targets/target';
import { Failure, messageOf } from '../ui/exit';
import type { Fault } from './fault';

/** A fault that is made once, so long after the load has begun. */
export class TimedFault {
  /** Milliseconds since the load began. */
  readonly done: DrillFault['done'] = [];
  overMs: number | null = null;
  failure: string | null = 'the load ended before it was due';
  private readonly ending = new AbortController();
  private making: Promise<void> = Promise.resolve();

  constructor(
    private readonly running: Running,
    private readonly fault: Fault,
    private readonly times: { atMs: number; lastsMs: number },
  ) {}

  /** For `RunOrder`: called when the load has begun. */
  readonly begin: NonNullable<RunOrder['onBegin']> = (beganAtMs, tell) => {
    this.making = this.make(beganAtMs, tell);
  };

  /** Once the run is over: what still goes on is broken off. */
  async end(): Promise<void> {
    this.ending.abort();
    await this.making;
  }

  private async make(
    beganAtMs: number,
    tellRun: Parameters<NonNullable<RunOrder['onBegin']>>[1],
  ): Promise<void> {
    const { signal } = this.ending;
    const { atMs, lastsMs } = this.times;
    const now = (): number => Date.now() - beganAtMs;
    try {
      await sleep(Math.max(0, atMs - now()), undefined, { signal });
    } catch {
      return;
    }
    try {
      const access = this.running.drillAccess;
      if (access === undefined) throw new Failure('nothing of the target can be reached');
      this.failure = null;
      await this.fault.make({
        access,
        instances: () => access.instances?.() ?? this.running.processes(),
        lastsMs,
        signal,
        tell: (text) => {
          const kind = this.done.length === 0 ? FAULT : FAULT_STEP;
          this.done.push({ tMs: now(), text });
          tellRun({ kind, text });
        },
      });
      // One that is broken off with the load is not over.
      if (!signal.aborted) this.overMs = now();
    } catch (error) {
      this.failure = messageOf(error);
    }
  }
}
