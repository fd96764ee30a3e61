// With how little memory and CPU each role of n8n starts and sustains one request per second, how long its start takes, and
// what lowers them: one process under limits that are searched downwards, its stores and the other roles without limits.
//
// In a search for CPU the process starts without a limit, which is then lowered while it runs: how long it takes to start
// with little CPU is measured apart. The workload is last-node, and n8n has no node of this repository.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Study } from '../../cli/src/features/study/study';
import { thisMachine } from '../../cli/src/targets/machine';
import { openBench, whyNoLimits, type Asked, type Bench, type Trial } from '../one-role';
import * as plan from './parts';

const WORKFLOW = join(import.meta.dirname, '../../workflows/last-node.json');
const PATH = '/webhook/load-last-node';
/** Webhooks are there a little after n8n is ready. */
const FIRST_RESPONSE_WITHIN_MS = 15_000;
/** Until one counts as without a response. */
const TIMEOUT_MS = 10_000;

async function respond(bench: Bench, trial: Trial, signal: AbortSignal): Promise<plan.Answer> {
  const begunMs = Date.now();
  const patience = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS), trial.endSignal]);
  const isExpected = await fetch(`${bench.url}${PATH}`, { signal: patience })
    .then(async (response) => response.ok && 'headers' in ((await response.json()) as object))
    .catch(() => false);
  signal.throwIfAborted();
  return { isExpected, ms: Date.now() - begunMs };
}

/** One request per second, each when it is due, whatever became of the one before. */
async function loaded(
  bench: Bench,
  trial: Trial,
  requests: number,
  signal: AbortSignal,
): Promise<plan.Answer[]> {
  const first = Date.now() + FIRST_RESPONSE_WITHIN_MS;
  while (!(await respond(bench, trial, signal)).isExpected) {
    if (trial.end !== null || Date.now() > first) return [];
    await sleep(100);
  }
  const responses: Promise<plan.Answer>[] = [];
  for (let sent = 0; sent < requests && trial.end === null; sent += 1) {
    responses.push(respond(bench, trial, signal));
    await sleep(1000);
  }
  return Promise.all(responses);
}

const rounded = (value: number | null): number | null =>
  value === null ? null : Math.round(value);
const groupFigures = ({ figures }: Trial) => ({
  cpuSeconds: figures?.cpuMs == null ? null : figures.cpuMs / 1000,
  workingSetMiB: rounded(figures?.workingSetMiB ?? null),
  memoryPeakMiB: rounded(figures?.memoryPeakMiB ?? null),
});

/** What a start gives: seconds until it was ready, null where it never was, and what it used by then. */
const startOf = (trial: Trial) => {
  const { cpuSeconds } = groupFigures(trial);
  return { readySeconds: trial.readySeconds, cpuSecondsToReady: cpuSeconds, end: trial.end };
};

async function loadOf(bench: Bench, trial: Trial, { requests, signal }: Way) {
  const responses = trial.readySeconds === null ? [] : await loaded(bench, trial, requests, signal);
  const { workingSetMiB, memoryPeakMiB } = groupFigures(trial);
  return {
    passed: plan.isSustained(responses, { ...plan.LOAD, requests }) && trial.end === null,
    sent: responses.length,
    expected: responses.filter(({ isExpected }) => isExpected).length,
    late: responses.filter(({ ms }) => ms > plan.LOAD.lateMs).length,
    slowestMs: responses.length === 0 ? null : Math.max(...responses.map(({ ms }) => ms)),
    ...{ workingSetMiB, memoryPeakMiB, end: trial.end },
  };
}

interface Way {
  within: number;
  requests: number;
  cacheFolder: string;
  signal: AbortSignal;
}

/** A whole start under limits, with its load, and its end. */
async function tried(bench: Bench, name: string, limits: Asked, way: Way) {
  const trial = await bench.start(plan.asked(name, limits, way), 1000 * way.within);
  try {
    return { ...startOf(trial), ...(await loadOf(bench, trial, way)) };
  } finally {
    await trial.stop();
  }
}

