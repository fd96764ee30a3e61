/**
 * The lines of several load generators as the requests of one run. Pure: no clock, no process, no network.
 *
 * Every request is kept as it was measured and none is averaged, so percentiles are those of all requests. Each
 * generator's times count from the same zero, which it has by its own clock; see gather.ts.
 */
import type { Line } from '../../../loadtests/lib/print';
import type { Window } from '../analysis/metrics';
import { latenessOf } from '../analysis/generator';
import { Values } from '../analysis/requests/values';
import type { GeneratorSummary, RequestSample } from '../record/run-record';

/**
 * Requests are given on in the order of their ends. For one generator's earlier ones is waited no longer than until
 * another's are so much later: what a connection was seen to lag behind is below it.
 */
const HOLD_MS = 2_000;
/** Values that are kept exactly per generator; beyond that, a histogram. */
const LATENESS_EXACT_UP_TO = 10_000;

export interface MergedFigures {
  /** Figures of the measured part. */
  requests: number;
  notSent: number;
  latenessMs: GeneratorSummary['latenessMs'];
}

interface Part {
  lines: RequestLines;
  /** The latest time of its lines. */
  seenMs: number;
  isOver: boolean;
  requests: number;
  notSent: number;
  lateness: Values;
}

export class MergedLines {
  /** Milliseconds since 1970 by the generator's clock; null until one generator's first request was due. */
  beganAtMs: number | null = null;
  openPeak = 0;
  private readonly parts: Part[];
  private readonly waiting = new ByEnd();
  private newestMs = -Infinity;

  constructor(
    count: number,
    private readonly measured: Window,
    private readonly give: (sample: RequestSample) => void,
  ) {
    this.parts = Array.from({ length: count }, () => this.newPart());
  }

  read(index: number, line: Line): void {
    const part = this.part(index);
    // Its pod was given up, and its last words come late.
    if (part.isOver) return;
    const sample = part.lines.read(line);
    this.beganAtMs ??= part.lines.beganAtMs;
    if (line[0] === 'b') {
      this.openPeak = Math.max(this.openPeak, this.openCount());
      this.see(part, line[2] + line[3]);
    }
    if (sample === null) return;
    this.take(part, sample);
    this.release();
  }

  /**
   * Its pod is gone: what had an end counts, and what it had begun is left out, as nobody knows the response.
   * How many those are.
   */
  lost(index: number): number {
    const part = this.part(index);
    const open = part.lines.openCount;
    part.isOver = true;
    this.release();
    return open;
  }

  /** Nothing more will come, `afterMs` after the begin. What has begun and has no end is unanswered. */
  end(afterMs: number): void {
    for (const part of this.parts) {
      if (part.isOver) continue;
      const { lines } = part;
      for (const sample of lines.cutOff((lines.beganAtMs ?? 0) + afterMs)) this.take(part, sample);
      part.isOver = true;
    }
    this.release();
  }

  figures(index: number, loop: 'open' | 'closed'): MergedFigures {
    const { requests, notSent, lateness } = this.part(index);
    return { requests, notSent, latenessMs: latenessOf(lateness, loop) };
  }

  get notSent(): number {
    return this.parts.reduce((sum, { notSent }) => sum + notSent, 0);
  }

  private newPart(): Part {
    const part: Part = {
      lines: new RequestLines((dueMs) => {
        if (dueMs >= this.measured.fromMs) part.notSent += 1;
      }),
      ...{ seenMs: -Infinity, isOver: false, requests: 0, notSent: 0 },
      lateness: new Values(LATENESS_EXACT_UP_TO),
    };
    return part;
  }

  private part(index: number): Part {
    const part = this.parts[index];
    if (part === undefined) throw new Error(`there is no generator ${String(index)}`);
    return part;
  }

  private openCount(): number {
    let open = 0;
    for (const { isOver, lines } of this.parts) if (!isOver) open += lines.openCount;
    return open;
  }

  private take(part: Part, sample: RequestSample): void {
    const { tMs, durationMs, lateMs } = sample;
    if (tMs >= this.measured.fromMs && tMs < this.measured.toMs) {
      part.requests += 1;
      if (lateMs !== undefined) part.lateness.add(lateMs);
    }
    this.see(part, tMs + durationMs);
    this.waiting.add(sample);
  }

