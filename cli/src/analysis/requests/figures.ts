import type { RequestSample, Summary } from '../../record/run-record';
import type { Window } from '../metrics';
import { BATCHES } from '../statistics/batches';
import { PIECE_MS, shareOf } from '../statistics/share';
import { hasLatency } from './latency';
import { Latencies } from './latencies';
import { Silences } from './silences';
import { Values } from './values';

const FEW = 1024;

/**
 * Expected responses that arrived within the measured part, moved on by the fastest of them. Counting
 * arrivals (not the requests due) gives what an overloaded system really does a second; moving the
 * window keeps a workload that takes 5 s by design from seeming to lose its last 5 s.
 *
 * The fastest is known only at the end. Until then, what lies less than the fastest so far beyond an end of the
 * window is not decided, and only that is kept: as many as arrive within one fastest latency.
 */
export class GoodResponses {
  private fastest = Infinity;
  private within = 0;
  private undecided: number[] = [];
  private decideFrom: number;

  constructor(
    private readonly measured: Window,
    private readonly few = FEW,
  ) {
    this.decideFrom = few;
  }

  add({ tMs, durationMs }: Pick<RequestSample, 'tMs' | 'durationMs'>): void {
    if (durationMs < this.fastest) this.fastest = durationMs;
    this.undecided.push(tMs + durationMs);
    if (this.undecided.length >= this.decideFrom) {
      this.decide();
      this.decideFrom = Math.max(this.few, 2 * this.undecided.length);
    }
  }

  /** So far. */
  count(): number {
    return this.within + this.undecided.filter((arrival) => this.isWithin(arrival)).length;
  }

  /** The fastest can only become smaller, and what is moved on by it only later. */
  private decide(): void {
    const { fromMs, toMs } = this.measured;
    this.undecided = this.undecided.filter((arrival) => {
      const earliest = arrival - this.fastest;
      if (arrival < fromMs || earliest >= toMs) return false;
      if (earliest < fromMs || arrival >= toMs) return true;
      this.within += 1;
      return false;
    });
  }

  private isWithin(arrival: number): boolean {
    const { fromMs, toMs } = this.measured;
    const moved = arrival - this.fastest;
    return moved >= fromMs && moved < toMs;
  }
}

export interface MeasuredPart {
  /** The part that counts; requests due before it were warm-up. */
  measured: Window;
  /** Closed loop: how long a client pauses between two requests. */
  thinkTimeMs?: number;
}

/** What a summary needs to know of the requests. Each is seen once, in the order of their ends, and not kept. */
export class RequestFigures {
  /** Over the whole run, warm-up included. */
  requests = 0;
  expected = 0;
  /** When the last of them ended. */
  lastEndMs = 0;
  /** Over the whole run, as a stall during the warm-up tells of the system as well. */
  readonly silences: Silences;
  /** Due within the measured part, as all below. */
  due = 0;
  readonly latencyMs: Latencies;
  readonly latenessMs: Values;
  readonly errorsByKind: Record<string, number> = {};
  errors = 0;
  readonly errorsInTime: ErrorsInTime;
  unanswered = { requests: 0, oldestAgeMs: 0 };
  readonly spread = new ProcessSpread();
  private readonly good: GoodResponses;
  private connections = 0;
  private tellsConnections = false;
  private completed = 0;
  private timeOfCompletedMs = 0;
  private overlapMs = 0;

  constructor(
    private readonly part: MeasuredPart,
    exactUpTo?: number,
  ) {
    this.latencyMs = new Latencies(part.measured, exactUpTo);
    this.latenessMs = new Values(exactUpTo);
    this.errorsInTime = new ErrorsInTime(part.measured);
    this.good = new GoodResponses(part.measured);
    this.silences = new Silences(part.measured.toMs);
  }

  add(request: RequestSample): void {
    const { tMs, durationMs, ok } = request;
    const { fromMs, toMs } = this.part.measured;
    this.requests += 1;
    this.lastEndMs = Math.max(this.lastEndMs, tMs + durationMs);
    if (ok) {
      this.expected += 1;
      this.good.add(request);
    }
    this.addToFlight(tMs, durationMs);
    this.silences.add(request);
    if (tMs >= fromMs && tMs < toMs) this.addDue(request);
  }

  goodResponses(): number {
    return this.good.count();
  }

  /** Null where it was not recorded. */
  newConnections(): number | null {
    return this.tellsConnections ? this.connections : null;
  }

