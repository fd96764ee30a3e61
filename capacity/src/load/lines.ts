import type { Line } from '../../../loadtests/lib/print';
import type { RequestSample } from '../record/record';

interface Open {
  begunMs: number;
  workload: string;
}

/** Puts the lines that loadtests/lib/print.ts writes together into requests. */
export class RequestLines {
  /** Milliseconds since 1970; null until the first request has begun. */
  beganAtMs: number | null = null;
  private readonly open = new Map<string, Open>();

  /** The request that this line ends; null for a line that ends none. */
  read(line: Line): RequestSample | null {
    if (line[0] === 'b') {
      const [, id, begunMs, loadBeganAtMs, workload] = line;
      this.beganAtMs ??= loadBeganAtMs;
      this.open.set(id, { begunMs, workload });
      return null;
    }
    const [, id, durationMs, status, errorKind, ranBy] = line;
    const begun = this.open.get(id);
    if (begun === undefined) return null;
    this.open.delete(id);
    return sample(id, begun, { durationMs, status, errorKind, ranBy });
  }

  get openCount(): number {
    return this.open.size;
  }

  /** What had begun and has no end when the generator was gone: unanswered, as old as it then was. */
  cutOff(endedAtMs: number): RequestSample[] {
    const nowMs = endedAtMs - (this.beganAtMs ?? endedAtMs);
    const left = [...this.open].map(([id, begun]) =>
      sample(id, begun, {
        durationMs: Math.max(0, nowMs - begun.begunMs),
        status: 0,
        errorKind: 'unanswered',
        ranBy: '',
      }),
    );
    this.open.clear();
    return left;
  }
}

/** Null for what k6 itself has to say. */
export function parseLine(text: string): Line | null {
  if (!text.startsWith('["b",') && !text.startsWith('["e",')) return null;
  try {
    return JSON.parse(text) as Line;
  } catch {
    // The last line of a killed generator may be half of one.
    return null;
  }
}

function sample(
  id: string,
  { begunMs, workload }: Open,
  end: Pick<RequestSample, 'durationMs' | 'status' | 'errorKind' | 'ranBy'>,
): RequestSample {
  return {
    tMs: begunMs,
    durationMs: Math.round(end.durationMs * 1000) / 1000,
    status: end.status,
    ok: end.errorKind === '',
    errorKind: end.errorKind,
    id,
    workload,
    ranBy: end.ranBy,
  };
}
