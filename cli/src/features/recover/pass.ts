/** One pass of recovery: look, decide, and retry what was decided, each looked at anew right before. */
import {
  decide,
  settledKey,
  tooLargeKey,
  FOUND_NO_BINARY,
  isSettled,
  mayHaveLostItsJob,
  withRetries,
  type RecoveryDecision,
  type RecoveryRules,
  type RecoveryView,
} from './analysis/decide';
import {
  isBinaryGone,
  isCrash,
  isRead,
  ranToItsEnd,
  type SeenExecution,
  type Stored,
} from '../../analysis/n8n-execution';
import { messageOf } from '../../ui/errors';
import type { Since, TaggedWorkflow } from './n8n';
import { refusalOf, type KeptStalled, type Saves } from './saves';

/** What a pass needs of the world. */
export interface RecoveryDeps {
  nowMs(): number;
  executionsOf(workflowId: string, since: Since): Promise<SeenExecution[]>;
  /** What n8n has of one now; null: it is gone. */
  execution(executionId: string): Promise<SeenExecution | null>;
  /** Id of the newest execution of a workflow, or of an older one if that is at work; 0: it has none. */
  newestOf(workflowId: string): Promise<number>;
  stored(executionId: string): Promise<Stored>;
  retry(executionId: string): Promise<{ id: string; status: string }>;
  /** Executions with a job, asked anew; null: the queue is not known. */
  readonly queued: (() => Promise<ReadonlySet<string>>) | null;
  /** What workers tell of their work; null: the queue is not known. */
  readonly work: {
    /** When executions had run to their end whose success is not stored yet, or never, by their ids. */
    done(): Promise<ReadonlyMap<string, number>>;
    /** Jobs that wait for a worker. */
    waiting(): Promise<number>;
    /** From now on no worker runs another node of it, and for a while no other recovery takes it. */
    take(executionId: string): Promise<Taking>;
    /** n8n has answered about its retry: it is there, or there is none. */
    answered(executionId: string): Promise<void>;
    /** There is no retry after all. */
    giveBack(executionId: string): Promise<void>;
  } | null;
  /** What passes keep for later ones, so that no pass reads anew what is settled; null: nothing is kept. */
  readonly settled: {
    known(): Promise<ReadonlySet<string>>;
    keep(keys: readonly string[]): Promise<void>;
  } | null;
  /** Whether every worker tells Redis what it runs, by what the processes showed last. */
  isWorkTold(): boolean;
  /** p99 of the lag of the event loops of n8n, the longest of them, in seconds; null: no process shows it. */
  lagSeconds(): Promise<number | null>;
  /** Returns early where the pass is to end. */
  wait(ms: number): Promise<void>;
}

/** `alive`: a worker runs it; `taken elsewhere`: another recovery took it moments ago, and its retry may begin yet. */
export type Taking = 'taken' | 'alive' | 'taken elsewhere';

export interface PassOrder {
  workflows: readonly TaggedWorkflow[];
  rules: RecoveryRules;
  /** By n8n's own settings. */
  saves: Saves;
  /** Executions that began before are left alone. */
  sinceMs: number;
  /** False: it only says what it would do. */
  retries: boolean;
  /** Retries at a time. */
  atOnce: number;
  /** The number of lost retries, one after the other, that ends the pass. */
  stopAfterLost: number;
}

export const OUTCOMES = [
  /** Ran to its end. */
  'recovered',
  /** Ran, and failed by itself. */
  'failed',
  /** Its worker died too. */
  'lost again',
  /** n8n has not answered, or the retry goes on: the next pass sees what became of it. */
  'not known',
  /** What the look right before it said: somebody else has seen to it, or it is no longer to be retried. */
  'no longer due',
  'refused',
] as const;
export type RetryOutcome = (typeof OUTCOMES)[number];

