import type { LoadRequest } from '../../../../loadtests/lib/workload';
import { keptForMs } from '../../plan/kept-executions';
import type { Topology } from '../../plan/topology';
import { isRole } from '../../plan/roles';
import { topologyWithoutSecrets } from '../../plan/secrets/secrets';
import type {
  ExecutionCounts,
  Machine,
  RecordedDeployment,
  RunEvent,
} from '../../record/run-record';
import type { SeedingPlace, SeedWorkflow } from '../../catalogue/seeding';
import { Failure, messageOf, Mistake } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import type { Scope } from '../../ui/scope';
import { countExecutions, type Database } from '../process/database';
import { traceFromNow } from '../process/trace';
import type {
  DrillAccess,
  ExecutionTrace,
  ContainerStats,
  MetricsEndpoint,
  Running,
  StoreLooks,
} from '../target';
import { isTwin } from './release/seedable';
import type { UpstreamPod } from './release/upstream';
import type { HostCount } from '../../stand-in/analysis/counts';
import { ApiSeeds } from '../url/seeds';
import type { Cluster } from './api/api';
import { podDatabase } from './pods/database';
import { drillAccessOf } from './drill/access';
import type { ClusterGenerators } from './generators/generator';
import type { GeneratorPod } from './generators/generator-pod';
import { PodContainerStats } from './pods/container-stats';
import { PodApi } from './pods/n8n-api';
import { podProgram } from './drill/program';
import { OURS_SELECTOR } from './objects/labels';
import { closedBy, closedText } from './drill/network-policies';
import type { PodLogs } from './pods/pod-logs';
import type { PodWatch } from './pods/pod-watch';
import { roleOf } from './pods/pods';
import { databaseSeat, versionIn } from './release/release';
import { storesOf } from './pods/stores';

const N8N_PORT = 5678;

export interface KubernetesRunningOptions {
  cluster: Cluster;
  namespace: string;
  generators: ClusterGenerators;
  watch: PodWatch;
  logs: PodLogs;
  /** Takes down all that was made. */
  scope: Scope;
  baseUrl: string;
  topology: Topology | null;
  deployed: RecordedDeployment;
  readyTimeoutMs: number;
  /** What workflows call in the place of services outside n8n; null: nothing. */
  standIn: UpstreamPod | null;
  /** Who seeds: our chart, unless a workflow has credentials; another chart nothing; n8n's API what is left. */
  seeding: { byChart: 'all but twins' | 'nothing'; place: Partial<SeedingPlace> };
}

/** The pods of one release, and the load generator beside them. */
export class KubernetesRunning implements Running {
  readonly kind = 'kubernetes';
  readonly baseUrl: string;
  readonly topology: Topology | null;
  readonly machine: Machine;
  /** Without n8n where its version is unknown. */
  readonly versions: Record<string, string>;
  readonly redis = null;
  readonly postgresql = null;
  readonly generators: readonly GeneratorPod[];
  readonly containerStats: ContainerStats;
  readonly storeLooks: StoreLooks;
  readonly drillAccess: DrillAccess;
  readonly deployed: RecordedDeployment;
  private isDown: Promise<void> | null = null;

  private constructor(
    private readonly options: KubernetesRunningOptions,
    { machine, n8n: seen }: SeenMain,
    private readonly showsMetrics: boolean,
  ) {
    const { cluster, namespace, watch } = options;
    this.machine = machine;
    this.baseUrl = options.baseUrl;
    this.topology = options.topology === null ? null : topologyWithoutSecrets(options.topology);
    this.generators = options.generators.pods;
    this.deployed = options.deployed;
    const n8n = seen ?? versionIn(watch.pods) ?? options.topology?.n8n;
    this.versions = {
      ...(n8n === undefined ? {} : { n8n }),
      kubernetes: options.deployed.kubernetes,
    };
    const stores = storesOf(cluster, namespace, watch.pods);
    this.storeLooks = stores;
    options.scope.defer(() => {
      stores.end();
    });
    this.drillAccess = drillAccessOf({
      ...{ cluster, namespace, release: options.deployed.release },
      ...{ pods: () => watch.pods, standIn: options.standIn, program: podProgram },
    });
    const ofStandIn = options.standIn === null ? [] : [options.standIn.seat];
    this.containerStats = new PodContainerStats(cluster, namespace, () => [
      ...watch.seats,
      ...ofStandIn,
    ]);
  }

