// What callers that keep their connections lose while webhook processors are replaced, with and without
// shutdown.closeConnections, on a quiet and on a busy node, in turns. Writes results/rollouts.json.
//
//   make build cluster-up
//   lab/cluster/cluster exec node studies/charts/rollouts.mjs --rounds 5
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import * as on from './contenders.mjs';
import { CALLERS, rolloutUnderLoad } from './rollout.mjs';

/** Processes that compute without end beside it. */
const BUSY = [0, 4];

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);

const ours = on.contender({ name: 'rollouts', mode: 'queue' });
const webhook = `${ours.url.replace('//n8n.', '//n8n-webhook.')}/webhook/load-${on.WORKLOAD}`;
const runs = [];

function keep() {
  mkdirSync(on.path('results'), { recursive: true });
  const record = { when: new Date().toISOString(), workload: on.WORKLOAD };
  writeFileSync(
    on.path('results/rollouts.json'),
    `${JSON.stringify({ ...record, callers: CALLERS, runs }, null, 2)}\n`,
  );
}

function setCloseConnections(closes) {
  execFileSync('helm3', [
    ...['upgrade', 'n8n', ours.chart, '-n', ours.space, '--reuse-values', '--wait'],
    ...['--set', `webhook.shutdown.closeConnections=${closes}`],
  ]);
}

try {
  await on.install(ours);
  for (let round = 0; round < rounds; round += 1) {
    for (const closeConnections of round % 2 === 0 ? [false, true] : [true, false]) {
      setCloseConnections(closeConnections);
      for (const busy of BUSY) {
        const seen = await rolloutUnderLoad(ours.space, webhook, busy);
        runs.push({ closeConnections, busy, ...seen });
        console.log(JSON.stringify(runs.at(-1)));
        keep();
      }
    }
  }
} finally {
  on.uninstall([ours]);
}
