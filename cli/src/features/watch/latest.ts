import type { Series } from './analysis/series';
import type { Metric } from '../../record/metrics';
import type { RunEvent, SampledRole } from '../../record/run-record';
import type { SampleSink } from '../../samplers/sampler';

const KEPT_MS = 60_000;
const EVENTS_KEPT = 3;

/** What samplers said within the last minute. */
export class Latest implements SampleSink {
  readonly events: { atMs: number; text: string }[] = [];
  private readonly all = new Map<string, Series>();

  constructor(private readonly now: () => number = Date.now) {}

  sample(role: SampledRole, instance: string, metric: Metric, value: number): void {
    const key = [role, instance, metric].join('\n');
    const series = this.all.get(key) ?? { role, instance, metric, points: [] };
    this.all.set(key, series);
    const atMs = this.now();
    series.points.push({ atMs, value });
    while ((series.points[0]?.atMs ?? atMs) < atMs - KEPT_MS) series.points.shift();
  }

  event({ text }: Omit<RunEvent, 'tMs'>): void {
    this.events.push({ atMs: this.now(), text });
    if (this.events.length > EVENTS_KEPT) this.events.shift();
  }

  /** Without those of an instance that has ended. */
  series(): Series[] {
    const since = this.now() - KEPT_MS;
    return [...this.all.values()].filter(({ points }) => (points.at(-1)?.atMs ?? 0) >= since);
  }
}
