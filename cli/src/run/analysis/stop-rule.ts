/** Whether what was seen, look by look, ends a load. Pure. */
import type { StopCondition } from '../../plan/stop-if';

/** One look, by a clock that never goes back. */
export interface StopLook {
  beganMs: number;
  endedMs: number;
  /** Why it counts against the load; null: it does not. */
  bad: string | null;
}

export class StopRule {
  private looks: StopLook[] = [];
  private firstMs: number | null = null;

  constructor(private readonly condition: StopCondition) {}

  /** The sentence with which the load ends; null while it goes on. */
  see(look: StopLook): string | null {
    this.looks.push(look);
    this.firstMs ??= look.beganMs;
    return this.condition.kind === 'errors'
      ? this.byShare(look.endedMs, this.condition.above)
      : this.byTime(look.endedMs);
  }

  /** Bad at every look since then. */
  private byTime(nowMs: number): string | null {
    const { text, forSeconds } = this.condition;
    const lastGood = this.looks.findLastIndex(({ bad }) => bad === null);
    this.looks = this.looks.slice(lastGood + 1);
    const [first] = this.looks;
    if (first === undefined || nowMs - first.beganMs < 1000 * forSeconds) return null;
    return `${text} (${this.looks.at(-1)?.bad ?? ''}, for ${String(Math.floor((nowMs - first.beganMs) / 1000))} s)`;
  }

  private byShare(nowMs: number, above: number): string | null {
    const { text, forSeconds } = this.condition;
    this.looks = this.looks.filter(({ endedMs }) => nowMs - endedMs < 1000 * forSeconds);
    // Nothing is known before that time has passed.
    if (this.firstMs === null || nowMs - this.firstMs < 1000 * forSeconds) return null;
    const bad = this.looks.filter((each) => each.bad !== null);
    if (bad.length <= above * this.looks.length) return null;
    return `${text} (${String(bad.length)} of ${String(this.looks.length)} in ${String(forSeconds)} s; the last: ${bad.at(-1)?.bad ?? ''})`;
  }
}

/** What n8n's metrics say of one: the highest of all that have the name, or the lowest; null without one. */
export function metricIn(
  texts: readonly string[],
  name: string,
  which: 'highest' | 'lowest',
): number | null {
  const line = new RegExp(`^${name}(?:\\{.*\\})?[ \\t]+(\\S+)`, 'gm');
  const values = texts
    .flatMap((text) => [...text.matchAll(line)])
    .map(([, value]) => Number(value))
    .filter((value) => !Number.isNaN(value));
  if (values.length === 0) return null;
  return which === 'highest' ? Math.max(...values) : Math.min(...values);
}
