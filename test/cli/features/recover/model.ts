import {
  RUNNER_DIED,
  STALLED,
  type SeenExecution,
  type Stored,
  type StoredExecution,
} from '../../../../cli/src/analysis/n8n-execution';
import type { RecoveryDeps, Taking } from '../../../../cli/src/features/recover/pass';

/** An n8n for tests that knows what was really done, with a clock that only its user moves. */

/**
 * What becomes of one retry. `no response`: it succeeds, and its caller is not told; `not noted`: it runs to its end, and n8n
 * cannot store that it succeeded; `dies`: with its worker and main, so that n8n has it as running for good.
 */
export type Fate = 'success' | 'failure' | 'crash' | 'no response' | 'not noted' | 'slow' | 'dies';

export interface Work {
  /**
   * How it stands when the history begins. `at work`: n8n has it so, and nobody runs it; `resumed`: its wait is over,
   * n8n has it as running, and it gets its job within ENQUEUED_WITHIN_MS; `called crashed` and `called failed`: a worker runs it;
   * `lives` and `lives, called failed`: so it is, Redis has lost all its data, and the worker tells it within TOLD_WITHIN_MS;
   * `wakes`: its worker, which stood still, is back right before it is retried;
   * `not stored`: a worker has run it to its end, and says so, and n8n has stored that it was lost.
   */
  begins:
    | 'lost'
    | 'lost and emptied'
    | 'not noted'
    | 'stalled'
    | 'runner died'
    | 'failed'
    | 'at work'
    | 'queued'
    | 'called crashed'
    | 'called failed'
    | 'resumed'
    | 'lives'
    | 'lives, called failed'
    | 'wakes'
    | 'not stored'
    | 'waiting';
  mode: 'webhook' | 'trigger' | 'error' | 'integrated' | 'manual';
  /** The fates of its retries in turn; the last one repeats. */
  fates: readonly Fate[];
  ageMs: number;
  /** How long one that is resumed is without a job. */
  enqueuedInMs?: number;
  /** How long Redis has not heard of one that lives. */
  toldInMs?: number;
}

const OPEN = ['new', 'running', 'waiting'];

/** n8n is not slower than this in handing over what it has written as running. */
export const ENQUEUED_WITHIN_MS = 9_000;

/** A worker connects again, and tells Redis every 10 s what it runs. */
export const TOLD_WITHIN_MS = 25_000;

export class ModelN8n implements RecoveryDeps {
  clockMs = 1_000_000_000;
  private readonly beganMs = this.clockMs;
  readonly executions = new Map<string, SeenExecution>();
  /** Retries that were begun while another one of the same execution was at work. */
  overlaps = 0;
  /** Retries of executions that had a job, or were about to get one. */
  doubles = 0;
  /** How often it was asked for its queue. */
  looks = 0;
  private readonly data = new Map<string, Stored>();
  /** From when on an execution has a job. */
  private readonly jobs = new Map<string, number>();
  private readonly ends = new Map<string, number>();

  constructor(readonly works: readonly Work[]) {
    works.forEach((work, index) => {
      const id = String(index + 1);
      const { mode, ageMs } = work;
      const status = STATUS[work.begins];
      // What was resumed has stopped when its wait began.
      const hasStopped = !OPEN.includes(status) || work.begins === 'resumed';
      this.executions.set(id, {
        ...{ id, workflowId: 'w', status, mode, retryOf: null, retrySuccessId: null },
        startedAtMs: this.clockMs - ageMs,
        stoppedAtMs: hasStopped ? this.clockMs - ageMs : null,
      });
      if (HAS_JOB.has(work.begins)) this.jobs.set(id, this.clockMs);
      if (work.begins === 'resumed') this.jobs.set(id, this.clockMs + (work.enqueuedInMs ?? 0));
      if (LIVES.has(work.begins)) this.jobs.set(id, this.clockMs + (work.toldInMs ?? 0));
      this.data.set(id, {
        next: ['lost and emptied', 'not noted'].includes(work.begins) ? [] : ['Webhook'],
        waits: [],
        ran: work.begins === 'not noted' ? ['Webhook'] : [],
        ...errorOf(work.begins),
      });
    });
  }

