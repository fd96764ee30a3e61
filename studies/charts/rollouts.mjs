// What callers that keep their connections lose while webhook processors are replaced: with n8n's own settings and with the
// chart's, on pods that have the node's CPU and on pods that together have little, in turns.
//
//   make build cluster-up
//   lab/cluster/cluster exec node studies/charts/rollouts.mjs --rounds 3
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { commandOf } from '../command-of.mjs';
import * as on from './contenders.mjs';
import { rolloutsInTurns, rolloutUnderLoad } from './rollout.mjs';

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

const giveCores = (cores) =>
  writeFileSync(QUOTA, cores === null ? '-1' : String(Math.round(cores * PERIOD_US)));

const ours = on.contender({ name: 'rollouts', mode: 'queue' });
await rolloutsInTurns(ours, {
  name: 'rollouts',
  about: { command: commandOf(import.meta.filename) },
  sides: SIDES,
  rounds: Number(values.rounds),
  async underLoad(webhook, keep) {
    for (const cores of CORES) {
      giveCores(cores);
      const seen = await rolloutUnderLoad(ours.space, webhook).finally(() => giveCores(null));
      keep({ cores, ...seen });
    }
  },
});