export interface RetryAttempt {
  executionId: string;
  workflow: string;
  attempt: number;
  /** Nodes it began with. */
  from: readonly string[];
  outcome: RetryOutcome;
  retryId: string | null;
  text: string;
  /** It takes longer than it was waited for, and is not lost by that. */
  isUnderWay?: true;
}

export interface LeftAlone {
  executionId: string;
  workflow: string;
  reason: string;
  isFinal: boolean;
}

export interface PassReport {
  /** Lost executions that are due for a retry. */
  due: { executionId: string; workflow: string; attempt: number; from: readonly string[] }[];
  attempts: RetryAttempt[];
  left: LeftAlone[];
  /** Not lost: n8n resumes them. */
  waiting: { executionId: string; workflow: string }[];
  /** Workflows that are not retried at all. */
  refused: { workflow: string; reason: string }[];
  /** Why the pass ended early; null: it did not. */
  stopped: string | null;
  /** Queue mode: whether n8n keeps what it had stored of executions whose worker died. Null: there is no queue. */
  keptStalled: KeptStalled | null;
}

export type Tell = (text: string) => void;

/**
 * With a queue, what is lost is looked at twice, so long apart, before it is retried. A worker tells Redis every 10 s what it
 * runs, and for 30 s nobody takes it for dead (running-work.cjs): so long Redis may not know what lives, as after a loss of its
 * data. And what n8n resumes after a wait is `running` before it has a job again.
 */
export const SETTLE_MS = 40_000;

/** While more jobs wait for a worker, no retry begins: new requests come first. */
const MAX_WAITING = 100;
const LOOK_AGAIN_MS = 5000;
/** Then the pass ends, and the next one looks anew at what is lost. */
const MAX_ROOM_MS = 600_000;
/** An event loop that lags more answers callers late, and a retry makes it later still. */
const MAX_LAG_SECONDS = 0.5;

/** A look failed, so the pass could not go on. The retries that were under way have ended. */
export class BrokenPass extends Error {
  constructor(
    readonly report: PassReport,
    cause: unknown,
  ) {
    super(messageOf(cause), { cause });
  }
}

