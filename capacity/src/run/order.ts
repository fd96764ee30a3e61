import type { GeneratorSettings } from '../load/k6';
import type { ChosenWorkload } from '../plan/chosen-workload';
import type { LoadPlan } from '../plan/profile';
import type { Slo } from '../plan/slo';
import type { RunEvent } from '../record/record';

export interface RunOrder {
  workload: ChosenWorkload;
  plan: LoadPlan;
  slos: Slo[];
  /** Where the folder of the run is made. */
  out: string;
  k6: string;
  /** The folder loadtests/. */
  scripts: string;
  timeoutMs: number;
  /** For unanswered requests after the last was due, and then again for n8n to finish its executions. */
  drainMs: number;
  generator?: GeneratorSettings;
  /** Called once, when the load has begun; what is told becomes an event of the run, at its time. */
  onBegin?(beganAtMs: number, tell: (event: Omit<RunEvent, 'tMs'>) => void): void;
  /** As the user gave it, secrets taken out. */
  command: string[];
}
