/** The classes of requests in a drill; ledger.ts puts each request into exactly one. */
export const LEDGER_CLASSES = [
  'once',
  'no-response',
  'not-executed',
  'lost',
  'failed',
  'repeated',
  'error-but-done',
  'refused',
  'unknown',
  'done-marked-crashed',
  'running',
] as const;

export type LedgerClass = (typeof LEDGER_CLASSES)[number];

export interface LedgerClassWords {
  title: string;
  /** What the sources said of such a request. */
  meaning: string;
}

export const LEDGER_WORDS: Record<LedgerClass, LedgerClassWords> = {
  once: {
    title: 'answered and executed once',
    meaning: 'The caller got the expected response, and the work was done once.',
  },
  'no-response': {
    title: 'executed, no response',
    meaning: 'The work was done once, and the caller got no response.',
  },
  'not-executed': {
    title: 'answered, not executed',
    meaning:
      'The caller was told of success, by the expected response or by another one with a status of success, and the work was not done.',
  },
  lost: {
    title: 'accepted and lost',
    meaning:
      'n8n had an execution of it, or its work had begun; the work was not done to its end, and no error of a node says why.',
  },
  failed: {
    title: 'failed with an error',
    meaning: 'A node failed before the work was done, and n8n shows its error with the execution.',
  },
  repeated: {
    title: 'executed more than once',
    meaning: 'The work was done, and it was begun or done more than once.',
  },
  'error-but-done': {
    title: 'error, but done',
    meaning: 'The caller got an error or another response, and the work was done all the same.',
  },
  refused: {
    title: 'refused, or never accepted',
    meaning:
      'The caller got an error, no connection or no response, and n8n never had an execution of the request.',
  },
  unknown: {
    title: 'unknown',
    meaning:
      'The caller got no expected response, and the executions of n8n, which would tell whether it accepted the request, could not be read.',
  },
  'done-marked-crashed': {
    title: 'done, but marked as crashed',
    meaning: 'The work was done once, and n8n has its execution as crashed or stalled.',
  },
  running: {
    title: 'still running',
    meaning: 'n8n had it as new, waiting or running when its time to finish was over.',
  },
};

/** How often the work of a request was done, and what its caller got. */
export const WORK_DONE = ['never', 'once', 'more'] as const;
export const CALLER_GOT = ['expected', 'error', 'nothing'] as const;
export type WorkByResponse = Record<
  (typeof WORK_DONE)[number],
  Record<(typeof CALLER_GOT)[number], number>
>;

/** n8n took the work, did not do it, and shows no error of a node: what a drill is about. */
export const LOSSES: readonly LedgerClass[] = ['lost', 'not-executed'];

/** With those that a node ended: n8n took the work and it is not done. */
export const NOT_DONE: readonly LedgerClass[] = [...LOSSES, 'failed'];
