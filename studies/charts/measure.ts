// This chart in real pods: compared with others in turns, and what its callers get while it is loaded and replaced.
//
//   make build cluster-up && studies/charts/peers.sh      gets the other charts
//   lab/cluster/cluster exec ./n8n-tuned study charts --keep
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  NotMeasured,
  type Measuring,
  type Part,
  type PartMeasured,
  type Study,
} from '../../cli/src/features/study/study';
import type { RunRecord } from '../../cli/src/record/run-record';
import { whyNoCluster } from '../up';
import { loadWithCosts, withDeployed, WORKLOAD } from './deployed';
import { ROLLOUTS, rolloutsInTurns, type RolloutsPart } from './rollouts';
import {
  contenders,
  idOf,
  measuredSitting,
  SITTINGS,
  WAITING,
  WAITING_TIMES,
  type Sitting,
} from './sittings';

type ChartsPart = Sitting | RolloutsPart | (Part & { kind: 'answers' | 'waiting' });

const REQUESTS = 100_000;
const ANSWERS_CLIENTS = 16;
const ANSWERS_SECONDS = 180;

/** Whether every caller gets a response in queue mode, under clients that each wait for theirs. */
async function answers(measuring: Measuring): Promise<PartMeasured> {
  const { isShort, tell } = measuring;
  const values = join(import.meta.dirname, 'values/tuned-throughput-queue.yaml');
  const runs: Awaited<ReturnType<typeof loadWithCosts>>[] = [];
  const total = (key: 'requests' | 'wrong' | 'unanswered'): number =>
    runs.reduce((sum, run) => sum + run[key], 0);
  const lost = (): number => total('wrong') + total('unanswered');
  const wanted = isShort ? 1 : REQUESTS;
  await withDeployed([{ name: 'answers', mode: 'queue', values }], async ([ours]) => {
    while (ours !== undefined && total('requests') < wanted) {
      const order = { clients: ANSWERS_CLIENTS, seconds: isShort ? 5 : ANSWERS_SECONDS };
      runs.push(await loadWithCosts(ours, order, measuring));
      tell(`${String(total('requests'))} of ${String(wanted)} requests, ${String(lost())} lost`);
    }
  });
  const totals = { requests: total('requests'), lost: lost() };
  return {
    record: { workload: WORKLOAD, clients: ANSWERS_CLIENTS, ...totals, runs },
    sentence: `${String(totals.lost)} of ${String(totals.requests)} requests had no expected response`,
  };
}

/**
 * Why a chart has no expected response where many callers wait for work of 5 s in regular mode: one process of n8n with the
 * CPU and the memory of a pod of the comparison, as it comes and with the chart's default profile.
 */
async function waiting({ call, scratch, isShort }: Measuring): Promise<PartMeasured> {
  const clients = String(isShort ? 4 : WAITING.regular);
  const runs: object[] = [];
  const sentences: string[] = [];
  for (const tuning of ['none', 'default']) {
    const { record } = await call<RunRecord>([
      ...['run', '--mode', 'regular', '--workload', 'wait-5s', '--cpu', '1', '--memory', '1Gi'],
      ...['--profile', 'closed', '--vus', clients, ...WAITING_TIMES],
      ...['--tuning', tuning, '--out', scratch],
    ]);
    const { summary, verdict, versions } = record;
    const main = summary.roles.find(({ role }) => role === 'main');
    if (main === undefined) throw new NotMeasured(verdict.sentence);
    const { oomKills, restarts, rssPeakMiB } = main;
    runs.push({
      ...{ tuning, n8n: versions['n8n'], outcome: verdict.outcome, sentence: verdict.sentence },
      requests: summary.offered.requests,
      ratePerSecond: summary.achieved.ratePerSecond,
      errors: { requests: summary.errors.requests, byKind: summary.errors.byKind },
      main: { oomKills, restarts, rssPeakMiB },
    });
    sentences.push(verdict.sentence);
  }
  return { record: { clients, runs }, sentence: sentences.join(' ') };
}

const arePeersHere = (): boolean =>
  ['official', 'community'].every((name) => existsSync(join(import.meta.dirname, 'peers', name)));

export default {
  parts: [
    ...SITTINGS,
    { kind: 'waiting', name: 'waiting', seconds: 120 },
    { kind: 'answers', name: 'answers', seconds: 1200 },
    ...ROLLOUTS,
  ],
  isDone: (part, records) =>
    (part.kind === 'sitting' ? contenders.map((name) => idOf(part, name)) : [part.name]).every(
      (id) => records.read(id) !== undefined,
    ),
  whyNot({ kind }) {
    if (kind === 'waiting') return null;
    if (kind === 'sitting' && !arePeersHere()) {
      return 'the other charts are not here: run studies/charts/peers.sh';
    }
    return whyNoCluster();
  },
  measured(part, measuring) {
    switch (part.kind) {
      case 'sitting':
        return measuredSitting(part, measuring);
      case 'rollouts':
        return rolloutsInTurns(part, measuring);
      case 'answers':
        return answers(measuring);
      case 'waiting':
        return waiting(measuring);
    }
  },
} satisfies Study<ChartsPart>;
