// What callers that keep their connections lose while webhook processors are replaced: with n8n's own settings and with the
// chart's, on pods that have the node's CPU and on pods that together have little, in turns. Writes results/rollouts.json.
//
//   make build cluster-up
//   lab/cluster/cluster exec node studies/charts/rollouts.mjs --rounds 3
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import * as on from './contenders.mjs';
import { CALLERS, rolloutUnderLoad } from './rollout.mjs';

/** What the chart sets about connections, as n8n and Node.js have it by themselves. */
const SIDES = {
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
};
/** Of all pods together; null: all that the node has. With so little the event loops of n8n stall for seconds. */
const CORES = [null, 0.4];
/** The rig's node: the quota of all of its pods. */
const QUOTA = '/sys/fs/cgroup/cpu/n8n-tuned-cluster/kubepods/cpu.cfs_quota_us';
const PERIOD_US = 100_000;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = Number(values.rounds);

const ours = on.contender({ name: 'rollouts', mode: 'queue' });
const webhook = `${ours.url.replace('//n8n.', '//n8n-webhook.')}/webhook/load-${on.WORKLOAD}`;
const runs = [];
const [atStart] = loadavg();

function keep() {
  mkdirSync(on.path('results'), { recursive: true });
  const record = {
    ...{ when: new Date().toISOString(), workload: on.WORKLOAD, callers: CALLERS },
    conditions: `Rig of one node with ${cpus().length} cores, load average at the start ${atStart.toFixed(1)}.`,
  };
  writeFileSync(
    on.path('results/rollouts.json'),
    `${JSON.stringify({ ...record, settings: SIDES, runs }, null, 2)}\n`,
  );
}

function choose(side) {
  execFileSync('helm3', [
    ...['upgrade', 'n8n', ours.chart, '-n', ours.space, '--reuse-values', '--wait'],
    ...['--timeout', '10m', ...SIDES[side].flatMap((setting) => ['--set', setting])],
  ]);
}

const giveCores = (cores) =>
  writeFileSync(QUOTA, cores === null ? '-1' : String(Math.round(cores * PERIOD_US)));

try {
  await on.install(ours);
  const sides = Object.keys(SIDES);
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      choose(side);
      for (const cores of CORES) {
        giveCores(cores);
        const seen = await rolloutUnderLoad(ours.space, webhook).finally(() => giveCores(null));
        runs.push({ side, cores, ...seen });
        console.log(JSON.stringify(runs.at(-1)));
        keep();
      }
    }
  }
} finally {
  on.uninstall([ours]);
}