/** @throws BrokenPass once retries have begun; before that, whatever a look has thrown. */
export async function pass(
  deps: RecoveryDeps,
  order: PassOrder,
  tell: Tell,
  signal: AbortSignal,
): Promise<PassReport> {
  const report: PassReport = {
    due: [],
    attempts: [],
    left: [],
    waiting: [],
    refused: [],
    stopped: null,
    keptStalled: null,
  };
  const due: Due[] = [];
  // A Redis user may not be allowed to keep it: that costs reads, and nothing else.
  const notKept = (error: unknown): null => {
    tell(
      `the list of settled executions could not be stored, so each pass reads these executions again: ${messageOf(error)}`,
    );
    return null;
  };
  const settled = (await deps.settled?.known().catch(notKept)) ?? new Set<string>();
  const newlySettled: string[] = [];
  for (const workflow of order.workflows) {
    const reason = refusalOf(workflow, order.saves, deps.queued !== null);
    if (reason !== null) {
      report.refused.push({ workflow: workflow.name, reason });
      tell(`workflow ${workflow.name}: not retried: ${reason}`);
      continue;
    }
    const waiting: string[] = [];
    const seen = new SeenOf(deps, workflow.id);
    const settling = { settled, settles: newlySettled };
    for (const decision of await firstLook(deps, seen, order, settling)) {
      const { id: executionId } = decision.execution;
      if (decision.kind === 'retry') due.push({ workflow, seen, decision, seenAtMs: deps.nowMs() });
      if (decision.kind === 'waiting') waiting.push(executionId);
      if (isSettled(decision)) {
        newlySettled.push(settledKey(decision.execution));
      }
      if (decision.kind === 'fine' && decision.why === 'done') {
        tell(`${nameOf({ executionId, workflow: workflow.name })}: not lost: ${DONE}`);
      }
      if (decision.kind !== 'leave') continue;
      const { isFinal } = decision;
      report.left.push({ executionId, workflow: workflow.name, reason: decision.reason, isFinal });
      tell(`${nameOf({ executionId, workflow: workflow.name })}: left alone: ${decision.reason}`);
    }
    report.waiting.push(
      ...waiting.map((executionId) => ({ executionId, workflow: workflow.name })),
    );
    tellWaiting(workflow.name, waiting, tell);
  }
  // A pass that only lists changes nothing.
  if (order.retries) {
    const fresh = newlySettled.filter((key) => !settled.has(key));
    await deps.settled?.keep(fresh).catch(notKept);
  }
  due.sort(
    (a, b) => (a.decision.execution.startedAtMs ?? 0) - (b.decision.execution.startedAtMs ?? 0),
  );
  report.due = due.map(({ workflow, decision }) => ({
    ...{ executionId: decision.execution.id, workflow: workflow.name },
    ...{ attempt: decision.attempt, from: decision.next },
  }));
  if (!order.retries) {
    for (const { executionId, workflow, attempt, from } of report.due) {
      tell(
        `execution ${executionId} of ${workflow}: would be retried from ${from.join(', ')} (attempt ${String(attempt)})`,
      );
    }
    return report;
  }

  let lostInARow = 0;
  const problems: unknown[] = [];
  const hasStopped = (): boolean => {
    if (signal.aborted) report.stopped ??= messageOf(signal.reason);
    return report.stopped !== null;
  };
  const worker = async (): Promise<void> => {
    while (!hasStopped()) {
      if (due.length === 0) return;
      report.stopped ??= await room(deps, tell, hasStopped);
      if (hasStopped()) return;
      const next = due.shift();
      if (next === undefined) return;
      const attempt = await attemptOf(deps, next, order, tell, hasStopped).catch(
        (cause: unknown) => {
          if (!hasStopped()) {
            problems.push(cause);
            report.stopped = messageOf(cause);
          }
          return null;
        },
      );
      if (attempt === null) {
        due.unshift(next);
        return;
      }
      report.attempts.push(attempt);
      tell(
        `${nameOf(attempt)}: attempt ${String(attempt.attempt)} from ${attempt.from.join(', ')}: ${attempt.outcome}${attempt.text === '' ? '' : `: ${attempt.text}`}`,
      );
      if (hasStopped()) return;
      if (attempt.outcome === 'recovered') lostInARow = 0;
      // What was not answered may have taken n8n down as well.
      const mayBeLost = attempt.outcome === 'not known' && attempt.isUnderWay !== true;
      if (attempt.outcome === 'lost again' || mayBeLost) lostInARow += 1;
      if (lostInARow >= order.stopAfterLost) {
        const lost =
          lostInARow === 1 ? 'a retry was' : `${String(lostInARow)} consecutive retries were`;
        report.stopped ??= `${lost} lost: the retried executions may be what kills the workers`;
      }
    }
  };
  await Promise.all(Array.from({ length: order.atOnce }, worker));
  for (const { workflow, decision } of due) {
    tell(
      `${nameOf({ executionId: decision.execution.id, workflow: workflow.name })}: left for the next pass, because this pass has stopped`,
    );
  }
  if (report.stopped !== null) tell(`stopped: ${report.stopped}`);
  if (problems.length > 0) throw new BrokenPass(report, problems[0]);
  return report;
}

/** Waits until the workers and the event loops have caught up, or the pass ends. Returns why it is to end. */
async function room(
  deps: RecoveryDeps,
  tell: Tell,
  hasStopped: () => boolean,
): Promise<string | null> {
  const told = new Set<string>();
  const untilMs = deps.nowMs() + MAX_ROOM_MS;
  for (;;) {
    const why = await whyNoRoom(deps);
    if (why === null || hasStopped()) return null;
    if (deps.nowMs() >= untilMs)
      return `no retry could start within ${String(MAX_ROOM_MS / 60_000)} minutes, because ${why}`;
    if (!told.has(why)) tell(why);
    told.add(why);
    await deps.wait(LOOK_AGAIN_MS);
  }
}

