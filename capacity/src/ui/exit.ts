/** What the command's exit code says. */
export const EXIT = {
  fine: 0,
  /** An SLO was missed, or a check failed. */
  notMet: 1,
  /** The user asked for something that cannot be: one sentence says what to do. */
  mistake: 2,
  /** The measurement is invalid or inconclusive: generator saturated, too few requests, run aborted, disk full. */
  invalid: 3,
} as const;

/** Its message is one sentence: what was wrong, where, and what to do next. Shown without a stack. */
export class UserError extends Error {}

/** The pure parsers throw plain errors; at the user's door every one of them is his mistake. */
export function askedRightly<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(messageOf(error));
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
