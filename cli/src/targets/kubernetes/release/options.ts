import type { Topology } from '../../../plan/topology';
import type { EntryPoint, Way } from './ingress';
import type { ForeignChart } from '../../../plan/chart-file';
import type { SeedWorkflow } from '../../../catalogue/seeding';

/** What is asked of a cluster. */
export interface KubernetesOptions {
  /** Null: $KUBECONFIG, else ~/.kube/config, else the account of the pod that this runs in. */
  kubeconfig: string | null;
  /** Null: the current one. */
  context: string | null;
  /** Null: one of its own, made and removed. */
  namespace: string | null;
  /** Null: one of its own, with the call in its name; never null for a release that is there. */
  release: string | null;
  /** `deploy`: by the chart, and taken out again. `existing`: a release that is there, and nothing in it changed. */
  how: 'deploy' | 'existing';
  /** To be deployed; null where files of values say it all. */
  topology: Topology | null;
  /** Texts of YAML, as Helm merges them: the later ones over the earlier. */
  values: readonly { name: string; text: string }[];
  /** In place of ours; null: ours. */
  chart: ForeignChart | null;
  /** Until all pods of the release are ready. */
  deployTimeoutMs: number;
  /** Until the real request gets its expected response. */
  readyTimeoutMs: number;
  workflows: readonly SeedWorkflow[];
  /** Whether n8n reaches its stores through links that a drill can slow and cut; left out: directly. */
  hasLinks?: boolean;
  /** Whether the chart's Redis has no volume; left out: as it is deployed. */
  hasForgetfulRedis?: boolean;
  /** How the load comes to n8n. */
  via: Way;
  /** Address of the Ingress or the Gateway; null to take it from its status, else from DNS. */
  viaAddress: string | null;
  /** Pods that make the load together, each the same share. */
  generators: number;
  /** CPU limit of each; null: none. */
  generatorCores: number | null;
  /** Image of k6. */
  generatorImage: string;
  /** Asked once it is known which cluster it is; rejects when the user does not want to load it. */
  confirm(cluster: { context: string; server: string }): Promise<void>;
  /** Asked once it is known where an Ingress or a Gateway leads; rejects when the user does not want to load that. */
  confirmAddress(entryPoint: EntryPoint): Promise<void>;
  warn(text: string): void;
}
