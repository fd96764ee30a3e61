/** What on this machine would be measured together with n8n, and what it does to the answer. Pure. */
import type { Stranger } from '../../../linux/strangers';
import { formatNumber, percent } from '../../../ui/numbers';

export interface MachineLook {
  /** That may be used here. */
  cores: number;
  /** All CPU that was used, but by this command itself. */
  usedCores: number;
  /** Processes that were seen, the busiest first. */
  busiest: readonly Stranger[];
  stealShare: number;
  /** Share of the periods of the control group that this command is in; null without a CPU limit. */
  stoppedShare: number | null;
  /** Share of the time in which something waited for a disk, or in which a disk was busy. */
  diskShare: number;
  isOnBattery: boolean;
  /** Lowest and highest clock of the fastest core while one was kept busy; null if it is not known. */
  clockMHz: { low: number; high: number } | null;
}

/** So much of the cores may be in use by others. */
export const OTHERS_SHARE = 0.2;
const STEAL_SHARE = 0.05;
const STOPPED_SHARE = 0.05;
const DISK_SHARE = 0.3;
/** The clock of a busy core may fall to this share of its highest. */
const CLOCK_SHARE = 0.8;
/** Not worth a name. */
const LITTLE_CORES = 0.05;

/** A sentence each; none where the machine is quiet. */
export function disturbances(look: MachineLook): string[] {
  const { cores, usedCores, stealShare, stoppedShare, diskShare, clockMHz } = look;
  const found: string[] = [];
  if (usedCores > OTHERS_SHARE * cores) found.push(othersText(look));
  if (stealShare > STEAL_SHARE) {
    found.push(
      `The hypervisor of this machine gives ${percent(round(stealShare))} of the CPU time to other machines: the measured capacity is lower, and changes over time.`,
    );
  }
  if (stoppedShare !== null && stoppedShare > STOPPED_SHARE) {
    found.push(
      `The CPU limit of this command throttles it in ${percent(round(stoppedShare))} of all periods, even without load: requests will be sent late, and the measured capacity will be too low.`,
    );
  }
  if (diskShare > DISK_SHARE) {
    found.push(
      `Something keeps a disk busy for ${percent(round(diskShare))} of the time: n8n waits for the disk, so the measured capacity will be too low.`,
    );
  }
  if (look.isOnBattery) {
    found.push(
      'This machine runs on battery and lowers its clock speed to save power, so the measured capacity will be too low.',
    );
  }
  if (clockMHz !== null && clockMHz.low < CLOCK_SHARE * clockMHz.high) {
    found.push(
      `The clock of a busy core moved between ${ghz(clockMHz.low)} and ${ghz(clockMHz.high)} GHz: the speed of probes varies accordingly, which widens the interval.`,
    );
  }
  return found;
}

/** Who uses most, to end a sentence with. */
export const mostly = (busiest: Stranger | null): string =>
  busiest === null ? '' : `, mostly ${busiest.name} (pid ${String(busiest.pid)})`;

const round = (share: number): number => Math.round(1_000 * share) / 1_000;
const ghz = (mhz: number): string => formatNumber(Math.round(mhz / 10) / 100);

function othersText({ cores, usedCores, busiest }: MachineLook): string {
  const named = busiest.filter((one) => one.cores >= LITTLE_CORES).slice(0, 3);
  const rest = usedCores - named.reduce((sum, one) => sum + one.cores, 0);
  const all = [
    ...named.map(
      ({ name, pid, cores: used, isNice, processes }) =>
        `${name} (${processes === undefined ? `pid ${String(pid)}` : `${String(processes)} processes`}${isNice ? ', at low priority' : ''}) uses ${coresText(used)}`,
    ),
    ...(rest >= LITTLE_CORES || named.length === 0
      ? [
          `${named.length === 0 ? 'an unknown program' : 'others'} ${named.length === 0 ? 'uses' : 'use'} ${coresText(rest)}`,
        ]
      : []),
  ];
  return `Of this machine's ${formatNumber(cores)} cores, ${listed(all)}: the measured capacity will be lower than on a quiet machine.`;
}

const coresText = (cores: number): string => formatNumber(Math.round(100 * cores) / 100);

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