  nowMs = (): number => this.clockMs;

  wait = (ms: number): Promise<void> => {
    this.clockMs += ms;
    return Promise.resolve();
  };

  queued = (): Promise<ReadonlySet<string>> => {
    this.settle();
    this.looks += 1;
    const found = [...this.jobs].filter(([, fromMs]) => fromMs <= this.clockMs);
    return Promise.resolve(new Set(found.map(([id]) => id)));
  };

  /** Jobs of others that wait, of which a worker ends one in each second. */
  backlog = 0;

  /** Whether the metrics of every worker say that it tells Redis what it runs. */
  isTold = true;

  isWorkTold = (): boolean => this.isTold;

  /** Until when an event loop of n8n lags. */
  lagsUntilMs = 0;

  lagSeconds = (): Promise<number> => Promise.resolve(this.clockMs < this.lagsUntilMs ? 0.9 : 0.02);

  readonly work = {
    waiting: (): Promise<number> =>
      Promise.resolve(Math.max(0, this.backlog - (this.clockMs - this.beganMs) / 1000)),
    done: (): Promise<ReadonlyMap<string, number>> =>
      Promise.resolve(new Map([...this.idsOf('not stored')].map((id) => [id, this.clockMs]))),
    take: (id: string): Promise<Taking> => {
      const hasTold = (this.jobs.get(id) ?? Infinity) <= this.clockMs;
      return Promise.resolve(hasTold || this.idsOf('wakes').has(id) ? 'alive' : 'taken');
    },
    answered: (id: string): Promise<void> => {
      this.answered.push(id);
      return Promise.resolve();
    },
    giveBack: (id: string): Promise<void> => {
      this.givenBack.push(id);
      return Promise.resolve();
    },
  };

  /** About whose retry n8n has answered, or will not. */
  readonly answered: string[] = [];

  /** Whose retry n8n has refused. */
  readonly givenBack: string[] = [];

  private idsOf(...begins: Work['begins'][]): Set<string> {
    const ids = this.works.map((_, index) => String(index + 1));
    return new Set(
      ids.filter((id) => begins.includes(this.works[Number(id) - 1]?.begins ?? 'lost')),
    );
  }

  /** How often the data of an execution was read. */
  reads = 0;

  stored = (id: string): Promise<Stored> => {
    this.reads += 1;
    return Promise.resolve(this.data.get(id) ?? 'no data');
  };

  private readonly kept = new Set<string>();

  readonly settled = {
    known: (): Promise<ReadonlySet<string>> => Promise.resolve(new Set(this.kept)),
    keep: (keys: readonly string[]): Promise<void> => {
      for (const key of keys) this.kept.add(key);
      return Promise.resolve();
    },
  };

  /** What n8n's API is asked for: all without those that succeeded. */
  executionsOf = (
    _workflowId: string,
    { sinceMs, afterId = 0 }: { sinceMs: number; afterId?: number },
  ): Promise<SeenExecution[]> => {
    this.settle();
    const found = [...this.executions.values()].filter(
      ({ id, status, startedAtMs }) =>
        status !== 'success' && (startedAtMs ?? 0) >= sinceMs && Number(id) > afterId,
    );
    return Promise.resolve(found.map((execution) => ({ ...execution })));
  };

  execution = (id: string): Promise<SeenExecution | null> => {
    this.settle();
    const found = this.executions.get(id);
    return Promise.resolve(found === undefined ? null : { ...found });
  };

  newestOf = (): Promise<number> => {
    const ended = [...this.executions.values()].filter(({ status }) => status !== 'running');
    return Promise.resolve(Number(ended.at(-1)?.id ?? 0));
  };