  static async of(options: KubernetesRunningOptions): Promise<KubernetesRunning> {
    return new KubernetesRunning(options, await lookAtMain(options), await showsMetrics(options));
  }

  /** Asked again at every look: a pod that is replaced has another name. */
  get metrics(): MetricsEndpoint[] {
    return this.showsMetrics ? endpointsOf(this.options) : [];
  }

  get logs(): string[] {
    return this.options.logs.files;
  }

  processes(): [] {
    return [];
  }

  onEvent(listener: (event: Omit<RunEvent, 'tMs'>) => void): () => void {
    return this.options.watch.onEvent(listener);
  }

  async seed(workflows: SeedWorkflow[], progress: Progress): Promise<void> {
    const { cluster, namespace, watch, seeding } = this.options;
    const left = seeding.byChart === 'nothing' ? workflows : workflows.filter(isTwin);
    if (left.length === 0) return;
    const main = watch.seats.find(({ role }) => role === 'main');
    if (main === undefined) {
      throw new Mistake(
        'no pod of the release has the role main, which is required to import workflows: add the labels of the main pod under roles.main in the chart file.',
      );
    }
    const { pod, container } = main;
    progress('creating the owner account of n8n, which imports the workflows');
    const api = await PodApi.ofNewOwner(cluster, { namespace, pod, container });
    // Taken out with all the rest.
    await new ApiSeeds(api).seed(left, seeding.place, progress);
  }

  async ready(requests: LoadRequest[], progress: Progress, signal: AbortSignal): Promise<void> {
    const { generators, readyTimeoutMs, baseUrl } = this.options;
    progress(`waiting until ${baseUrl} gives the expected response`);
    try {
      await generators.ready(
        {
          flags: READY_FLAGS,
          env: {
            BASE_URL: baseUrl,
            READY: `${String(readyTimeoutMs)}ms`,
            TIMEOUT: `${String(readyTimeoutMs)}ms`,
            RUN_ID: 'ready',
          },
          requests,
          onLine: () => undefined,
          behind: () => null,
          onUsage: () => undefined,
        },
        signal,
      );
    } catch (error) {
      signal.throwIfAborted();
      throw new Failure(
        `${messageOf(error)}; no load was generated. ${await this.whyUnreachable(error)}`,
      );
    }
  }

  async executions(): Promise<ExecutionCounts | null> {
    const database = this.database();
    return database === null ? null : countExecutions(database, this.version);
  }

  async services(): Promise<HostCount[] | null> {
    return (await this.options.standIn?.services()) ?? null;
  }

  async traceExecutions(): Promise<ExecutionTrace | null> {
    const database = this.database();
    if (database === null) return null;
    // What a chart that is not ours has n8n save is not known.
    return traceFromNow(
      database,
      this.version,
      this.topology === null ? 0 : keptForMs(this.topology),
    );
  }

  down(progress: Progress): Promise<void> {
    progress('stopping everything');
    this.isDown ??= this.options.scope.close();
    return this.isDown;
  }

  /** Null where n8n's own is not to be seen. */
  private database(): Database | null {
    const { cluster, namespace, watch } = this.options;
    const seat = (): ReturnType<typeof databaseSeat> => databaseSeat(watch.pods);
    const kind = seat()?.kind ?? null;
    return kind === null ? null : podDatabase(cluster, namespace, kind, seat);
  }

  private get version(): string | null {
    return this.versions['n8n'] ?? null;
  }

  private async whyUnreachable(error: unknown): Promise<string> {
    if (!/timeout|timed out|dial|reset|refused/i.test(messageOf(error))) {
      return 'Is the workflow active, and does the release serve webhooks at this Service?';
    }
    return (
      (await this.whyClosed()) ??
      `If the pods are ready, does a NetworkPolicy of the namespace ${this.options.namespace} block the load generator's pod?`
    );
  }

