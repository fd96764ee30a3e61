// One rollout of the pods of a role of a release, webhook processors if not said otherwise, with callers that keep their connections; prints what became of the
// callers' requests.
//
//   lab/cluster/cluster exec node studies/charts/rollout.mjs <namespace> <url of a webhook>
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { callers } from './callers.mjs';

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

if (process.argv[1] === import.meta.filename) {
  const [space, url] = process.argv.slice(2);
  console.log(JSON.stringify(await rolloutUnderLoad(space, url)));
}
