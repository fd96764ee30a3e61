import type { Slo } from '../../../loadtests/lib/slo';
import type { BacklogWatch, Running } from '../targets/target';
import { messageOf, Mistake } from '../ui/exit';

/**
 * Refuses, before any load is made, an SLO that nothing on this target can show to be met. Returns what
 * shows the backlog, where it is asked for and n8n's executions are not counted.
 */
export async function refuseWithoutEvidence(
  running: Pick<Running, 'kind' | 'baseUrl' | 'executions' | 'backlog' | 'traceExecutions'>,
  slos: readonly Slo[],
): Promise<BacklogWatch | null> {
  const slo = slos.find(({ metric }) => metric === 'backlog');
  if (slo === undefined || (await running.executions()) !== null) return null;
  if (running.kind === 'server') {
    throw new Mistake(
      `the SLO '${slo.text}' cannot be judged at ${running.baseUrl}: a server that is not n8n does not show what it has left to do; leave this SLO out.`,
    );
  }
  let why = "n8n's executions cannot be counted from here";
  try {
    const watch = (await running.backlog?.()) ?? null;
    if (watch !== null || (await running.traceExecutions()) !== null) return watch;
  } catch (error) {
    why += ` (${messageOf(error)})`;
  }
  throw new Mistake(
    `the SLO '${slo.text}' cannot be judged at ${running.baseUrl}: ${why}; set N8N_API_KEY to a key that may list executions, or in queue mode let n8n show its queue at /metrics (N8N_METRICS=true, N8N_METRICS_INCLUDE_QUEUE_METRICS=true), or leave this SLO out.`,
  );
}