  /** Null where no NetworkPolicy says so, or none may be looked at. */
  private async whyClosed(): Promise<string | null> {
    const { cluster, namespace, watch, baseUrl, generators } = this.options;
    // Behind an Ingress it is the proxy that comes to n8n.
    if (!new URL(baseUrl).hostname.endsWith('.svc')) return null;
    const taker = ['webhook', 'main'].flatMap((role) =>
      watch.pods.filter((pod) => roleOf(pod) === role),
    )[0];
    if (taker === undefined) return null;
    const way = {
      ...{ namespace, from: generators.labels, to: taker.metadata?.labels ?? {}, port: N8N_PORT },
    };
    const closed = await cluster.networking
      .listNamespacedNetworkPolicy({ namespace })
      .then(({ items }) => closedBy(items, way))
      .catch(() => null);
    return closed === null ? null : closedText(closed, namespace, OURS_SELECTOR);
  }
}

const READY_FLAGS = [
  ...['run', '--quiet', '--no-color', '--no-summary', '--address=127.0.0.1:0'],
  ...['--include-system-env-vars=false', '--log-output=stdout', '--log-format=raw'],
];

function endpointsOf({ cluster, namespace, watch }: KubernetesRunningOptions): MetricsEndpoint[] {
  return watch.seats.flatMap(({ role, pod }) =>
    isRole(role)
      ? [
          {
            role,
            instance: pod,
            url: `port ${String(N8N_PORT)} of the pod`,
            read: () => cluster.askPod(namespace, pod, N8N_PORT, 'metrics'),
          },
        ]
      : [],
  );
}

/** Whether an existing release serves metrics; if not, it is measured without them. */
async function showsMetrics(options: KubernetesRunningOptions): Promise<boolean> {
  const [first] = endpointsOf(options);
  if (first?.read === undefined) return false;
  try {
    return (await first.read()).includes('# TYPE');
  } catch {
    return false;
  }
}

/** What the pod of main shows of its node and of the n8n in it; the tag of an image can say anything. */
interface SeenMain {
  machine: Machine;
  n8n: string | null;
}

/** The program `n8n` is a link into its package, whose package.json has the version. */
export const LOOK_AT_MAIN = [
  'grep -m1 "model name" /proc/cpuinfo',
  'echo "cores: $(grep -c ^processor /proc/cpuinfo)"',
  'grep MemTotal /proc/meminfo',
  'n8n=$(command -v n8n) && n8n=$(readlink -f "$n8n") && echo "n8n: $(grep -m1 \'"version"\' "${n8n%/bin/*}/package.json")"',
  'echo "os: $(uname -sr)"',
].join('; ');

/** No right to look at nodes is needed. */
async function lookAtMain({
  cluster,
  namespace,
  watch,
  deployed,
}: KubernetesRunningOptions): Promise<SeenMain> {
  const main = watch.seats.find(({ role }) => role === 'main');
  const ours = { node: process.version };
  const unknown = {
    machine: { cpu: 'unknown', cores: 0, memoryMiB: 0, os: deployed.kubernetes, ...ours },
    n8n: null,
  };
  if (main === undefined) return unknown;
  try {
    const text = await cluster.output({ namespace, pod: main.pod, container: main.container }, [
      ...['sh', '-c', LOOK_AT_MAIN],
    ]);
    return { machine: { ...machineIn(text), ...ours }, n8n: n8nIn(text) };
  } catch {
    return unknown;
  }
}

/** Null where the container shows no package of n8n. */
export const n8nIn = (text: string): string | null =>
  /^n8n: .*"version":\s*"([^"]+)"/m.exec(text)?.[1] ?? null;

export function machineIn(text: string): Omit<Machine, 'node'> {
  const after = (name: string): string =>
    new RegExp(`^${name}\\s*:\\s*(.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
  return {
    cpu: after('model name') || 'unknown',
    cores: Number(after('cores')) || 0,
    memoryMiB: Math.round((Number.parseInt(after('MemTotal'), 10) || 0) / 1024),
    os: after('os') || 'unknown',
  };
}
