import type { Slo } from '../plan/slo';
import type { Running } from '../targets/target';
import { messageOf, Mistake } from '../ui/exit';

/** Refuses, before any load is made, an SLO that nothing on this target can show to be met. */
export async function refuseWithoutEvidence(
  running: Pick<Running, 'baseUrl' | 'executions' | 'traceExecutions'>,
  slos: readonly Slo[],
): Promise<void> {
  const slo = slos.find(({ metric }) => metric === 'backlog');
  if (slo === undefined || (await running.executions()) !== null) return;
  let why = "n8n's executions cannot be counted from here";
  try {
    if ((await running.traceExecutions()) !== null) return;
  } catch (error) {
    why += ` (${messageOf(error)})`;
  }
  throw new Mistake(
    `the SLO '${slo.text}' has no evidence at ${running.baseUrl}: ${why}; set N8N_API_KEY to a key that may list executions, or leave this SLO out.`,
  );
}
