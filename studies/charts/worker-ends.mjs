// What callers lose while workers are replaced: with n8n's own end of a worker and with tuning.finishJobs, in turns.
// Writes results/worker-ends.json.
//
//   make build cluster-up
//   lab/cluster/cluster exec node studies/charts/worker-ends.mjs --rounds 4
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import * as on from './contenders.mjs';
import { CALLERS, rolloutUnderLoad } from './rollout.mjs';

const SIDES = {
  "n8n's own": ['tuning.finishJobs=false'],
  'the chart': ['tuning.finishJobs=true'],
};
/** Between a response and the caller's next request: short, so that a worker that ends has jobs. */
const PAUSE_MS = 100;
const ROLLOUTS_PER_SIDE = 2;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '4' } } });
const rounds = Number(values.rounds);

const ours = on.contender({
  name: 'worker-ends',
  mode: 'queue',
  values: on.path('values/rollouts-queue.yaml'),
});
const webhook = `${ours.url.replace('//n8n.', '//n8n-webhook.')}/webhook/load-${on.WORKLOAD}`;
const runs = [];
const [atStart] = loadavg();

function keep() {
  mkdirSync(on.path('results'), { recursive: true });
  const record = {
    ...{
      when: new Date().toISOString(),
      workload: on.WORKLOAD,
      callers: CALLERS,
      pauseMs: PAUSE_MS,
    },
    conditions: `Rig of one node with ${cpus().length} cores, load average at the start ${atStart.toFixed(1)}.`,
  };
  writeFileSync(
    on.path('results/worker-ends.json'),
    `${JSON.stringify({ ...record, settings: SIDES, runs }, null, 2)}\n`,
  );
}

function choose(side) {
  execFileSync('helm3', [
    ...['upgrade', 'n8n', ours.chart, '-n', ours.space, '--reuse-values', '--wait'],
    ...['--timeout', '10m', ...SIDES[side].flatMap((setting) => ['--set', setting])],
  ]);
}

try {
  await on.install(ours);
  const sides = Object.keys(SIDES);
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      choose(side);
      for (let rollout = 0; rollout < ROLLOUTS_PER_SIDE; rollout += 1) {
        const seen = await rolloutUnderLoad(ours.space, webhook, {
          role: 'worker',
          pauseMs: PAUSE_MS,
        });
        runs.push({ side, ...seen });
        console.log(JSON.stringify(runs.at(-1)));
        keep();
      }
    }
  }
} finally {
  on.uninstall([ours]);
}
