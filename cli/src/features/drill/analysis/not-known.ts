import type { DrillLedger } from '../record';

/** Requests that may still be lost, or be lost already: with them, nothing bounds how many are. */
export const notKnown = ({ classes }: Pick<DrillLedger, 'classes'>): number =>
  classes.running.requests + classes.unknown.requests;
