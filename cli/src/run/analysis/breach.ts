/**
 * When a load has become too much. One that grows has by the SLOs over its last few seconds, not over the whole run; one
 * at a single rate has once no response that is still to come can change that an SLO is missed.
 */
import { dueBetween } from '../../../../loadtests/lib/due';
import { lengthSeconds, type LoadPlan } from '../../../../loadtests/lib/profile';
import { withErrorBound, type Slo } from '../../../../loadtests/lib/slo';
import type { RequestSample } from '../../record/run-record';
import { hasLatency } from '../../analysis/requests/latency';
import { PERCENTILES } from '../../analysis/slo/min-requests';
import { missedSlo } from '../../analysis/slo/window-slo';
import { duration, formatNumber, percent } from '../../ui/numbers';

export interface Breached {
  /** Time in the load: of one that grows when the first request of the window was due, else when it was certain. */
  tMs: number;
  slo: string;
  measured: number;
  /** For a person, without the rate. */
  text: string;
}

const WINDOW_MS = 5_000;
/** Fewer say nothing about a percentile or a share. */
const MIN_REQUESTS = 20;
/** A single stall is no breach, even where it lies in two windows: this many in a row are one. */
const WINDOWS = 3;

/** Takes requests in the order of their ends, and keeps those of one window only. */
export class BreachWatch {
  private readonly slos: readonly Slo[];
  private window: RequestSample[] = [];
  private endsMs = WINDOW_MS;
  private missed: Breached[] = [];

  constructor(slos: readonly Slo[]) {
    this.slos = withErrorBound(slos);
  }

  /** The breach, from the request on with which it is certain; null before. */
  see(sample: RequestSample): Breached | null {
    const endedMs = sample.tMs + sample.durationMs;
    if (endedMs >= this.endsMs && this.window.length >= MIN_REQUESTS) {
      const missed = this.judge();
      this.missed = missed === null ? [] : [...this.missed, missed];
      this.window = [];
      this.endsMs = endedMs + WINDOW_MS;
    }
    this.window.push(sample);
    return this.missed.length >= WINDOWS ? (this.missed[0] ?? null) : null;
  }

  private judge(): Breached | null {
    const tMs = this.window.reduce((min, sample) => Math.min(min, sample.tMs), Infinity);
    const missed = missedSlo(this.slos, this.window);
    return missed && { tMs, ...missed };
  }
}

/** Fewer late requests are chance, however few are permitted. */
const MIN_LATE = 10;
/** The number of responses that are looked at, the latest. */
const LAST = 20;
/** If this share of them is this many times as late as the bound, the system is lost under this load. */
const LOST_SHARE = 0.5;
const LOST_TIMES = 10;

/** Takes the requests of a load at one rate in the order of their ends. */
export class MissWatch {
  private readonly limits: LateLimit[];
  private readonly measured: { fromMs: number; toMs: number };

  constructor(slos: readonly Slo[], plan: LoadPlan) {
    const [from, to] = [plan.warmupSeconds, lengthSeconds(plan)];
    this.measured = { fromMs: 1000 * from, toMs: 1000 * to };
    const planned = dueBetween(plan, from, to);
    this.limits = slos.flatMap((slo) => {
      const share = PERCENTILES[slo.metric];
      return share === undefined ? [] : [new LateLimit(slo, 1 - share, planned)];
    });
  }

  /** The miss, from the request on with which it is certain; null before. */
  see(sample: RequestSample): Breached | null {
    const { tMs, durationMs } = sample;
    const { fromMs, toMs } = this.measured;
    // Once all load was made, there is nothing to end.
    if (tMs < fromMs || tMs + durationMs >= toMs || !hasLatency(sample)) return null;
    // A cut-off request tells of the end of the load, not of the system.
    if (sample.errorKind === 'unanswered') return null;
    return this.limits.map((limit) => limit.see(sample)).find((found) => found !== null) ?? null;
  }
}

/** One SLO of a percentile, which permits a share of all requests to be late. */
class LateLimit {
  private late = 0;
  private last: boolean[] = [];

  constructor(
    private readonly slo: Slo,
    private readonly share: number,
    private readonly planned: number,
  ) {}

  see({ tMs, durationMs }: RequestSample): Breached | null {
    const { bound } = this.slo;
    if (durationMs >= bound) this.late += 1;
    this.last.push(durationMs >= LOST_TIMES * bound);
    if (this.last.length > LAST) this.last.shift();
    const permitted = Math.max(MIN_LATE, this.share * this.planned);
    if (this.late > permitted) return this.breached(tMs + durationMs, this.many());
    const lost = this.last.filter((isLost) => isLost).length;
    if (this.last.length < LAST || lost <= LOST_SHARE * LAST) return null;
    return this.breached(tMs + durationMs, this.lostText(lost));
  }

  private breached(tMs: number, text: string): Breached {
    return { tMs, slo: this.slo.text, measured: this.late / this.planned, text };
  }

  private many(): string {
    return `${formatNumber(this.late)} requests took at least ${duration(this.slo.bound)}, which is more than ${percent(this.share)} of all planned requests`;
  }

  private lostText(lost: number): string {
    return `${String(lost)} of the last ${String(LAST)} responses took at least ${String(LOST_TIMES)} times the limit of ${duration(this.slo.bound)}`;
  }
}
