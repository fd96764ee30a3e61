// What callers that keep their connections lose while pods of a role are replaced, with one side's settings after the
// other's, each round in the other order.
//
//   lab/cluster/cluster exec npx tsx studies/charts/rollouts.ts <namespace> <url of a webhook>     one rollout of webhook processors
import { writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotMeasured, type Measuring, type Part } from '../../cli/src/features/study/study';
import { callers, type Seen } from './callers';
import { CHART, run, withDeployed, WORKLOAD } from './deployed';

const CALLERS = 10;
const BEFORE_MS = 5_000;
/** The last old pod ends after the rollout is through. */
const AFTER_MS = 15_000;
/** The rig's node: the quota of all of its pods. */
const QUOTA = '/sys/fs/cgroup/cpu/n8n-tuned-cluster/kubepods/cpu.cfs_quota_us';
const PERIOD_US = 100_000;

export interface RolloutsPart extends Part {
  kind: 'rollouts';
  role: 'webhook' | 'worker';
  /** Settings of the chart, by who chose them. */
  settings: Record<"n8n's own" | 'the chart', string[]>;
  rounds: number;
  /** What the rollouts of a round on one side had. Cores of all pods together; null: all that the node has. */
  cores: (number | null)[];
  /** Between a response and the caller's next request. */
  pauseMs: number;
}

export const ROLLOUTS: RolloutsPart[] = [
  {
    ...{ kind: 'rollouts', name: 'rollouts', seconds: 900, role: 'webhook', rounds: 3 },
    settings: {
      "n8n's own": [
        'webhook.shutdown.closeConnections=false',
        'pod.keepAliveSeconds=5',
        'database.pingTimeoutSeconds=5',
      ],
      'the chart': [
        'webhook.shutdown.closeConnections=true',
        'pod.keepAliveSeconds=620',
        'database.pingTimeoutSeconds=20',
      ],
    },
    // With so little CPU the event loops of n8n stall for seconds.
    cores: [null, 0.4],
    pauseMs: 1000,
  },
  {
    ...{ kind: 'rollouts', name: 'worker-ends', seconds: 1200, role: 'worker', rounds: 4 },
    settings: {
      "n8n's own": ['tuning.finishJobs=false'],
      'the chart': ['tuning.finishJobs=true'],
    },
    cores: [null, null],
    // Short, so that a worker that ends has jobs.
    pauseMs: 100,
  },
];

async function rolloutUnderLoad(
  space: string,
  url: string,
  { role, pauseMs }: Partial<RolloutsPart>,
): Promise<Seen> {
  const rollout = (verb: string): Promise<string> =>
    run('kubectl', ['-n', space, 'rollout', verb, `deployment/n8n-${role ?? 'webhook'}`]);
  const load = callers(url, CALLERS, pauseMs);
  await sleep(BEFORE_MS);
  await rollout('restart');
  await rollout('status');
  await sleep(AFTER_MS);
  return load.stop();
}

const giveCores = (cores: number | null): void => {
  writeFileSync(QUOTA, cores === null ? '-1' : String(Math.round(cores * PERIOD_US)));
};

export async function rolloutsInTurns(part: RolloutsPart, { isShort, signal, tell }: Measuring) {
  const { settings, pauseMs, cores, name } = part;
  const values = join(import.meta.dirname, 'values/rollouts-queue.yaml');
  const conditions = `Rig of one node with ${String(cpus().length)} cores, load average at the start ${(loadavg()[0] ?? 0).toFixed(1)}.`;
  const runs: ({ side: string; cores?: number | null } & Seen)[] = [];
  await withDeployed([{ name, mode: 'queue', values }], async ([ours]) => {
    if (ours === undefined) return;
    const { space, url } = ours;
    const webhook = `${url.replace('//n8n.', '//n8n-webhook.')}/webhook/load-${WORKLOAD}`;
    const sides = Object.entries(settings);
    for (let round = 0; round < (isShort ? 1 : part.rounds); round += 1) {
      for (const [side, set] of round % 2 === 0 ? sides : sides.toReversed()) {
        await run('helm3', [
          ...['upgrade', 'n8n', CHART, '-n', space, '--reuse-values', '--wait'],
          ...['--timeout', '10m', ...set.flatMap((setting) => ['--set', setting])],
        ]);
        for (const given of isShort ? cores.slice(0, 1) : cores) {
          if (signal.aborted) throw new NotMeasured('it was interrupted');
          if (given !== null) giveCores(given);
          const seen = await rolloutUnderLoad(space, webhook, part).finally(() => {
            if (given !== null) giveCores(null);
          });
          runs.push({
            side,
            ...(cores.some((one) => one !== null) ? { cores: given } : {}),
            ...seen,
          });
          tell(`${side}: ${JSON.stringify(seen)}`);
        }
      }
    }
  });
  const record = { workload: WORKLOAD, callers: CALLERS, pauseMs, conditions, settings, runs };
  return { record, sentence: `${String(runs.length)} rollouts under load` };
}

if (process.argv[1] === import.meta.filename) {
  const [space = '', url = ''] = process.argv.slice(2);
  void rolloutUnderLoad(space, url, {}).then((seen) => {
    console.log(JSON.stringify(seen));
  });
}
