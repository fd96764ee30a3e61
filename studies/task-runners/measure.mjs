// The internal against the external task runner in real pods with the same memory, in turns: throughput, CPU and memory of
// Code nodes, and who dies beside the workflow `memory-hog`. The external runner is the real @n8n/task-runner under a
// launcher that stands in for n8n's (docs/chart/task-runners.md).
//
//   make build cluster-up
//   lab/cluster/cluster exec node studies/task-runners/measure.mjs regular        a block of at most 8 minutes
//   lab/cluster/cluster exec node studies/task-runners/measure.mjs queue
//
// Each call installs both and measures one block, which it adds to the record of the mode; a second block begins with the other
// side. The machine has to be quiet. Three blocks of each mode say what the scatter is.
import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as on from '../charts/contenders.mjs';
import { recordsOf } from '../archive.mjs';

/** A Code node that hardly computes, so that the way to the runner and back shows, and one with much to hand over. */
const LOADS = [
  { workload: 'cpu', parameters: ['n=1000'] },
  { workload: 'json', parameters: ['kib=100'] },
];
const CLIENTS = 8;
const WARMUP_SECONDS = 15;
const TURNS = 3;
const TURN_SECONDS = 12;
/** It builds 512 MB every 5 s, more than any of the runners may have. */
const HOG = 'memory-hog';
/** Code nodes of 5 s, of which one that is under way when its runner dies fails. */
const BESIDE = { workload: 'wait-5s', clients: 4, seconds: 45 };
/** The run has begun by then, and its first answers are there. */
const HOG_AFTER_SECONDS = 20;

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const { positionals } = parseArgs({ allowPositionals: true });
const [mode] = positionals;
if (positionals.length !== 1 || !['regular', 'queue'].includes(mode)) {
  console.error('say regular or queue: see the first lines of this file');
  process.exit(2);
}
const records = recordsOf('task-runners');
const blocks = records.read(mode)?.blocks ?? [];

const contenders = ['internal', 'external'].map((name) =>
  on.contender({ name, mode, values: path(`values/${name}-${mode}.yaml`) }),
);
if (blocks.length % 2 === 1) contenders.reverse();

const block = {
  when: new Date().toISOString(),
  loadAverageAtStart: loadavg()[0],
  sides: Object.fromEntries(contenders.map(({ name }) => [name, { turns: [], hog: null }])),
};

/** After every turn, so that an interruption loses at most one; a block without its hog says so by null. */
function keep() {
  const asked = { mode, clients: CLIENTS, turnSeconds: TURN_SECONDS, loads: LOADS, beside: BESIDE };
  records.write(mode, { ...asked, blocks: [...blocks, block] });
}

/** Once the load is under way: a run does not begin on an n8n that is down. By a process of its own, as the load waits. */
function activateLater({ url, apiKey }, id) {
  const script = `setTimeout(() => fetch(process.argv[1], { method: 'POST', headers: { 'x-n8n-api-key': process.env.KEY } })
    .then(({ ok }) => process.exit(ok ? 0 : 1)), ${HOG_AFTER_SECONDS * 1000})`;
  const child = spawn(process.execPath, ['-e', script, `${url}/api/v1/workflows/${id}/activate`], {
    env: { ...process.env, KEY: apiKey },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error('the hog could not be activated')),
    );
  });
}

/** What those got whose Code nodes ran beside the hog, and which containers did not outlive it. */
async function besideHog(contender, id) {
  const before = on.restarts(contender);
  const activating = activateLater(contender, id);
  const { requests, rightInTime, wrong, unanswered, errors } = on.load(contender, {
    ...BESIDE,
    costs: false,
  });
  await activating;
  // n8n itself may be down.
  const isOff = await on.api(contender, `/workflows/${id}/deactivate`).then(
    () => true,
    () => false,
  );
  const restarts = on.restarts(contender) - before;
  return {
    ...{ requests, rightInTime, wrong, unanswered, errors },
    ...{ restarts, outOfMemory: on.outOfMemory(contender), deactivated: isOff },
  };
}

try {
  const ids = {};
  for (const contender of contenders) {
    console.log(`${contender.name}: install`);
    ids[contender.name] = await on.install(contender, {
      active: [...LOADS.map(({ workload }) => workload), BESIDE.workload],
      inactive: [HOG],
    });
    // V8 compiles what it has seen often.
    on.load(contender, { ...LOADS[0], clients: CLIENTS, seconds: WARMUP_SECONDS });
  }
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const asked of LOADS) {
      // Forwards, then backwards, so that a steady drift of the machine cancels out.
      for (const contender of turn % 2 === 0 ? contenders : contenders.toReversed()) {
        const figures = on.load(contender, { ...asked, clients: CLIENTS, seconds: TURN_SECONDS });
        block.sides[contender.name].turns.push({ workload: asked.workload, ...figures });
        console.log(
          `${contender.name}: ${asked.workload} ${figures.ratePerSecond.toFixed(1)}/s, ` +
            `${figures.cpuMillisecondsPerRequest.toFixed(1)} ms of CPU each, ${Math.round(figures.memoryMiB)} MiB`,
        );
      }
    }
    keep();
  }
  for (const contender of contenders) {
    const seen = await besideHog(contender, ids[contender.name][HOG]);
    block.sides[contender.name].hog = seen;
    console.log(`${contender.name}: beside the hog ${JSON.stringify(seen)}`);
    keep();
  }
} finally {
  on.uninstall(contenders);
}
