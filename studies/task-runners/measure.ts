// The internal against the external task runner in real pods with the same memory, in turns: throughput, CPU and memory of
// Code nodes, and who dies beside the workflow `memory-hog`. The external runner is the real @n8n/task-runner under a
// launcher that stands in for n8n's (docs/chart/task-runners.md).
//
// A mode that is named by --part gets one more block in its record; a second block begins with the other side. Three blocks
// of a mode say what the scatter is.
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Measuring, Part, Records, Study } from '../../cli/src/features/study/study';
import { endsOf, load, loadWithCosts, withDeployed, type Deployed } from '../charts/deployed';
import { whyNoCluster } from '../up';

/** A Code node that hardly computes, so that the way to the runner and back shows, and one with much to hand over. */
const LOADS = [
  { workload: 'cpu', parameters: ['n=1000'] },
  { workload: 'json', parameters: ['kib=100'] },
];
const SIDES = ['internal', 'external'] as const;
const CLIENTS = 8;
/** V8 compiles what it has seen often. */
const WARMUP_SECONDS = 15;
const TURNS = 3;
const TURN_SECONDS = 12;
/** It builds 512 MB every 5 s, more than any of the runners may have. */
const HOG = 'memory-hog';
/** Code nodes of 5 s, of which one that is under way when its runner dies fails. */
const BESIDE = { workload: 'wait-5s', clients: 4, seconds: 45 };
/** The run has begun by then, and its first responses are there. */
const HOG_AFTER_SECONDS = 20;

interface Block {
  when: string;
  loadAverageAtStart: number | undefined;
  sides: Record<string, { turns: object[]; hog: object | null }>;
}

const blocksOf = (records: Records, mode: string): Block[] =>
  (records.read(mode) as { blocks: Block[] } | undefined)?.blocks ?? [];

/** What those got whose Code nodes ran beside the hog, and which containers did not outlive it. */
async function besideHog(deployed: Deployed, measuring: Measuring) {
  const workflow = `/workflows/${deployed.ids[HOG] ?? ''}`;
  const before = await endsOf(deployed);
  // Once the load is under way: a run does not begin on an n8n that is down.
  const activated = sleep(1000 * HOG_AFTER_SECONDS).then(() =>
    deployed.api(`${workflow}/activate`),
  );
  const [{ requests, rightInTime, wrong, unanswered, errors }] = await Promise.all([
    load(deployed, BESIDE, measuring),
    activated,
  ]);
  // n8n itself may be down.
  const deactivated = await deployed.api(`${workflow}/deactivate`).then(
    () => true,
    () => false,
  );
  const { restarts, outOfMemory } = await endsOf(deployed);
  return {
    ...{ requests, rightInTime, wrong, unanswered, errors },
    ...{ restarts: restarts - before.restarts, outOfMemory, deactivated },
  };
}

async function measured({ name: mode }: Part, measuring: Measuring) {
  const { records, isShort, tell } = measuring;
  const blocks = blocksOf(records, mode);
  const names = blocks.length % 2 === 0 ? SIDES : SIDES.toReversed();
  const block: Block = {
    when: new Date().toISOString(),
    loadAverageAtStart: loadavg()[0],
    sides: {},
  };
  const deployments = names.map((name) => ({
    ...{ name, mode, inactive: [HOG] },
    values: join(import.meta.dirname, `values/${name}-${mode}.yaml`),
    active: [...LOADS.map(({ workload }) => workload), BESIDE.workload],
  }));
  await withDeployed(deployments, async (contenders) => {
    for (const contender of contenders) {
      await load(contender, { ...LOADS[0], clients: CLIENTS, seconds: WARMUP_SECONDS }, measuring);
      block.sides[contender.name] = { turns: [], hog: null };
    }
    for (let turn = 0; turn < (isShort ? 1 : TURNS); turn += 1) {
      for (const asked of LOADS) {
        // Forwards, then backwards, so that a steady drift of the machine cancels out.
        for (const contender of turn % 2 === 0 ? contenders : contenders.toReversed()) {
          const order = { ...asked, clients: CLIENTS, seconds: TURN_SECONDS };
          const figures = await loadWithCosts(contender, order, measuring);
          block.sides[contender.name]?.turns.push({ workload: asked.workload, ...figures });
          tell(`${contender.name}: ${asked.workload} ${figures.ratePerSecond.toFixed(1)}/s`);
        }
      }
    }
    for (const contender of isShort ? [] : contenders) {
      const hog = await besideHog(contender, measuring);
      const side = block.sides[contender.name];
      if (side !== undefined) side.hog = hog;
      tell(`${contender.name}: beside the hog ${JSON.stringify(hog)}`);
    }
  });
  const asked = { mode, clients: CLIENTS, turnSeconds: TURN_SECONDS, loads: LOADS, beside: BESIDE };
  const all = [...blocks, block];
  return {
    record: { ...asked, blocks: all },
    sentence: `the record has ${String(all.length)} blocks of it`,
  };
}

export default {
  parts: [
    { name: 'regular', seconds: 480 },
    { name: 'queue', seconds: 480 },
  ],
  whyNot: whyNoCluster,
  measured,
} satisfies Study;