  private see(part: Part, atMs: number): void {
    part.seenMs = Math.max(part.seenMs, atMs);
    this.newestMs = Math.max(this.newestMs, atMs);
  }

  private release(): void {
    let allSeenMs = Infinity;
    for (const { isOver, seenMs } of this.parts) {
      if (!isOver && seenMs < allSeenMs) allSeenMs = seenMs;
    }
    const untilMs = Math.max(allSeenMs, this.newestMs - HOLD_MS);
    for (let next = this.waiting.first; next !== undefined; next = this.waiting.first) {
      if (endOf(next) > untilMs) return;
      this.waiting.remove();
      this.give(next);
    }
  }
}

const endOf = ({ tMs, durationMs }: RequestSample): number => tMs + durationMs;

interface Open {
  dueMs: number;
  lateMs: number;
  workload: string;
}

/** Puts the lines that loadtests/lib/print.ts writes together into requests; keeps the open ones only. */
export class RequestLines {
  /** Milliseconds since 1970; null until the first request was due. */
  beganAtMs: number | null = null;
  /** Side by side, at the most so far. */
  openPeak = 0;
  private readonly open = new Map<string, Open>();

  /** `notSentMs` is called with the due time of a request that could not be sent. */
  constructor(private readonly notSent: (dueMs: number) => void = () => undefined) {}

  /** The request that this line ends; null for a line that ends none. */
  read(line: Line): RequestSample | null {
    switch (line[0]) {
      case 'b': {
        const [, id, dueMs, lateMs, loadBeganAtMs, workload] = line;
        this.beganAtMs ??= loadBeganAtMs;
        this.open.set(id, { dueMs, lateMs, workload });
        this.openPeak = Math.max(this.openPeak, this.open.size);
        return null;
      }
      case 'n': {
        const [, dueMs, loadBeganAtMs] = line;
        this.beganAtMs ??= loadBeganAtMs;
        this.notSent(dueMs);
        return null;
      }
      case 'e': {
        const [, id, serviceMs, status, errorKind, ranBy, connected] = line;
        const begun = this.open.get(id);
        if (begun === undefined) return null;
        this.open.delete(id);
        return sample(id, begun, { serviceMs, status, errorKind, ranBy, connected });
      }
      case 'r':
        return null;
    }
  }

  get openCount(): number {
    return this.open.size;
  }

  /** What had begun and has no end when the generator was gone: unanswered, as old as it then was. */
  cutOff(endedAtMs: number): RequestSample[] {
    const nowMs = endedAtMs - (this.beganAtMs ?? endedAtMs);
    const left = [...this.open].map(([id, begun]) =>
      sample(id, begun, {
        serviceMs: Math.max(0, nowMs - begun.dueMs - begun.lateMs),
        status: 0,
        errorKind: 'unanswered',
        ranBy: '',
        connected: 0,
      }),
    );
    this.open.clear();
    return left;
  }
}

interface End {
  serviceMs: number;
  status: number;
  errorKind: string;
  ranBy: string;
  connected: number;
}

function sample(id: string, { dueMs, lateMs, workload }: Open, end: End): RequestSample {
  return {
    tMs: dueMs,
    // What the generator was late by has to be waited for, too.
    durationMs: Math.round((lateMs + end.serviceMs) * 1000) / 1000,
    status: end.status,
    ok: end.errorKind === '',
    errorKind: end.errorKind,
    id,
    workload,
    ranBy: end.ranBy,
    lateMs,
    connected: end.connected,
  };
}

/** A binary heap: the request that ended first is on top. */
class ByEnd {
  private readonly heap: RequestSample[] = [];

  get first(): RequestSample | undefined {
    return this.heap[0];
  }

  add(sample: RequestSample): void {
    const { heap } = this;
    let at = heap.length;
    heap.push(sample);
    for (let above = (at - 1) >> 1; at > 0; above = (at - 1) >> 1) {
      const other = heap[above];
      if (other === undefined || endOf(other) <= endOf(sample)) break;
      heap[at] = other;
      heap[above] = sample;
      at = above;
    }
  }

  remove(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      const [left, right] = [heap[below], heap[below + 1]];
      if (left === undefined) break;
      let min = left;
      if (right !== undefined && endOf(right) < endOf(left)) {
        min = right;
        below += 1;
      }
      if (endOf(min) >= endOf(last)) break;
      heap[at] = min;
      at = below;
    }
    heap[at] = last;
  }
}
