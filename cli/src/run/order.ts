import type { Prices } from '../plan/recorded';
import type { GeneratorSettings } from '../load/k6-order';
import type { ChosenWorkload } from '../plan/chosen-workload';
import type { LoadPlan } from '../../../loadtests/lib/profile';
import type { Slo } from '../../../loadtests/lib/slo';
import type { RunHead } from '../record/folder';
import type { RequestSample, RunEvent } from '../record/run-record';

export interface RunOrder {
  workload: ChosenWorkload;
  plan: LoadPlan;
  slos: Slo[];
  /** The folder in which the folder of the run is created. */
  out: string;
  k6: string;
  /** The folder loadtests/. */
  scripts: string;
  timeoutMs: number;
  /** For unanswered requests after the last was due, and then again for n8n to finish its executions. */
  drainMs: number;
  /** How long reading n8n's executions one by one may take; left out: as usual, so that the rest need not wait. */
  readWithinMs?: number;
  generator?: GeneratorSettings;
  /** Ends an open loop as soon as it is certain that a percentile is missed; the record then says so. */
  endsWhenMissed?: boolean;
  /** Called once n8n is ready, before anything of it is counted. */
  beforeLoad?(): Promise<void>;
  /** Called once, when the load has begun; what is told becomes an event of the run, at its time. */
  onBegin?(beganAtMs: number, tell: (event: Omit<RunEvent, 'tMs'>) => void): void;
  /** Called once n8n has drained, before its executions are read: who else works on them comes to an end. */
  settle?(): Promise<void>;
  /** Looks at each request, and may end the load before its plan does. */
  endsOnce?(plan: LoadPlan): LoadWatch;
  /** What tells others of a run while it goes on. */
  observe?(head: RunHead, plan: LoadPlan): RunObserver;
  /** Prices of a core and of a GiB for an hour. */
  prices?: Prices;
  /** The command as the user gave it, without secrets. */
  command: string[];
}

/** Ends a load once enough is known. */
export interface LoadWatch {
  see(sample: RequestSample): void;
  /** Time in the load up to which is known what became of each request; null while the load goes on. */
  readonly knownUntilMs: number | null;
}

/** Looks on at one run. */
export interface RunObserver {
  begin(beganAtMs: number): void;
  request(sample: RequestSample): void;
  /** Reports the usage of the load generator. */
  usage(cpuCores: number, rssMiB: number): void;
  /** A drill has made its fault. */
  fault(event: Pick<RunEvent, 'text'>): void;
  /** Once the load is over, or was never made: what could not be told, a sentence each. */
  end(): Promise<string[]>;
}
