// With how little memory and CPU each role of n8n starts and sustains one request per second, how long its start takes, and
// what lowers them: one process under limits that are searched downwards, its stores and the other roles without limits.
//
//   make lab build
//   node studies/small-pods/measure.mjs --list            what there is, what has a record, and how long it takes
//   node studies/small-pods/measure.mjs --within 30m      one after the other, as long as the next one still fits
//   n8n-tuned study small-pods                            the same, with a record of the machine
//
// In a search for CPU the process starts without a limit, which is then lowered while it runs: how long it takes to start
// with little CPU is measured apart. The workload is last-node, and n8n has no node of this repository.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordsOf } from '../archive.mjs';
import { measureParts, root } from '../in-parts.mjs';
import { kit, openBench, whyNoLimits } from '../one-role.mjs';
import * as plan from './parts.mjs';

const WORKFLOW = join(root, 'workflows/last-node.json');
const PATH = '/webhook/load-last-node';
/** Webhooks are there a little after n8n is ready. */
const FIRST_RESPONSE_WITHIN_MS = 15_000;
/** Until one counts as without a response. */
const TIMEOUT_MS = 10_000;

async function respond(bench, trial, signal) {
  const begunMs = Date.now();
  const patience = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS), trial.endSignal]);
  const isExpected = await fetch(`${bench.url}${PATH}`, { signal: patience })
    .then(async (response) => response.ok && 'headers' in (await response.json()))
    .catch(() => false);
  signal.throwIfAborted();
  return { isExpected, ms: Date.now() - begunMs };
}

/** One request per second, each when it is due, whatever became of the one before. */
async function loaded(bench, trial, requests, signal) {
  const first = Date.now() + FIRST_RESPONSE_WITHIN_MS;
  while (!(await respond(bench, trial, signal)).isExpected) {
    if (trial.end !== null || Date.now() > first) return [];
    await sleep(100);
  }
  const responses = [];
  for (let sent = 0; sent < requests && trial.end === null; sent += 1) {
    responses.push(respond(bench, trial, signal));
    await sleep(1000);
  }
  return Promise.all(responses);
}

const rounded = (value) => (value === null ? null : Math.round(value));
const groupFigures = ({ figures }) => ({
  cpuSeconds: figures?.cpuMs == null ? null : figures.cpuMs / 1000,
  workingSetMiB: rounded(figures?.workingSetMiB ?? null),
  memoryPeakMiB: rounded(figures?.memoryPeakMiB ?? null),
});

/** What a start gives: seconds until it was ready, null where it never was, and what it used by then. */
const startOf = (trial) => {
  const { cpuSeconds } = groupFigures(trial);
  return { readySeconds: trial.readySeconds, cpuSecondsToReady: cpuSeconds, end: trial.end };
};

async function loadOf(bench, trial, requests, signal) {
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

/** A whole start under limits, with its load, and its end. */
async function tried(bench, name, limits, { within, requests, signal, cacheFolder }) {
  const trial = await bench.start(plan.asked(name, limits, { cacheFolder }), 1000 * within);
  try {
    return { ...startOf(trial), ...(await loadOf(bench, trial, requests, signal)) };
  } finally {
    await trial.stop();
  }
}

async function searched(values, trialOf) {
  const trials = [];
  for (
    let value = plan.nextToTry(values, trials);
    value !== null;
    value = plan.nextToTry(values, trials)
  ) {
    trials.push({ value, ...(await trialOf(value)) });
  }
  return { least: plan.lowestThatPassed(trials), trials };
}

const MEASURED = {
  async memory(bench, { values }, name, way) {
    return searched(values, (memoryMiB) => tried(bench, name, { memoryMiB }, way));
  },
  async cpu(bench, { values, starts: limits }, name, way) {
    const { within, requests, signal } = way;
    const trial = await bench.start(plan.asked(name, {}, way), 1000 * within);
    let found;
    try {
      const unlimited = startOf(trial);
      found = await searched(values, async (cpuMillicores) => {
        trial.limit({ cpuMillicores });
        const load = await loadOf(bench, trial, requests, signal);
        // What is still under way would take its time from the next one.
        trial.limit({ cpuMillicores: 1000 * kit.thisMachine().cores });
        await respond(bench, trial, signal);
        return load;
      });
      found = { unlimited, ...found };
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
    const { isSecondStart = false } = plan.SETTINGS[name];
    if (isSecondStart) await tried(bench, name, plan.ROOMY, way);
    return tried(bench, name, plan.ROOMY, way);
  },
};

async function measured(part, { isShort, signal }) {
  const startedAt = new Date().toISOString();
  const bench = await openBench(part.role, { workflows: [WORKFLOW], signal });
  try {
    const way = {
      ...{ within: plan.READY_WITHIN_SECONDS[part.kind], signal },
      ...{ requests: isShort ? 5 : plan.LOAD.requests, cacheFolder: bench.place('cache').folder },
    };
    const bySetting = {};
    for (const name of part.settings) {
      bySetting[name] = await MEASURED[part.kind](bench, part, name, way);
      console.log(`${part.name}, ${name}: ${sentenceOf(part, bySetting[name])}`);
    }
    const { versions } = bench;
    return {
      record: { startedAt, versions, machine: kit.thisMachine(), load: way.requests, bySetting },
      sentence: `${part.name} is measured`,
    };
  } finally {
    await bench.close();
  }
}

function sentenceOf({ kind }, { least, readySeconds, workingSetMiB, trials }) {
  if (kind === 'settings') {
    const ready = readySeconds === null ? 'not ready' : `ready after ${readySeconds} s`;
    return `${ready}, ${workingSetMiB} MiB`;
  }
  const unit = kind === 'memory' ? 'MiB' : 'm';
  const seen = trials.map(({ value, passed }) => `${value} ${passed ? 'yes' : 'no'}`).join(', ');
  return `${least === null ? 'none of the limits' : `${least} ${unit}`} is enough (${seen})`;
}

await measureParts({
  ...{ parts: plan.PARTS, quickParts: plan.QUICK_PARTS, measured },
  kept: recordsOf('small-pods', 'parts/'),
  about: 'studies/small-pods/measure.mjs',
  shownOut: 'results/small-pods',
  whyNot: whyNoLimits,
});
