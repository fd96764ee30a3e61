/** From the end of a load to the record: n8n finishes what it was given, and the run is judged. */
import type { Breached } from './analysis/breach';
import { isCutOff } from './analysis/match-executions';
import { patchStatesOf } from '../record/patches';
import { versionToldIn } from '../ui/versions';
import type { TracedExecutions } from '../analysis/traced-execution';
import { RequestsSeen } from '../analysis/requests/seen';
import { BREACH, BREAKING_EVENTS } from './analysis/verdict';
import type { LoadResult } from '../load/load';
import { rateAt } from '../../../loadtests/lib/due';
import { REQUESTS_FILE, SAMPLES_FILE, type RunHead, type RunFolder } from '../record/folder';
import type { ExecutionCounts, RequestSample, RunEvent } from '../record/run-record';
import type { RunData } from './report/data';
import { scrape } from '../samplers/n8n-metrics';
import type { Sampler } from '../samplers/sampler';
import type { HostCount } from '../stand-in/analysis/counts';
import type { BacklogWatch, ExecutionTrace, Running } from '../targets/target';
import { messageOf } from '../ui/exit';
import { conclude } from './conclude';
import { drain, type Count, type Drained } from './executions';
import type { LoadContext } from './make-load';
import { writeBeside } from '../record/write-beside';
import { readTrace } from './trace';
import { counted, formatNumber } from '../ui/numbers';
import { reportFiles } from '../report/files';
import { runDocument } from './report/document';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Progress } from '../ui/progress';
import { steadyClock } from '../ui/within';

/** A run whose load can begin. */
export interface StartedRun extends LoadContext {
  samplers: readonly Sampler[];
  thinkTimeMs: number;
  count: Count;
  /** Executions that n8n had counted before the load. */
  before: ExecutionCounts | null;
  trace: ExecutionTrace | null;
  /** Calls of services outside n8n before the load; null: none were counted. */
  servicesBefore: HostCount[] | null;
  /** Shows what is left, where the backlog is asked for and executions are not counted. */
  backlog: BacklogWatch | null;
}

export interface FinishedRun {
  folder: string;
  data: RunData;
  /** One by one, for who must know more of them than the record tells. */
  traced: TracedExecutions;
  /** What could not be written, a sentence each. */
  problems: string[];
}

export async function finish(run: StartedRun, load: LoadResult): Promise<FinishedRun> {
  const { running, order, folder, seen, signal } = run;
  const breached = tellBreach(run);
  const countedWithin = (await run.within?.end()) ?? null;
  const drained = await drainAfter(run, load);
  const left = await leftAfter(run, load);
  await seen.stop(run.samplers);
  // After n8n has drained: those that are told may be slow.
  const untold = (await run.observer?.end()) ?? [];
  for (const text of untold) seen.event({ kind: 'monitoring', text });
  await order.settle?.();
  const servicesAfter = run.servicesBefore === null ? null : await servicesOf(running);
  const traced = await traceOf(run, drained);
  const logs = await folder.keepLogs(running.logs);
  await folder.closeTables(seen.samples);
  for (const text of folder.problems()) seen.event({ kind: 'recorder', text });
  const told = await toldByN8n(running);
  const { head, requests } = await upTo(run, breached?.tMs ?? run.watch?.knownUntilMs ?? null);
  const hasQueue = running.redis !== null || Boolean(running.storeLooks?.queue);
  const waits = hasQueue || order.workload.recorded.answers === 'at-once';
  const record = conclude(
    {
      ...head,
      ...told,
      versions: { ...head.versions, ...told.versions, k6: load.generator.version },
    },
    { requests, kept: folder.requestsKept() ?? [], samples: seen.samples },
    {
      endedAt: new Date().toISOString(),
      loadBeganAt: seen.loadBeganAt,
      aborted: abortedBy(load, drained, signal),
      generator: load.generator,
      executions: drained.executions,
      traced,
      areCutOff: breached !== null && run.breach?.cutsOff === true,
      countedWithin,
      queueDrained: drained.executions !== null && waits ? { seconds: drained.seconds } : left,
      failedSamplers: seen.failedSamplers,
      services:
        run.servicesBefore === null || servicesAfter === null
          ? null
          : { before: run.servicesBefore, after: servicesAfter },
      events: await withInFlight(seen.events, folder),
      files: { requests: REQUESTS_FILE, samples: SAMPLES_FILE, logs },
    },
  );
  const data = { record, requests: requests.timeline, samples: seen.samples };
  folder.complete(record);
  const problems = [
    ...untold,
    ...folder.problems(),
    ...writeBeside(folder.path, reportFiles(runDocument(data))),
  ];
  return { folder: folder.path, data, traced, problems };
}

