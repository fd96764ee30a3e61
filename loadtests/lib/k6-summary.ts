/**
 * What k6 hands to handleSummary, in one shape: its usual form nests values under the names of metrics, and its
 * machine-readable one (--new-machine-readable-summary) is a list with other names. Nothing is imported from k6 here.
 */
export interface K6Metric {
  type: string;
  /** `time`: values are milliseconds. */
  contains: string;
  /** By the names of the usual form: count, rate, passes, fails, avg, med, p(95), ... */
  values: Readonly<Record<string, number>>;
  /** By their text; empty in the machine-readable form. */
  thresholds: Readonly<Record<string, boolean>>;
}

export interface K6Summary {
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
