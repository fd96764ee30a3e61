import type { Reading, LimitRow, Seen } from './row';
import { textOf } from '../../record/summary';
import { formatNumber } from '../../ui/numbers';

export const GENERATOR = { role: 'generator', resource: 'CPU' } as const;

export const generatorRows: LimitRow[] = [
  {
    ...GENERATOR,
    name: 'load generator',
    advice: 'give the load generator more CPU: n8n was not the limit',
    kind: 'generator',
    read: readGenerator,
  },
];

/** Whether it is at fault is decided in analysis/generator.ts. */
function readGenerator({ summary: { generator }, limits }: Seen): Reading | null {
  const { cpuCores, faults, saturated } = generator;
  const cores = generator.coresAvailable ?? limits.hostCores;
  const share = cores === null ? 0 : Math.min(1, cpuCores / cores);
  return {
    utilisation: saturated ? 1 : share,
    isUsedUp: saturated,
    evidence: saturated ? faults.map(textOf).join('; ') : `k6 used ${formatNumber(cpuCores)} cores`,
  };
}
