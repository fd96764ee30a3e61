/** What the four sources say of one request, told apart from how each of them is read. */
import type { RequestSample } from '../../../record/run-record';
import type { Effects } from '../../../analysis/effects';

/**
 * What the caller saw. `success`: a status of success, with another response than the expected one, which most
 * callers take for done. `refused`: the request never reached n8n. `nothing`: no response came.
 */
export type Heard = 'expected' | 'success' | 'error' | 'nothing' | 'refused';

/** How one execution ended, as n8n has it; `not kept`: it ended, and n8n has thrown the outcome away. */
export type Fate = 'succeeded' | 'failed' | 'crashed' | 'unfinished' | 'not kept';

export interface Evidence {
  heard: Heard;
  /** Null where n8n could not be asked for all of them. */
  executions: readonly Fate[] | null;
  /** Null where the workload calls no such service. */
  effects: Effects | null;
}

/** A connection that was never made has carried nothing. */
const NEVER_SENT = new Set(['refused', 'no socket', 'no such host', 'TLS']);

export function heardBy({ ok, status, errorKind }: RequestSample): Heard {
  if (ok) return 'expected';
  if (NEVER_SENT.has(errorKind)) return 'refused';
  if (errorKind === 'wrong reply' && status >= 200 && status < 300) return 'success';
  return status > 0 ? 'error' : 'nothing';
}
