import { figures } from '../figures';
import type { Reading, Row, Seen } from './row';

export const generatorRows: Row[] = [
  {
    role: 'generator',
    resource: 'CPU',
    name: 'load generator',
    kind: 'generator',
    read: readGenerator,
  },
];

/** What is left out here is decided with the figures of the generator itself (load/). */
function readGenerator({ summary: { generator }, limits }: Seen): Reading | null {
  const cores = limits.hostCores;
  const used = `it used ${figures(generator.cpuCores)} cores`;
  const left =
    generator.droppedIterations === 0
      ? ''
      : ` and left out ${String(generator.droppedIterations)} requests`;
  return {
    utilisation: generator.saturated
      ? 1
      : cores === null
        ? 0
        : Math.min(1, generator.cpuCores / cores),
    isUsedUp: generator.saturated,
    evidence: `${used}${left}`,
  };
}
