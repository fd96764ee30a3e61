import { formatNumber } from '../plot/scale';
import { mib, ms, perSecond } from '../text/units';
import type { View } from '../../analysis/watch-view';

const BARS = '▁▂▃▄▅▆▇█';
const COLUMN = 13;

/** The live view: one screen. */
export function renderWatch(
  title: string,
  view: View,
  { width, nowMs }: { width: number; nowMs: number },
): string[] {
  const { executions, queue, roles, hostCores, events } = view;
  const lines = [
    `${title}, ${clock(nowMs)}`,
    '',
    ...row('executions', [
      executions === null
        ? 'not counted by this n8n: N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS=true makes it'
        : `${perSecond(executions.succeededPerSecond)} succeeded, ${perSecond(executions.failedPerSecond)} failed  ${bars(executions.history)}`,
    ]),
    ...(queue === null
      ? []
      : row('queue', [
          `${formatNumber(queue.waiting)} waiting, ${formatNumber(queue.active)} active, oldest ${ms(queue.oldestMs)}  ${bars(queue.history)}`,
        ])),
    ...(hostCores === null ? [] : row('machine', [`${formatNumber(hostCores)} cores busy`])),
    '',
    ...row('role', ['instances', 'memory', 'CPU cores', 'event loop']),
    ...roles.flatMap(({ role, instances, rssMiB, cpuCores, eventLoopLagMs }) =>
      row(role, [
        String(instances),
        mib(rssMiB),
        cpuCores === null ? '-' : formatNumber(cpuCores),
        eventLoopLagMs === null ? '-' : ms(eventLoopLagMs),
      ]),
    ),
    ...(events.length === 0 ? [] : ['']),
    ...events.map(({ atMs, text }) => `${clock(atMs)}  ${text}`),
  ];
  return lines.map((line) => line.slice(0, width));
}

function row(name: string, cells: readonly string[]): string[] {
  return [
    [name, ...cells]
      .map((cell) => cell.padEnd(COLUMN))
      .join('')
      .trimEnd(),
  ];
}

/** A bar a value, as high as its share of the highest. */
export function bars(values: readonly number[]): string {
  const most = Math.max(...values, 0);
  return values
    .map((value) => BARS[most === 0 ? 0 : Math.round((value / most) * (BARS.length - 1))] ?? '')
    .join('');
}

const clock = (atMs: number): string => new Date(atMs).toTimeString().slice(0, 8);