async function searched<One extends { passed: boolean }>(
  values: readonly number[],
  trialOf: (value: number) => Promise<One>,
) {
  const trials: (One & { value: number })[] = [];
  for (
    let value = plan.nextToTry(values, trials);
    value !== null;
    value = plan.nextToTry(values, trials)
  ) {
    trials.push({ value, ...(await trialOf(value)) });
  }
  return { min: plan.lowestThatPassed(trials), trials };
}

type Measure = (bench: Bench, part: plan.SearchPart, name: string, way: Way) => Promise<object>;
const MEASURED: Record<plan.SearchPart['kind'], Measure> = {
  memory: (bench, { values = [] }, name, way) =>
    searched(values, (memoryMiB) => tried(bench, name, { memoryMiB }, way)),
  async cpu(bench, { values = [], starts: limits = {} }, name, way) {
    const trial = await bench.start(plan.asked(name, {}, way), 1000 * way.within);
    let found: object;
    try {
      const unlimited = startOf(trial);
      const lowest = await searched(values, async (cpuMillicores) => {
        trial.limit({ cpuMillicores });
        const load = await loadOf(bench, trial, way);
        // What is still under way would take its time from the next one.
        trial.limit({ cpuMillicores: 1000 * thisMachine().cores });
        await respond(bench, trial, way.signal);
        return load;
      });
      found = { unlimited, ...lowest };
    } finally {
      await trial.stop();
    }
    const starts = [];
    for (const value of limits[name] ?? []) {
      const limited = { ...plan.ROOMY, cpuMillicores: value };
      starts.push({ value, ...(await tried(bench, name, limited, way)) });
    }
    return { ...found, starts };
  },
  async settings(bench, _part, name, way) {
    if (plan.SETTINGS[name]?.isSecondStart === true) await tried(bench, name, plan.ROOMY, way);
    return tried(bench, name, plan.ROOMY, way);
  },
};

function sentenceOf({ kind }: plan.SearchPart, found: object): string {
  const { min, readySeconds, workingSetMiB, trials } = found as {
    min: number | null;
    readySeconds: number | null;
    workingSetMiB: number | null;
    trials: plan.Tried[];
  };
  if (kind === 'settings') {
    const ready = readySeconds === null ? 'not ready' : `ready after ${String(readySeconds)} s`;
    return `${ready}, ${String(workingSetMiB)} MiB`;
  }
  const unit = kind === 'memory' ? 'MiB' : 'm';
  const seen = trials.map(({ value, passed }) => `${String(value)} ${passed ? 'yes' : 'no'}`);
  const enough = min === null ? 'none of the limits' : `${String(min)} ${unit}`;
  return `${enough} is enough (${seen.join(', ')})`;
}

export default {
  parts: plan.PARTS,
  quickParts: plan.QUICK_PARTS,
  inside: 'parts/',
  whyNot: whyNoLimits,
  async measured(part, { isShort, signal, tell }) {
    const bench = await openBench(part.role, { workflows: [WORKFLOW], signal });
    try {
      const way = {
        ...{ within: plan.READY_WITHIN_SECONDS[part.kind], signal },
        ...{ requests: isShort ? 5 : plan.LOAD.requests, cacheFolder: bench.place('cache').folder },
      };
      const bySetting: Record<string, object> = {};
      for (const name of part.settings) {
        const found = await MEASURED[part.kind](bench, part, name, way);
        bySetting[name] = found;
        tell(`${part.name}, ${name}: ${sentenceOf(part, found)}`);
      }
      return {
        record: { versions: bench.versions, load: way.requests, bySetting },
        sentence: `${String(part.settings.length)} settings`,
      };
    } finally {
      await bench.close();
    }
  },
} satisfies Study<plan.SearchPart>;
