import type { Summary } from '../../record/run-record';

/** A process per execution makes ever new names; a report shows 40 of them. */
const PROCESSES = 10_000;
const OTHERS = '//others';

/** Which process replied how often. */
export class ProcessSpread {
  private readonly counts = new Map<string, number>();

  constructor(private readonly most = PROCESSES) {}

  /** `host/pid/role` */
  add(ranBy: string): void {
    const before = this.counts.get(ranBy);
    if (before !== undefined) this.counts.set(ranBy, before + 1);
    else if (this.counts.size < this.most) this.counts.set(copyOf(ranBy), 1);
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
