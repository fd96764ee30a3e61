/** The series that a load leaves in a Prometheus: what it asked for and what it got, under Prometheus' conventions for names. */
import { rateAt } from '../../../../loadtests/lib/due';
import type { LoadPlan } from '../../../../loadtests/lib/profile';
import type { Labels } from '../../prometheus/series';
import type { RequestSample } from '../../record/run-record';
import { hasLatency } from '../../analysis/requests/latency';

/** Seconds: upper bounds of the histogram. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const DURATION = 'n8n_tuned_load_request_duration_seconds';

/** The value of a result that is as the workload expects; of any other request it is the kind of its error. */
const EXPECTED = 'expected';

export interface Point {
  labels: Labels;
  value: number;
}

/** Counts requests as they end, in a few numbers however many there are. */
export class LoadSeries {
  private readonly results = new Map<string, number>([[EXPECTED, 0]]);
  private readonly buckets = BOUNDS.map(() => 0);
  private latencies = 0;
  private sumSeconds = 0;
  private readonly used = new Map<string, number>();
  private readonly faults = new Set<string>();

  constructor(
    private readonly plan: LoadPlan,
    private readonly info: Labels,
  ) {}

  add(request: RequestSample): void {
    const result = request.ok ? EXPECTED : request.errorKind;
    this.results.set(result, (this.results.get(result) ?? 0) + 1);
    if (!hasLatency(request)) return;
    const seconds = request.durationMs / 1000;
    this.latencies += 1;
    this.sumSeconds += seconds;
    // Those above the last bound are in the count alone.
    const at = BOUNDS.findIndex((bound) => seconds <= bound);
    if (at >= 0) this.buckets[at] = (this.buckets[at] ?? 0) + 1;
  }

  generator(cpuCores: number, rssMiB: number): void {
    this.used.set('n8n_tuned_generator_cpu_cores', cpuCores);
    this.used.set('n8n_tuned_generator_resident_memory_bytes', rssMiB * 1024 * 1024);
  }

  /** From now on to the end of the run; a second one does not end the first. */
  fault(what: string): void {
    this.faults.add(what);
  }

  /** All series at a time, in seconds since the load began. */
  at(seconds: number): Point[] {
    const { plan } = this;
    const isMeasured =
      seconds >= plan.warmupSeconds && seconds <= plan.warmupSeconds + plan.durationSeconds;
    return [
      point('n8n_tuned_load_info', 1, this.info),
      point('n8n_tuned_load_measuring', isMeasured ? 1 : 0),
      plan.loop === 'open'
        ? point('n8n_tuned_load_planned_requests_per_second', rateAt(plan, seconds))
        : point('n8n_tuned_load_clients', plan.clients),
      ...[...this.results].map(([result, count]) =>
        point('n8n_tuned_load_requests_total', count, { result }),
      ),
      ...this.histogram(),
      ...[...this.used].map(([name, value]) => point(name, value)),
      ...[...this.faults].map((fault) => point('n8n_tuned_drill_fault', 1, { fault })),
    ];
  }

  private histogram(): Point[] {
    let below = 0;
    return [
      ...BOUNDS.map((bound, at) => {
        below += this.buckets[at] ?? 0;
        return point(`${DURATION}_bucket`, below, { le: String(bound) });
      }),
      point(`${DURATION}_bucket`, this.latencies, { le: '+Inf' }),
      point(`${DURATION}_sum`, this.sumSeconds),
      point(`${DURATION}_count`, this.latencies),
    ];
  }
}

const point = (name: string, value: number, labels: Labels = {}): Point => ({
  labels: { __name__: name, ...labels },
  value,
});
