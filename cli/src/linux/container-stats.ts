/** What a container says of itself when it is looked at from within: a script for its shell, and its lines as figures. */
import type { GroupFigures, Limits } from './cgroup';
import { parseStat, type ProcStat, type ThreadTimes } from './proc';

/**
 * One look a second: two short processes each, some 3 ms of the container's own CPU. It needs sh, grep, sleep and tr,
 * and ends with its reader. `more` are commands of one line, run at every look.
 */
export const insideScript = (more = ''): string => `
# The reader keeps standard input open: when it is gone, this ends too, and in any case after its number of looks.
exec 3<&0
(cat <&3 >/dev/null; kill $$) 2>/dev/null &
seen=' '
looks=0
while [ $looks -lt ${String(LOOKS_AT_MOST)} ]; do
  looks=$((looks + 1))
  for p in /proc/[0-9]*; do
    case $seen in *" $p "*) ;; *)
      seen="$seen$p "
      echo "$p/cmdline:$(tr '\\0' ' ' 2>/dev/null <"$p/cmdline")" ;;
    esac
  done
  grep -s '' /proc/uptime /proc/[0-9]*/stat /proc/[0-9]*/schedstat ${FILES.join(' ')}
  ${more}
  echo end
  sleep 1
done`;

/** Looks of one script; then the reader starts another. */
const LOOKS_AT_MOST = 3600;

const ROOT = '/sys/fs/cgroup';
/** Files of version 2 and version 1 of control groups; missing ones are skipped. */
const FILES = [
  ...['cpu.stat', 'cpu.max', 'memory.current', 'memory.stat', 'memory.peak'],
  ...['memory.events', 'memory.max', 'cpu/cpu.stat', 'cpu/cpu.cfs_quota_us'],
  ...['cpu/cpu.cfs_period_us', 'cpuacct/cpuacct.usage', 'memory/memory.usage_in_bytes'],
  ...['memory/memory.stat', 'memory/memory.max_usage_in_bytes', 'memory/memory.oom_control'],
  'memory/memory.limit_in_bytes',
].map((file) => `${ROOT}/${file}`);

/** The node that the container runs on, as everything on it sees it. */
export const NODE_COMMAND =
  "grep -sE '^(cpu|MemAvailable|some)' /proc/stat /proc/meminfo /proc/pressure/cpu /proc/pressure/memory /proc/pressure/io";

export interface InsideProcess {
  pid: number;
  stat: ProcStat;
  thread: ThreadTimes | null;
  command: string;
}

export interface Inside {
  /** Time since the machine started. */
  uptimeMs: number;
  /** Null where the files are none that are known. */
  group: GroupFigures | null;
  limits: Limits;
  /** The tree of the container's first process, without the process that looks. */
  processes: InsideProcess[];
  /** All lines by their file, for what else was asked. */
  files: ReadonlyMap<string, readonly string[]>;
}

const MEBI = 1024 * 1024;

/** Puts the lines of one container together; what it knows of commands it keeps from look to look. */
export class InsideReader {
  private files = new Map<string, string[]>();
  private readonly commands = new Map<number, string>();

  /** A look where this line ends one. */
  read(line: string): Inside | null {
    if (line === 'end') {
      const { files } = this;
      this.files = new Map();
      return this.lookOf(files);
    }
    const colon = line.indexOf(':');
    if (colon <= 0) return null;
    const [path, text] = [line.slice(0, colon), line.slice(colon + 1)];
    const pid = /^\/proc\/(\d+)\/cmdline$/.exec(path)?.[1];
    if (pid !== undefined) {
      this.commands.set(Number(pid), text.trim());
      return null;
    }
    const lines = this.files.get(path);
    if (lines === undefined) this.files.set(path, [text]);
    else lines.push(text);
    return null;
  }

  private lookOf(files: ReadonlyMap<string, readonly string[]>): Inside {
    const stats = new Map<number, { stat: ProcStat; thread: ThreadTimes | null }>();
    for (const [path, [text = '']] of files) {
      const pid = /^\/proc\/(\d+)\/stat$/.exec(path)?.[1];
      // What has ended and still waits for its parent is no process any more.
      if (pid === undefined || /\) [ZX] [^)]*$/.test(text)) continue;
      const [onCpuNs = 0, waitedNs = 0] =
        files.get(`/proc/${pid}/schedstat`)?.[0]?.split(' ').map(Number) ?? [];
      const thread = onCpuNs > 0 ? { onCpuMs: onCpuNs / 1e6, waitedMs: waitedNs / 1e6 } : null;
      stats.set(Number(pid), { stat: parseStat(text), thread });
    }
    const processes = [...stats].flatMap(([pid, { stat, thread }]) =>
      isBelowFirst(pid, stats)
        ? [{ pid, stat, thread, command: this.commands.get(pid) ?? '' }]
        : [],
    );
    return {
      uptimeMs: 1000 * Number(files.get('/proc/uptime')?.[0]?.split(' ')[0] ?? NaN),
      group: groupOf(files),
      limits: limitsOf(files),
      processes,
      files,
    };
  }
}

