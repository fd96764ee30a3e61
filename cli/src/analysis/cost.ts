/** What n8n with its stores uses at a rate, and what a million requests cost. */
import type { Prices } from '../plan/recorded';
import type { RoleSummary, RunRecord, Summary } from '../record/run-record';

/** Price of a GiB as a share of that of a core, from the list prices of large clouds. */
export const MEMORY_TO_CPU_PRICE = 0.125;

export interface Cost {
  /** Rate of the run on which the answer rests. */
  ratePerSecond: number;
  /** Cores and memory of all processes together at that rate. */
  cores: number;
  memoryGiB: number;
  perMillion: { coreHours: number; gibHours: number };
}

/** What the roles of an n8n used at a rate. */
interface Used {
  roles: readonly RoleSummary[];
  ratePerSecond: number;
}

/** What makes the load, and what n8n calls, is not part of n8n. */
const NOT_PAID = new Set<string>(['generator', 'upstream', 'host']);

/** Null where nothing of it was seen, as of an n8n at a URL. Memory is paid for at the rate to plan with. */
export function costAt(
  { roles, ratePerSecond }: Used,
  plannedPerSecond = ratePerSecond,
): Cost | null {
  const paid = roles.filter(({ role }) => !NOT_PAID.has(role));
  const cores = paid.reduce((sum, { cpuCoresMean }) => sum + (cpuCoresMean ?? 0), 0);
  const memoryGiB = paid.reduce((sum, { rssPeakMiB }) => sum + (rssPeakMiB ?? 0), 0) / 1024;
  if (cores === 0 || memoryGiB === 0 || ratePerSecond <= 0 || plannedPerSecond <= 0) return null;
  return {
    ratePerSecond,
    cores,
    memoryGiB,
    perMillion: {
      coreHours: cores * hoursOfMillion(ratePerSecond),
      gibHours: memoryGiB * hoursOfMillion(plannedPerSecond),
    },
  };
}

export const costOf = ({
  atCapacity,
  advised,
}: {
  atCapacity: Used | null;
  advised: { ratePerSecond: number };
}): Cost | null => (atCapacity === null ? null : costAt(atCapacity, advised.ratePerSecond));

/** Cost of completed requests; if n8n answers at once, those whose execution was completed. */
export const costOfRun = ({ summary }: Pick<RunRecord, 'summary'>): Cost | null =>
  costAt({ roles: summary.roles, ratePerSecond: donePerSecond(summary) });

const hoursOfMillion = (ratePerSecond: number): number => 1e6 / ratePerSecond / 3600;

export const priceOfMillion = ({ perMillion }: Cost, { cpu, memory }: Prices): number =>
  perMillion.coreHours * cpu + perMillion.gibHours * memory;

type Throughput = Pick<Summary, 'achieved' | 'completions'>;

/** Requests that were done: where n8n answers at once, those whose execution was completed. */
export const donePerSecond = ({ achieved, completions }: Throughput): number =>
  Math.min(achieved.ratePerSecond, completions?.ratePerSecond ?? Infinity);

/** The same as a share of the requests that were offered. */
export const doneShare = ({ achieved, completions }: Throughput): number =>
  Math.min(achieved.shareOfOffered, completions?.shareOfOffered ?? 1);
