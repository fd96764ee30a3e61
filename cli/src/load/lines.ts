import type { Line } from '../../../loadtests/lib/print';
import type { RequestSample } from '../record/run-record';

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

/** The lines of a text that comes in pieces, those of each piece together; the last one also without its end. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string[]> {
  let left = '';
  for await (const piece of pieces) {
    const lines = (left + piece).split('\n');
    left = lines.pop() ?? '';
    yield lines;
  }
  if (left !== '') yield [left];
}

/** Null for what k6 itself has to say. */
export function parseLine(text: string): Line | null {
  if (!/^\["[benr]",/.test(text)) return null;
  try {
    return JSON.parse(text) as Line;
  } catch {
    // The last line of a killed generator may be half of one.
    return null;
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