/** Who looks, and probes of the kubelet, come from outside: their first parent is not process 1. */
function isBelowFirst(pid: number, stats: ReadonlyMap<number, { stat: ProcStat }>): boolean {
  for (let at = pid, steps = 0; steps < 50; steps += 1) {
    if (at === 1) return true;
    const parent = stats.get(at)?.stat.parent;
    if (parent === undefined) return false;
    at = parent;
  }
  return false;
}

type Files = ReadonlyMap<string, readonly string[]>;

const textIn = (files: Files, name: string): string | undefined =>
  files.get(`${ROOT}/${name}`)?.[0];

/** NaN where it is not there. */
const numberIn = (files: Files, name: string): number => Number(textIn(files, name) ?? NaN);

function pairIn(files: Files, name: string, key: string): number {
  const line = files.get(`${ROOT}/${name}`)?.find((each) => each.startsWith(`${key} `));
  return line === undefined ? 0 : Number(line.slice(key.length + 1));
}

function groupOf(files: Files): GroupFigures | null {
  const v2 = numberIn(files, 'memory.current') / MEBI;
  if (!Number.isNaN(v2)) {
    const stat = (key: string): number => pairIn(files, 'cpu.stat', key);
    const peakMiB = numberIn(files, 'memory.peak') / MEBI;
    return {
      cpuMs: stat('usage_usec') / 1e3,
      periods: stat('nr_periods'),
      throttledPeriods: stat('nr_throttled'),
      throttledMs: stat('throttled_usec') / 1e3,
      memoryMiB: v2,
      workingSetMiB: Math.max(0, v2 - pairIn(files, 'memory.stat', 'inactive_file') / MEBI),
      memoryPeakMiB: Number.isNaN(peakMiB) ? v2 : peakMiB,
      oomKills: pairIn(files, 'memory.events', 'oom_kill'),
    };
  }
  const v1 = numberIn(files, 'memory/memory.usage_in_bytes') / MEBI;
  if (Number.isNaN(v1)) return null;
  const stat = (key: string): number => pairIn(files, 'cpu/cpu.stat', key);
  const cachedMiB = pairIn(files, 'memory/memory.stat', 'total_inactive_file') / MEBI;
  const cpuNs = numberIn(files, 'cpuacct/cpuacct.usage');
  return {
    cpuMs: Number.isNaN(cpuNs) ? null : cpuNs / 1e6,
    periods: stat('nr_periods'),
    throttledPeriods: stat('nr_throttled'),
    throttledMs: stat('throttled_time') / 1e6,
    memoryMiB: v1,
    workingSetMiB: Math.max(0, v1 - cachedMiB),
    memoryPeakMiB: numberIn(files, 'memory/memory.max_usage_in_bytes') / MEBI,
    oomKills: pairIn(files, 'memory/memory.oom_control', 'oom_kill'),
  };
}

function limitsOf(files: Files): Limits {
  const [quotaUs, periodUs] = (textIn(files, 'cpu.max') ?? '').split(' ').map(Number);
  const cores = positive(
    (quotaUs ?? NaN) / (periodUs ?? NaN),
    numberIn(files, 'cpu/cpu.cfs_quota_us') / numberIn(files, 'cpu/cpu.cfs_period_us'),
  );
  const bytes = positive(
    numberIn(files, 'memory.max'),
    numberIn(files, 'memory/memory.limit_in_bytes'),
  );
  return {
    ...(cores === null ? {} : { cpuMillicores: 1000 * cores }),
    // Version 1 writes "no limit" as nearly 2^63.
    ...(bytes === null || bytes >= 2 ** 60 ? {} : { memoryMiB: bytes / MEBI }),
  };
}

const positive = (...values: number[]): number | null =>
  values.find((value) => Number.isFinite(value) && value > 0) ?? null;
