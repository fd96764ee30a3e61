import type { Command } from 'commander';
import { MEMORY_TO_CPU_PRICE } from '../analysis/cost';
import type { Prices } from '../plan/recorded';
import { parsed, positive } from './parsers';

export interface PriceOptions {
  cpuPrice?: number;
  memoryPrice?: number;
}

export const withPriceOptions = (command: Command): Command =>
  command
    .addOption(
      parsed(
        '--cpu-price <amount>',
        'price of a core per hour, to show the cost of a million requests',
        positive,
      ),
    )
    .addOption(
      parsed(
        '--memory-price <amount>',
        'price of a GiB of memory per hour (default: an eighth of the core price)',
        positive,
      ),
    );

/** Without a price of memory, an eighth of that of a core, as at the large clouds. */
export function chosenPrices({ cpuPrice, memoryPrice }: PriceOptions): { prices?: Prices } {
  if (cpuPrice === undefined) return {};
  return { prices: { cpu: cpuPrice, memory: memoryPrice ?? cpuPrice * MEMORY_TO_CPU_PRICE } };
}
