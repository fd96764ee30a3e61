import type { SeenExecution, Stored } from '../../../capacity/src/analysis/recovery/execution';
import type { RecoveryHands } from '../../../capacity/src/recover/pass';

/** An n8n for tests that knows what was really done, with a clock that only its user moves. */

/** What becomes of one retry. `unheard`: it succeeds, and its caller is not told. */
export type Fate = 'success' | 'failure' | 'crash' | 'unheard' | 'slow';

export interface Work {
  /** How it stands when the history begins. */
  begins: 'lost' | 'lost and emptied' | 'stalled' | 'failed' | 'at work' | 'queued' | 'waiting';
  mode: 'webhook' | 'trigger' | 'integrated' | 'manual';
  /** Of its retries in turn; the last one repeats. */
  fates: readonly Fate[];
  ageMs: number;
}

const CRASHED = 'This execution failed to be processed too many times and will no longer retry.';
const BUSY = ['new', 'running', 'waiting'];

export class ModelN8n implements RecoveryHands {
  clockMs = 1_000_000_000;
  readonly executions = new Map<string, SeenExecution>();
  /** Retries that were begun while another one of the same execution was at work. */
  overlaps = 0;
  private readonly data = new Map<string, Stored>();
  private readonly jobs = new Set<string>();
  private readonly ends = new Map<string, number>();

  constructor(readonly works: readonly Work[]) {
    works.forEach((work, index) => {
      const id = String(index + 1);
      const { mode, ageMs } = work;
      const status = STATUS[work.begins];
      const isOpen = BUSY.includes(status);
      this.executions.set(id, {
        ...{ id, workflowId: 'w', status, mode, retryOf: null, retrySuccessId: null },
        startedAtMs: this.clockMs - ageMs,
        stoppedAtMs: isOpen ? null : this.clockMs - ageMs,
      });
      if (work.begins === 'queued') this.jobs.add(id);
      this.data.set(id, {
        next: work.begins === 'lost and emptied' ? [] : ['Webhook'],
        ran: [],
        error: work.begins === 'failed' ? 'a node has failed' : CRASHED,
      });
    });
  }

  nowMs = (): number => this.clockMs;
  queued = (): Promise<ReadonlySet<string>> => Promise.resolve(new Set(this.jobs));
  stored = (id: string): Promise<Stored> => Promise.resolve(this.data.get(id) ?? 'no data');

  /** As n8n's API is asked: without those that succeeded. */
  executionsOf = (
    _workflowId: string,
    { sinceMs, sinceId = '0' }: { sinceMs: number; sinceId?: string },
  ): Promise<SeenExecution[]> => {
    this.settle();
    return Promise.resolve(
      [...this.executions.values()].filter(
        ({ id, status, startedAtMs }) =>
          status !== 'success' && (startedAtMs ?? 0) >= sinceMs && Number(id) >= Number(sinceId),
      ),
    );
  };

  retry = async (id: string): Promise<{ id: string; status: string }> => {
    // What else happens meanwhile is between the turns of the event loop.
    await Promise.resolve();
    this.settle();
    const before = this.retriesOf(id);
    if (before.some(({ status }) => BUSY.includes(status))) this.overlaps += 1;
    const { fates } = this.works[Number(id) - 1] ?? { fates: [] };
    const fate = fates[Math.min(before.length, fates.length - 1)] ?? 'success';
    const retryId = String(this.executions.size + 1);
    const stored = this.data.get(id);
    const isEmpty = stored === undefined || stored === 'no data' || stored.next.length === 0;
    this.executions.set(retryId, {
      ...{ id: retryId, workflowId: 'w', status: 'running', mode: 'retry' },
      ...{ retryOf: id, retrySuccessId: null, startedAtMs: this.clockMs, stoppedAtMs: null },
    });
    if (isEmpty) this.emptyRuns += 1;
    this.ends.set(retryId, this.clockMs + (fate === 'slow' ? SLOW_MS : 0));
    this.fateOf.set(retryId, fate);
    this.settle();
    if (fate === 'unheard' || fate === 'slow') throw new Error('did not respond');
    return { id: retryId, status: this.executions.get(retryId)?.status ?? 'unknown' };
  };

  /** Retries that ran nothing, which n8n calls a success. */
  emptyRuns = 0;
  private readonly fateOf = new Map<string, Fate>();

  retriesOf = (id: string): SeenExecution[] =>
    [...this.executions.values()].filter(({ retryOf }) => retryOf === id);

  /** Work that came to its end, by its original execution and its retries. */
  done(id: string): number {
    return this.retriesOf(id).filter(({ status }) => status === 'success').length;
  }

  private settle(): void {
    for (const [id, endMs] of this.ends) {
      const execution = this.executions.get(id);
      if (endMs > this.clockMs || execution?.status !== 'running') continue;
      const fate = this.fateOf.get(id);
      execution.status = fate === 'failure' || fate === 'crash' ? 'error' : 'success';
      execution.stoppedAtMs = endMs;
      const error = fate === 'crash' ? CRASHED : 'a node has failed';
      this.data.set(id, { next: ['Webhook'], ran: [], error });
      const original = this.executions.get(execution.retryOf ?? '');
      if (execution.status === 'success' && original !== undefined) original.retrySuccessId = id;
    }
  }
}

export const SLOW_MS = 600_000;

const STATUS = {
  lost: 'crashed',
  'lost and emptied': 'error',
  stalled: 'error',
  failed: 'error',
  'at work': 'running',
  queued: 'running',
  waiting: 'waiting',
} as const;
