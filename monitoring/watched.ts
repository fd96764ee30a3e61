/** What the alerts did on a real cluster, as the study of alerts recorded it; nothing before it has a record. */
import { fileURLToPath } from 'node:url';
import { readArchive } from '../cli/src/record/archive';
import { FAULTS } from '../studies/alerts/faults';
import { externalSeries } from './external-series';
import { placeOf, table } from './runbook';

/** Seconds since the beginning, or since the fault, and for how long altogether. */
interface Stretch {
  afterSeconds: number;
  seconds: number;
}

interface Seen {
  alert: string;
  pending: Stretch | null;
  firing: Stretch | null;
  /** Metrics of its expression that this Prometheus had no series of. */
  missing: string[];
  /** The most that its expression gave, where it was pending. */
  highest?: number | null;
  labels?: string[];
}

interface Side {
  alerts: Seen[];
}

interface Load {
  workload: string;
  plannedPerSecond: number;
  requests: number;
  p95Ms: number | null;
  wrong: number;
  unanswered: number;
}

interface Watched {
  startedAt: string;
  watchedSeconds: number;
  versions: Record<string, string>;
  /** Whether cAdvisor told of containers; left out in records that were made when the lab's told of pods alone. */
  namesContainers?: boolean;
  /** Not of a load that failed. */
  machine?: { cpu: string; cores: number };
  load: Load;
}

interface LoadAverage {
  median: number;
  max: number;
}

interface Quiet extends Watched {
  loadAverage: LoadAverage;
  /** Whether its callers got their responses in time. */
  healthy: boolean;
  idle: Side;
  loaded: Side;
}

interface Fault extends Watched, Side {
  title: string;
  expects: string[];
  loadAverageAtStart: number;
  /** From before it was deployed to its end. */
  loadAverage?: LoadAverage;
  /** Alerts that were pending or firing before the fault. */
  before: string[];
  /** Written by hand into the record where the machine was shared after the part had begun. */
  otherWork?: boolean;
}

export interface WatchedRecord {
  quiet?: Quiet;
  faults: Record<string, Fault>;
}

const RECORDS = 'studies/alerts/results.jsonl.gz';
const PAGE = 'monitoring/alerts/README.md';
const NOTE = '<!-- Written by npm run generate from studies/alerts/results.jsonl.gz. -->';

export function watched(root: URL): Record<string, string> {
  const archive = readArchive(fileURLToPath(new URL(RECORDS, root)));
  const quiet = archive.get('quiet')?.record as Quiet | undefined;
  // In the order of the study.
  const faults = FAULTS.flatMap(({ name }) => {
    const record = archive.get(name)?.record as Fault | undefined;
    return record === undefined ? [] : [[name, record] as const];
  });
  if (quiet === undefined && faults.length === 0) return {};
  return {
    [PAGE]: watchedPage({ ...(quiet && { quiet }), faults: Object.fromEntries(faults) }),
  };
}

/** The whole page, in Markdown. */
export function watchedPage({ quiet, faults }: WatchedRecord): string {
  const entries = Object.entries(faults);
  const all = [...(quiet === undefined ? [] : [quiet]), ...entries.map(([, fault]) => fault)];
  const any = all.find(({ machine }) => machine !== undefined);
  const machines = new Set(
    all.flatMap(({ machine }) =>
      machine === undefined ? [] : `${machine.cpu}, ${String(machine.cores)} cores`,
    ),
  );
  const alerts = [
    ...(quiet === undefined ? [] : [...quiet.idle.alerts, ...quiet.loaded.alerts]),
    ...entries.flatMap(([, fault]) => fault.alerts),
  ];
  return [
    '# Alerts on a cluster',
    NOTE,
    `This page shows what the chart's alerts did on a real Kubernetes with a real Prometheus ${any?.versions['prometheus'] ?? ''}. The rules are those of the chart's PrometheusRule with the default thresholds. Every 15 s, Prometheus scrapes the pods that the chart's PodMonitors select, with their relabelings. It also scrapes cAdvisor and the kubelet through the API server, kube-state-metrics, redis_exporter and postgres_exporter. n8n ${any?.versions['n8n'] ?? ''} runs in queue mode with two workers, a webhook processor, PostgreSQL and the exporter, all on one machine (${[...machines].join('; for other parts ')}). To repeat the measurement, run \`n8n-tuned study alerts\`. [The records](../../studies/alerts/results.jsonl.gz) contain the states of each alert.`,
    notThere(alerts),
    ...withoutContainers(quiet, entries),
    ...(quiet === undefined ? [] : quietSection(quiet)),
    ...(entries.length === 0 ? [] : faultSection(entries)),
  ].join('\n\n');
}

