// How many sandboxes for expressions n8n should keep ready: pools of 1 to 20, with one core and with all of them, small and
// large bursts of executions that each need one. Of each it keeps latency, memory, CPU, and how many sandboxes were built
// while an execution waited.
//
//   make lab build
//   node studies/isolate-pool/measure.mjs --list           what there is, what has a record, and how long it takes
//   node studies/isolate-pool/measure.mjs --within 40m     one after the other, as long as the next one still fits
//
// The sizes of a condition follow each other, in the other order in every second round. Each wants the machine for
// itself.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordsOf } from '../archive.mjs';
import { measureParts, NotMeasured } from '../in-parts.mjs';
import { figuresOf } from './figures.mjs';

const WARMUP_SECONDS = 8;
/** The middle fifth is at five times the rate. */
const SECONDS = 40;
/** From the call to the load, and to the end of n8n. */
const AROUND_SECONDS = 25;

const SIZES = [1, 5, 10, 20];
/** Of the usual rate: the burst of the second one is near what one core sustains. */
const RATES = [2, 5];
const CPUS = { 'one-core': ['--cpu', '1'], 'all-cores': [] };

/** Near saturation one run says little of p95: n8n's own size and the next larger one are measured more often. */
const NEAR_SATURATION = { sizes: [1, 5], rates: [5] };
const ROUNDS = [
  { sizes: SIZES, rates: RATES },
  { sizes: SIZES, rates: RATES },
  ...Array.from({ length: 3 }, () => NEAR_SATURATION),
];

const PARTS = ROUNDS.flatMap(({ sizes, rates }, round) =>
  Object.keys(CPUS).flatMap((cpu) =>
    rates.flatMap((ratePerSecond) =>
      (round % 2 === 0 ? sizes : sizes.toReversed()).map((size) => ({
        name: `${cpu}-${ratePerSecond}-pool-${size}-${round + 1}`,
        ...{ cpu, ratePerSecond, size, round: round + 1 },
        seconds: AROUND_SECONDS + WARMUP_SECONDS + SECONDS,
      })),
    ),
  ),
);

function commandOf({ cpu, ratePerSecond, size }, { out, isShort }) {
  const seconds = (value) => `${isShort ? 5 : value}s`;
  return [
    ...['run', '--mode', 'regular', '--workload', 'expressions', '--tuning', 'default'],
    // Evenly spaced executions would hardly overlap.
    ...['--profile', 'spike', '--rate', String(ratePerSecond), '--arrivals', 'random'],
    ...['--warmup', seconds(WARMUP_SECONDS), '--duration', seconds(SECONDS)],
    ...['--env', `N8N_EXPRESSION_ENGINE_POOL_SIZE=${size}`, ...CPUS[cpu]],
    ...['--max-open', '1000', '--ready', '2m', '--out', out, '--json'],
  ];
}

async function measured(part, { call, out, isShort }) {
  const { record } = await call(commandOf(part, { out, isShort }));
  const { files, folder, versions, machine } = record;
  const figures = figuresOf(record, readFileSync(join(folder, files.samples), 'utf8'));
  if (!(figures.expected > 0) || figures.coldSandboxes === null) {
    throw new NotMeasured('no response, or n8n does not count its sandboxes');
  }
  return {
    record: { ...figures, seconds: SECONDS, versions, machine },
    sentence: `${part.name}: p95 ${Math.round(figures.p95Ms)} ms, ${figures.coldSandboxes} sandboxes built while an execution waited`,
  };
}

await measureParts({
  parts: PARTS,
  kept: recordsOf('isolate-pool'),
  about: 'studies/isolate-pool/measure.mjs',
  shownOut: 'results/isolate-pool',
  whyNot: () => null,
  measured,
});
