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
      `the SLO '${slo.text}' cannot be judged at ${running.baseUrl}: only n8n knows how much work remains; remove this SLO.`,
    );
  }
  let why = "n8n's executions cannot be counted";
  try {
    const watch = (await running.backlog?.()) ?? null;
    if (watch !== null || (await running.traceExecutions()) !== null) return watch;
  } catch (error) {
    why += ` (${messageOf(error)})`;
  }
  throw new Mistake(
    `the SLO '${slo.text}' cannot be judged at ${running.baseUrl}: ${why}; set N8N_API_KEY to a key that can list executions, enable queue metrics in queue mode (N8N_METRICS=true, N8N_METRICS_INCLUDE_QUEUE_METRICS=true), or remove this SLO.`,
  );
}