async function whyNoRoom({ work, lagSeconds }: RecoveryDeps): Promise<string | null> {
  // If Redis cannot be asked, the look right before the retry says so.
  if (((await work?.waiting().catch(() => 0)) ?? 0) > MAX_WAITING) {
    return `more than ${String(MAX_WAITING)} jobs are waiting for a worker: retries wait until there are fewer`;
  }
  if (((await lagSeconds()) ?? 0) > MAX_LAG_SECONDS) {
    return `the event loop of n8n lags more than ${String(MAX_LAG_SECONDS)} s (p99): retries wait until the lag is shorter`;
  }
  return null;
}

type DueDecision = Extract<RecoveryDecision, { kind: 'retry' }>;

interface Due {
  workflow: TaggedWorkflow;
  seen: SeenOf;
  decision: DueDecision;
  seenAtMs: number;
}

const DONE = 'it finished, but n8n could not store its success';

const nameOf = ({ executionId, workflow }: { executionId: string; workflow: string }): string =>
  `execution ${executionId} of ${workflow}`;

/** Many may wait, for long, and in every pass. */
const NAMED = 20;

function tellWaiting(workflow: string, ids: readonly string[], tell: Tell): void {
  for (const id of ids.slice(0, NAMED)) {
    tell(`execution ${id} of ${workflow}: not retried: it is waiting, and n8n will resume it`);
  }
  if (ids.length > NAMED) {
    tell(`workflow ${workflow}: ${String(ids.length - NAMED)} more executions are waiting`);
  }
}

/** What the pass has seen of a workflow. Only the first look lists all of it. */
class SeenOf {
  private readonly byId = new Map<string, SeenExecution>();
  private newest = 0;
  /** All with ids up to it have been listed, without those that had succeeded by then. */
  private listedTo = 0;

  constructor(
    private readonly deps: Pick<RecoveryDeps, 'executionsOf' | 'execution' | 'newestOf'>,
    private readonly workflowId: string,
  ) {}

  get executions(): SeenExecution[] {
    return [...this.byId.values()];
  }

  async list(sinceMs: number): Promise<void> {
    this.listedTo = await this.deps.newestOf(this.workflowId);
    this.add(await this.deps.executionsOf(this.workflowId, { sinceMs }));
  }

  async readAgain(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const now = await this.deps.execution(id);
      if (now === null) this.byId.delete(id);
      else this.add([now]);
    }
  }

  /** An execution with all that may be a retry of it, each of which was made after it, as they are now. */
  async family(id: string): Promise<SeenExecution[]> {
    // What has been seen by now existed before this list begins.
    const listsTo = this.newest;
    const more = { sinceMs: 0, afterId: this.listedTo };
    this.add(await this.deps.executionsOf(this.workflowId, more));
    this.listedTo = Math.max(this.listedTo, listsTo);
    // A retry that has succeeded meanwhile is in no list, and is known from its original, so that one is read later.
    await this.readAgain(withRetries(id, this.executions).map((one) => one.id));
    return withRetries(id, this.executions);
  }

  private add(executions: readonly SeenExecution[]): void {
    for (const execution of executions) {
      this.byId.set(execution.id, execution);
      this.newest = Math.max(this.newest, Number(execution.id));
    }
  }
}

async function firstLook(
  deps: RecoveryDeps,
  seen: SeenOf,
  { rules, sinceMs }: PassOrder,
  settling: Settling,
): Promise<RecoveryDecision[]> {
  await seen.list(sinceMs);
  // Who is too young for the queue to matter now must not age until they are decided on.
  const nowMs = deps.nowMs();
  let queued: ReadonlySet<string> | null = deps.queued === null ? null : new Set<string>();
  const open = seen.executions.filter((one) => mayHaveLostItsJob(one, nowMs, rules));
  if (deps.queued !== null && open.length > 0) {
    const found = await deps.queued();
    queued = found;
    // What still runs after that and has no job has lost it, or never had one.
    await seen.readAgain(open.map(({ id }) => id).filter((id) => !found.has(id)));
  }
  return decisionsOf(deps, rules, { nowMs, executions: seen.executions, queued }, settling);
}

