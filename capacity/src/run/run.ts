/** One run: a workload under a plan on a target that is up, recorded and judged. */
import type { Breached } from '../analysis/breach';
import { figures } from '../analysis/figures';
import type { TracedExecutions } from '../analysis/match-executions';
import { measuredPart, RequestsSeen } from '../analysis/requests/seen';
import { BREACH } from '../analysis/verdict';
import type { LoadResult } from '../load/load';
import { rateAt, type LoadPlan } from '../plan/profile';
import { RunFolder, type RunHead } from '../record/folder';
import type { RunData } from '../report/run/data';
import { samplersFor } from '../samplers';
import type { Running } from '../targets/target';
import { messageOf } from '../ui/exit';
import type { Progress } from '../ui/progress';
import { scoped, type Scope } from '../ui/scope';
import { conclude } from './conclude';
import { CountWithin } from './count-within';
import { refuseWithoutEvidence } from './evidence';
import { counter, drain, settledExecutions, type Drained } from './executions';
import { headOf, withSeed } from './head';
import { withInFlight } from './in-flight';
import { makeLoad, untilBreach } from './make-load';
import type { RunOrder } from './order';
import { writeReports } from './reports';
import { Observations, sampleEveryMs } from './samples';
import { readTrace } from './trace';

export interface FinishedRun {
  folder: string;
  data: RunData;
  /** One by one, for who must know more of them than the record tells. */
  traced: TracedExecutions;
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
  const { workload, plan, drainMs } = order;
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
  const before = await settledExecutions(count, drainMs, signal);
  // A run is measured without it too.
  const trace = await running.traceExecutions().catch(() => null);
  const samplers = await seen.start(samplersFor(running), running, sampleEveryMs(plan));
  const isAtOnce = workload.recorded.answers === 'at-once';
  const within = isAtOnce ? new CountWithin(running, measuredPart(plan)) : null;
  scope.defer(() => seen.stop(samplers));
  scope.defer(() => void within?.end());
  const thinkTimeMs = Math.max(...workload.requests.map((request) => request.thinkTimeMs));
  const requests = new RequestsSeen(plan, thinkTimeMs);
  const breach = untilBreach(order);
  const scene = { runId: head.id, folder, requests, seen, within, breach, progress, signal };
  let load: LoadResult;
  try {
    load = await makeLoad(running, order, scene);
  } finally {
    seen.begin(Date.now());
  }
  const breached = breach?.found ?? null;
  if (breached !== null) {
    const rate = figures(rateAt(plan, breached.tMs / 1000));
    seen.event({ kind: BREACH, text: `at ${rate} req/s ${breached.text}` }, breached.tMs);
  }
  const countedWithin = (await within?.end()) ?? null;
  const { requests: sent, expected } = requests.figures;
  const executionsPerRequest = workload.recorded.executionsPerRequest ?? null;
  const draining = {
    expected: expected * (executionsPerRequest ?? 1),
    loadEndedAtMs: load.endedAtMs,
    drainMs,
  };
  const drained = await drain(count, before, draining, progress, signal);
  await seen.stop(samplers);
  const traced = await readTrace(
    trace,
    {
      ...{ runId: head.id, requests: sent, expected, areKept: folder.requestsKept() !== null },
      ...{ executions: drained.executions, executionsPerRequest, drainMs },
    },
    progress,
    signal,
  );
  const logs = await folder.keepLogs(running.logs);
  await folder.closeTables(seen.samples);
  for (const text of folder.problems()) seen.event({ kind: 'recorder', text });
  const judged = await upToBreach({ head, requests }, plan, breached, folder, thinkTimeMs);
  const record = conclude(
    { ...judged.head, versions: { ...head.versions, k6: load.generator.version } },
    {
      requests: judged.requests,
      kept: folder.requestsKept() ?? [],
      samples: seen.samples,
    },
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
      events: await withInFlight(seen.events, folder),
      files: { requests: 'requests.csv.gz', samples: 'samples.csv', logs },
    },
  );
  const data = { record, requests: judged.requests.timeline, samples: seen.samples };
  folder.complete(record);
  const problems = [...folder.problems(), ...writeReports(folder.path, data)];
  return { folder: folder.path, data, traced, problems };
}

interface Judged {
  head: RunHead;
  requests: RequestsSeen;
}

/** What came after the breach is not measured: the system was past its limit, and requests were cut off. */
async function upToBreach(
  whole: Judged,
  plan: LoadPlan,
  breach: Breached | null,
  folder: RunFolder,
  thinkTimeMs: number,
): Promise<Judged> {
  const again = breach === null ? null : folder.requestsAgain();
  if (breach === null || again === null) return whole;
  const durationSeconds = Math.max(1, breach.tMs / 1000 - plan.warmupSeconds);
  const profile = { ...whole.head.profile, durationSeconds };
  const requests = new RequestsSeen(profile, thinkTimeMs);
  for await (const request of again) requests.add(request);
  return { head: { ...whole.head, profile }, requests };
}

/** A run that the user ends while n8n still works on what it had accepted has not come to its end. */
function abortedBy(load: LoadResult, drained: Drained, signal: AbortSignal): string | null {
  if (load.outcome !== 'finished' && load.outcome !== 'enough') return load.reason;
  return signal.aborted && drained.seconds === null ? messageOf(signal.reason) : null;
}
