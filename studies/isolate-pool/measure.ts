// How many sandboxes for expressions n8n should keep ready: pools of 1 to 20, with one core and with all of them, small and
// large bursts of executions that each need one. Of each it keeps latency, memory, CPU, and how many sandboxes were built
// while an execution waited.
//
// The sizes of a condition follow each other, in the other order in every second round. Each wants the machine for
// itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotMeasured, type Part, type Study } from '../../cli/src/features/study/study';
import type { RunRecord } from '../../cli/src/record/run-record';
import { figuresOf } from './figures';

const WARMUP_SECONDS = 8;
/** The middle fifth is at five times the rate. */
const SECONDS = 40;
/** From the call to the load, and to the end of n8n. */
const AROUND_SECONDS = 25;

const SIZES = [1, 5, 10, 20];
/** Bursts as multiples of the usual rate: that of the second one is near what one core sustains. */
const RATES = [2, 5];
const CPUS = { 'one-core': ['--cpu', '1'], 'all-cores': [] };

/** Near saturation one run says little of p95: n8n's own size and the next larger one are measured more often. */
const NEAR_SATURATION = { sizes: [1, 5], rates: [5] };
const ROUNDS = [
  { sizes: SIZES, rates: RATES },
  { sizes: SIZES, rates: RATES },
  ...Array.from({ length: 3 }, () => NEAR_SATURATION),
];

interface PoolPart extends Part {
  cpu: keyof typeof CPUS;
  ratePerSecond: number;
  size: number;
  round: number;
}

const PARTS: PoolPart[] = ROUNDS.flatMap(({ sizes, rates }, round) =>
  (['one-core', 'all-cores'] as const).flatMap((cpu) =>
    rates.flatMap((ratePerSecond) =>
      (round % 2 === 0 ? sizes : [...sizes].reverse()).map((size) => ({
        name: `${cpu}-${String(ratePerSecond)}-pool-${String(size)}-${String(round + 1)}`,
        ...{ cpu, ratePerSecond, size, round: round + 1 },
        seconds: AROUND_SECONDS + WARMUP_SECONDS + SECONDS,
      })),
    ),
  ),
);

export default {
  parts: PARTS,
  async measured({ cpu, ratePerSecond, size }, { call, scratch, isShort }) {
    const time = (seconds: number): string => `${String(isShort ? 5 : seconds)}s`;
    const { record } = await call<RunRecord & { folder: string }>([
      ...['run', '--mode', 'regular', '--workload', 'expressions', '--tuning', 'default'],
      // Evenly spaced executions would hardly overlap.
      ...['--profile', 'spike', '--rate', String(ratePerSecond), '--arrivals', 'random'],
      ...['--warmup', time(WARMUP_SECONDS), '--duration', time(SECONDS)],
      ...['--env', `N8N_EXPRESSION_ENGINE_POOL_SIZE=${String(size)}`, ...CPUS[cpu]],
      ...['--max-open', '1000', '--ready', '2m', '--out', scratch],
    ]);
    const { files, folder, versions } = record;
    const figures = figuresOf(record, readFileSync(join(folder, files.samples ?? ''), 'utf8'));
    if (!(figures.expected > 0) || figures.coldSandboxes === null) {
      throw new NotMeasured('no response, or n8n does not count its sandboxes');
    }
    return {
      record: { ...figures, seconds: SECONDS, versions },
      sentence: `p95 ${String(Math.round(figures.p95Ms ?? NaN))} ms, ${String(figures.coldSandboxes)} sandboxes built while an execution waited`,
    };
  },
} satisfies Study<PoolPart>;