/** Right before a retry: n8n may call crashed what a worker still runs, so the queue is asked in any case, and first. */
async function lookAgain(
  deps: RecoveryDeps,
  seen: SeenOf,
  { rules }: PassOrder,
  id: string,
): Promise<RecoveryDecision | undefined> {
  const queued = (await deps.queued?.()) ?? null;
  const nowMs = deps.nowMs();
  const executions = await seen.family(id);
  const decisions = await decisionsOf(
    ...[deps, rules, { nowMs, executions, queued }, { settled: new Set<string>(), settles: [] }],
  );
  return decisions.find((decision) => decision.execution.id === id);
}

const NOT_TAKEN = {
  alive: 'its worker is back, and is running the execution',
  'taken elsewhere': 'another recovery took it less than a minute ago',
};
/** Much less than another recovery waits before it takes what this one took (queue.ts). */
const BEGINS_WITHIN_MS = 10_000;
const STOOD_STILL = 'recovery stood still just before the retry';

interface Settling {
  settled: ReadonlySet<string>;
  settles: string[];
}

async function decisionsOf(
  deps: RecoveryDeps,
  rules: RecoveryRules,
  looked: Pick<RecoveryView, 'nowMs' | 'executions' | 'queued'>,
  { settled, settles }: Settling,
): Promise<RecoveryDecision[]> {
  const done = (await deps.work?.done()) ?? new Map<string, number>();
  const stored = new Map<string, Stored>();
  for (;;) {
    const isWorkTold = deps.isWorkTold();
    const decisions = decide({ ...looked, stored, settled, done, isWorkTold }, rules);
    const toLook = decisions.filter(({ kind }) => kind === 'look');
    if (toLook.length === 0) return decisions;
    for (const { execution } of toLook) {
      const isLarge = settled.has(tooLargeKey(execution));
      const found = isLarge ? 'too large' : await deps.stored(execution.id);
      if (found === 'too large') settles.push(tooLargeKey(execution));
      stored.set(execution.id, found);
    }
  }
}

/** A retry that has not ended, although nobody waits for it any longer; null: none is known to live. */
async function livingRetry(
  deps: RecoveryDeps,
  seen: SeenOf,
  id: string,
): Promise<SeenExecution | null> {
  const queued = (await deps.queued?.()) ?? null;
  const family = await seen.family(id);
  const lives = (retry: SeenExecution): boolean =>
    retry.status === 'waiting' || (queued?.has(retry.id) ?? retry.status === 'running');
  return family.find((one) => one.id !== id && lives(one)) ?? null;
}

