export type Labels = Readonly<Record<string, string>>;

/** What ends a series: the one NaN by which Prometheus does not carry a last value on for five minutes. */
export const STALE = Symbol('stale');

export type SampleValue = number | typeof STALE;

/** Its name is the label `__name__`. */
export interface TimeSeries {
  labels: Labels;
  samples: { atMs: number; value: SampleValue }[];
}

/** The same labels in any order are the same series. */
export const seriesKey = (labels: Labels): string =>
  JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
