/**
 * What a run of k6 alone says at its end: one JSON shape, whatever k6's own looks like. What is not known is null, and
 * never met. The command does not use it: it counts from the raw requests.
 */
import { holds } from './condition.ts';
import { COUNTED_KINDS, NO_SOCKET } from './errors.ts';
import { allowedLatenessMs, MAY_BE_LATE } from './lateness.ts';
import type { LoadSummary } from './load-summary.ts';
import { PROTOCOLS, thresholdsOf } from './options.ts';
import type { RunIdentity, Settings } from './settings.ts';

/**
 * What k6 hands to handleSummary, in one shape: its usual form nests values under the names of metrics, and its
 * machine-readable one (--new-machine-readable-summary) is a list with other names. Nothing is imported from k6 here.
 */
interface K6Metric {
  type: string;
  /** `time`: values are milliseconds. */
  contains: string;
  /** By the names of the usual form: count, rate, passes, fails, avg, med, p(95), ... */
  values: Readonly<Record<string, number>>;
  /** By their text; empty in the machine-readable form. */
  thresholds: Readonly<Record<string, boolean>>;
}

interface K6Summary {
  metrics: ReadonlyMap<string, K6Metric>;
  /** What setup returned; undefined in the machine-readable form. */
  setupData: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

/** No metric where it is neither of the two: then all is unknown. */
export function readK6Summary(data: unknown): K6Summary {
  // The machine-readable form consists of values of Go, of which some are no numbers before they have been JSON.
  const plain = JSON.parse(JSON.stringify(data)) as unknown;
  const { metrics, setup_data: setupData, results } = fields(plain);
  const list = fields(results)['metrics'];
  const entries = Array.isArray(list)
    ? list.map((metric): [string, unknown] => [textOf(fields(metric)['name']), metric])
    : Object.entries(fields(metrics));
  return {
    metrics: new Map(entries.map(([name, metric]) => [name, metricOf(fields(metric))])),
    setupData,
  };
}

function metricOf({ type, contains, values, thresholds }: Fields): K6Metric {
  const judged = Object.entries(fields(thresholds)).flatMap(([text, threshold]) => {
    const { ok } = fields(threshold);
    return typeof ok === 'boolean' ? [[text, ok] as const] : [];
  });
  return {
    type: textOf(type),
    contains: textOf(contains),
    values: valuesOf(fields(values)),
    thresholds: Object.fromEntries(judged),
  };
}

function valuesOf(values: Fields): Record<string, number> {
  const numbers = Object.entries(values).flatMap(([name, value]) =>
    typeof value === 'number' ? [[name.replace(/^p(\d+)$/, 'p($1)'), value] as const] : [],
  );
  const { matches, total, ...others } = Object.fromEntries(numbers);
  return matches === undefined || total === undefined
    ? others
    : { ...others, passes: matches, fails: total - matches };
}

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** For a person. */
function sentences(summary: LoadSummary): string {
  const { latencyMs, latenessMs, errors, protocols } = summary;
  return [
    '',
    `  ${summary.profile} of ${summary.workloads.join(', ')} against ${summary.baseUrl}`,
    ...summary.notValid.map((why) => `  NOT VALID     ${why}`),
    `  requests      ${String(summary.requests)}, expected responses ${String(summary.expected)} (${summary.expectedPerSecond.toFixed(1)}/s)`,
    `  errors        ${counts(errors)}`,
    `  responses     ${counts(protocols)}`,
    ...(latenessMs === null || latenessMs.p50 === null
      ? []
      : [
          `  started late  median ${milliseconds(latenessMs.p50, 1)}, p99 ${milliseconds(latenessMs.p99, 1)}; part of the latency`,
        ]),
    latencyMs === null
      ? '  latency       none: no request got its expected response'
      : `  latency       p50 ${milliseconds(latencyMs.p50)}, p95 ${milliseconds(latencyMs.p95)}, p99 ${milliseconds(latencyMs.p99)}, max ${milliseconds(latencyMs.max)}`,
    ...summary.slo.map(({ text, met }) => `  ${wordFor(met)} ${text}`),
    '',
    '',
  ].join('\n');
}

function wordFor(met: boolean | null): string {
  if (met === null) return 'not known    ';
  return met ? 'met          ' : 'missed       ';
}

const milliseconds = (value: number | null, digits = 0): string =>
  value === null ? 'not known' : `${value.toFixed(digits)} ms`;

const counts = (byName: Readonly<Record<string, number>>): string =>
  Object.entries(byName)
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ') || 'none';

/** All metrics of k6, in the way in which k6 itself writes them at its end: a summary of one's own takes that away. */

const WIDTH = 42;
/** The figures of k6, in its order. */
const ORDER = ['count', 'rate', 'avg', 'min', 'med', 'p(90)', 'p(95)', 'p(99)', 'p(99.9)', 'max'];

function figuresOfK6(metrics: ReadonlyMap<string, K6Metric>): string {
  const lines = [...metrics]
    .filter(([name, metric]) => !isEmptyPart(name, metric))
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, metric]) => `  ${`${name} `.padEnd(WIDTH, '.')}: ${figures(metric)}`);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
}

