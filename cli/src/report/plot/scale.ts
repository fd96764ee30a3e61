/** Ticks at round numbers (1, 2, 5 times a power of ten) that cover [low, high] in about `wanted` steps. */
export function roundTicks(low: number, high: number, wanted = 5): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const unit = rough / power;
  const step = (unit <= 1.5 ? 1 : unit <= 3 ? 2 : unit <= 7 ? 5 : 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}

/** The next round number at or above a value, so that a curve never touches the top. */
export function roundTop(value: number): number {
  if (!(value > 0)) return 1;
  const ticks = roundTicks(0, value * 1.05);
  const step = ticks.length > 1 ? (ticks[1] ?? value) - (ticks[0] ?? 0) : value;
  return Number((Math.ceil((value * 1.05) / step) * step).toPrecision(12));
}

/** At most three significant digits, thousands grouped by a thin space. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  if (size >= 1000)
    return Math.round(value)
      .toString()
      .replace(/\B(?=(\d{3})+$)/g, '\u202f');
  if (size >= 100 || Number.isInteger(value)) return value.toFixed(0);
  if (size >= 10) return trimZeros(value.toFixed(1));
  if (size >= 0.01 || size === 0) return trimZeros(value.toFixed(2));
  return value.toPrecision(2);
}

/** `40/s`, but `40 ms`. */
export const withUnit = (value: number, unit: string): string =>
  `${formatNumber(value)}${unit.startsWith('/') ? '' : ' '}${unit}`.trimEnd();

const trimZeros = (text: string): string => text.replace(/\.?0+$/, '');
