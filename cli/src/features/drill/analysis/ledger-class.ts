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
    meaning: 'The work was done once, but the caller got no response.',
  },
  'not-executed': {
    title: 'answered, not executed',
    meaning:
      'The caller got the expected response, or another response with a success status, but the work was not done.',
  },
  lost: {
    title: 'accepted and lost',
    meaning:
      'n8n had an execution of the request, or the work had begun. The work was not completed, and no node error explains why.',
  },
  failed: {
    title: 'failed with an error',
    meaning:
      'A node failed before the work was done, and n8n shows the error of the node with the execution.',
  },
  repeated: {
    title: 'executed more than once',
    meaning: 'The work was done, but it was started or done more than once.',
  },
  'error-but-done': {
    title: 'error, but done',
    meaning: 'The caller got an error or an unexpected response, but the work was done.',
  },
  refused: {
    title: 'refused, or never accepted',
    meaning:
      'The caller got an error, no connection or no response, and n8n never had an execution of the request.',
  },
  unknown: {
    title: 'unknown',
    meaning:
      'The caller did not get the expected response. The executions of n8n could not be read, so it is unknown whether n8n accepted the request.',
  },
  'done-marked-crashed': {
    title: 'done, but marked as crashed',
    meaning: 'The work was done once, but n8n marked its execution as crashed or stalled.',
  },
  running: {
    title: 'still running',
    meaning:
      'The execution of the request was still new, waiting or running when the drill stopped waiting for n8n.',
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
