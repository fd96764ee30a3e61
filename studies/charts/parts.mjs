// The parts of the comparison of charts, in the order of their worth: each a comparison of the official chart, as it
// comes, with one contender, by one workload in one mode. Pure.

/** Side A of every part. */
export const BASELINE = 'official';

/** Of the descriptions beside this file, without mode and extension; and what the pages call them. */
export const CONTENDERS = {
  tuned: 'ours',
  'tuned-throughput': 'ours, profile throughput',
  'official-same': 'official, with the environment variables of ours',
  community: 'community',
};

export const MODES = ['regular', 'queue'];

/** Clients that each wait for their response, and times: work that takes 5 s needs more of both. */
const BUSY = ['--vus', '8', '--warmup', '3s', '--duration', '15s', '--pairs', '8'];
const waiting = (clients) => [
  ...['--vus', String(clients), '--warmup', '6s', '--duration', '15s', '--pairs', '4'],
];
export const LOADS = {
  'last-node': { regular: BUSY, queue: BUSY },
  expressions: { regular: BUSY, queue: BUSY },
  items: { regular: BUSY, queue: BUSY },
  'http-calls': { regular: BUSY, queue: BUSY },
  'wait-5s': { regular: waiting(100), queue: waiting(40) },
};

/** Of what is measured; with two deployments before it and their end after it a part stays under nine minutes. */
const BUDGET = ['--budget', '4m'];
/** To try a part, not to measure: long enough for a response. */
const shortened = (workload) => [
  ...['--vus', '2', '--warmup', '2s', '--duration', workload === 'wait-5s' ? '12s' : '4s'],
  ...['--pairs', '2', '--budget', '90s'],
];

/** What is asked most first: our two profiles by every workload, then what of it the variables are worth, then the rest. */
const ORDER = [
  [
    ['last-node', 'expressions'],
    ['tuned', 'tuned-throughput'],
  ],
  [['last-node', 'expressions'], ['official-same']],
  [['items', 'http-calls', 'wait-5s'], ['tuned']],
  [['last-node', 'expressions'], ['community']],
  [
    ['items', 'http-calls', 'wait-5s'],
    ['tuned-throughput', 'official-same', 'community'],
  ],
];

export const PARTS = ORDER.flatMap(([workloads, contenders]) =>
  workloads.flatMap((workload) =>
    contenders.flatMap((contender) =>
      MODES.map((mode) => ({
        workload,
        mode,
        contender,
        name: `${workload}-${mode}-${contender}`,
      })),
    ),
  ),
);

/** The call of the command, from the root of the repository. */
export function commandOf({ workload, mode, contender }, { out, isShort }) {
  const side = (name) => `studies/charts/${name}-${mode}.yaml`;
  const load = isShort ? shortened(workload) : [...LOADS[workload][mode], ...BUDGET];
  return [
    ...['compare', side(BASELINE), side(contender), '--target', 'kubernetes'],
    ...['--workload', workload, ...load, '--ready', '300s', '--out', out, '--json'],
  ];
}

/** Pairs of runs of which both are valid. */
export const pairsOf = ({ a, b }) =>
  a.values.filter((value, i) => value !== null && (b.values[i] ?? null) !== null).length;

/** What is kept of a run beside the comparison: what the page shows of it. */
export function figuresOf({ summary, verdict }) {
  const { achieved, latencyMs, errors, unanswered, cpuMillisecondsPerRequest, roles } = summary;
  const memory = roles
    .filter(({ role }) => ['main', 'worker', 'webhook', 'runner'].includes(role))
    .map(({ rssPeakMiB }) => rssPeakMiB ?? 0);
  return {
    outcome: verdict.outcome,
    requests: summary.offered.requests,
    ratePerSecond: achieved.ratePerSecond,
    p50Ms: latencyMs?.p50 ?? null,
    p95Ms: latencyMs?.p95 ?? null,
    cpuMillisecondsPerRequest,
    memoryMiB: memory.reduce((sum, one) => sum + one, 0),
    wrong: errors.requests,
    unanswered: unanswered.requests,
  };
}