/** Series of others; n8n makes many of its own only at their first event. */
const foreignIn = (missing: readonly string[]): string[] =>
  missing.filter((metric) => metric in externalSeries);

/** What no part of the measurement had: many series begin with the fault that makes them. */
function notThere(alerts: readonly Seen[]): string {
  const by = new Map<string, Set<string>>();
  for (const { alert, missing } of alerts) {
    const foreign = foreignIn(missing).filter((name) => !name.startsWith('n8n_'));
    const before = by.get(alert) ?? new Set(foreign);
    by.set(alert, new Set(foreign.filter((metric) => before.has(metric))));
  }
  const rows = [...by]
    .filter(([, metrics]) => metrics.size > 0)
    .sort()
    .map(([alert, metrics]) => [
      linked(alert),
      [...metrics].map((metric) => `\`${metric}\``).join(', '),
    ]);
  if (rows.length === 0) return 'Every series of other programs that an alert reads existed.';
  return [
    'These alerts were partly or completely silent, because a series did not exist. kube-state-metrics reports why a container ended only after a container has ended, and cAdvisor reports throttling only for containers with a CPU limit, which the chart does not set:',
    table(['alert', 'missing series'], rows),
  ].join('\n\n');
}

/** These read only those of cAdvisor's series that are about containers. */
const OF_CONTAINERS = ['N8nContainerNearMemoryLimit', 'N8nOutOfMemoryKill', 'N8nCpuThrottled'];

function withoutContainers(
  quiet: Quiet | undefined,
  entries: readonly (readonly [string, Fault])[],
): string[] {
  const parts = [
    ...(quiet === undefined || quiet.namesContainers === true ? [] : ['the healthy n8n']),
    ...entries
      .filter(([, { namesContainers }]) => namesContainers !== true)
      .map(([name]) => `\`${name}\``),
  ];
  if (parts.length === 0) return [];
  return [
    `In some parts, cAdvisor reported pods but not their containers, because of a defect in the lab's cluster. In these parts, the silence of ${OF_CONTAINERS.map(linked).join(', ')} means nothing: ${parts.join(', ')}.`,
  ];
}

function quietSection(quiet: Quiet): string[] {
  const { load, loadAverage } = quiet;
  const minutes = (quiet.watchedSeconds / 60).toFixed(0);
  const row = (name: string, { alerts }: Side): string[] => [
    name,
    String(alerts.length),
    String(alerts.filter(({ firing }) => firing !== null).length),
    active(alerts),
  ];
  return [
    '## What fires on a healthy n8n',
    `Two releases ran at the same time for ${minutes} minutes on ${quiet.startedAt.slice(0, 10)}. One was idle, and the other received ${String(load.plannedPerSecond)} requests per second of the workload \`${load.workload}\` (${String(load.requests)} requests, p95 ${latency(load)}, ${String(load.wrong)} unexpected responses, ${String(load.unanswered)} without a response). The median load average of the machine, including other programs, was ${figure(loadAverage.median)}, and the maximum was ${figure(loadAverage.max)}. The command that generates the load reads the metrics of each process once a second, and n8n resets its event-loop lag at each read. For the loaded release, Prometheus therefore saw only the lag of one second, every 15 s.`,
    ...(quiet.healthy
      ? []
      : [
          '**The loaded release was not healthy**: other programs on the machine made it slow. An alert that fires for this release is correct, so the measurement does not show false alerts under load. It must be repeated on an idle machine. The result of the idle release is valid.',
        ]),
    ...unseenIn(quiet.idle),
    table(
      ['release', 'alerts evaluated', 'fired', 'pending or firing'],
      [row('idle', quiet.idle), row('loaded', quiet.loaded)],
    ),
  ];
}

/** What their silence says nothing of. */
function unseenIn({ alerts }: Side): string[] {
  const blind = alerts.filter(isUnseen).map(({ alert }) => linked(alert));
  return blind.length === 0
    ? []
    : [`These alerts read a series that did not exist during this half hour: ${blind.join(', ')}.`];
}

const active = (alerts: readonly Seen[]): string =>
  alerts
    .filter(({ pending, firing }) => pending !== null || firing !== null)
    .map(
      ({ alert, pending, firing, highest }) =>
        `${linked(alert)}: ${[said('pending', pending), said('firing', firing)].filter((text) => text !== null).join(', ')}${highest === undefined || highest === null ? '' : `, at most ${figure(highest)}`}`,
    )
    .join('; ') || 'none';

