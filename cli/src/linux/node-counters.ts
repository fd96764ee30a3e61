/** What a machine has counted since its start, from lines of /proc. Pure. */

export interface NodeCounters {
  atMs: number;
  /** In ticks, but for `cores`. */
  cpu: { total: number; idle: number; steal: number; cores: number };
  memoryAvailableMiB: number | null;
  /** For how long something has waited; what the kernel does not keep is left out. */
  pressureMs: Map<'cpuPressureShare' | 'memoryPressureShare' | 'ioPressureShare', number>;
}

const PRESSURES = [
  ['cpuPressureShare', '/proc/pressure/cpu'],
  ['memoryPressureShare', '/proc/pressure/memory'],
  ['ioPressureShare', '/proc/pressure/io'],
] as const;

/** Null without /proc/stat among the files. */
export function nodeCounters(
  files: ReadonlyMap<string, readonly string[]>,
  atMs: number,
): NodeCounters | null {
  const lines = files.get('/proc/stat');
  if (lines === undefined) return null;
  // user nice system idle iowait irq softirq steal; guest time is within user and nice
  const times = (lines[0] ?? '').trim().split(/\s+/).slice(1, 9).map(Number);
  const [idle = 0, waiting = 0] = times.slice(3, 5);
  const kiB = /^MemAvailable:\s+(\d+)/.exec(files.get('/proc/meminfo')?.[0] ?? '')?.[1];
  const pressureMs: NodeCounters['pressureMs'] = new Map();
  for (const [metric, file] of PRESSURES) {
    const micros = / total=(\d+)/.exec(files.get(file)?.[0] ?? '')?.[1];
    if (micros !== undefined) pressureMs.set(metric, Number(micros) / 1e3);
  }
  return {
    atMs,
    cpu: {
      total: times.reduce((sum, time) => sum + time, 0),
      idle: idle + waiting,
      steal: times[7] ?? 0,
      cores: lines.filter((line) => /^cpu\d/.test(line)).length,
    },
    memoryAvailableMiB: kiB === undefined ? null : Number(kiB) / 1024,
    pressureMs,
  };
}