/** Each kind of error and each protocol is there, most of them without a request. */
const isEmptyPart = (name: string, { values }: K6Metric): boolean =>
  name.includes('{') && values['count'] === 0;

function figures({ type, contains, values, thresholds }: K6Metric): string {
  const text =
    type === 'rate'
      ? `${(100 * (values['rate'] ?? 0)).toFixed(2)}% ${String(values['passes'] ?? 0)} out of ${String((values['passes'] ?? 0) + (values['fails'] ?? 0))}`
      : ORDER.filter(
          (name) => values[name] !== undefined && !(type === 'trend' && name === 'count'),
        )
          .map((name) => `${name}=${valueText(values[name] ?? 0, name, contains)}`)
          .join(' ');
  const failed = Object.entries(thresholds)
    .filter(([, ok]) => !ok)
    .map(([expression]) => ` (threshold '${expression}' failed)`);
  return text + failed.join('');
}

function valueText(value: number, name: string, contains: string): string {
  if (name === 'rate') return `${value.toFixed(2)}/s`;
  if (contains === 'time') return `${value.toFixed(2)}ms`;
  return contains === 'data' ? `${String(Math.round(value))}B` : String(value);
}

export type SummaryFiles = Record<string, string>;

export function summaryOf(settings: Settings, data: unknown): SummaryFiles {
  const k6 = readK6Summary(data);
  const summary = loadSummary(settings, k6);
  const figures = settings.summaryIsShort ? '' : figuresOfK6(k6.metrics);
  const files: SummaryFiles = settings.prints ? {} : { stdout: sentences(summary) + figures };
  const { summaryFile } = settings;
  if (summaryFile === null) return files;
  const json = `${JSON.stringify(summary, null, 2)}\n`;
  return { ...files, [summaryFile]: json };
}

