// One rollout of the pods of a role of a release, webhook processors if not said otherwise, with callers that keep their connections; prints what became of the
// callers' requests.
//
//   lab/cluster/cluster exec node studies/charts/rollout.mjs <namespace> <url of a webhook>
import { execFile, execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { callers } from './callers.mjs';
import * as on from './contenders.mjs';
import { recordsOf } from '../archive.mjs';

export const CALLERS = 10;
const BEFORE_MS = 5_000;
/** The last old pod ends after the rollout is through. */
const AFTER_MS = 15_000;

const run = promisify(execFile);

export async function rolloutUnderLoad(space, url, { role = 'webhook', pauseMs } = {}) {
  // Not synchronous: the callers are in this process.
  const rollout = (verb) =>
    run('kubectl', ['-n', space, 'rollout', verb, `deployment/n8n-${role}`]);
  const load = callers(url, CALLERS, { pauseMs });
  await sleep(BEFORE_MS);
  await rollout('restart');
  await rollout('status');
  await sleep(AFTER_MS);
  return load.stop();
}

/**
 * Rollouts under load with one side's settings after the other's, each round in the other order; `underLoad` makes those of
 * a round on one side, and hands each to its last argument. Every one is kept in the record `name` at once.
 */
export async function rolloutsInTurns(ours, { name, about, sides, rounds, underLoad }) {
  const runs = [];
  const [atStart] = loadavg();
  const conditions = `Rig of one node with ${cpus().length} cores, load average at the start ${atStart.toFixed(1)}.`;
  const webhook = `${ours.url.replace('//n8n.', '//n8n-webhook.')}/webhook/load-${on.WORKLOAD}`;

  function keep(run) {
    runs.push(run);
    console.log(JSON.stringify(run));
    const head = { when: new Date().toISOString(), workload: on.WORKLOAD, callers: CALLERS };
    recordsOf('charts').write(name, { ...head, ...about, conditions, settings: sides, runs });
  }

  const choose = (side) =>
    execFileSync('helm3', [
      ...['upgrade', 'n8n', ours.chart, '-n', ours.space, '--reuse-values', '--wait'],
      ...['--timeout', '10m', ...sides[side].flatMap((setting) => ['--set', setting])],
    ]);

  try {
    await on.install(ours);
    const names = Object.keys(sides);
    for (let round = 0; round < rounds; round += 1) {
      for (const side of round % 2 === 0 ? names : names.toReversed()) {
        choose(side);
        await underLoad(webhook, (run) => keep({ side, ...run }));
      }
    }
  } finally {
    on.uninstall([ours]);
  }
}

if (process.argv[1] === import.meta.filename) {
  const [space, url] = process.argv.slice(2);
  console.log(JSON.stringify(await rolloutUnderLoad(space, url)));
}