/** Its version and the state of each patch, from its metrics; nothing of a process that shows none, or is gone. */
async function toldByN8n({ metrics }: Running): Promise<Pick<RunHead, 'versions' | 'patches'>> {
  const looks = metrics.map(async (endpoint) => ({
    role: endpoint.role,
    text: await scrape(endpoint).catch(() => ''),
  }));
  const shown = await Promise.all(looks);
  const [version] = shown.flatMap(({ text }) => versionToldIn(text) ?? []);
  const patches = patchStatesOf(shown);
  return {
    versions: version === undefined ? {} : { n8n: version },
    ...(patches === null ? {} : { patches }),
  };
}

/** A run is measured without them too. */
export const servicesOf = async (running: Running): Promise<HostCount[] | null> =>
  (await running.services?.().catch(() => null)) ?? null;

function tellBreach({ breach, order, seen }: StartedRun): Breached | null {
  const breached = breach?.found ?? null;
  if (breached !== null) {
    const rate = formatNumber(rateAt(order.plan, breached.tMs / 1000));
    seen.event({ kind: BREACH, text: `at ${rate} req/s ${breached.text}` }, breached.tMs);
  }
  return breached;
}

function drainAfter(run: StartedRun, { endedAtMs }: LoadResult): Promise<Drained> {
  const { workload, drainMs } = run.order;
  const perRequest = workload.recorded.executionsPerRequest ?? 1;
  const draining = {
    expected: run.requests.figures.expected * perRequest,
    loadEndedAtMs: endedAtMs,
    drainMs,
  };
  return drain(run.count, run.before, draining, run.progress, run.signal);
}

async function leftAfter(run: StartedRun, { endedAtMs }: LoadResult): Promise<SeenBacklog | null> {
  const { backlog, order, progress, signal } = run;
  if (backlog === null) return null;
  return awaitBacklog(backlog, { endedAtMs, drainMs: order.drainMs }, progress, signal);
}

function traceOf(run: StartedRun, { executions }: Drained): Promise<TracedExecutions> {
  const { requests, expected } = run.requests.figures;
  const { workload, drainMs, readWithinMs } = run.order;
  const order = {
    ...{ runId: run.head.id, requests, expected, executions, drainMs },
    ...(readWithinMs === undefined ? {} : { readWithinMs }),
    areKept: run.folder.requestsKept() !== null,
    executionsPerRequest: workload.recorded.executionsPerRequest ?? null,
  };
  return readTrace(run.trace, order, run.progress, run.signal);
}

/** What came after a load was ended early is not measured: requests were cut off. */
async function upTo(
  { head, requests, folder, order, thinkTimeMs, breach: watched }: StartedRun,
  endMs: number | null,
): Promise<{ head: RunHead; requests: RequestsSeen }> {
  const again = endMs === null ? null : folder.requestsAgain();
  if (endMs === null || again === null) return { head, requests };
  const durationSeconds = Math.max(1, endMs / 1000 - order.plan.warmupSeconds);
  const profile = { ...head.profile, durationSeconds };
  const before = new RequestsSeen(profile, thinkTimeMs);
  for await (const request of again) {
    if (watched?.cutsOff !== true || !isCutOff(request)) before.add(request);
    // n8n has executed it all the same.
    else before.figures.requests += 1;
  }
  return { head: { ...head, profile }, requests: before };
}

