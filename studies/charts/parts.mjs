// The comparison of charts: every contender with the official chart as it comes, by one workload in one mode at a time, in
// the order of their worth. Pure.

/** Side A of every comparison. */
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
const BUSY = ['--vus', '8', '--warmup', '3s', '--duration', '12s', '--pairs', '8'];
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

/** Of what is measured: enough for four pairs of each, after which most differences are clear. */
const BUDGET = ['--budget', '6m'];
/** To try a sitting, not to measure: long enough for a response. */
const shortened = (workload) => [
  ...['--vus', '2', '--warmup', '2s', '--duration', workload === 'wait-5s' ? '12s' : '4s'],
  ...['--pairs', '2', '--budget', '90s'],
];

/** In one sitting all contenders are compared with the official chart: one workload in one mode. */
export const SITTINGS = Object.keys(LOADS).flatMap((workload) =>
  MODES.map((mode) => ({ workload, mode, name: `${workload}-${mode}` })),
);

/** Each comparison of a sitting has a record of its own. */
export const PARTS = SITTINGS.flatMap(({ workload, mode, name }) =>
  Object.keys(CONTENDERS).map((contender) => ({
    ...{ workload, mode, contender, sitting: name },
    name: `${name}-${contender}`,
  })),
);

/** The call of the command, from the root of the repository. */
export function commandOf({ workload, mode }, { out, isShort }) {
  const side = (name) => `studies/charts/${name}-${mode}.yaml`;
  const load = isShort ? shortened(workload) : [...LOADS[workload][mode], ...BUDGET];
  return [
    ...['compare', ...[BASELINE, ...Object.keys(CONTENDERS)].map(side), '--target', 'kubernetes'],
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