/** Null: the pass has stopped before it was retried. What it throws, a look has thrown, and nothing was retried either. */
async function attemptOf(
  deps: RecoveryDeps,
  { workflow, seen, decision: { execution, attempt, next }, seenAtMs }: Due,
  order: PassOrder,
  tell: Tell,
  hasStopped: () => boolean,
): Promise<RetryAttempt | null> {
  const of = (outcome: RetryOutcome, text = '', retryId: string | null = null): RetryAttempt => ({
    ...{ executionId: execution.id, workflow: workflow.name, attempt, from: next },
    ...{ outcome, retryId, text },
  });
  const unknown = async (text: string, id: string | null = null): Promise<RetryAttempt> => {
    const living = await livingRetry(deps, seen, execution.id).catch(() => null);
    if (living === null) return of('not known', text, id);
    const goesOn = `${text}, and retry ${living.id} has not ended`;
    return { ...of('not known', goesOn, living.id), isUnderWay: true };
  };
  const settlesInMs = seenAtMs + SETTLE_MS - deps.nowMs();
  if (deps.work !== null && settlesInMs > 0) await deps.wait(settlesInMs);
  if (hasStopped()) return null;
  const now = await lookAgain(deps, seen, order, execution.id);
  if (now?.kind !== 'retry' || now.attempt !== attempt) {
    return of('no longer due', now?.kind === 'leave' ? now.reason : '');
  }
  // The look may have taken longer than the lead was held.
  if (hasStopped()) return null;
  const takesFromMs = deps.nowMs();
  const taking = (await deps.work?.take(execution.id)) ?? 'taken';
  if (taking !== 'taken') return of('no longer due', NOT_TAKEN[taking]);
  // Another recovery may lead by now, and takes it once this one has been silent for long enough.
  if (deps.nowMs() - takesFromMs > BEGINS_WITHIN_MS) return of('no longer due', STOOD_STILL);
  tell(
    `${nameOf({ executionId: execution.id, workflow: workflow.name })}: attempt ${String(attempt)} starts at ${next.join(', ')}`,
  );
  let retried: { id: string; status: string };
  const answered = (): Promise<void> | undefined =>
    deps.work?.answered(execution.id).catch(() => undefined);
  try {
    retried = await deps.retry(execution.id);
    await answered();
  } catch (error) {
    await answered();
    const text = messageOf(error);
    if (!/ status 4\d\d/.test(text)) return unknown(text);
    // If this fails, the next pass takes it again.
    await deps.work?.giveBack(execution.id).catch(() => undefined);
    return of('refused', text);
  }
  const { id, status } = retried;
  if (status === 'success') return of('recovered', `by execution ${id}`, id);
  if (status === 'waiting' || status === 'running') return unknown(`it is ${status}`, id);
  const stored = await deps.stored(id).catch((): Stored => 'no data');
  const error = isRead(stored) ? stored.error : null;
  if (status === 'crashed' || isCrash(stored)) {
    return ranToItsEnd(stored)
      ? of('recovered', `by execution ${id}`, id)
      : of('lost again', error ?? '', id);
  }
  // n8n answers before it has stored of what a retry failed.
  if (error === null) return of('not known', `it is ${status}`, id);
  return of('failed', isBinaryGone(error) ? `${error}: it ${FOUND_NO_BINARY}` : error, id);
}

/** Whether anything that is lost has not been brought back. */
export const isAnythingLost = (report: PassReport): boolean =>
  stillLost(report) > 0 || report.refused.length > 0;

/** Lost executions that the pass has not brought back; those of refused workflows are not known. */
export const stillLost = ({ due, attempts, left }: PassReport): number =>
  due.length - attempts.filter(isOver).length + left.length;

const isOver = ({ outcome }: RetryAttempt): boolean =>
  outcome === 'recovered' || outcome === 'failed';

export function countsOf(attempts: readonly RetryAttempt[]): Record<RetryOutcome, number> {
  const count = (outcome: RetryOutcome): number =>
    attempts.filter((attempt) => attempt.outcome === outcome).length;
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count(outcome)])) as Record<
    RetryOutcome,
    number
  >;
}

export function summaryOf(
  { due, attempts, left, waiting, keptStalled }: PassReport,
  isRetry: boolean,
): string {
  const counts = countsOf(attempts);
  const others = OUTCOMES.filter((outcome) => outcome !== 'recovered' && counts[outcome] > 0).map(
    (outcome) => `, ${String(counts[outcome])} ${outcome}`,
  );
  const done = isRetry
    ? `${String(counts.recovered)} recovered${others.join('')}`
    : 'nothing was retried';
  const promise =
    keptStalled === null || keptStalled.state === 'in force'
      ? ''
      : `; ${keptStalled.state === 'not known' ? 'it is unknown whether keep-stalled is in force' : 'keep-stalled is not in force'}, so executions of dead workers may stay lost`;
  const waits = waiting.length === 0 ? '' : `, ${String(waiting.length)} waiting`;
  return `${String(due.length)} lost and due for a retry, ${String(left.length)} left alone${waits}; ${done}${promise}`;
}
