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
export function roundTop(value: number, wanted = 5): number {
  if (!(value > 0)) return 1;
  const ticks = roundTicks(0, value * 1.05, wanted);
  const step = ticks.length > 1 ? (ticks[1] ?? value) - (ticks[0] ?? 0) : value;
  return Number((Math.ceil((value * 1.05) / step) * step).toPrecision(12));
}
