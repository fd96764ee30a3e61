/** What k6 is started with, wherever it runs. Pure. */
import type { LoadPlan } from '../../../loadtests/lib/profile';

export interface Variables {
  baseUrl: string;
  plan: LoadPlan;
  timeoutMs: number;
  drainMs: number;
  maxOpen: number;
  runId: string;
}

/** For the scripts of loadtests/; where the requests are is said beside them. */
export const variablesOf = (order: Variables): Record<string, string> => ({
  BASE_URL: order.baseUrl,
  PLAN: JSON.stringify(order.plan),
  TIMEOUT: `${String(order.timeoutMs)}ms`,
  DRAIN: `${String(order.drainMs)}ms`,
  MAX_OPEN: String(order.maxOpen),
  // The target has been looked at: the real request got its expected response.
  READY: '0',
  RUN_ID: order.runId,
  PRINT_REQUESTS: '1',
});

export const RUN_FLAGS: readonly string[] = [
  'run',
  '--quiet',
  '--no-color',
  // Its own summary would keep every value of every metric until the end: what counts are the lines that it prints.
  '--no-summary',
  '--no-thresholds',
  // Without its control port, through which every user of this machine may pause and end it.
  '--address=',
  '--include-system-env-vars=false',
  '--log-output=stdout',
  '--log-format=raw',
];
