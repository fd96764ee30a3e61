/** First come, first served, before servers whose service takes what a request costs at that moment. */

/** Looked up once: the loops below run millions of times, in tests in a context where each look-up is slow. */
const { ceil, floor, max, min } = Math;

export interface Service {
  /** Cost of a request in each bin, in CPU seconds of all servers together. */
  cost: Float64Array;
  binSeconds: number;
  servers: number;
  /** What the cost is multiplied by: above 1 for the CPU that the system does not get. */
  share: number;
  /** Seconds that each request takes beside its service. */
  baseSeconds: number;
}

/** Writes the latency of each request to `out`. `sizes` says how large each request is: 1 is usual. */
export function serve(
  due: Float64Array,
  sizes: Float64Array,
  { cost, binSeconds, servers, share, baseSeconds }: Service,
  out: Float64Array,
): void {
  const free = new Float64Array(servers);
  const last = cost.length - 1;
  for (let i = 0; i < due.length; i += 1) {
    let server = 0;
    for (let other = 1; other < servers; other += 1)
      if ((free[other] ?? 0) < (free[server] ?? 0)) server = other;
    let at = max(due[i] ?? 0, free[server] ?? 0);
    let left = (sizes[i] ?? 0) * servers;
    for (let bin = min(last, floor(at / binSeconds)); ; bin += 1) {
      const each = share * (cost[bin] ?? 0);
      const end = bin >= last ? Infinity : (bin + 1) * binSeconds;
      if (at + left * each <= end) {
        at += left * each;
        break;
      }
      left -= (end - at) / each;
      at = end;
    }
    free[server] = at;
    out[i] = at - (due[i] ?? 0) + baseSeconds;
  }
}

/** The percentile by nearest rank, found without sorting; the values change their order. */
export function quantileOf(values: Float64Array, p: number): number {
  return select(values, max(0, ceil(p * values.length - 1e-9) - 1));
}

/** The values at these places. */
export function picked(values: Float64Array, places: Int32Array): Float64Array {
  const result = new Float64Array(places.length);
  for (let i = 0; i < places.length; i += 1) result[i] = values[places[i] ?? 0] ?? 0;
  return result;
}

/** Hoare's selection. */
function select(values: Float64Array, rank: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1] ?? 0;
    let i = low;
    let j = high;
    while (i <= j) {
      while ((values[i] ?? pivot) < pivot) i += 1;
      while ((values[j] ?? pivot) > pivot) j -= 1;
      if (i <= j) {
        const swapped = values[i] ?? 0;
        values[i] = values[j] ?? 0;
        values[j] = swapped;
        i += 1;
        j -= 1;
      }
    }
    if (rank <= j) high = j;
    else if (rank >= i) low = i;
    else break;
  }
  return values[rank] ?? NaN;
}