  /**
   * Requests in flight, predicted as rate x time in the system, against those seen: the clients of a
   * closed loop, or the mean number of open requests in the measured part. A ratio far from 1 means that
   * the system was not in a steady state, or that the samples are wrong.
   */
  littlesLaw(clients: number | null): Summary['littlesLaw'] {
    const { fromMs, toMs } = this.part.measured;
    const length = toMs - fromMs;
    const observed = clients ?? this.overlapMs / length;
    if (this.completed === 0 || observed === 0) return null;
    const predicted = this.timeOfCompletedMs / length;
    return { predicted, observed, ratio: predicted / observed };
  }

  private addDue(request: RequestSample): void {
    const { tMs, durationMs, ok, errorKind, ranBy, lateMs, connected } = request;
    this.due += 1;
    if (hasLatency(request)) this.latencyMs.add(tMs, durationMs);
    this.errorsInTime.add(tMs, ok);
    if (lateMs !== undefined) this.latenessMs.add(lateMs);
    if (connected !== undefined) {
      this.tellsConnections = true;
      this.connections += connected;
    }
    if (ranBy) this.spread.add(ranBy);
    if (ok) return;
    this.errors += 1;
    this.errorsByKind[errorKind] = (this.errorsByKind[errorKind] ?? 0) + 1;
    if (errorKind !== 'unanswered') return;
    this.unanswered.requests += 1;
    this.unanswered.oldestAgeMs = Math.max(this.unanswered.oldestAgeMs, durationMs);
  }

  private addToFlight(tMs: number, durationMs: number): void {
    const { fromMs, toMs } = this.part.measured;
    const endMs = tMs + durationMs;
    this.overlapMs += Math.max(0, Math.min(endMs, toMs) - Math.max(tMs, fromMs));
    if (endMs < fromMs || endMs >= toMs) return;
    this.completed += 1;
    this.timeOfCompletedMs += durationMs + (this.part.thinkTimeMs ?? 0);
  }
}

/** Longer runs have longer pieces. */
const MAX_PIECES = 65_536;
/** Chance that the share lies beyond one end of its interval. */
const WRONG = 0.025;
/** What goes on for longer is no hiccup, but how the system is under this load. */
const HICCUP_SECONDS = 10;

/** Errors among the requests that are due in a window, by time, since they come in bursts. */
class ErrorsInTime {
  private readonly due: Uint32Array;
  private readonly errors: Uint32Array;

  constructor(private readonly window: Window) {
    const pieces = Math.ceil((window.toMs - window.fromMs) / PIECE_MS);
    this.due = new Uint32Array(Math.min(MAX_PIECES, Math.max(BATCHES, pieces)));
    this.errors = new Uint32Array(this.due.length);
  }

  add(dueMs: number, ok: boolean): void {
    const { fromMs, toMs } = this.window;
    const at = Math.floor(((dueMs - fromMs) / (toMs - fromMs)) * this.due.length);
    const piece = Math.min(this.due.length - 1, at);
    this.due[piece] = (this.due[piece] ?? 0) + 1;
    if (!ok) this.errors[piece] = (this.errors[piece] ?? 0) + 1;
  }

  /** It holds their share with 95% confidence. */
  interval(): { low: number; high: number } {
    const { fromMs, toMs } = this.window;
    const pieces = Array.from(this.due, (requests, i) => ({
      requests,
      broken: this.errors[i] ?? 0,
    }));
    const pieceSeconds = (toMs - fromMs) / 1000 / pieces.length;
    const { low, high } = shareOf(pieces, pieceSeconds, WRONG, HICCUP_SECONDS);
    return { low, high };
  }
}

/** A process per execution makes ever new names; a report shows 40 of them. */
const PROCESSES = 10_000;
const OTHERS = '//others';

/** Which process replied how often. */
export class ProcessSpread {
  private readonly counts = new Map<string, number>();

  constructor(private readonly max = PROCESSES) {}

  /** `host/pid/role` */
  add(ranBy: string): void {
    const before = this.counts.get(ranBy);
    if (before !== undefined) this.counts.set(ranBy, before + 1);
    else if (this.counts.size < this.max) this.counts.set(copyOf(ranBy), 1);
    else this.counts.set(OTHERS, (this.counts.get(OTHERS) ?? 0) + 1);
  }

  /** The busiest first. */
  rows(): Summary['spread'] {
    return [...this.counts]
      .map(([ranBy, count]) => {
        const [host = '', pid = '', role = ''] = ranBy.split('/');
        return { host, pid: Number(pid), role, requests: count };
      })
      .sort((a, b) => b.requests - a.requests);
  }
}

/** A part of a longer text would keep all of that in memory. */
const copyOf = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
