// The comparison of charts: every contender with the official chart as it comes, by one workload in one mode at a time, all up
// at the same time and measured in turns, each pod with 1 CPU and 1 GiB.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CompareRecord, Side } from '../../cli/src/features/compare/record';
import { NotMeasured, type Measuring, type Part } from '../../cli/src/features/study/study';
import type { RunRecord } from '../../cli/src/record/run-record';
import { writeSameEnvironment } from './same-environment';

/** Side A of every comparison. */
const BASELINE = 'official';

/** Names of the descriptions beside this file, without mode and extension; and what the pages call them. */
export const CONTENDERS = {
  tuned: 'ours',
  'tuned-throughput': 'ours, profile throughput',
  'official-same': 'official, with the environment variables of ours',
  community: 'community',
};
export type Contender = keyof typeof CONTENDERS;
export const contenders = Object.keys(CONTENDERS) as Contender[];

export const MODES = ['regular', 'queue'] as const;

/** Clients that each wait for their response, and times: work that takes 5 s needs more of both. */
const BUSY = ['--vus', '8', '--warmup', '3s', '--duration', '12s', '--pairs', '8'];
/** How many callers wait for work of 5 s. */
export const WAITING = { regular: 100, queue: 40 };
export const WAITING_TIMES = ['--warmup', '6s', '--duration', '15s'];

/** In the order of their worth. */
export const WORKLOADS = ['last-node', 'expressions', 'items', 'http-calls', 'wait-5s'];
const loadOf = (workload: string, mode: (typeof MODES)[number]): string[] =>
  workload === 'wait-5s'
    ? ['--vus', String(WAITING[mode]), ...WAITING_TIMES, '--pairs', '4']
    : BUSY;

/** What is measured takes so long, enough for four pairs of each, after which most differences are clear. */
const BUDGET = ['--budget', '6m'];
/** To try a sitting, not to measure: long enough for a response. */
const shortened = (workload: string): string[] => [
  ...['--vus', '2', '--warmup', '2s', '--duration', workload === 'wait-5s' ? '12s' : '4s'],
  ...['--pairs', '2', '--budget', '90s'],
];
/** Fewer tell nothing about how much the next one would differ. */
const MIN_PAIRS = 2;

export interface Sitting extends Part {
  kind: 'sitting';
  workload: string;
  mode: (typeof MODES)[number];
}

/** In one sitting all contenders are compared with the official chart; each comparison has a record of its own. */
export const SITTINGS: Sitting[] = WORKLOADS.flatMap((workload) =>
  MODES.map((mode) => ({
    ...{ kind: 'sitting' as const, name: `${workload}-${mode}`, seconds: 720, workload, mode },
  })),
);
export const idOf = ({ name }: Pick<Sitting, 'name'>, contender: string): string =>
  `peers/${name}-${contender}`;

/** The call of the command, from the root of the repository. */
export function commandOf(
  { workload, mode }: Sitting,
  { out, isShort }: { out: string; isShort: boolean },
): string[] {
  const sides = [BASELINE, ...contenders].map((name) => `studies/charts/${name}-${mode}.yaml`);
  const load = isShort ? shortened(workload) : [...loadOf(workload, mode), ...BUDGET];
  return [
    ...['compare', ...sides, '--target', 'kubernetes', '--workload', workload, ...load],
    ...['--ready', '300s', '--out', out],
  ];
}

/** Pairs of runs of which both are valid. */
export const pairsOf = ({ a, b }: { a: Pick<Side, 'values'>; b: Pick<Side, 'values'> }): number =>
  a.values.filter((value, i) => value !== null && (b.values[i] ?? null) !== null).length;

/** What is kept of a run beside the comparison: what the page shows of it. */
function figuresOf({ summary, verdict }: RunRecord) {
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

/** With what was deployed, and the figures of each run that counts. */
function sideOf(folder: string, { runs, values, ...side }: Side) {
  const records = runs.map((run, i) =>
    run === '' || (values[i] ?? null) === null
      ? null
      : (JSON.parse(readFileSync(join(folder, run, 'run.json'), 'utf8')) as RunRecord),
  );
  const { deployed } = records.find((record) => record !== null)?.target ?? {};
  return {
    ...{ ...side, values },
    chart: deployed?.chart ?? null,
    deployedValues: deployed?.values ?? null,
    manifestHash: deployed?.manifestHash ?? null,
    runs: records.map((record) => (record === null ? null : figuresOf(record))),
  };
}

export async function measuredSitting(sitting: Sitting, { call, scratch, isShort }: Measuring) {
  await writeSameEnvironment();
  const { record: compared, ending } = await call<(CompareRecord & { folder: string })[]>(
    commandOf(sitting, { out: scratch, isShort }),
  );
  // In the order in which the sides were given.
  const kept = contenders.flatMap((contender, index) => {
    const one = compared[index];
    if (one === undefined || pairsOf(one) < MIN_PAIRS) return [];
    const { folder, a, b, ...comparison } = one;
    const sides = { a: sideOf(folder, a), b: sideOf(folder, b) };
    return [{ contender, comparison, ...sides }];
  });
  if (kept.length === 0) throw new NotMeasured(`no comparison has two valid pairs: ${ending}`);
  const missing = contenders.filter((name) => !kept.some(({ contender }) => contender === name));
  return {
    records: new Map(kept.map((record) => [idOf(sitting, record.contender), record])),
    sentence: [
      ...kept.map(({ comparison }) => comparison.sentence),
      ...missing.map(
        (name) => `The comparison with ${name} is not kept: it has too few valid pairs.`,
      ),
    ].join(' '),
  };
}
