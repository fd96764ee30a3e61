import type { ProcessHistory, ProcessPoint, ProcessSummary } from '../analysis/process-history';
import { SERIES_COLOURS, type LineChart, type LineSeries } from '../../../report/plot/chart';

/** One colour is left for all of them together. */
const MAX_DRAWN = SERIES_COLOURS - 1;

/** Memory and CPU over time: of those processes that came to have most memory, and of all together. */
export function sampleCharts(
  { processes }: ProcessHistory,
  points: readonly ProcessPoint[],
): LineChart[] {
  const drawn = [...processes]
    .sort((a, b) => b.rssMiB.max - a.rssMiB.max)
    .slice(0, MAX_DRAWN)
    .sort((a, b) => a.firstMs - b.firstMs || a.pid - b.pid);
  const left = processes.length - drawn.length;
  const series = (
    of: (point: ProcessPoint, pid: number) => number | null,
    together: (point: ProcessPoint) => number | null,
  ): LineSeries[] => [
    ...drawn.map((process) => ({
      label: labelOf(process),
      points: points.map((point): [number, number | null] => [
        point.tMs / 1000,
        of(point, process.pid),
      ]),
    })),
    ...(processes.length < 2
      ? []
      : [
          {
            label: `all ${String(processes.length)} processes together${left > 0 ? ` (${String(left)} not drawn)` : ''}`,
            points: points.map((point): [number, number | null] => [
              point.tMs / 1000,
              together(point),
            ]),
            dashed: true,
          },
        ]),
  ];
  const x = { label: 'time', unit: 's', min: 0 };
  return [
    {
      kind: 'line',
      id: 'memory',
      title: 'Memory (RSS) of each process',
      x,
      y: { label: 'memory', unit: 'MiB', min: 0 },
      series: series(
        (point, pid) => point.rssMiBOf.get(pid) ?? null,
        (point) => point.rssMiB,
      ),
    },
    {
      kind: 'line',
      id: 'cpu',
      title: 'CPU of each process',
      x,
      y: { label: 'CPU', unit: 'cores', min: 0 },
      series: series(
        (point, pid) => point.cpuCoresOf.get(pid) ?? null,
        (point) => point.cpuCores,
      ),
    },
  ];
}

const labelOf = ({ pid, command }: ProcessSummary): string =>
  `${String(pid)} ${shortCommand(command, 80)}`;

/** A command line without the folders of its words, cut to `max` characters. */
export function shortCommand(command: string, max: number): string {
  const words = command
    .replaceAll(/\s+/g, ' ')
    .split(' ')
    .map((word) => (/^\/\S*[^/]$/.test(word) ? word.slice(word.lastIndexOf('/') + 1) : word))
    .join(' ');
  return words.length > max ? `${words.slice(0, max - 1)}…` : words;
}
