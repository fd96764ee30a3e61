import { priceOfMillion, type Cost } from '../../analysis/cost';
import type { Prices } from '../../plan/recorded';
import { type Figure } from './units';
import { formatNumber, perSecond } from '../../ui/numbers';

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
