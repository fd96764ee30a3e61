/** One run: a workload under a plan on a target that is up, recorded and judged. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { BreachWatch, type Breached } from '../analysis/breach';
import { figures } from '../analysis/figures';
import type { Window } from '../analysis/metrics';
import { BREACH } from '../analysis/verdict';
import { runK6, type GeneratorSettings } from '../load/k6';
import type { LoadResult } from '../load/load';
import type { ChosenWorkload } from '../plan/chosen-workload';
import {
  highestRate,
  openLimit,
  PROFILES,
  rateAt,
  type LoadPlan,
  type Profile,
} from '../plan/profile';
import type { Slo } from '../plan/slo';
import { RunFolder, runId, type RunHead } from '../record/folder';
import type { RunData } from '../record/read';
import type { ExecutionCounts, RecordedProfile, RequestSample } from '../record/record';
import { samplersFor } from '../samplers';
import type { Running } from '../targets/target';
import { messageOf } from '../ui/exit';
import type { Progress } from '../ui/progress';
import { scoped, type Scope } from '../ui/scope';
import { conclude } from './conclude';
import { refuseWithoutEvidence } from './evidence';
import { CountWithin } from './count-within';
import { writeReports } from './reports';
import { Observations } from './samples';
import { readTrace } from './trace';

const SAMPLE_EVERY_MS = 1000;
const LOOK_EVERY_MS = 500;
/** n8n counts an execution a moment after it has ended. */
const COUNTED_WITHIN_MS = 5_000;

export interface RunOrder {
  workload: ChosenWorkload;
  plan: LoadPlan;
  slos: Slo[];
  /** Where the folder of the run is made. */
  out: string;
  k6: string;
  /** The folder loadtests/. */
  scripts: string;
  timeoutMs: number;
  /** For unanswered requests after the last was due, and then again for n8n to finish its executions. */
  drainMs: number;
  generator?: GeneratorSettings;
  /** As the user gave it, secrets taken out. */
  command: string[];
}

export interface FinishedRun {
  folder: string;
  data: RunData;
  /** What could not be written, a sentence each. */
  problems: string[];
}

