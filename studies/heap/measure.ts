// The heap map: how large a payload a container of n8n survives, by its size, by how it is shared out between the heap of
// n8n, that of the task runner and the largest message, and by role; and what ends it beyond that.
//
// Each container starts once and gets payloads of growing size until n8n ends; the stores and the other roles have no limits.
import { join, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NotMeasured, type Study } from '../../cli/src/features/study/study';
import { openBench, whyNoLimits, type Asked, type Bench, type Trial } from '../one-role';
import { isOutlived, outcomeOf } from './fit';
import { PARTS, QUICK_PARTS, type HeapPart, type Layout } from './parts';
import { readFileSync, writeFileSync } from 'node:fs';
import { freePort } from '../../cli/src/targets/process/ports';
import type { ProcessSpec } from '../../cli/src/targets/process/supervisor';
import { n8nIn } from '../../cli/src/targets/process/tools';

// An external task runner as a process: the real @n8n/task-runner under the stand-in for n8n's launcher.

const TOKEN = 'throwaway';
const LAUNCHER = join(import.meta.dirname, '../../lab/images/task-runner-launcher.cjs');
const IMAGE_CONFIG = join(import.meta.dirname, '../../lab/images/task-runners.json');

/** Variables with which n8n waits for such a runner. */
const N8N_ENV = { N8N_RUNNERS_MODE: 'external', N8N_RUNNERS_AUTH_TOKEN: TOKEN };

interface Sizes {
  memoryMiB: number;
  heapMiB: number;
  payloadMiB: number;
}

interface ImageConfig {
  'task-runners': { args: string[]; 'env-overrides': object }[];
}

/** For the n8n of a bench. */
async function externalRunner(
  bench: Bench,
  { memoryMiB, heapMiB, payloadMiB }: Sizes,
): Promise<ProcessSpec> {
  const { tools, seat } = bench;
  const place = bench.place('runner');
  // bin/n8n lies in the package n8n.
  const modules = dirname(dirname(dirname(n8nIn(tools))));
  const image = JSON.parse(readFileSync(IMAGE_CONFIG, 'utf8')) as ImageConfig;
  const [ofImage] = image['task-runners'];
  if (ofImage === undefined) throw new Error(`${IMAGE_CONFIG} has no task runner`);
  const config = {
    ...ofImage,
    ...{ workdir: place.folder, command: tools.node },
    args: [...ofImage.args.slice(0, -1), join(modules, '@n8n/task-runner/dist/start.js')],
    'health-check-server-port': String(await freePort()),
    'env-overrides': {
      ...ofImage['env-overrides'],
      N8N_RUNNERS_HEALTH_CHECK_SERVER_HOST: '127.0.0.1',
      N8N_RUNNERS_MAX_PAYLOAD: String(payloadMiB * 1024 * 1024),
      NODE_OPTIONS: `--max-old-space-size=${heapMiB}`,
    },
  };
  const file = join(place.folder, 'config.json');
  writeFileSync(file, JSON.stringify({ 'task-runners': [config] }));
  return {
    ...place,
    ...{ role: 'runner', instance: 'runner', kind: 'service', stopSignal: 'TERM' },
    command: [tools.node, LAUNCHER, 'javascript'],
    limits: { memoryMiB },
    env: {
      ...{ HOME: place.folder, NODE_PATH: modules },
      N8N_RUNNERS_CONFIG_PATH: file,
      N8N_RUNNERS_AUTH_TOKEN: TOKEN,
      N8N_RUNNERS_TASK_BROKER_URI: `http://127.0.0.1:${seat.brokerPort}`,
      N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT: String(await freePort()),
    },
  };
}

const READY_WITHIN_MS = 120_000;
const TIMEOUT_MS = 90_000;
/** A task runner that has ended is started again. */
const AGAIN_WITHIN_MS = 45_000;
/** Until what ended has been told of: a parent's log, the kernel's count. */
const SETTLES_MS = 500;

const fileOf = (kind: string): string => join(import.meta.dirname, `workflows/${kind}.json`);

