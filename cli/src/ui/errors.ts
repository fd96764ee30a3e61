/** Errors whose message is for a person. */
export { Mistake } from '../../../loadtests/lib/mistake';

/**
 * What we rest on did not do its part: n8n did not start, a port is taken, a database is away. Its message
 * is for a person, and is shown without a stack.
 */
export class Failure extends Error {}

/** What was made could not all be removed: its message names what is left, and what removes it. */
export class LeftBehind extends Failure {}

/** The user ended it before there was anything to record. */
export class Interrupted extends Error {}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
