import type { Prices } from '../../plan/recorded';
import { priceOfMillion, type Cost } from '../../analysis/cost';
import { formatNumber, perSecond } from '../../ui/numbers';

/** One row of the figures every kind of report shows. */
export interface Figure {
  name: string;
  value: string;
  /** The terminal leaves it out. */
  isDetail?: boolean;
}

export const mib = (value: number | null): string =>
  value === null ? '-' : `${formatNumber(value)} MiB`;

/** To the minute, as a headline shows it. */
export const utc = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;

/** The interval of a capacity, such as `between 36 and 40`. */
export const range = ({ low, high }: { low: number; high: number | null }): string =>
  high === null
    ? `at least ${formatNumber(low)}`
    : `between ${formatNumber(low)} and ${formatNumber(high)}`;

/** How to run it again, as the user would type it. */
export const repeatCommand = (command: readonly string[]): string =>
  ['n8n-tuned', ...command]
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`))
    .join(' ');

/** What it takes, as far as it was seen, and what a million requests cost where prices were given. */
export function costFigures(cost: Cost | null, prices: Prices | undefined): Figure[] {
  if (cost === null) return [];
  const { ratePerSecond, cores, memoryGiB, perMillion } = cost;
  const used = `${formatNumber(perMillion.coreHours)} core-hours, ${formatNumber(perMillion.gibHours)} GiB-hours`;
  const price = prices === undefined ? '' : `; cost ${formatNumber(priceOfMillion(cost, prices))}`;
  return [
    {
      name: 'Uses',
      value: `${formatNumber(cores)} cores and ${formatNumber(memoryGiB)} GiB at ${perSecond(ratePerSecond)}`,
    },
    { name: 'A million requests', value: `${used}${price}` },
  ];
}