async function ask(
  bench: Bench,
  kind: string,
  mib: number,
  trial: Trial,
  signal: AbortSignal,
): Promise<number> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS), trial.endSignal]);
  const url = `${bench.url}/webhook/study-heap-${kind}?mib=${String(mib)}`;
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
async function isThere(
  bench: Bench,
  kind: string,
  trial: Trial,
  signal: AbortSignal,
): Promise<boolean> {
  const begunMs = Date.now();
  while (trial.end === null && Date.now() - begunMs < AGAIN_WITHIN_MS) {
    if ((await ask(bench, kind, 1, trial, signal)) === 200) return true;
    await sleep(200);
  }
  return false;
}

const limitsOf = (
  runner: HeapPart['runner'],
  { containerMiB, heapMiB, runnerHeapMiB, capMiB }: Layout,
): Asked => ({
  ...{ memoryMiB: containerMiB, heapMiB },
  env: {
    N8N_RUNNERS_MAX_PAYLOAD: String(capMiB * 1024 * 1024),
    ...(runner === 'external' ? N8N_ENV : {}),
    ...(runner === 'internal' ? { N8N_RUNNERS_MAX_OLD_SPACE_SIZE: String(runnerHeapMiB) } : {}),
  },
});

async function startRunner(bench: Bench, layout: Layout): Promise<Trial> {
  const { runnerContainerMiB = 0, runnerHeapMiB, capMiB } = layout;
  const sizes = {
    ...{ memoryMiB: runnerContainerMiB, heapMiB: runnerHeapMiB ?? 0, payloadMiB: capMiB },
  };
  return bench.startBeside(await externalRunner(bench, sizes));
}

async function sent(
  bench: Bench,
  kind: string,
  payloadMiB: number,
  { trial, beside }: { trial: Trial; beside: Trial | null },
  signal: AbortSignal,
) {
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
    log: after.logs.map((log, index) => log.slice(before.logs[index]?.length ?? 0)).join(''),
  });
  return { payloadMiB, outcome, status, ms };
}

interface HeapRow {
  payloadMiB: number;
  outcome: string;
  peakMiB: number | null;
}

/** The row of an n8n that did not get as far as that. */
const withoutPayload = ({ end, figures, log }: Trial): HeapRow => ({
  payloadMiB: 0,
  outcome: outcomeOf({
    ...{ isExpected: false, end, log },
    ...{ oomKills: figures?.oomKills ?? 0, runnerOomKills: 0 },
  }),
  peakMiB: null,
});

/** The payloads of one container, from small to large, until n8n ends. */
async function container(bench: Bench, part: HeapPart, layout: Layout, signal: AbortSignal) {
  const { payloadsMiB, ...shares } = layout;
  const trial = await bench.start(limitsOf(part.runner, layout), READY_WITHIN_MS);
  let beside: Trial | null = null;
  const rows: (Omit<Layout, 'payloadsMiB'> & HeapRow)[] = [];
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

export default {
  parts: PARTS,
  quickParts: QUICK_PARTS,
  inside: 'map/parts/',
  whyNot: whyNoLimits,
  async measured(part, { signal, tell }) {
    const hasNodes = part.kind === 'held';
    const bench = await openBench(part.role, { workflows: [fileOf(part.kind)], hasNodes, signal });
    try {
      if (hasNodes && bench.tools.nodesFolder === null) {
        throw new NotMeasured('the nodes of this repository are not built: make build');
      }
      const rows: object[] = [];
      for (const layout of part.containers) {
        const own = await container(bench, part, layout, signal);
        const said = own.map(({ payloadMiB, outcome }) => `${String(payloadMiB)} ${outcome}`);
        const { containerMiB, heapMiB } = layout;
        tell(`${String(containerMiB)} MiB, heap ${String(heapMiB)}: ${said.join(', ')}`);
        rows.push(...own);
      }
      return {
        record: { versions: bench.versions, rows },
        sentence: `${String(rows.length)} payloads`,
      };
    } finally {
      await bench.close();
    }
  },
} satisfies Study<HeapPart>;
