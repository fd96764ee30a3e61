import type { RunFolder } from '../record/folder';
import type { Metric } from '../record/metrics';
import type { MetricSample, RunEvent, SampledRole } from '../record/record';
import type { Sampler, SampleSink } from '../samplers/sampler';
import type { Running } from '../targets/target';
import { messageOf } from '../ui/exit';

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

  constructor(private readonly folder: RunFolder) {}

  sample(role: SampledRole, instance: string, metric: Metric, value: number): void {
    if (!Number.isFinite(value)) return;
    const sample = { tMs: Date.now(), role, instance, metric, value };
    if (this.beganAtMs === null) this.waiting.push(sample);
    else this.keep(sample, this.beganAtMs);
  }

  /** `tMs`: since the load began, for what is known only later than it happened. */
  event(event: Omit<RunEvent, 'tMs'>, tMs?: number): void {
    if (tMs !== undefined) {
      this.events.push({ tMs, ...event });
      return;
    }
    const stamped = { tMs: Date.now(), ...event };
    if (this.beganAtMs === null) this.waitingEvents.push(stamped);
    else this.events.push({ ...stamped, tMs: stamped.tMs - this.beganAtMs });
  }

  /** Only the first call counts. */
  begin(beganAtMs: number): void {
    if (this.beganAtMs !== null) return;
    this.beganAtMs = beganAtMs;
    for (const sample of this.waiting) this.keep(sample, beganAtMs);
    for (const event of this.waitingEvents) {
      this.events.push({ ...event, tMs: event.tMs - beganAtMs });
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

  private keep(sample: MetricSample, beganAtMs: number): void {
    const kept = { ...sample, tMs: sample.tMs - beganAtMs };
    this.samples.push(kept);
    this.folder.sample(kept);
  }
}
