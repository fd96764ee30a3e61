import type { RequestSample } from '../../record/run-record';
import type { Moments, Ordered } from '../statistics/statistics';
import { EXACT_UP_TO, Values, type ExactUpTo } from './values';

const WIDTHS = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800];
const WIDEST = 3600;
/** With fewer in a window, whether there are 2 or 3 says nothing. */
const ENOUGH = 10;

/** Width of a window in seconds: round, and such that a plot has 30 to 120 of them. */
export function windowSeconds(durationSeconds: number): number {
  return WIDTHS.find((w) => durationSeconds / w <= 120) ?? WIDEST;
}

/** Wider where there are few requests. */
function requestWindowSeconds(durationSeconds: number, requests: number): number {
  const min = windowSeconds(durationSeconds);
  const isEnough = (w: number): boolean => (requests * w) / durationSeconds >= ENOUGH;
  return WIDTHS.find((w) => w >= min && (isEnough(w) || durationSeconds / w < 30)) ?? min;
}

export interface RequestWindow {
  /** Middle of the window. */
  seconds: number;
  offeredPerSecond: number;
  goodPerSecond: number;
  errorsPerSecond: Record<string, number>;
  /** Latencies of expected responses only. */
  latenciesMs: Ordered;
}

/**
 * Requests by the time they were due, the way an open loop counts them; but good responses by the time they
 * came, or an overloaded n8n would seem to keep up. The last, partial window is left out.
 */
export class RequestTimeline {
  /** Latencies of all that were answered as expected after the warm-up. */
  private readonly answered: Values;
  /** Requests, while they may be too few for the narrowest window. */
  private few: RequestSample[] = [];
  private windows: Windows | null = null;

  constructor(
    private readonly durationSeconds: number,
    private readonly warmupSeconds: number,
    private readonly exact: ExactUpTo = EXACT_UP_TO,
  ) {
    this.answered = new Values(exact.all);
  }

  add(request: RequestSample): void {
    if (request.ok && request.tMs >= this.warmupSeconds * 1000) {
      this.answered.add(request.durationMs);
    }
    if (this.windows !== null) {
      this.windows.add(request);
      return;
    }
    this.few.push(request);
    const min = windowSeconds(this.durationSeconds);
    if ((this.few.length * min) / this.durationSeconds < ENOUGH) return;
    this.windows = this.windowsOf(min, this.few);
    this.few = [];
  }

  byTime(): RequestWindow[] {
    const width = requestWindowSeconds(this.durationSeconds, this.few.length);
    return (this.windows ?? this.windowsOf(width, this.few)).shown();
  }

  latenciesMs(): Ordered & Moments {
    return this.answered.ordered();
  }

  private windowsOf(width: number, requests: readonly RequestSample[]): Windows {
    const windows = new Windows(width, this.durationSeconds, this.exact.perWindow);
    for (const request of requests) windows.add(request);
    return windows;
  }
}

type CountedWindow = Omit<RequestWindow, 'latenciesMs'> & { latencies: Values };

class Windows {
  private readonly all: CountedWindow[];

  constructor(
    private readonly width: number,
    durationSeconds: number,
    exactUpTo: number,
  ) {
    const count = Math.max(1, Math.floor(durationSeconds / width + 1e-9));
    this.all = Array.from({ length: count }, (_, i) => ({
      seconds: (i + 0.5) * width,
      offeredPerSecond: 0,
      goodPerSecond: 0,
      errorsPerSecond: {},
      latencies: new Values(exactUpTo),
    }));
  }

  add({ tMs, durationMs, ok, errorKind }: RequestSample): void {
    const arrival = this.at(tMs + durationMs);
    if (ok && arrival !== undefined) arrival.goodPerSecond += 1 / this.width;
    const window = this.at(tMs);
    if (window === undefined) return;
    window.offeredPerSecond += 1 / this.width;
    if (ok) {
      window.latencies.add(durationMs);
      return;
    }
    const kind = errorKind || 'error';
    window.errorsPerSecond[kind] = (window.errorsPerSecond[kind] ?? 0) + 1 / this.width;
  }

  shown(): RequestWindow[] {
    return this.all.map(({ latencies, ...window }) => ({
      ...window,
      latenciesMs: latencies.ordered(),
    }));
  }

  private at(tMs: number): CountedWindow | undefined {
    return this.all[Math.floor(tMs / 1000 / this.width)];
  }
}
