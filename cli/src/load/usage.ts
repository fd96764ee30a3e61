/** What several load generators use, of looks about a second apart at each. */

/** Between two looks at what k6 uses. */
const LOOK_MS = 1_000;

interface GeneratorUsage {
  cores: number;
  looks: number;
  latestCores: number;
  latestMiB: number;
}

export class GeneratorTotals {
  /** Memory of all processes together. */
  rssPeakMiB = 0;
  private readonly each: GeneratorUsage[];
  private toldAtMs = -Infinity;

  constructor(
    count: number,
    /** Told what all use together, as often as is wanted: looks come more often in a long run. */
    private readonly tell: (cpuCores: number, rssMiB: number) => void,
    private readonly everyMs: number,
  ) {
    this.each = Array.from({ length: count }, () => ({
      ...{ cores: 0, looks: 0, latestCores: 0, latestMiB: 0 },
    }));
  }

  see(index: number, cpuCores: number, rssMiB: number): void {
    const usage = this.each[index];
    if (usage === undefined) return;
    usage.cores += cpuCores;
    usage.looks += 1;
    usage.latestCores = cpuCores;
    usage.latestMiB = rssMiB;
    const sum = (of: (one: GeneratorUsage) => number): number =>
      this.each.reduce((total, one) => total + of(one), 0);
    const allMiB = sum(({ latestMiB }) => latestMiB);
    this.rssPeakMiB = Math.max(this.rssPeakMiB, allMiB);
    if (performance.now() - this.toldAtMs < this.everyMs - LOOK_MS / 2) return;
    this.toldAtMs = performance.now();
    this.tell(
      sum(({ latestCores }) => latestCores),
      allMiB,
    );
  }

  /** From now on it uses nothing. */
  gone(index: number): void {
    const usage = this.each[index];
    if (usage === undefined) return;
    usage.latestCores = 0;
    usage.latestMiB = 0;
  }

  /** 0 where it was never looked at. */
  meanCores(index: number): number {
    const { cores = 0, looks = 0 } = this.each[index] ?? {};
    return looks === 0 ? 0 : cores / looks;
  }
}
