/** One case of measure.ts in a process of its own: the lines of several generators, merged and counted as in a run. */
import { measuredPart, RequestsSeen } from '../../cli/src/analysis/requests/seen';
import { percentile } from '../../cli/src/analysis/statistics/statistics';
import { parseLine } from '../../cli/src/load/lines';
import { MergedLines } from '../../cli/src/load/merge';
import { exponential, seededRandom } from '../../loadtests/lib/random';

const [generators = 1, ratePerSecond = 1_000, seconds = 60, lagMs = 0] = process.argv
  .slice(2)
  .map(Number);
const PLAN = { warmupSeconds: 0, durationSeconds: seconds };
const SHARES = [0.5, 0.95, 0.99] as const;
/** Every tenth generator is far away, so that percentiles of generators differ from each other. */
const FAR_MS = 80;
const TICK_MS = 250;

interface Timed {
  arrivesMs: number;
  generator: number;
  text: string;
}

const random = seededRandom(1);
/** Each stream lags by its own time. */
const lags = Array.from({ length: generators }, () => random() * lagMs);

const timed = (generator: number, atMs: number, line: unknown): Timed => ({
  ...{ generator, arrivesMs: atMs + (lags[generator] ?? 0), text: JSON.stringify(line) },
});

/** The lines that arrive within one tick. */
function* ticks(): Generator<Timed[]> {
  let open: Timed[] = [];
  let made = 0;
  for (let fromMs = 0; fromMs < seconds * 1000 + 20_000; fromMs += TICK_MS) {
    for (; made < ratePerSecond * seconds; made += 1) {
      const dueMs = (1000 * made) / ratePerSecond;
      if (dueMs >= fromMs + TICK_MS) break;
      const generator = made % generators;
      const id = `run-${String(generator)}-${String(made)}`;
      const serviceMs = 20 + exponential(random, 30) + (generator % 10 === 9 ? FAR_MS : 0);
      open.push(timed(generator, dueMs, ['b', id, dueMs, 0.2, 1_700_000_000_000, 'w']));
      open.push(timed(generator, dueMs + serviceMs, ['e', id, serviceMs, 200, '', '', 0]));
    }
    const here = open.filter(({ arrivesMs }) => arrivesMs < fromMs + TICK_MS);
    open = open.filter(({ arrivesMs }) => arrivesMs >= fromMs + TICK_MS);
    yield here.sort((one, other) => one.arrivesMs - other.arrivesMs);
  }
}

const seen = new RequestsSeen(PLAN, 0);
const each = Array.from({ length: generators }, () => [] as number[]);
let lastEndMs = 0;
let outOfOrder = 0;
let given = 0;
const merged = new MergedLines(generators, measuredPart(PLAN), (sample) => {
  given += 1;
  const endMs = sample.tMs + sample.durationMs;
  if (endMs < lastEndMs) outOfOrder += 1;
  lastEndMs = Math.max(lastEndMs, endMs);
  seen.add(sample);
});
let lines = 0;
let cpuUs = 0;
for (const tick of ticks()) {
  const before = process.cpuUsage();
  for (const { generator, text } of tick) {
    const line = parseLine(text);
    if (line !== null) merged.read(generator, line);
  }
  const { user, system } = process.cpuUsage(before);
  cpuUs += user + system;
  lines += tick.length;
  // What is exact, and what each generator alone would say.
  for (const { generator, text } of tick) {
    const [kind, , serviceMs] = JSON.parse(text) as [string, string, number];
    if (kind === 'e') each[generator]?.push(Math.round((0.2 + serviceMs) * 1000) / 1000);
  }
}
merged.end(seconds * 1000 + 20_000);

const sorted = (values: readonly number[]): Float64Array => Float64Array.from(values).sort();
const at = (values: Float64Array, share: number): number =>
  percentile({ length: values.length, at: (rank) => values[rank] }, share);
const exact = sorted(each.flat());
const measured = seen.figures.latencyMs.all.ordered();
const percentiles = SHARES.map((share) => {
  const exactMs = at(exact, share);
  const averageMs = each.reduce((sum, one) => sum + at(sorted(one), share), 0) / generators;
  return { share, exactMs, mergedMs: percentile(measured, share), averageMs };
});
process.stdout.write(
  JSON.stringify({
    ...{ generators, ratePerSecond, seconds, lagMs, requests: given, lines, outOfOrder },
    cpuUsPerRequest: cpuUs / given,
    cpuShareOfACore: cpuUs / 1e6 / seconds,
    rssPeakMiB: process.resourceUsage().maxRSS / 1024,
    percentiles,
  }),
);