  retry = async (id: string): Promise<{ id: string; status: string }> => {
    // What else happens meanwhile is between the turns of the event loop.
    await Promise.resolve();
    this.settle();
    if (this.jobs.has(id)) this.doubles += 1;
    const before = this.retriesOf(id);
    if (before.some((retry) => OPEN.includes(retry.status) && this.jobs.has(retry.id))) {
      this.overlaps += 1;
    }
    const { fates } = this.works[Number(id) - 1] ?? { fates: [] };
    const fate = fates[Math.min(before.length, fates.length - 1)] ?? 'success';
    const retryId = String(this.executions.size + 1);
    const stored = this.data.get(id);
    const isEmpty = stored === undefined || typeof stored === 'string' || stored.next.length === 0;
    this.executions.set(retryId, {
      ...{ id: retryId, workflowId: 'w', status: 'running', mode: 'retry' },
      ...{ retryOf: id, retrySuccessId: null, startedAtMs: this.clockMs, stoppedAtMs: null },
    });
    if (isEmpty) this.emptyRuns += 1;
    this.data.set(retryId, {
      next: ['Webhook'],
      waits: [],
      ran: [],
      error: null,
      failedNode: null,
      runnerId: null,
    });
    if (fate !== 'dies') {
      this.jobs.set(retryId, this.clockMs);
      this.ends.set(retryId, this.clockMs + (fate === 'slow' ? SLOW_MS : 0));
    }
    this.fateOf.set(retryId, fate);
    this.settle();
    if (['no response', 'slow', 'dies'].includes(fate)) throw new Error('did not respond');
    return { id: retryId, status: this.executions.get(retryId)?.status ?? 'unknown' };
  };

  /** Retries that ran nothing, which n8n calls a success. */
  emptyRuns = 0;
  private readonly fateOf = new Map<string, Fate>();

  retriesOf = (id: string): SeenExecution[] =>
    [...this.executions.values()].filter(({ retryOf }) => retryOf === id);

  /** Work that came to its end, by its original execution and its retries. */
  done(id: string): number {
    return this.retriesOf(id).filter(
      (retry) => retry.status === 'success' || this.fateOf.get(retry.id) === 'not noted',
    ).length;
  }

  private settle(): void {
    for (const [id, endMs] of this.ends) {
      const execution = this.executions.get(id);
      if (endMs > this.clockMs || execution?.status !== 'running') continue;
      this.jobs.delete(id);
      const fate = this.fateOf.get(id);
      execution.status =
        fate !== undefined && ['failure', 'crash', 'not noted'].includes(fate)
          ? 'error'
          : 'success';
      execution.stoppedAtMs = endMs;
      const isOver = fate === 'not noted';
      this.data.set(id, {
        ...{ next: isOver ? [] : ['Webhook'], waits: [], ran: isOver ? ['Webhook'] : [] },
        ...(fate === 'failure' ? FAILED : CRASHED),
      });
      const original = this.executions.get(execution.retryOf ?? '');
      if (execution.status === 'success' && original !== undefined) original.retrySuccessId = id;
    }
  }
}

const CRASHED = { error: STALLED, failedNode: null, runnerId: null };
const FAILED = { error: 'a node has failed', failedNode: 'Work', runnerId: null };
const WITHOUT_RUNNER = { error: RUNNER_DIED, failedNode: 'Work', runnerId: 'a runner' };

const errorOf = (begins: Work['begins']): Omit<StoredExecution, 'next' | 'waits' | 'ran'> =>
  begins === 'failed' ? FAILED : begins === 'runner died' ? WITHOUT_RUNNER : CRASHED;

export const SLOW_MS = 600_000;

const HAS_JOB = new Set<Work['begins']>(['queued', 'called crashed', 'called failed']);
const LIVES = new Set<Work['begins']>(['lives', 'lives, called failed']);

const STATUS = {
  lost: 'crashed',
  'lost and emptied': 'error',
  'not noted': 'error',
  stalled: 'error',
  'runner died': 'error',
  failed: 'error',
  'at work': 'running',
  queued: 'running',
  'called crashed': 'crashed',
  'called failed': 'error',
  resumed: 'running',
  lives: 'running',
  'lives, called failed': 'error',
  wakes: 'error',
  'not stored': 'error',
  waiting: 'waiting',
} as const;
