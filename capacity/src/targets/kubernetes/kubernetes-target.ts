import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';
import { chartFolder, readDeployed, recordedValues } from '../chart/deployed';
import { messageOf, Mistake } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import { Scope } from '../../ui/scope';
import type { RecordedDeployment } from '../../record/record';
import type { ForeignChart } from '../../plan/chart-file';
import type { Topology } from '../../plan/topology';
import { foreignWithoutSecrets } from '../../plan/recorded-values';
import type { Target } from '../target';
import { Cluster } from './api';
import type { V1Service } from './api-types';
import { ClusterGenerators } from './generator';
import { Helm, leftInTheMiddle, neededHelm } from './helm';
import { namedService, objectsBeside } from './foreign';
import { KubernetesRunning } from './kubernetes-running';
import { releaseSelector } from './labels';
import { findLeftovers, leftoverText } from './leftovers';
import type { KubernetesOptions } from './options';
import { PodLogs } from './pod-logs';
import { PodWatch } from './pod-watch';
import { nameOf } from './pod-trouble';
import { awaitRollout } from './rollout';
import { roleOf } from './pods';
import { webhookService } from './release';
import { Space } from './space';
import { needsUpstream, ownWorkflows, refuseWorkloads } from './seedable';
import { startUpstream, upstreamUrlOf } from './upstream';
import { chosenValues, foreignValues } from './values';
import type { WayIn } from './way-in';
import { wayInto } from './way-into';

