import type { AlertsView, RoleView, View } from '../analysis/view';
import { duration, formatNumber, perSecond, percent } from '../../../ui/numbers';

const BARS = '▁▂▃▄▅▆▇█';
const LABEL = 12;
const COLUMNS = ['instances', 'memory MiB', 'heap MiB', 'CPU cores', 'event loop'] as const;
/** Together with the label 80 columns at the most. */
const WIDTHS = [11, 18, 16, 11, 12];

/** The live view: one screen. */
export function renderWatch(
  title: string,
  { view, alerts }: { view: View; alerts: AlertsView | null },
  { width, nowMs }: { width: number; nowMs: number },
): string[] {
  const { hostCores, events } = view;
  const lines = [
    ...fitted('', `${title}, ${clock(nowMs)}`, width),
    '',
    ...[...executionLines(view), ...webhookLines(view), ...queueLines(view)].flatMap(
      ([name, text]) => fitted(name.padEnd(LABEL), text, width),
    ),
    ...(hostCores === null ? [] : [labelled('machine', `${formatNumber(hostCores)} cores busy`)]),
    '',
    row('role', COLUMNS),
    ...view.roles.map((role) => row(role.role, cellsOf(role))),
    ...(alerts === null ? [] : ['', ...alertLines(alerts, width)]),
    ...(events.length === 0 ? [] : ['']),
    ...events.flatMap(({ atMs, text }) => fitted(`${clock(atMs)}  `, text, width)),
  ];
  return lines.map((line) => line.slice(0, width));
}

type Line = readonly [name: string, text: string];

function executionLines({ executions }: View): Line[] {
  const text =
    executions === null
      ? 'not counted: set N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS=true'
      : `${perSecond(executions.succeededPerSecond)} succeeded, ${perSecond(executions.failedPerSecond)} failed  ${bars(executions.history)}`;
  return [['executions', text]];
}

function webhookLines({ webhooks }: View): Line[] {
  if (webhooks === null) {
    return [['webhooks', 'not seen yet: requires N8N_METRICS_INCLUDE_WEBHOOK_METRICS=true']];
  }
  const { perSecond: rate, errorsPerSecond, meanMs, p95Ms } = webhooks;
  const latency =
    meanMs === null || p95Ms === null
      ? ''
      : `, mean ${duration(meanMs)}, p95 about ${duration(p95Ms)}`;
  return [['webhooks', `${perSecond(rate)}, ${perSecond(errorsPerSecond)} with 5xx${latency}`]];
}

function queueLines({ queue }: View): Line[] {
  if (queue === null) return [];
  const { waiting, active, oldestMs, slots, history } = queue;
  const oldest = oldestMs === null ? '' : `, oldest ${duration(oldestMs)}`;
  const taken =
    slots === null || slots === 0
      ? `${formatNumber(active)} active`
      : `${formatNumber(active)} of ${formatNumber(slots)} (${percent(active / slots)})`;
  return [
    ['queue', `${formatNumber(waiting)} waiting${oldest}  ${bars(history)}`],
    ['slots', taken],
  ];
}

function alertLines({ source, firing }: AlertsView, width: number): string[] {
  const head = firing.length === 0 ? 'none firing' : `${String(firing.length)} firing`;
  return [
    ...fitted('alerts'.padEnd(LABEL), `${head} (${source})`, width),
    ...firing.flatMap(({ name, text }) => [`  ${name}`, ...wrapped(text, width - 4, '    ')]),
  ];
}

/** After its first words on one line, if it fits; else on as many as it needs, below each other. */
function fitted(head: string, text: string, width: number): string[] {
  if (head.length + text.length <= width) return [`${head}${text}`];
  const [first = '', ...others] = wrapped(text, width - head.length, ' '.repeat(head.length));
  return [`${head}${first.trimStart()}`, ...others];
}

/** A sentence on as many lines as it needs: the end of it is what to know. */
function wrapped(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = '';
  // A number has narrow spaces within.
  for (const word of text.split(/[ \n]+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(`${indent}${line}`);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, `${indent}${line}`];
}

const cellsOf = (role: RoleView): string[] => [
  String(role.instances),
  ofLimit(role.memoryMiB, role.memoryLimitMiB),
  ofLimit(role.heapMiB, role.heapLimitMiB),
  role.cpuCores === null ? '-' : formatNumber(role.cpuCores),
  role.eventLoopLagMs === null ? '-' : duration(Math.round(role.eventLoopLagMs * 10) / 10),
];

function ofLimit(used: number | null, limit: number | null): string {
  if (used === null) return '-';
  return limit === null
    ? formatNumber(Math.round(used))
    : `${formatNumber(Math.round(used))} of ${formatNumber(Math.round(limit))}`;
}

const labelled = (name: string, text: string): string => `${name.padEnd(LABEL)}${text}`;

const row = (name: string, cells: readonly string[]): string =>
  labelled(name, cells.map((cell, at) => cell.padEnd(WIDTHS[at] ?? 0)).join('')).trimEnd();

/** A bar a value, as high as its share of the highest. */
export function bars(values: readonly number[]): string {
  const max = Math.max(...values, 0);
  return values
    .map((value) => BARS[max === 0 ? 0 : Math.round((value / max) * (BARS.length - 1))] ?? '')
    .join('');
}

const clock = (atMs: number): string => new Date(atMs).toTimeString().slice(0, 8);
