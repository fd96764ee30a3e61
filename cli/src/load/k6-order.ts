import type { LoadRequest } from '../../../loadtests/lib/workload';
import type { LoadPlan } from '../../../loadtests/lib/profile';
import type { RequestSample } from '../record/run-record';
import type { Generator } from '../targets/target';

/** What is asked of the load generator; what is left out follows from the plan. */
export interface GeneratorSettings {
  /** Requests open side by side. */
  maxOpen?: number;
  /** Its CPU limit, in cores. */
  cores?: number;
}

export interface K6Order {
  k6: string;
  /** The folder loadtests/. */
  scripts: string;
  /** Generators that produce the load, at least one; left out if this machine does. */
  generators?: readonly Generator[] | undefined;
  baseUrl: string;
  requests: LoadRequest[];
  plan: LoadPlan;
  runId: string;
  timeoutMs: number;
  /** How long unanswered requests are waited for after the last was due. */
  drainMs: number;
  /** Requests open side by side; more are not sent, see loadtests/lib/open-limit.ts. */
  maxOpen: number;
  /** CPU limit of k6; null: none of its own. */
  generatorCores: number | null;
  signal: AbortSignal;
  /** Called with every request as it ends, in order: unanswered ones too, with their age. None is kept here. */
  onRequest(sample: RequestSample): void;
  /** Null, or a promise until which no more is read: what takes the requests is behind. */
  behind?(): Promise<void> | null;
  /** Asked after every request: whether the load may end here. */
  isEnough?(): boolean;
  /** Called once, as soon as the zero of all times is known. */
  onBegin(beganAtMs: number): void;
  onUsage(cpuCores: number, rssMiB: number): void;
  /** Called with a sentence if one of several generators is lost while the others go on. */
  onLost?(text: string): void;
  usageEveryMs: number;
}
