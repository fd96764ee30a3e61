// The loop of n counts in n8n's workload `cpu`: one process, and workers, n8n's own way to several (studies/cpu-loop.yaml).
import { link, median, number, table } from '../records.ts';
import { cellsOf, conditionsText, otherCores, recordOf, sweepOf } from './study.mjs';

const NAME = 'cluster-loop';
const SWEEP = 'cpu-loop';
const WAYS = [
  ['one process', ({ mode }) => mode === 'regular'],
  ['one worker', ({ mode, instances }) => mode === 'queue' && instances === 1],
  ['two workers', ({ mode, instances }) => mode === 'queue' && instances === 2],
];
export function n8nLoop() {
  const folder = recordOf(NAME);
  const sweep = sweepOf(NAME, SWEEP);
  if (sweep === null) return '';
  const cells = cellsOf(sweep).filter(({ record }) => record !== null);
  const counts = [...new Set(cells.map(({ cell }) => cell['param.n']))].toSorted((a, b) => a - b);
  const rows = counts.flatMap((n) => {
    const ways = WAYS.map(([way, isIt]) => {
      const same = cells.filter(({ cell }) => cell['param.n'] === n && isIt(cell));
      const of = (figure) => (same.length === 0 ? null : median(same.map(figure)));
      return {
        way,
        rate: of(({ figures }) => figures.achievedPerSecond),
        p99Ms: of(({ figures }) => figures.p99Ms),
        cpuMs: of(({ figures }) => figures.cpuMillisecondsPerRequest),
        others: same.length === 0 ? null : Math.max(...same.map((one) => otherCores(one.record))),
      };
    }).filter(({ rate }) => rate !== null);
    const [single] = ways;
    return ways.map(({ way, rate, p99Ms, cpuMs, others }) => [
      number(n),
      way,
      `${number(rate)}/s`,
      `${number(rate / single.rate)}x`,
      `${number(p99Ms)} ms`,
      `${number(cpuMs)} ms`,
      number(others),
    ]);
  });
  return `## The same loop in n8n

The workload cpu runs the loop in a Code node: in one process, or in queue mode with workers, which is n8n's own way to
several processes; its requests come through main. ${conditionsText(folder)}

${table(['n', 'n8n', 'expected responses', 'of one process', 'p99', 'CPU per request', 'cores used by other work'], rows)}

${link(`${sweep}/sweep.json`)}, \`n8n-tuned sweep -f studies/cluster-loop/${SWEEP}.yaml\``;
}
