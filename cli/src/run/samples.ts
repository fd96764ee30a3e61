import { lengthSeconds, type LoadPlan } from '../../../loadtests/lib/profile';
import type { RunFolder } from '../record/folder';
import type { Metric } from '../record/metrics';
import type { MetricSample, RunEvent, SampledRole } from '../record/run-record';
import type { Sampler, SampleSink } from '../samplers/sampler';
import type { Running } from '../targets/target';
import { messageOf } from '../ui/exit';

const SAMPLE_EVERY_MS = 1000;
/** All samples of a run are kept: with 60 figures at a time, these are about 35 MB. */
const MAX_TIMES = 7_200;
/** A process that is started again and again, for a week. */
const MAX_EVENTS = 2_000;

/** Every second, and less often in a run of more than two hours: every 85 s in one of a week. */
export function sampleEveryMs(plan: LoadPlan): number {
  return SAMPLE_EVERY_MS * Math.max(1, Math.ceil(lengthSeconds(plan) / MAX_TIMES));
}

/**
 * Takes what samplers and target say from before the load on. Their times are counted from the load's
 * beginning, which is known only once it has begun: until then they wait.
 */
export class Observations implements SampleSink {
  readonly samples: MetricSample[] = [];
  readonly events: RunEvent[] = [];
  readonly failedSamplers: string[] = [];
  private beganAtMs: number | null = null;
  private waiting: MetricSample[] = [];
  private waitingEvents: RunEvent[] = [];

  constructor(private readonly folder: Pick<RunFolder, 'sample'>) {}

  sample(role: SampledRole, instance: string, metric: Metric, value: number): void {
    if (!Number.isFinite(value)) return;
    const sample = { tMs: Date.now(), role, instance, metric, value };
    if (this.beganAtMs === null) this.waiting.push(sample);
    else this.keep(sample, this.beganAtMs);
  }

  /** `tMs`: since the load began, for what is known only later than it happened. */
  event(event: Omit<RunEvent, 'tMs'>, tMs?: number): void {
    if (tMs !== undefined) {
      this.keepEvent({ tMs, ...event });
      return;
    }
    const stamped = { tMs: Date.now(), ...event };
    if (this.beganAtMs === null) this.waitingEvents.push(stamped);
    else this.keepEvent({ ...stamped, tMs: stamped.tMs - this.beganAtMs });
  }

  /** When the load began, which all times are counted from; null: it never did. */
  get loadBeganAt(): string | null {
    return this.beganAtMs === null ? null : new Date(this.beganAtMs).toISOString();
  }

  /** Only the first call counts. */
  begin(beganAtMs: number): void {
    if (this.beganAtMs !== null) return;
    this.beganAtMs = beganAtMs;
    for (const sample of this.waiting) this.keep(sample, beganAtMs);
    for (const event of this.waitingEvents) {
      this.keepEvent({ ...event, tMs: event.tMs - beganAtMs });
    }
    this.waiting = [];
    this.waitingEvents = [];
  }

  /** Those that cannot be had here say so and are left out; returns the ones that run. */
  async start(samplers: readonly Sampler[], running: Running, everyMs: number): Promise<Sampler[]> {
    const started = await Promise.all(
      samplers.map(async (sampler) => {
        try {
          await sampler.start(running, this, everyMs);
          return [sampler];
        } catch (error) {
          this.failed(sampler, error);
          return [];
        }
      }),
    );
    return started.flat();
  }

  async stop(samplers: readonly Sampler[]): Promise<void> {
    await Promise.all(
      samplers.map((sampler) =>
        sampler.stop().catch((error: unknown) => {
          this.failed(sampler, error);
        }),
      ),
    );
  }

  private failed(sampler: Sampler, error: unknown): void {
    this.failedSamplers.push(sampler.name);
    this.event({ kind: 'sampler', text: `${sampler.name}: ${messageOf(error)}` });
  }

  private keepEvent(event: RunEvent): void {
    if (this.events.length < MAX_EVENTS) this.events.push(event);
    else if (this.events.length === MAX_EVENTS) {
      const text = `more than ${String(MAX_EVENTS)} events: later ones are not listed`;
      this.events.push({ tMs: event.tMs, kind: 'recorder', text });
    }
  }

  private keep(sample: MetricSample, beganAtMs: number): void {
    const kept = { ...sample, tMs: sample.tMs - beganAtMs };
    this.samples.push(kept);
    this.folder.sample(kept);
  }
}
