/** What is kept of sampled processes: a summary of each, and points to draw, however long it takes. */
import type { ProcessRow } from '../record';

/** Beyond it two neighbours become one, so that a week costs as much memory as an hour. */
export const MAX_POINTS = 1000;

export interface ProcessSummary {
  pid: number;
  parent: number;
  command: string;
  /** When it was first and last seen. */
  firstMs: number;
  lastMs: number;
  samples: number;
  rssMiB: { first: number; last: number; max: number };
  /** Null where it was seen once only. */
  cpuCores: { mean: number; max: number } | null;
  threads: { max: number };
}

export interface ProcessPoint {
  tMs: number;
  /** The most within the point, in all processes together and by pid. */
  rssMiB: number;
  rssMiBOf: Map<number, number>;
  /** The mean within the point; null where it is not known. */
  cpuCores: number | null;
  cpuCoresOf: Map<number, number>;
}

export interface ProcessHistory {
  durationMs: number;
  samples: number;
  /** All processes of a moment together: memory that they share counts once for each. */
  together: {
    processes: { max: number };
    rssMiB: { first: number; last: number; max: number };
    cpuCores: { mean: number; max: number } | null;
  };
  /** In the order in which they were first seen. */
  processes: ProcessSummary[];
}

export class ProcessesSeen {
  private readonly summaries = new Map<number, ProcessTally>();
  private readonly together = new ProcessTally();
  private maxProcesses = 0;
  private windows: Window[] = [];
  private ticksPerWindow = 1;

  /** All processes of one moment. */
  add(rows: readonly ProcessRow[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const known = rows.flatMap(({ cpuCores }) => cpuCores ?? []);
    const all = {
      tMs: first.tMs,
      rssMiB: sum(rows.map(({ rssMiB }) => rssMiB)),
      cpuCores: known.length === 0 ? null : sum(known),
      threads: sum(rows.map(({ threads }) => threads)),
    };
    this.together.add(all);
    this.maxProcesses = Math.max(this.maxProcesses, rows.length);
    for (const row of rows) {
      let summary = this.summaries.get(row.pid);
      if (summary === undefined) this.summaries.set(row.pid, (summary = new ProcessTally()));
      summary.add(row, row);
    }
    this.draw(new Window(all, rows));
  }

  history(): ProcessHistory {
    const { firstMs, lastMs, samples, rssMiB, cpuCores } = this.together.conclude();
    return {
      durationMs: lastMs - firstMs,
      samples,
      together: { processes: { max: this.maxProcesses }, rssMiB, cpuCores },
      processes: [...this.summaries.values()].map((summary) => summary.conclude()),
    };
  }

  points(): ProcessPoint[] {
    return this.windows.map((window) => window.point());
  }

  private draw(tick: Window): void {
    const last = this.windows.at(-1);
    if (last !== undefined && last.ticks < this.ticksPerWindow) {
      last.merge(tick);
      return;
    }
    this.windows.push(tick);
    if (this.windows.length <= MAX_POINTS) return;
    this.ticksPerWindow *= 2;
    const halved: Window[] = [];
    for (const [index, window] of this.windows.entries()) {
      if (index % 2 === 0) halved.push(window);
      else halved.at(-1)?.merge(window);
    }
    this.windows = halved;
  }
}

type Figures = Pick<ProcessRow, 'tMs' | 'rssMiB' | 'cpuCores' | 'threads'>;

class ProcessTally {
  private first: Figures | null = null;
  private last: Figures | null = null;
  private samples = 0;
  private maxMiB = 0;
  private maxThreads = 0;
  private readonly cpu = new Mean();

  private row: Pick<ProcessRow, 'pid' | 'parent' | 'command'> | null = null;

  /** `row`: whose figures these are; of a process that has just begun, the later one knows better. */
  add(figures: Figures, row: ProcessRow | null = null): void {
    this.row = row;
    this.first ??= figures;
    this.last = figures;
    this.samples += 1;
    this.maxMiB = Math.max(this.maxMiB, figures.rssMiB);
    this.maxThreads = Math.max(this.maxThreads, figures.threads);
    if (figures.cpuCores !== null) this.cpu.add(figures.cpuCores);
  }

  conclude(): ProcessSummary {
    const { pid, parent, command } = this.row ?? { pid: 0, parent: 0, command: '' };
    const mean = this.cpu.value();
    return {
      ...{ pid, parent, command },
      firstMs: this.first?.tMs ?? 0,
      lastMs: this.last?.tMs ?? 0,
      samples: this.samples,
      rssMiB: {
        first: this.first?.rssMiB ?? 0,
        last: this.last?.rssMiB ?? 0,
        max: this.maxMiB,
      },
      cpuCores: mean === null ? null : { mean, max: this.cpu.max },
      threads: { max: this.maxThreads },
    };
  }
}

class Mean {
  private total = 0;
  private count = 0;
  max = 0;

  add(value: number): void {
    this.total += value;
    this.count += 1;
    this.max = Math.max(this.max, value);
  }

  merge(other: Mean): void {
    this.total += other.total;
    this.count += other.count;
    this.max = Math.max(this.max, other.max);
  }

  value(): number | null {
    return this.count === 0 ? null : this.total / this.count;
  }
}

/** Neighbouring ticks, drawn as one point. */
class Window {
  ticks = 1;
  private readonly tMs: number;
  private rssMiB: number;
  private readonly cpu = new Mean();
  private readonly rssMiBOf = new Map<number, number>();
  private readonly cpuOf = new Map<number, Mean>();

  constructor(all: Figures, rows: readonly ProcessRow[]) {
    this.tMs = all.tMs;
    this.rssMiB = all.rssMiB;
    if (all.cpuCores !== null) this.cpu.add(all.cpuCores);
    for (const { pid, rssMiB, cpuCores } of rows) {
      this.rssMiBOf.set(pid, rssMiB);
      if (cpuCores === null) continue;
      const mean = new Mean();
      mean.add(cpuCores);
      this.cpuOf.set(pid, mean);
    }
  }

  merge(later: Window): void {
    this.ticks += later.ticks;
    this.rssMiB = Math.max(this.rssMiB, later.rssMiB);
    this.cpu.merge(later.cpu);
    for (const [pid, rssMiB] of later.rssMiBOf) {
      this.rssMiBOf.set(pid, Math.max(rssMiB, this.rssMiBOf.get(pid) ?? 0));
    }
    for (const [pid, mean] of later.cpuOf) {
      const own = this.cpuOf.get(pid);
      if (own === undefined) this.cpuOf.set(pid, mean);
      else own.merge(mean);
    }
  }

  point(): ProcessPoint {
    return {
      tMs: this.tMs,
      rssMiB: this.rssMiB,
      rssMiBOf: this.rssMiBOf,
      cpuCores: this.cpu.value(),
      cpuCoresOf: new Map(
        [...this.cpuOf].flatMap(([pid, mean]) => {
          const value = mean.value();
          return value === null ? [] : [[pid, value] as const];
        }),
      ),
    };
  }
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
