import { estimate, soFar, type Estimate } from './estimate';
import { propose } from './propose';
import type { ProbeTrace } from './virtual-queue/trace';
import {
  withDefaults,
  type CapacityInterval,
  type ProbeOutcome,
  type Probe,
  type SearchSettings,
  type Trial,
} from './types';

/**
 * The search for the highest rate at which every SLO is met. It knows no clock, no process and no
 * network: `next()` proposes a probe, its driver makes that probe and tells `record()` what came
 * of it, and `estimate()` answers at any time. One search, step by step:
 *
 *   ladder   1 client, 4, 16: the throughput stops growing at 100/s, so that is about the most it does
 *   growth   85/s for 10 s sustained, with p95 at a third of its bound; 108/s not, by far
 *   narrow   97/s not sustained; 93/s sustained, with p95 just below its bound: about 94/s
 *   confirm  92/s at full length sustained, 94/s not, 92.7/s sustained: 93/s, between 91 and 95
 *
 * No probe decides alone. One that contradicts the others, a stall of the machine in the middle of it,
 * moves the belief a little, and the next probe is made where the answer is now most likely.
 *
 * Nothing is remembered but the probes. Where the boundary lies is worked out from all of them each
 * time, so that a bound that noise had moved moves back when later probes contradict it.
 */
export class CapacitySearch {
  private readonly settings: SearchSettings;
  private readonly trials: Trial[];
  private pending: Probe | null = null;
  private known: Estimate | null = null;
  private glance: CapacityInterval | null = null;

  /** `before`: probes of a search that this one goes on with. */
  constructor(settings: Partial<SearchSettings> = {}, before: readonly Trial[] = []) {
    this.settings = withDefaults(settings);
    this.trials = [...before];
  }

  /** The probe to make now, the same until its outcome is recorded; null when the search is over. */
  next(): Probe | null {
    this.pending ??= propose(this.trials, this.settings);
    return this.pending;
  }

  record(outcome: ProbeOutcome): void {
    if (this.pending === null) throw new Error('record() without a probe from next()');
    this.trials.push({ probe: this.pending, outcome });
    this.pending = null;
    this.forget();
  }

  /** Other traces of the probes so far: which CPU decides may show only in later ones. */
  retrace(traces: readonly (ProbeTrace | null)[]): void {
    for (const [i, trace] of traces.entries()) {
      const trial = this.trials[i];
      if (trial !== undefined) trial.outcome = { ...trial.outcome, trace };
    }
    this.forget();
  }

  /** Worked out once after each probe: it takes a second or two. */
  estimate(): Estimate {
    this.known ??= estimate(this.trials, this.settings);
    return this.known;
  }

  /** The same at a glance, for a line of progress, which is written several times a second. */
  soFar(): CapacityInterval {
    this.glance ??= soFar(this.trials, this.settings);
    return this.glance;
  }

  private forget(): void {
    this.known = null;
    this.glance = null;
  }
}
