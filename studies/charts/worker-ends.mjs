// What callers lose while workers are replaced: with n8n's own end of a worker and with tuning.finishJobs, in turns.
//
//
//   make build cluster-up
//   lab/cluster/cluster exec node studies/charts/worker-ends.mjs --rounds 4
import { parseArgs } from 'node:util';
import { commandOf } from '../command-of.mjs';
import * as on from './contenders.mjs';
import { rolloutsInTurns, rolloutUnderLoad } from './rollout.mjs';

const SIDES = {
  "n8n's own": ['tuning.finishJobs=false'],
  'the chart': ['tuning.finishJobs=true'],
};
/** Between a response and the caller's next request: short, so that a worker that ends has jobs. */
const PAUSE_MS = 100;
const ROLLOUTS_PER_SIDE = 2;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '4' } } });
const ours = on.contender({
  name: 'worker-ends',
  mode: 'queue',
  values: on.path('values/rollouts-queue.yaml'),
});
await rolloutsInTurns(ours, {
  name: 'worker-ends',
  about: { command: commandOf(import.meta.filename), pauseMs: PAUSE_MS },
  sides: SIDES,
  rounds: Number(values.rounds),
  async underLoad(webhook, keep) {
    for (let rollout = 0; rollout < ROLLOUTS_PER_SIDE; rollout += 1) {
      const more = { role: 'worker', pauseMs: PAUSE_MS };
      keep(await rolloutUnderLoad(ours.space, webhook, more));
    }
  },
});
