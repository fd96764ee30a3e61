import type { DrillLedger } from '../record';

/**
 * Requests that may still be lost, or be lost already: with them, nothing bounds how many are. Of a request without a response
 * that no source knows, n8n's own executions tell that it was never accepted; without them nobody does.
 */
export const notKnown = ({ classes, sources }: Pick<DrillLedger, 'classes' | 'sources'>): number =>
  classes.running.requests + (sources.executions === null ? classes.unknown.requests : 0);