/** n8n as pods of a cluster: deployed by the chart into a namespace of its own, or a release that is there. */
export function kubernetesTarget(options: KubernetesOptions): Target {
  return {
    kind: 'kubernetes',
    up: async (progress, signal) => {
      const scope = new Scope();
      try {
        return await bringUp(options, scope, progress, signal);
      } catch (error) {
        await scope.close().catch((left: unknown) => {
          progress(messageOf(left));
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
  const { release, deployTimeoutMs: timeoutMs } = options;
  refuseWorkloads(options);
  const helmProgram = neededHelm();
  const cluster = await Cluster.of(options.kubeconfig, options.context);
  progress(`asking the cluster of context ${cluster.context}`);
  const kubernetes = await cluster.version();
  await options.confirm(cluster);
  await tellLeftovers(cluster, options.warn);
  const call = randomBytes(4).toString('hex');
  const space = await Space.open(cluster, call, options.namespace);
  const namespace = space.name;
  const helm = new Helm(helmProgram, { cluster, namespace, release });
  let installed = false;
  scope.defer(() => space.clean(installed ? release : null, () => helm.uninstall(), progress));
  // What is not there is told before anything is made.
  const there = options.how === 'existing' ? await existing(helm, { release, namespace }) : null;
  const wayIn = async (): Promise<WayIn> =>
    wayInto(cluster, options, namespace, await serviceOf(cluster, options, namespace));
  const wayThere = there === null ? null : await wayIn();
  if (there === null && !space.isOwn) await refuseTaken(helm, release, namespace);
  const generators = new ClusterGenerators({
    ...{ cluster, call, namespace, timeoutMs },
    image: options.generatorImage,
    count: options.generators,
    cores: options.generatorCores,
  });
  // Its image is pulled while n8n comes up.
  const generatorUp = generators.up(progress, signal);
  generatorUp.catch(() => undefined);
  const deployed =
    there ??
    (await deploy(() => {
      installed = true;
    }));
  await generatorUp;
  signal.throwIfAborted();
  const way = wayThere ?? (await wayIn());
  for (const [name, address] of Object.entries(way.hosts)) generators.names.set(name, address);
  const watch = new PodWatch(
    ...([cluster, namespace, releaseSelector(release), options.chart?.roles] as const),
  );
  scope.defer(() => {
    watch.end();
  });
  await watch.start();
  const logs = new PodLogs(cluster, namespace, () => watch.seats, options.warn);
  scope.defer(() => {
    logs.end();
  });
  const main = watch.pods.find((pod) => roleOf(pod) === 'main');
  const effects =
    needsUpstream(options) && main !== undefined
      ? await startUpstream(
          { cluster, call, namespace, release, main, timeoutMs },
          progress,
          signal,
        )
      : null;
  const recorded: RecordedDeployment = {
    ...{ kubernetes, context: cluster.context, namespace, release },
    chart: await helm.chart(),
    values: deployed.values,
    manifestHash: await helm.manifestHash(),
    nodes: Object.fromEntries([
      ...watch.pods.map((pod) => [nameOf(pod), pod.spec?.nodeName ?? '']),
      ...generators.pods.map(({ name, node }) => [name, node]),
    ]),
  };
  return KubernetesRunning.of({
    ...{ cluster, namespace, generators, watch, logs, scope },
    baseUrl: way.baseUrl,
    topology: deployed.topology,
    deployed: recorded,
    readyTimeoutMs: options.readyTimeoutMs,
    effects,
    seedByApi:
      options.chart === null
        ? null
        : needsUpstream(options)
          ? { upstreamUrl: upstreamUrlOf(release) }
          : {},
  });

  async function deploy(
    begun: () => void,
  ): Promise<{ topology: Topology | null; values: Record<string, unknown> | null }> {
    const values =
      options.chart === null
        ? chosenValues({
            ...{ topology: options.topology, given: options.values, release },
            upstreamUrl: needsUpstream(options) ? upstreamUrlOf(release) : null,
            workflows: ownWorkflows(options),
            hasLinks: options.hasLinks ?? false,
            hasForgetfulRedis: options.hasForgetfulRedis ?? false,
          })
        : foreignValues([...options.chart.values, ...options.values]);
    if (options.chart !== null) await putBeside(options.chart);
    const helmEnds = new AbortController();
    let isDone = false;
    progress(`deploying n8n into the namespace ${namespace}`);
    begun();
    const installing = helm
      .install(
        {
          ...(options.chart ?? { chart: chartFolder() }),
          ...{ values: values.files, timeoutMs },
        },
        AbortSignal.any([signal, helmEnds.signal]),
      )
      .then(() => {
        isDone = true;
      });
    installing.catch(() => undefined);
    const rolledOut = awaitRollout(
      { cluster, namespace, release, timeoutMs },
      () => isDone,
      progress,
      AbortSignal.any([signal, helmEnds.signal]),
    );
    rolledOut.catch(() => undefined);
    try {
      // Whichever knows first what is wrong; without a load generator n8n is not waited for.
      await Promise.all([installing, rolledOut, generatorUp]);
      return { topology: values.topology, values: values.recorded };
    } finally {
      helmEnds.abort();
      await Promise.allSettled([installing, rolledOut]);
      values.end();
    }
  }

  /** Such as the stores that n8n needs: they are ready before it starts. */
  async function putBeside(chart: ForeignChart): Promise<void> {
    const objects = objectsBeside(chart, { release, namespace });
    if (objects.length === 0) return;
    progress('applying the objects that the chart file names beside the chart');
    if (!space.isOwn) {
      scope.defer(async () => {
        for (const object of objects) {
          await cluster.found('removing the objects beside the chart', () =>
            cluster.objects.delete(object),
          );
        }
      });
    }
    for (const object of objects) {
      await cluster.doing(`making the ${object.kind ?? ''} ${object.metadata?.name ?? ''}`, () =>
        cluster.objects.create(object),
      );
    }
    await awaitRollout({ cluster, namespace, release, timeoutMs }, () => true, progress, signal);
  }
}

/** A release that is there: its topology is known where it is one of our chart. */
async function existing(
  helm: Helm,
  { release, namespace }: { release: string; namespace: string },
): Promise<{ topology: Topology | null; values: Record<string, unknown> | null }> {
  const values = await helm.values();
  const chart = await helm.chart();
  if (values === null || chart === null) {
    throw new Mistake(
      `there is no release '${release}' in the namespace ${namespace}: helm list --all-namespaces shows those that are there.`,
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
  cluster: Cluster,
  { release, chart }: KubernetesOptions,
  namespace: string,
): Promise<V1Service> {
  if (chart?.service !== undefined) {
    const { items } = await cluster.doing('looking at the Services', () =>
      cluster.core.listNamespacedService({ namespace }),
    );
    const named = namedService(items, chart);
    if (named !== null) return named;
    const { name, port } = chart.service;
    throw new Mistake(
      `the chart made no Service ${name}${port === undefined ? '' : ` with a port ${String(port)}`}: it made ${items.map(({ metadata }) => metadata?.name ?? '').join(', ') || 'none'}.`,
    );
  }
  const { items } = await cluster.doing('looking at the Services', () =>
    cluster.core.listNamespacedService({ namespace, labelSelector: releaseSelector(release) }),
  );
  const service = webhookService(items);
  if (service !== null) return service;
  throw new Mistake(
    `the release '${release}' in the namespace ${namespace} has no Service that takes webhooks: is --release its name?`,
  );
}

async function refuseTaken(helm: Helm, release: string, namespace: string): Promise<void> {
  const status = await helm.status();
  if (status === null) return;
  throw new Mistake(
    leftInTheMiddle(status, { release, namespace }) ??
      `the release name '${release}' is taken in the namespace ${namespace} (${status}): choose another --release, or load what is there with --existing.`,
  );
}

async function tellLeftovers(cluster: Cluster, warn: (text: string) => void): Promise<void> {
  const all = (await findLeftovers(cluster)) ?? [];
  for (const one of all.filter(({ state }) => state === 'ended')) {
    warn(
      `an earlier command left ${leftoverText(one)}: n8n-tuned clean --target kubernetes removes it.`,
    );
  }
}