const said = (state: string, stretch: Stretch | null): string | null =>
  stretch === null ? null : `${state} for ${String(stretch.seconds)} s`;

function faultSection(entries: readonly (readonly [string, Fault])[]): string[] {
  const columns = [
    ...new Set(
      entries.flatMap(([, { alerts, expects }]) => [
        ...expects,
        ...alerts.filter(isActive).map(({ alert }) => alert),
      ]),
    ),
  ].sort();
  const rows = entries.map(([name, fault]) => [
    `\`${name}\``,
    ...columns.map((alert) => cell(fault, alert)),
  ]);
  const faults = entries.map(([name, fault]) => [
    `\`${name}\``,
    fault.title,
    `${String(fault.load.plannedPerSecond)}/s of \`${fault.load.workload}\``,
    `${String(fault.watchedSeconds)} s`,
    loadOf(fault),
    silent(fault).join(', ') || 'none',
  ]);
  return [
    '## Faults against alerts',
    'Each fault was caused in a separate release under load. [`n8n-tuned drill`](../../docs/drills.md) caused the faults that have the name of a drill; the other faults follow the runbooks. The column "watched" shows the time from the fault to the end of the load: an alert that would fire later is silent in this table.',
    table(
      [
        ...[
          'fault',
          'what it is',
          'load',
          'watched',
          'load average at the start (median, maximum)',
        ],
        'silent although the runbook says that it fires',
      ],
      faults,
    ),
    'The table shows when each alert fired, in seconds since the fault. The word "pending" means that the condition was true, but not for long enough. An alert that is "silent" should have fired. One that is "unseen" should have fired too, but the series that it reads was missing. An empty cell means that the alert was correctly silent. An alert that was active before the fault has "before".',
    table(['fault', ...columns.map(linked)], rows),
    ...shared(entries),
    ...neverFired(entries.map(([, fault]) => fault)),
  ];
}

function shared(entries: readonly (readonly [string, Fault])[]): string[] {
  const names = entries.flatMap(([name, { otherWork }]) =>
    otherWork === true ? `\`${name}\`` : [],
  );
  return names.length === 0
    ? []
    : [
        `Other work used the machine during ${names.join(', ')}: it may have caused alerts on latency, errors and event-loop lag, and may have made the times longer.`,
      ];
}

function neverFired(faults: readonly Fault[]): string[] {
  const seen = faults.flatMap(({ alerts }) => alerts);
  const fired = new Set(seen.filter(({ firing }) => firing !== null).map(({ alert }) => alert));
  const silentOnes = [...new Set(seen.map(({ alert }) => alert))].filter((one) => !fired.has(one));
  if (silentOnes.length === 0) return [];
  return [
    `None of these faults made the following alerts fire. Their rules are tested with artificial series by promtool: ${silentOnes.sort().map(linked).join(', ')}.`,
  ];
}

const isActive = ({ pending, firing }: Seen): boolean => pending !== null || firing !== null;

const isUnseen = ({ missing }: Seen): boolean =>
  foreignIn(missing).some((metric) => !metric.startsWith('n8n_'));

function cell({ alerts, expects, before }: Fault, alert: string): string {
  const seen = alerts.find((one) => one.alert === alert);
  const is = expects.includes(alert);
  if (seen?.firing != null) {
    const after = before.includes(alert) ? 'before' : `${String(seen.firing.afterSeconds)} s`;
    return is ? `**${after}**` : after;
  }
  if (seen?.pending != null) return is ? '**pending**' : 'pending';
  if (!is) return '';
  return seen !== undefined && isUnseen(seen) ? 'unseen' : '**silent**';
}

function silent({ alerts, expects }: Fault): string[] {
  return expects.flatMap((alert) => {
    const seen = alerts.find((one) => one.alert === alert);
    if (seen?.firing != null) return [];
    const since =
      seen?.pending == null ? '' : `, pending from ${String(seen.pending.afterSeconds)} s on`;
    return [`${linked(alert)}${since}`];
  });
}

const latency = ({ p95Ms }: Load): string => (p95Ms === null ? '-' : `${p95Ms.toFixed(0)} ms`);

const figure = (value: number): string => String(Number(value.toPrecision(3)));

const loadOf = ({ loadAverageAtStart, loadAverage }: Fault): string =>
  loadAverage === undefined
    ? figure(loadAverageAtStart)
    : `${figure(loadAverageAtStart)} (${figure(loadAverage.median)}, ${figure(loadAverage.max)})`;

const linked = (alert: string): string =>
  `[${alert.replace(/^N8n/, '')}](../../docs/runbooks/${placeOf(alert)})`;
