import type { ProcessHistory } from '../analysis/process-history';
import { renderColumns } from '../../../report/text/terminal';
import { shortCommand } from './charts';
import { duration, formatNumber } from '../../../ui/numbers';

const HEAD = ['pid', 'seen', 'memory first', 'last', 'most', 'CPU mean', 'most', 'command'];

const MAX_LINES = 40;

/** A line per process, those with most memory first, and one for all together. */
export function renderSample({ processes, together, durationMs }: ProcessHistory): string[] {
  const line = (
    name: string,
    seenMs: number,
    { rssMiB, cpuCores }: Pick<ProcessHistory['together'], 'rssMiB' | 'cpuCores'>,
    command: string,
  ): string[] => [
    name,
    duration(seenMs),
    ...[rssMiB.first, rssMiB.last, rssMiB.max].map((value) => `${formatNumber(value)} MiB`),
    ...[cpuCores?.mean, cpuCores?.max].map((value) =>
      value === undefined ? '-' : `${formatNumber(value)} cores`,
    ),
    command,
  ];
  const rows = [...processes]
    .sort((a, b) => b.rssMiB.max - a.rssMiB.max)
    .map((process) =>
      line(
        String(process.pid),
        process.lastMs - process.firstMs,
        process,
        shortCommand(process.command, 40),
      ),
    );
  const shown = rows.slice(0, MAX_LINES);
  const left = rows.length - shown.length;
  return renderColumns(HEAD, [
    ...shown,
    ...(left > 0 ? [[`and ${String(left)} more`]] : []),
    ...(rows.length < 2
      ? []
      : [line('all', durationMs, together, `at most ${String(together.processes.max)} at once`)]),
  ]);
}