function loadSummary(settings: Settings, { metrics, setupData }: K6Summary): LoadSummary {
  const { plan, baseUrl, slos } = settings;
  const figure = (metric: string, name: string): number | null =>
    metrics.get(metric)?.values[name] ?? null;
  const count = (metric: string): number => figure(metric, 'count') ?? 0;
  // The passes of a rate are the trues: the wrong ones.
  const wrong = figure('load_wrong', 'passes') ?? 0;
  const expected = figure('load_wrong', 'fails') ?? 0;
  const requests = wrong + expected;
  const errors = errorsOf(wrong, count);
  const isOpen = plan.loop === 'open';
  const at = (name: string): number | null => figure('load_duration', name);
  const summary: Omit<LoadSummary, 'passed' | 'notValid'> = {
    schemaVersion: 4,
    runId: (setupData as RunIdentity | undefined)?.runId ?? settings.givenRunId,
    baseUrl,
    workloads: settings.requests.map(({ workload }) => workload),
    profile: plan.profile,
    loop: plan.loop,
    warmupSeconds: plan.warmupSeconds,
    durationSeconds: plan.durationSeconds,
    requests,
    expected,
    expectedPerSecond: expected / plan.durationSeconds,
    errors,
    unanswered: {
      requests: errors['unanswered'] ?? 0,
      oldestAgeMs: figure('load_unanswered_age', 'max') ?? 0,
    },
    arrivals: isOpen ? plan.arrivals : null,
    notSent: count('load_not_sent'),
    latenessMs: isOpen
      ? {
          p50: figure('load_late', 'med'),
          p99: figure('load_late', 'p(99)'),
          max: figure('load_late', 'max'),
        }
      : null,
    newConnections: count('load_new_connections'),
    protocols: Object.fromEntries(
      PROTOCOLS.map((proto): [string, number] => [
        proto,
        count(`load_responses{proto:${proto}}`),
      ]).filter(([, number]) => number > 0),
    ),
    latencyMs: hasLatency(metrics)
      ? {
          mean: at('avg'),
          min: at('min'),
          p50: at('med'),
          p90: at('p(90)'),
          p95: at('p(95)'),
          p99: at('p(99)'),
          p999: at('p(99.9)'),
          max: at('max'),
        }
      : null,
    slo: thresholdsOf(slos).map((threshold) => ({
      text: threshold.slo.text,
      met: requests > 0 ? isMet(metrics, threshold) : null,
    })),
  };
  const notValid = whyNotValid(summary, figure('load_too_late', 'rate') ?? 0, settings);
  const passed = notValid.length === 0 && summary.slo.every(({ met }) => met === true);
  return { ...summary, passed, notValid };
}

/** What k6 does not tell apart is there, under a name of its own. */
function errorsOf(wrong: number, count: (metric: string) => number): Record<string, number> {
  const kinds = COUNTED_KINDS.map((kind): [string, number] => [
    kind,
    count(`load_errors{kind:${kind}}`),
  ]);
  const known = kinds.reduce((sum, [, number]) => sum + number, 0);
  return Object.fromEntries(
    [...kinds, ['kind not known', wrong - known] as const].filter(([, number]) => number > 0),
  );
}

type Metrics = ReadonlyMap<string, K6Metric>;

/** Null: not known. A metric without a value is all zeros in k6. */
function isMet(
  metrics: Metrics,
  { metric, figure, operator, bound, expression }: ReturnType<typeof thresholdsOf>[number],
): boolean | null {
  if (metric === 'load_duration' && !hasLatency(metrics)) return null;
  const found = metrics.get(metric);
  const judged = found?.thresholds[expression];
  if (judged !== undefined) return judged;
  const value = found?.values[figure];
  if (value === undefined) return null;
  return holds(value, { operator, bound });
}

const hasLatency = (metrics: Metrics): boolean =>
  (metrics.get('load_duration')?.values['max'] ?? 0) > 0;

/** The generator's own faults, and what k6 does not tell of them. */
function whyNotValid(
  { requests, notSent, errors, protocols }: Omit<LoadSummary, 'passed' | 'notValid'>,
  tooLate: number,
  { slos, onlyHttp1 }: Settings,
): string[] {
  if (requests === 0) return ['no request was measured'];
  const faults: string[] = [];
  if (notSent > 0) {
    faults.push(
      `${String(notSent)} due requests could not be sent, because too many were open: raise MAX_OPEN`,
    );
  }
  const noSocket = errors[NO_SOCKET] ?? 0;
  if (noSocket > 0) {
    faults.push(`${String(noSocket)} requests found no free socket on the machine of k6`);
  }
  // In a closed loop nothing is late.
  if (tooLate > MAY_BE_LATE) {
    faults.push(
      `${(100 * tooLate).toFixed(1)}% of the requests were started more than ${String(allowedLatenessMs(slos))} ms after they were due, and at most ${String(100 * MAY_BE_LATE)}% may be: give k6 more CPU, or take a lower rate`,
    );
  }
  const others = Object.keys(protocols).filter((protocol) => protocol !== 'HTTP/1.1');
  if (onlyHttp1 && others.length > 0) {
    faults.push(`responses came over ${others.join(' and ')}, although HTTP=1.1 was asked for`);
  }
  return faults;
}