/** A run that the user ends while n8n still works on what it had accepted has not come to its end. */
function abortedBy(load: LoadResult, drained: Drained, signal: AbortSignal): string | null {
  if (load.outcome !== 'finished' && load.outcome !== 'enough') return load.reason;
  return signal.aborted && drained.seconds === null ? messageOf(signal.reason) : null;
}

/** If executions are not counted, waits until n8n's metrics show no open work. */
const LOOK_EVERY_MS = 500;

interface SeenBacklog {
  /** After the load had ended, at the latest; null where work was left at the end of its time. */
  seconds: number | null;
  /** What was left. */
  open: number;
  source: string;
}

interface Order {
  endedAtMs: number;
  drainMs: number;
  nowMs?: () => number;
  pause?: () => Promise<unknown>;
}

/** Null where it never became known. */
export async function awaitBacklog(
  { source, lateMs, open }: BacklogWatch,
  { endedAtMs, drainMs, nowMs = steadyClock(), pause = () => sleep(LOOK_EVERY_MS) }: Order,
  progress: Progress,
  signal: AbortSignal,
): Promise<SeenBacklog | null> {
  // Figures that come late tell late that it was done in time.
  const giveUpMs = endedAtMs + drainMs + lateMs;
  let last: number | null = null;
  for (;;) {
    last = (await open().catch(() => null)) ?? last;
    if (last === 0) return { seconds: Math.max(0, nowMs() - endedAtMs) / 1000, open: 0, source };
    if (signal.aborted || nowMs() >= giveUpMs) {
      return last === null ? null : { seconds: null, open: last, source };
    }
    progress(
      last === null
        ? `waiting until the ${source} of n8n show what is left to do`
        : `waiting for n8n to finish ${counted(last, 'execution')}`,
    );
    await pause();
  }
}

/** How many callers waited when a process ended, where the requests can be looked at once more. */
async function withInFlight(
  events: readonly RunEvent[],
  folder: Pick<RunFolder, 'requestsAgain'>,
): Promise<RunEvent[]> {
  const ended = events.filter(({ kind }) => BREAKING_EVENTS.has(kind));
  const requests = ended.length === 0 ? null : folder.requestsAgain();
  if (requests === null) return [...events];
  const open = new InFlight(ended.map(({ tMs }) => tMs));
  for await (const request of requests) open.add(request);
  const counts = open.counts();
  const known = new Map(ended.map((event, index) => [event, counts[index] ?? 0]));
  return events.map((event) => {
    const inFlight = known.get(event);
    return inFlight === undefined ? event : { ...event, inFlight };
  });
}

/** Requests that had been sent and had no response yet, at each of a few times; each request is seen once. */
export class InFlight {
  /** The times in order, and at each place how many more are open than before it. */
  private readonly inOrderMs: readonly number[];
  private readonly change: number[];

  constructor(private readonly timesMs: readonly number[]) {
    this.inOrderMs = [...timesMs].sort((a, b) => a - b);
    this.change = this.inOrderMs.map(() => 0);
  }

  add({ tMs, durationMs }: Pick<RequestSample, 'tMs' | 'durationMs'>): void {
    const first = this.placeOf(tMs);
    const after = this.placeOf(tMs + durationMs);
    if (first === after) return;
    this.change[first] = (this.change[first] ?? 0) + 1;
    if (after < this.change.length) this.change[after] = (this.change[after] ?? 0) - 1;
  }

  /** In the order in which the times were given. */
  counts(): number[] {
    let open = 0;
    const at = new Map(
      this.inOrderMs.map((tMs, place) => [tMs, (open += this.change[place] ?? 0)]),
    );
    return this.timesMs.map((tMs) => at.get(tMs) ?? 0);
  }

  /** Index of the first time that is not before `tMs`. */
  private placeOf(tMs: number): number {
    let low = 0;
    let high = this.inOrderMs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.inOrderMs[middle] ?? Infinity) < tMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
