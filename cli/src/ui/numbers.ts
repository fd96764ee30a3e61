/** How every number is written, in sentences, tables, plots and generated pages. */

/**
 * A whole number whole, any other to three significant digits: what a measurement of this kind can carry. The page of a
 * report runs this function too, so it uses nothing from outside itself.
 */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const shown = Number.isInteger(value) ? value : Number(value.toPrecision(3));
  return (shown === 0 ? 0 : shown).toLocaleString('en-US', { maximumFractionDigits: 20 });
}

/** 0.053 as `5.3%`. */
export const percent = (share: number): string => `${formatNumber(100 * share)}%`;

export const perSecond = (rate: number): string => `${formatNumber(rate)}/s`;

/** `1 request`, `1,176 requests`; 1.5 of something are several. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

export const times = (count: number): string => (count === 1 ? 'once' : counted(count, 'time'));

/** In seconds from one second on. */
export function duration(milliseconds: number): string {
  return Number(milliseconds.toPrecision(3)) < 1000
    ? `${formatNumber(milliseconds)} ms`
    : `${formatNumber(milliseconds / 1000)} s`;
}

/** A number with the unit of a metric: `40/s`, `5.3%`, `2.4 s`, `512 MiB`. */
export function withUnit(value: number, unit: string): string {
  if (unit === 'ms') return duration(value);
  const gap = unit === '' || unit === '%' || unit.startsWith('/') ? '' : ' ';
  return `${formatNumber(value)}${gap}${unit}`;
}

/** A change, with its sign. */
export const signed = (change: number, format = formatNumber): string =>
  `${change > 0 ? '+' : ''}${format(change)}`;
