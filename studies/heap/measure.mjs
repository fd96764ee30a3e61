// The heap map: how large a payload a container of n8n survives, by its size, by how it is shared out between the heap of
// n8n, that of the task runner and the largest message, and by role; and what ends it beyond that.
//
//   make lab build
//   node studies/heap/measure.mjs --list            what there is, what has a record, and how long it takes
//   node studies/heap/measure.mjs --within 30m      one after the other, as long as the next one still fits
//   n8n-tuned study heap                            the same and the sweeps, with a record of the machine
//
// Each container starts once and gets payloads of growing size until n8n ends; the stores and the other roles have no limits.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordsOf } from '../archive.mjs';
import { measureParts, NotMeasured } from '../in-parts.mjs';
import { kit, openBench, whyNoLimits } from '../one-role.mjs';
import { externalRunner, N8N_ENV } from './external-runner.mjs';
import { isOutlived, outcomeOf } from './fit.mjs';
import { PARTS, QUICK_PARTS } from './parts.mjs';

const READY_WITHIN_MS = 120_000;
const TIMEOUT_MS = 90_000;
/** A task runner that has ended is started again. */
const AGAIN_WITHIN_MS = 45_000;
/** Until what ended has been told of: a parent's log, the kernel's count. */
const SETTLES_MS = 500;

const fileOf = (kind) => join(import.meta.dirname, `workflows/${kind}.json`);

async function ask(bench, kind, mib, trial, signal) {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS), trial.endSignal]);
  const url = `${bench.url}/webhook/study-heap-${kind}?mib=${mib}`;
  const status = await fetch(url, { signal: patience })
    .then(async (response) => {
      await response.arrayBuffer();
      return response.status;
    })
    .catch(() => 0);
  signal.throwIfAborted();
  return status;
}

/** Small requests until one gets its response; false where none does. */
async function isThere(bench, kind, trial, signal) {
  const begunMs = Date.now();
  while (trial.end === null && Date.now() - begunMs < AGAIN_WITHIN_MS) {
    if ((await ask(bench, kind, 1, trial, signal)) === 200) return true;
    await sleep(200);
  }
  return false;
}

const limitsOf = (runner, { containerMiB, heapMiB, runnerHeapMiB, capMiB }) => ({
  ...{ memoryMiB: containerMiB, heapMiB },
  env: {
    N8N_RUNNERS_MAX_PAYLOAD: String(capMiB * 1024 * 1024),
    ...(runner === 'external' ? N8N_ENV : {}),
    ...(runner === 'internal' ? { N8N_RUNNERS_MAX_OLD_SPACE_SIZE: String(runnerHeapMiB) } : {}),
  },
});

async function startRunner(bench, { runnerContainerMiB, runnerHeapMiB, capMiB }) {
  const place = bench.place('runner');
  const sizes = { memoryMiB: runnerContainerMiB, heapMiB: runnerHeapMiB, payloadMiB: capMiB };
  return bench.startBeside(
    await externalRunner({ tools: bench.tools, seat: bench.seat, place }, sizes),
  );
}

async function sent(bench, kind, payloadMiB, { trial, beside }, signal) {
  const look = () => ({
    oomKills: trial.figures?.oomKills ?? 0,
    runnerOomKills: beside?.figures?.oomKills ?? 0,
    logs: [trial.log, beside?.log ?? ''],
  });
  const before = look();
  const begunMs = Date.now();
  const status = await ask(bench, kind, payloadMiB, trial, signal);
  const ms = Date.now() - begunMs;
  if (status !== 200) await sleep(SETTLES_MS);
  const after = look();
  const outcome = outcomeOf({
    ...{ isExpected: status === 200, end: trial.end },
    oomKills: after.oomKills - before.oomKills,
    runnerOomKills: after.runnerOomKills - before.runnerOomKills,
    log: after.logs.map((log, index) => log.slice(before.logs[index].length)).join(''),
  });
  return { payloadMiB, outcome, status, ms };
}

/** Of an n8n that did not get as far as that. */
const withoutPayload = ({ end, figures, log }) => ({
  payloadMiB: 0,
  outcome: outcomeOf({
    ...{ isExpected: false, end, log },
    ...{ oomKills: figures?.oomKills ?? 0, runnerOomKills: 0 },
  }),
  peakMiB: null,
});

/** The payloads of one container, from small to large, until n8n ends. */
async function container(bench, part, layout, signal) {
  const { payloadsMiB, ...shares } = layout;
  const trial = await bench.start(limitsOf(part.runner, layout), READY_WITHIN_MS);
  let beside = null;
  const rows = [];
  try {
    if (part.runner === 'external') beside = await startRunner(bench, layout);
    if (trial.readySeconds === null || !(await isThere(bench, part.kind, trial, signal))) {
      return [{ ...shares, ...withoutPayload(trial) }];
    }
    for (const payloadMiB of payloadsMiB) {
      const row = await sent(bench, part.kind, payloadMiB, { trial, beside }, signal);
      const peakMiB = trial.figures?.memoryPeakMiB ?? null;
      rows.push({ ...shares, ...row, peakMiB: peakMiB === null ? null : Math.round(peakMiB) });
      if (!isOutlived(row) || payloadMiB === payloadsMiB.at(-1)) break;
      if (row.outcome !== 'ok' && !(await isThere(bench, part.kind, trial, signal))) break;
    }
    return rows;
  } finally {
    await trial.stop();
    await beside?.stop();
  }
}

async function measured(part, { signal }) {
  const startedAt = new Date().toISOString();
  const hasNodes = part.kind === 'held';
  const workflows = [fileOf(part.kind)];
  const bench = await openBench(part.role, { workflows, hasNodes, signal });
  try {
    if (hasNodes && bench.tools.nodesFolder === null) {
      throw new NotMeasured('the nodes of this repository are not built: make build');
    }
    const rows = [];
    for (const layout of part.containers) {
      const own = await container(bench, part, layout, signal);
      const { containerMiB, heapMiB } = layout;
      const said = own.map(({ payloadMiB, outcome }) => `${payloadMiB} ${outcome}`).join(', ');
      console.log(`${containerMiB} MiB, heap ${heapMiB}: ${said}`);
      rows.push(...own);
    }
    const { versions } = bench;
    return {
      record: { startedAt, versions, machine: kit.thisMachine(), rows },
      sentence: `${part.name}: ${rows.length} payloads`,
    };
  } finally {
    await bench.close();
  }
}

await measureParts({
  ...{ parts: PARTS, quickParts: QUICK_PARTS, measured },
  kept: recordsOf('heap', 'map/parts/'),
  about: 'studies/heap/measure.mjs',
  shownOut: 'results/heap',
  whyNot: whyNoLimits,
});
