import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';
import { standInPlan } from '../../catalogue/seeding';
import { readDeployed, recordedValues } from '../chart/deployed';
import { Failure, messageOf, Mistake } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import { Scope } from '../../ui/scope';
import type { RecordedDeployment } from '../../record/run-record';
import { foreignWithoutSecrets } from '../../plan/secrets/values';
import type { Target } from '../target';
import { Cluster } from './api/api';
import type { V1Service } from './api/api-types';
import { ReleaseDeployment, type DeployedN8n } from './release/deployment';
import { ClusterGenerators } from './generators/generator';
import { Helm, leftInTheMiddle, neededHelm } from './release/helm';
import { namedService } from './release/existing-release';
import { Journal, unsureText } from './objects/journal';
import { KubernetesRunning } from './kubernetes-running';
import { releaseSelector } from './objects/labels';
import { findLeftovers, leftoverText } from './objects/leftovers';
import type { Plan } from './objects/made';
import type { KubernetesOptions } from './release/options';
import { PodLogs } from './pods/pod-logs';
import { PodWatch } from './pods/pod-watch';
import { nameOf } from './pods/pod-trouble';
import { roleOf } from './pods/pods';
import { webhookService } from './release/release';
import {
  openRunNamespace,
  removeIfEmpty,
  removeNamespace,
  type RunNamespace,
} from './objects/run-namespace';
import { needsUpstream, refuseWorkloads } from './release/seedable';
import { refuseTaken } from './objects/name-taken';
import { startUpstream, upstreamUrlOf } from './release/upstream';
import type { EntryPoint } from './release/ingress';
import { resolveEntryPoint } from './release/entry-point';

/** n8n as pods of a cluster: deployed by the chart into a namespace of its own, or a release that is there. */
export function kubernetesTarget(options: KubernetesOptions): Target {
  return {
    kind: 'kubernetes',
    up: async (progress, signal) => {
      const scope = new Scope();
      try {
        return await bringUp(options, scope, progress, signal);
      } catch (error) {
        // A line of progress is soon gone.
        await scope.close().catch((left: unknown) => {
          options.warn(messageOf(left));
        });
        signal.throwIfAborted();
        throw error;
      }
    },
  };
}

async function bringUp(
  options: KubernetesOptions,
  scope: Scope,
  progress: Progress,
  signal: AbortSignal,
): Promise<KubernetesRunning> {
  const { deployTimeoutMs: timeoutMs, how, warn } = options;
  refuseWorkloads(options);
  const helmProgram = neededHelm();
  const cluster = await Cluster.of(options.kubeconfig, options.context);
  progress(`connecting to the cluster of context ${cluster.context}`);
  const kubernetes = await cluster.version();
  await options.confirm(cluster);
  await tellLeftovers(cluster, options);
  const call = randomBytes(4).toString('hex');
  const release = options.release ?? options.chart?.release ?? `n8n-${call}`;
  const space = await openRunNamespace(cluster, call, options.namespace, how);
  const namespace = space.name;
  let journal: Journal | null = null;
  scope.defer(async () => {
    progress(`removing what was created in the namespace ${namespace}`);
    await (space.isOwn
      ? removeNamespace(cluster, { name: namespace, uid: space.uid ?? '' }, progress)
      : removeFrom(cluster, space, journal, { progress, warn }));
  });
  const place = { cluster, call, namespace, release };
  const helm = new Helm(helmProgram, {
    ...place,
    ...(how === 'existing' ? {} : { driver: 'secret' }),
  });
  // What is not there is told before anything is made.
  const there = how === 'existing' ? await existing(helm, place) : null;
  const entryPoint = async (): Promise<EntryPoint> =>
    resolveEntryPoint(cluster, options, release, namespace, await serviceOf(place, options));
  const existingEntryPoint = there === null ? null : await entryPoint();
  const deployment = there === null ? new ReleaseDeployment({ ...place, helm }, options) : null;
  scope.defer(() => {
    deployment?.end();
  });
  if (!space.isOwn) {
    if (deployment !== null) await refuseTaken(new Helm(helmProgram, place), place, warn);
    const plan = (await deployment?.plan(signal)) ?? ONLY_LOAD;
    journal = await Journal.begin(cluster, { call, namespace, plan });
  }
  const generators = new ClusterGenerators({
    ...{ cluster, call, namespace, timeoutMs },
    image: options.generatorImage,
    count: options.generators,
    cores: options.generatorCores,
  });
  // Its image is pulled while n8n comes up.
  const generatorUp = generators.up(progress, signal);
  generatorUp.catch(() => undefined);
  const deployed = await (deployment?.deploy(generatorUp, progress, signal) ?? there);
  await generatorUp;
  signal.throwIfAborted();
  const way = existingEntryPoint ?? (await entryPoint());
  for (const [name, address] of Object.entries(way.hosts)) generators.names.set(name, address);
  const watch = new PodWatch(
    ...([cluster, namespace, releaseSelector(release), options.chart?.roles] as const),
  );
  scope.defer(() => {
    watch.end();
  });
  await watch.start();
  const logs = new PodLogs(cluster, namespace, () => watch.seats, warn);
  scope.defer(() => {
    logs.end();
  });
  const main = watch.pods.find((pod) => roleOf(pod) === 'main');
  const standIn =
    needsUpstream(options) && main !== undefined
      ? await startUpstream(
          { ...place, main, timeoutMs, plan: standInPlan(options.workflows) },
          progress,
          signal,
        )
      : null;
  await journal?.note();
  const recorded: RecordedDeployment = {
    ...{ kubernetes, context: cluster.context, namespace, release },
    chart: await helm.chart(),
    values: deployed?.values ?? null,
    manifestHash: await helm.manifestHash(call),
    nodes: Object.fromEntries([
      ...watch.pods.map((pod) => [nameOf(pod), pod.spec?.nodeName ?? '']),
      ...generators.pods.map(({ name, node }) => [name, node]),
    ]),
  };
  return KubernetesRunning.of({
    ...{ cluster, namespace, generators, watch, logs, scope },
    baseUrl: way.baseUrl,
    topology: deployed?.topology ?? null,
    deployed: recorded,
    readyTimeoutMs: options.readyTimeoutMs,
    standIn,
    seeding: {
      byChart: options.chart === null ? 'all but twins' : 'nothing',
      place: needsUpstream(options) ? { upstreamUrl: upstreamUrlOf(release) } : {},
    },
  });
}