export function measure(
  running: Running,
  order: RunOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<FinishedRun> {
  return scoped((scope) => measureWithin(scope, running, order, progress, signal));
}

async function measureWithin(
  scope: Scope,
  running: Running,
  asked: RunOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<FinishedRun> {
  const order = { ...asked, plan: withSeed(asked.plan) };
  const { workload } = order;
  await refuseWithoutEvidence(running, order.slos);
  await running.ready(workload.requests, progress, signal);
  const head = headOf(running, order, new Date());
  const folder = new RunFolder(order.out, head);
  const seen = new Observations(folder);
  scope.defer(
    running.onEvent((event) => {
      seen.event(event);
    }),
  );
  const count = counter(running, seen);
  const before = await settledExecutions(count, order.drainMs, signal);
  // A run is measured without it too.
  const trace = await running.traceExecutions().catch(() => null);
  const samplers = await seen.start(samplersFor(running), running, SAMPLE_EVERY_MS);
  const isAtOnce = workload.recorded.answers === 'at-once';
  const within = isAtOnce ? new CountWithin(running, measuredPart(order.plan)) : null;
  scope.defer(() => seen.stop(samplers));
  scope.defer(() => void within?.end());
  const endsAtBreach = (PROFILES[order.plan.profile] as Profile).endsAtBreach === true;
  const breach = endsAtBreach ? new UntilBreach(order.slos) : null;
  let load: LoadResult;
  try {
    load = await makeLoad(running, order, { head, folder, seen, within, breach, progress, signal });
  } finally {
    seen.begin(Date.now());
  }
  const breached = breach?.found ?? null;
  if (breached !== null) {
    const rate = figures(rateAt(order.plan, breached.tMs / 1000));
    seen.event({ kind: BREACH, text: `at ${rate} req/s ${breached.text}` }, breached.tMs);
  }
  const countedWithin = (await within?.end()) ?? null;
  const drained = await drain(count, before, load, order, progress, signal);
  await seen.stop(samplers);
  const traced = await readTrace(
    trace,
    {
      runId: head.id,
      requests: load.requests,
      executions: drained.executions,
      executionsPerRequest: workload.recorded.executionsPerRequest ?? null,
      drainMs: order.drainMs,
    },
    progress,
    signal,
  );
  const logs = await folder.keepLogs(running.logs);
  const tables = { requests: load.requests, samples: seen.samples };
  await folder.closeTables(tables);
  for (const text of folder.problems()) seen.event({ kind: 'recorder', text });
  const record = conclude(
    {
      ...upToBreach(head, order.plan, breached),
      versions: { ...head.versions, k6: load.generator.version },
    },
    tables,
    {
      endedAt: new Date().toISOString(),
      aborted: abortedBy(load, drained, signal),
      generator: load.generator,
      executions: drained.executions,
      traced,
      countedWithin,
      queueDrained:
        drained.executions === null || (running.redis === null && !isAtOnce)
          ? null
          : { seconds: drained.seconds },
      failedSamplers: seen.failedSamplers,
      events: seen.events,
      files: { requests: 'requests.csv.gz', samples: 'samples.csv', logs },
      thinkTimeMs: Math.max(...workload.requests.map(({ thinkTimeMs }) => thinkTimeMs)),
    },
  );
  const data = { record, ...tables };
  folder.complete(record);
  const problems = [...folder.problems(), ...writeReports(folder.path, data)];
  return { folder: folder.path, data, problems };
}

interface Scene {
  head: RunHead;
  folder: RunFolder;
  seen: Observations;
  within: CountWithin | null;
  breach: UntilBreach | null;
  progress: Progress;
  signal: AbortSignal;
}

/** For a load profile that ends at the breach: looks at every request, and keeps what it found. */
class UntilBreach {
  found: Breached | null = null;
  private readonly watch: BreachWatch;

  constructor(slos: readonly Slo[]) {
    this.watch = new BreachWatch(slos);
  }

  see(sample: RequestSample): void {
    this.found ??= this.watch.see(sample);
  }
}

/** What came after the breach is not measured: the system was past its limit, and requests were cut off. */
function upToBreach(head: RunHead, plan: LoadPlan, breach: Breached | null): RunHead {
  if (breach === null) return head;
  const seconds = Math.max(1, breach.tMs / 1000 - plan.warmupSeconds);
  return { ...head, profile: { ...head.profile, durationSeconds: seconds } };
}

async function makeLoad(running: Running, order: RunOrder, scene: Scene): Promise<LoadResult> {
  const { plan } = order;
  let right = 0;
  let wrong = 0;
  let beganAtMs = Date.now();
  const totalSeconds = plan.warmupSeconds + plan.durationSeconds;
  const tell = (): void => {
    const seconds = Math.min(totalSeconds, (Date.now() - beganAtMs) / 1000);
    scene.progress(
      `${plan.profile}: ${seconds.toFixed(0)} of ${totalSeconds.toFixed(0)} s, ${String(right)} right, ${String(wrong)} wrong`,
    );
  };
  const ticking = setInterval(tell, 1000);
  try {
    return await runK6({
      k6: order.k6,
      scripts: order.scripts,
      baseUrl: running.baseUrl,
      requests: order.workload.requests,
      plan,
      runId: scene.head.id,
      timeoutMs: order.timeoutMs,
      drainMs: order.drainMs,
      maxOpen: order.generator?.maxOpen ?? openLimit(plan, order.timeoutMs),
      generatorCores: order.generator?.cores ?? null,
      signal: scene.signal,
      onBegin: (atMs) => {
        beganAtMs = atMs;
        scene.seen.begin(atMs);
        scene.within?.begin(atMs);
      },
      onRequest: (sample) => {
        if (sample.ok) right += 1;
        else wrong += 1;
        scene.folder.request(sample);
        scene.breach?.see(sample);
      },
      isEnough: () => (scene.breach?.found ?? null) !== null,
      onUsage: (cpuCores, rssMiB) => {
        scene.seen.sample('generator', 'k6', 'cpuCores', cpuCores);
        scene.seen.sample('generator', 'k6', 'rssMiB', rssMiB);
      },
    });
  } finally {
    clearInterval(ticking);
  }
}

/** A run that the user ends while n8n still works on what it had accepted has not come to its end. */
function abortedBy(
  load: LoadResult,
  drained: { seconds: number | null },
  signal: AbortSignal,
): string | null {
  if (load.outcome !== 'finished' && load.outcome !== 'enough') return load.reason;
  return signal.aborted && drained.seconds === null ? messageOf(signal.reason) : null;
}

const measuredPart = ({ warmupSeconds, durationSeconds }: LoadPlan): Window => ({
  fromMs: warmupSeconds * 1000,
  toMs: (warmupSeconds + durationSeconds) * 1000,
});

type Count = () => Promise<ExecutionCounts | null>;

/** A database that is away costs the run its counts, not its record; each failure is told once. */
function counter(running: Running, seen: Observations): Count {
  const told = new Set<string>();
  return () =>
    running.executions().catch((error: unknown) => {
      const text = `executions cannot be counted: ${messageOf(error)}`;
      if (!told.has(text)) seen.event({ kind: 'executions', text });
      told.add(text);
      return null;
    });
}

/** What ready() asked must not be counted as the load's, and may still run where the reply comes at once. */
async function settledExecutions(
  count: Count,
  withinMs: number,
  signal: AbortSignal,
): Promise<ExecutionCounts | null> {
  const giveUpMs = Date.now() + withinMs;
  for (;;) {
    const counts = await count();
    if (counts === null || counts.unfinished === 0) return counts;
    if (signal.aborted || Date.now() >= giveUpMs) return counts;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Waits until n8n has finished what it was given; `seconds` is null when it did not in time. */
async function drain(
  count: Count,
  before: ExecutionCounts | null,
  load: LoadResult,
  { drainMs, workload }: RunOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<{ seconds: number | null; executions: ExecutionCounts | null }> {
  const giveUpMs = Date.now() + drainMs;
  const replies = load.requests.filter(({ ok }) => ok).length;
  const expected = replies * (workload.recorded.executionsPerRequest ?? 1);
  let overAtMs: number | null = null;
  for (;;) {
    const counts = await count();
    if (before === null) return { seconds: null, executions: null };
    if (counts === null) {
      // They were counted before the load: the database may come back.
      if (signal.aborted || Date.now() >= giveUpMs) return { seconds: null, executions: null };
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    const executions = {
      ...counts,
      succeeded: counts.succeeded - before.succeeded,
      failed: counts.failed - before.failed,
    };
    if (counts.unfinished === 0) overAtMs ??= Date.now();
    else overAtMs = null;
    const all = executions.succeeded + executions.failed >= expected;
    const settled = overAtMs !== null && (all || Date.now() >= overAtMs + COUNTED_WITHIN_MS);
    if (settled || signal.aborted || Date.now() >= giveUpMs) {
      const seconds = overAtMs === null ? null : (overAtMs - load.endedAtMs) / 1000;
      return { seconds: seconds === null ? null : Math.max(0, seconds), executions };
    }
    progress(`waiting for n8n to finish ${String(counts.unfinished)} executions`);
    await sleep(LOOK_EVERY_MS);
  }
}

function headOf(running: Running, order: RunOrder, startedAt: Date): RunHead {
  const { workload, plan } = order;
  return {
    schemaVersion: 3,
    id: runId(startedAt, workload.recorded.name, plan.profile),
    startedAt: startedAt.toISOString(),
    command: order.command,
    workload: workload.recorded,
    profile: recordedProfile(plan),
    target: { kind: running.kind, url: running.baseUrl },
    topology: running.topology,
    versions: running.versions,
    machine: running.machine,
    slo: order.slos,
  };
}

function recordedProfile(plan: LoadPlan): RecordedProfile {
  const common = {
    name: plan.profile,
    loop: plan.loop,
    durationSeconds: plan.durationSeconds,
    warmupSeconds: plan.warmupSeconds,
  };
  return plan.loop === 'closed'
    ? { ...common, clients: plan.clients }
    : {
        ...common,
        ratePerSecond: highestRate(plan),
        stages: plan.stages,
        arrivals: plan.arrivals,
        ...(plan.seed === undefined ? {} : { seed: plan.seed }),
      };
}

/** Each run draws random arrivals of its own, and records from what. */
function withSeed(plan: LoadPlan): LoadPlan {
  return plan.arrivals === 'random' && plan.seed === undefined
    ? { ...plan, seed: randomInt(2 ** 31) }
    : plan;
}
