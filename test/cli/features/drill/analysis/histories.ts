/** Random histories of requests, whose truth is known, and what each source would say of them. */
import fc from 'fast-check';
import type { Effect } from '../../../../../cli/src/analysis/effects';
import type { Sources } from '../../../../../cli/src/features/drill/analysis/ledger';
import type { TracedExecution } from '../../../../../cli/src/analysis/traced-execution';
import type { LedgerClass } from '../../../../../cli/src/features/drill/analysis/ledger-class';
import type { RequestSample } from '../../../../../cli/src/record/run-record';

export const RUN = '20261121-100000-side-effect-load-abcd';

/** What one stand-in for n8n does with a request. */
interface Behaviour {
  class: LedgerClass;
  heard: Partial<RequestSample>;
  executions: (Omit<TracedExecution, 'loadId'> & { isRetry?: true })[];
  begun: number;
  done: number;
}

const EXPECTED = { ok: true, status: 200, errorKind: '' };
const ERROR = { ok: false, status: 500, errorKind: 'status 500' };
/** The outcome of `{"message":"Workflow executed successfully but the last node did not return any data"}`. */
const NO_DATA = { ok: false, status: 200, errorKind: 'unexpected response' };
const NOTHING = { ok: false, status: 0, errorKind: 'timeout' };
const RESET = { ok: false, status: 0, errorKind: 'reset' };
const EDITOR_PAGE = { ok: false, status: 200, errorKind: 'editor page' };
const REFUSED = { ok: false, status: 0, errorKind: 'refused' };

const succeeded = { outcome: 'succeeded' } as const;
const retried = { outcome: 'succeeded', isRetry: true } as const;
const notKept = { outcome: 'not kept' } as const;
const failed = { outcome: 'failed' } as const;
const nodeFailed = { outcome: 'failed', hasFailedNode: true } as const;
const failedAgain = { ...nodeFailed, isRetry: true } as const;
const unfinished = { outcome: 'unfinished' } as const;
const crashed = { outcome: 'failed', hasCrashed: true } as const;

