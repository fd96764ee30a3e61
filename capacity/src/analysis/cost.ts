/** What n8n with its stores uses at its capacity, and what a million requests cost. */
import type { AtCapacity, FindRecord } from '../record/find-record';

/** Of a core for an hour, and of a GiB of memory for an hour, in whatever the user counts. */
export interface Prices {
  cpu: number;
  memory: number;
}

/** Of a GiB to that of a core, by the list prices of the large clouds. */
export const MEMORY_TO_CPU_PRICE = 0.125;

export interface Cost {
  /** Of the run that the answer rests on. */
  ratePerSecond: number;
  /** Of all processes together, at that rate. */
  cores: number;
  memoryGiB: number;
  perMillion: { coreHours: number; gibHours: number };
}

/** What makes the load, and what n8n calls, is not part of n8n. */
const NOT_PAID = new Set<string>(['generator', 'upstream', 'host']);

/** Null where nothing of it was seen, as of an n8n at a URL. Memory is paid for at the rate to plan with. */
export function costOf({
  atCapacity,
  advised,
}: Pick<FindRecord, 'atCapacity' | 'advised'>): Cost | null {
  const { cores, memoryMiB } = usedBy(atCapacity ?? null);
  const ratePerSecond = atCapacity?.ratePerSecond ?? 0;
  if (cores === 0 || memoryMiB === 0 || ratePerSecond <= 0 || advised.ratePerSecond <= 0)
    return null;
  const memoryGiB = memoryMiB / 1024;
  return {
    ratePerSecond,
    cores,
    memoryGiB,
    perMillion: {
      coreHours: cores * hoursOfMillion(ratePerSecond),
      gibHours: memoryGiB * hoursOfMillion(advised.ratePerSecond),
    },
  };
}

const hoursOfMillion = (ratePerSecond: number): number => 1e6 / ratePerSecond / 3600;

function usedBy(at: AtCapacity | null): { cores: number; memoryMiB: number } {
  const paid = (at?.roles ?? []).filter(({ role }) => !NOT_PAID.has(role));
  return {
    cores: paid.reduce((sum, { cpuCoresMean }) => sum + (cpuCoresMean ?? 0), 0),
    memoryMiB: paid.reduce((sum, { rssPeakMiB }) => sum + (rssPeakMiB ?? 0), 0),
  };
}

export const priceOfMillion = ({ perMillion }: Cost, { cpu, memory }: Prices): number =>
  perMillion.coreHours * cpu + perMillion.gibHours * memory;
