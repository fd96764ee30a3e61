/** How long a call takes. Pure. */
import type { Random } from '../../../../loadtests/lib/random';
import type { Latency } from '../plan';

/** The 95th percentile of the standard normal distribution. */
const Z95 = 1.6448536269514722;

/** A source of latencies in milliseconds. */
export function latencies(latency: Latency, random: Random): () => number {
  if (latency.kind === 'fixed') return () => latency.ms;
  if (latency.kind === 'lognormal') {
    const mean = Math.log(latency.p50Ms);
    const deviation = (Math.log(latency.p95Ms) - mean) / Z95;
    return () => Math.exp(mean + deviation * normal(random));
  }
  return () => atShare(latency.points, random());
}

/** By Box and Muller. */
const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** Between two points a straight line; beyond the first and the last their own times. */
function atShare(points: readonly { share: number; ms: number }[], share: number): number {
  const next = points.findIndex((point) => point.share >= share);
  const above = points[next === -1 ? points.length - 1 : next];
  const below = next > 0 ? points[next - 1] : undefined;
  if (above === undefined) return 0;
  if (below === undefined || next === -1) return above.ms;
  const part = (share - below.share) / (above.share - below.share);
  return below.ms + part * (above.ms - below.ms);
}

/** The longest that a draw is likely to be; what must wait for all of them waits so long. */
export function longestMs(latency: Latency): number {
  if (latency.kind === 'fixed') return latency.ms;
  if (latency.kind === 'lognormal') return latency.p95Ms ** 2 / latency.p50Ms;
  return latency.points.at(-1)?.ms ?? 0;
}