/** Behaviours of a workload that responds when its work is done. */
export const BEHAVIOURS: Record<string, Behaviour> = {
  works: { class: 'once', heard: EXPECTED, executions: [succeeded], begun: 1, done: 1 },
  'works, result not kept': {
    ...{ class: 'once', heard: EXPECTED, executions: [notKept], begun: 1, done: 1 },
  },
  'executes without answering': {
    ...{ class: 'no-response', heard: NOTHING, executions: [succeeded], begun: 1, done: 1 },
  },
  'executes and resets': {
    ...{ class: 'no-response', heard: RESET, executions: [succeeded], begun: 1, done: 1 },
  },
  'answers without executing': {
    ...{ class: 'not-executed', heard: EXPECTED, executions: [], begun: 0, done: 0 },
  },
  'answers what failed': {
    ...{ class: 'not-executed', heard: EXPECTED, executions: [nodeFailed], begun: 1, done: 0 },
  },
  'answers what was ended': {
    ...{ class: 'not-executed', heard: EXPECTED, executions: [failed], begun: 1, done: 0 },
  },
  'loses a job as its worker ends, and calls it a success': {
    ...{ class: 'not-executed', heard: NO_DATA, executions: [unfinished], begun: 0, done: 0 },
  },
  'loses a job at work as its worker ends, and calls it a success': {
    ...{ class: 'not-executed', heard: NO_DATA, executions: [unfinished], begun: 1, done: 0 },
  },
  'calls a success what it has no execution of': {
    ...{ class: 'not-executed', heard: NO_DATA, executions: [], begun: 0, done: 0 },
  },
  'works, and answers without its data': {
    ...{ class: 'error-but-done', heard: NO_DATA, executions: [succeeded], begun: 1, done: 1 },
  },
  'crashes at work': { class: 'lost', heard: ERROR, executions: [crashed], begun: 1, done: 0 },
  'crashes before work': {
    ...{ class: 'lost', heard: NOTHING, executions: [crashed], begun: 0, done: 0 },
  },
  'fails at work': { class: 'failed', heard: ERROR, executions: [nodeFailed], begun: 1, done: 0 },
  'fails at work without answering': {
    ...{ class: 'failed', heard: NOTHING, executions: [nodeFailed], begun: 1, done: 0 },
  },
  'fails with an error that is of no node': {
    ...{ class: 'lost', heard: ERROR, executions: [failed], begun: 1, done: 0 },
  },
  'crashes at work, and fails when it is run again': {
    ...{ class: 'failed', heard: ERROR, executions: [crashed, failedAgain], begun: 2, done: 0 },
  },
  'fails after its work was done': {
    ...{ class: 'error-but-done', heard: ERROR, executions: [nodeFailed], begun: 1, done: 1 },
  },
  duplicates: {
    ...{ class: 'repeated', heard: EXPECTED, executions: [succeeded, succeeded] },
    ...{ begun: 2, done: 2 },
  },
  'begins again after a crash': {
    ...{ class: 'repeated', heard: ERROR, executions: [crashed, retried], begun: 2, done: 1 },
  },
  'crashes before work, and is run again': {
    ...{ class: 'error-but-done', heard: ERROR, executions: [crashed, retried], begun: 1, done: 1 },
  },
  'crashes before work, and is run again for a caller that is gone': {
    ...{ class: 'no-response', heard: NOTHING, executions: [crashed, retried], begun: 1, done: 1 },
  },
  'answers an error and works': {
    ...{ class: 'error-but-done', heard: ERROR, executions: [succeeded], begun: 1, done: 1 },
  },
  refuses: { class: 'refused', heard: REFUSED, executions: [], begun: 0, done: 0 },
  'answers an error alone': {
    ...{ class: 'refused', heard: ERROR, executions: [], begun: 0, done: 0 },
  },
  'shows its editor, as for a path that it does not know': {
    ...{ class: 'refused', heard: EDITOR_PAGE, executions: [], begun: 0, done: 0 },
  },
  'begins again after a crash, and crashes again': {
    ...{ class: 'lost', heard: ERROR, executions: [crashed, crashed], begun: 2, done: 0 },
  },
  'is silent': { class: 'refused', heard: NOTHING, executions: [], begun: 0, done: 0 },
  'calls its success a crash': {
    ...{ class: 'done-marked-crashed', heard: ERROR, executions: [crashed], begun: 1, done: 1 },
  },
  'does not end': { class: 'running', heard: NOTHING, executions: [unfinished], begun: 1, done: 0 },
};

export const fates = (max = 120): fc.Arbitrary<string[]> =>
  fc.array(fc.constantFrom(...Object.keys(BEHAVIOURS)), { maxLength: max });

/** The sources after each request met the behaviour of that name. */
export function sourcesOf(names: readonly string[]): Sources {
  const requests: RequestSample[] = [];
  const executions: TracedExecution[] = [];
  const effects: Effect[] = [];
  names.forEach((name, index) => {
    const { heard, executions: own, begun, done } = behaviour(name);
    const id = `${RUN}-0-${String(index)}`;
    requests.push({
      ...{ tMs: index * 300, durationMs: 5_000, status: 0, ok: false, errorKind: '', id },
      ...{ workload: 'side-effect', ranBy: '', ...heard },
    });
    executions.push(
      ...own.map(({ isRetry, ...execution }) => ({
        ...(isRetry === true ? { loadId: null, retryFor: id } : { loadId: id }),
        ...execution,
      })),
    );
    const called = (step: Effect['step'], times: number): void => {
      for (let time = 0; time < times; time += 1) effects.push({ id, step });
    };
    called('begun', begun);
    called('done', done);
  });
  return {
    ...{ runId: RUN, requests, effects, answers: 'when-done' },
    executions: { source: 'database', made: executions.length, executions },
  };
}

export function behaviour(name: string): Behaviour {
  const found = BEHAVIOURS[name];
  if (found === undefined) throw new Error(`there is no behaviour ${name}`);
  return found;
}
