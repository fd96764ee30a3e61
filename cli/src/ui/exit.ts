import { CommanderError } from 'commander';
import { Failure, Interrupted, Mistake } from './errors';

export { Failure, Interrupted, LeftBehind, messageOf, Mistake } from './errors';

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

export interface CommandEnding {
  exitCode: number;
  /** For standard error; empty where the user has been told already. */
  text: string;
}

/** How the command ends by an error that nobody caught: only a Mistake is the user's, and only what nobody foresaw has a stack. */
export function endingOf(error: unknown): CommandEnding {
  // Commander has already said what was wrong, or has shown help.
  if (error instanceof CommanderError)
    return { exitCode: error.exitCode === 0 ? EXIT.fine : EXIT.mistake, text: '' };
  if (error instanceof Mistake)
    return { exitCode: EXIT.mistake, text: `n8n-tuned: ${error.message}\n` };
  if (error instanceof Failure || error instanceof Interrupted)
    return { exitCode: EXIT.invalid, text: `n8n-tuned: ${error.message}\n` };
  const told = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exitCode: EXIT.invalid, text: `${told}\n` };
}
