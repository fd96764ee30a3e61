import { setTimeout as sleep } from 'node:timers/promises';
import type { DrillFault, Victim } from './record';
import { FAULT, FAULT_STEP } from '../../record/run-record';
import type { RunOrder } from '../../run/order';
import type { Instance, Running } from '../../targets/target';
import { Failure, messageOf } from '../../ui/exit';
import type { Fault, FaultContext, FaultPart, FaultScene, Hit } from './fault';
import { executionsOn, requestsOn } from './make-fault';

/** A fault that is made so long after the load has begun, once or again and again. */
export class TimedFault {
  /** Milliseconds since the load began. */
  readonly done: DrillFault['done'] = [];
  readonly victims: (Victim & Pick<Hit, 'takes'>)[] = [];
  /** When it was begun, the first time: in pods it takes up to seconds until it is made, and told. */
  beganMs: number | null = null;
  overMs: number | null = null;
  /** Each time, from when it was told to be made until it was over. */
  readonly turns: NonNullable<DrillFault['turns']> = [];
  /** When it was made last; null: never. */
  lastMs: number | null = null;
  failure: string | null = 'the load ended before the fault was due';
  private readonly ending = new AbortController();
  private making: Promise<void> = Promise.resolve();
  /** Milliseconds since the load began. */
  private now: () => number = () => 0;

  constructor(
    private readonly running: Running,
    private readonly fault: Fault,
    /** `everyMs`: it is made again and again for `lastsMs`, each time for `turnMs`, or for a moment; left out: once. */
    private readonly times: { atMs: number; lastsMs: number; everyMs?: number; turnMs?: number },
    /** What is made is told within moments: not in pods. */
    private readonly isToldAtOnce = false,
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
    // From here on by a clock that no correction of the time moves.
    const zeroMs = performance.now() - (Date.now() - beganAtMs);
    const now = (): number => Math.round(performance.now() - zeroMs);
    this.now = now;
    const isDue = (atMs: number): Promise<boolean> =>
      sleep(Math.max(0, atMs - now()), true, { signal }).catch(() => false);
    const { lastsMs, everyMs, turnMs = 0 } = this.times;
    try {
      for (const [turn, atMs] of this.due().entries()) {
        if (!(await isDue(atMs))) return;
        this.failure = null;
        this.beganMs ??= now();
        const tells = (isFirst: boolean, text: string, tMs = now()): void => {
          this.done.push({ tMs, text });
          tellRun({ kind: isFirst ? FAULT : FAULT_STEP, text });
        };
        const isOne = this.fault.hasParts !== true;
        const whole = this.part(tells);
        const tell = isOne
          ? whole.tell
          : (text: string): void => {
              tells(false, text);
            };
        await this.makeOnce(
          {
            ...{ lastsMs: everyMs === undefined ? lastsMs : turnMs, turn, signal, tell },
            part: () => this.part(tells),
          },
          whole.hit,
        );
        whole.over(true);
      }
      // One that is broken off with the load is not over.
      if (!signal.aborted) this.overMs = now();
    } catch (error) {
      this.failure = messageOf(error);
    }
  }

  /** One time of the fault. It counts from when it is told to be made. */
  private part(tells: (isFirst: boolean, text: string, tMs: number) => void): FaultPart {
    const begunMs = this.now();
    const turn = this.turns.length;
    let own: (typeof this.turns)[number] | null = null;
    return {
      tell: (text) => {
        const isFirst = own === null;
        const tMs = this.now();
        if (own === null) {
          own = { fromMs: tMs, toMs: null, ...(this.isToldAtOnce ? { begunMs } : {}) };
          this.lastMs = tMs;
          this.turns.push(own);
        }
        tells(isFirst, text, tMs);
      },
      hit: (victim) => void this.victims.push({ tMs: this.now(), turn, ...victim }),
      over: (isMade) => {
        if (own === null || this.ending.signal.aborted) return;
        if (isMade) own.toMs = this.now();
        else this.turns.splice(this.turns.indexOf(own), 1);
      },
    };
  }

  private makeOnce(scene: FaultScene, hit: FaultContext['hit']): Promise<void> {
    const { fault, running } = this;
    if (fault.isFromOutside === true) return fault.make(scene);
    const access = running.drillAccess;
    if (access === undefined)
      throw new Failure('the drill has no access to the processes of this target');
    const instances = (): Instance[] => access.instances?.() ?? running.processes();
    return fault.make({
      ...{ ...scene, access, instances },
      executionsOn: (instance) => executionsOn(running, instance),
      requestsOn: (instance) => requestsOn(running, instance),
      hit,
    });
  }

  /** Milliseconds since the load began. */
  private due(): number[] {
    const { atMs, lastsMs, everyMs } = this.times;
    if (everyMs === undefined) return [atMs];
    const times = Math.ceil(lastsMs / everyMs);
    return Array.from({ length: times }, (_, index) => atMs + index * everyMs);
  }
}