const ONLY_LOAD: Plan = { release: null, objects: [], claims: [] };

/** A namespace that others use too: only what this call made goes. */
async function removeFrom(
  cluster: Cluster,
  { name, uid }: RunNamespace,
  journal: Journal | null,
  { progress, warn }: { progress: Progress; warn: (text: string) => void },
): Promise<void> {
  try {
    const unsure = (await journal?.remove(progress)) ?? [];
    if (unsure.length > 0) warn(unsureText(name, unsure));
    const stays = uid === null ? null : await removeIfEmpty(cluster, { name, uid }, progress);
    if (stays !== null) warn(stays);
  } catch (error) {
    throw new Failure(
      `${messageOf(error)} n8n-tuned clean --target kubernetes --context ${cluster.context} removes what is left.`,
    );
  }
}

/** A release that is there: its topology is known where it is one of our chart. */
async function existing(
  helm: Helm,
  { release, namespace }: { release: string; namespace: string },
): Promise<DeployedN8n> {
  const values = await helm.values();
  const chart = await helm.chart();
  if (values === null || chart === null) {
    throw new Mistake(
      `there is no release '${release}' in the namespace ${namespace}: helm list --all-namespaces shows the existing releases.`,
    );
  }
  // Else its values would be recorded, and what runs be of others.
  const left = leftInTheMiddle(await helm.status(), { release, namespace });
  if (left !== null) throw new Mistake(left);
  if (chart.startsWith('n8n-tuned ')) {
    return {
      topology: readDeployed(stringify(values)).topology,
      values: recordedValues(values),
    };
  }
  return { topology: null, values: foreignWithoutSecrets(values) as Record<string, unknown> };
}

async function serviceOf(
  { cluster, namespace, release }: { cluster: Cluster; namespace: string; release: string },
  { chart }: Pick<KubernetesOptions, 'chart'>,
): Promise<V1Service> {
  if (chart?.service !== undefined) {
    const { items } = await cluster.doing('reading the Services', () =>
      cluster.core.listNamespacedService({ namespace }),
    );
    const named = namedService(items, chart);
    if (named !== null) return named;
    const { name, port } = chart.service;
    throw new Mistake(
      `the chart created no Service ${name}${port === undefined ? '' : ` with port ${String(port)}`} (Services in the namespace: ${items.map(({ metadata }) => metadata?.name ?? '').join(', ') || 'none'}): correct the service in the chart file.`,
    );
  }
  const { items } = await cluster.doing('reading the Services', () =>
    cluster.core.listNamespacedService({ namespace, labelSelector: releaseSelector(release) }),
  );
  const service = webhookService(items);
  if (service !== null) return service;
  throw new Mistake(
    `the release '${release}' in the namespace ${namespace} has no Service for webhooks: is the name in --release correct?`,
  );
}

async function tellLeftovers(
  cluster: Cluster,
  { namespace, warn }: Pick<KubernetesOptions, 'namespace' | 'warn'>,
): Promise<void> {
  const all =
    (await findLeftovers(cluster, null)) ?? (await findLeftovers(cluster, namespace)) ?? [];
  for (const one of all.filter(({ state }) => state === 'ended')) {
    warn(
      `an earlier command left ${leftoverText(one)}: n8n-tuned clean --target kubernetes removes it.`,
    );
  }
}
