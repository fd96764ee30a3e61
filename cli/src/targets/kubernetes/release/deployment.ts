/** n8n by a chart, ours or another: what it will make, and its installation until all pods are ready. */
import { chartFolder } from '../../../plan/environment';
import type { Topology } from '../../../plan/topology';
import type { Progress } from '../../../ui/progress';
import type { Cluster } from '../api/api';
import type { KubernetesObject } from '../api/api-types';
import { objectsBeside } from './existing-release';
import type { Helm, Installing, Rendered } from './helm';
import { CALL } from '../objects/labels';
import { type Plan, claimsOf, type Planned } from '../objects/made';
import type { KubernetesOptions } from './options';
import { awaitRollout } from './rollout';
import { needsUpstream, ownWorkflows } from './seedable';
import { refuseThere } from '../objects/name-taken';
import { upstreamNames, upstreamUrlOf } from './upstream';
import { chosenValues, foreignValues, type ValuesFiles } from './values';
import { parseAllDocuments } from 'yaml';

export interface DeploymentPlace {
  cluster: Cluster;
  call: string;
  namespace: string;
  release: string;
  helm: Helm;
}

export interface DeployedN8n {
  topology: Topology | null;
  values: Record<string, unknown> | null;
}

export class ReleaseDeployment {
  private readonly values: ValuesFiles;
  private readonly order: Installing;
  private readonly beside: readonly KubernetesObject[];

  constructor(
    private readonly place: DeploymentPlace,
    private readonly options: KubernetesOptions,
  ) {
    const { call, release } = place;
    const { chart } = options;
    const labels = { [CALL]: call };
    this.values =
      chart === null
        ? chosenValues({
            ...{ topology: options.topology, given: options.values, release, labels },
            upstreamUrl: needsUpstream(options) ? upstreamUrlOf(release) : null,
            workflows: ownWorkflows(options),
            hasLinks: options.hasLinks ?? false,
            hasForgetfulRedis: options.hasForgetfulRedis ?? false,
          })
        : foreignValues([...chart.values, ...options.values]);
    this.order = {
      ...(chart ?? { chart: chartFolder() }),
      ...{ values: this.values.files, timeoutMs: options.deployTimeoutMs, labels },
    };
    const ours = { name: 'charts/n8n-load', text: this.values.beside };
    this.beside = objectsBeside(chart ?? { manifests: [ours] }, place);
  }

  /** Removes the files with values, which may hold passwords. */
  end(): void {
    this.values.end();
  }

  /** What will be made; refuses where something has one of its names already. */
  async plan(signal: AbortSignal): Promise<Plan> {
    const { cluster, namespace, release, helm } = this.place;
    const plan = planOf(this.place, await helm.plan(this.order, signal), [
      ...this.beside,
      ...(needsUpstream(this.options) ? upstreamNames(release) : []),
    ]);
    await refuseThere(cluster, { namespace, release, plan });
    return plan;
  }

  async deploy(
    generatorUp: Promise<unknown>,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<DeployedN8n> {
    const { cluster, namespace, release, helm } = this.place;
    await this.putBeside(progress, signal);
    const ends = new AbortController();
    const untilEnd = AbortSignal.any([signal, ends.signal]);
    let isDone = false;
    progress(`deploying n8n into the namespace ${namespace}`);
    const installing = helm.install(this.order, untilEnd).then(() => {
      isDone = true;
    });
    installing.catch(() => undefined);
    const rolledOut = awaitRollout(
      { cluster, namespace, release, timeoutMs: this.options.deployTimeoutMs },
      () => isDone,
      progress,
      untilEnd,
    );
    rolledOut.catch(() => undefined);
    try {
      // Whichever knows first what is wrong; without a load generator n8n is not waited for.
      await Promise.all([installing, rolledOut, generatorUp]);
      return { topology: this.values.topology, values: this.values.recorded };
    } finally {
      ends.abort();
      await Promise.allSettled([installing, rolledOut]);
      this.end();
    }
  }

  /** Such as the stores that n8n needs: they are ready before it starts. */
  private async putBeside(progress: Progress, signal: AbortSignal): Promise<void> {
    if (this.beside.length === 0) return;
    const { cluster } = this.place;
    const { chart } = this.options;
    if (chart !== null) progress('applying the manifests that the chart file names');
    for (const object of this.beside) {
      await cluster.doing(`creating the ${object.kind ?? ''} ${object.metadata?.name ?? ''}`, () =>
        cluster.objects.create(object),
      );
    }
    if (chart === null) return;
    const timeoutMs = this.options.deployTimeoutMs;
    await awaitRollout({ ...this.place, timeoutMs }, () => true, progress, signal);
  }
}

/** What deploying will make in a namespace that others use too; `beside` is what the command itself applies. */
function planOf(
  { release, namespace }: { release: string; namespace: string },
  { manifest, hooks }: Rendered,
  beside: readonly KubernetesObject[],
): Plan {
  const parts = objectsIn(manifest);
  const planned =
    (isHook: boolean) =>
    ({ apiVersion = 'v1', kind = '', metadata }: KubernetesObject): Planned => ({
      ...{ apiVersion, kind, isHook },
      ...{ namespace: metadata?.namespace ?? namespace, name: metadata?.name ?? '' },
    });
  return {
    release,
    objects: [
      ...[...parts, ...beside].map(planned(false)),
      ...hooks.flatMap(objectsIn).map(planned(true)),
    ],
    claims: [...parts, ...beside].flatMap(claimsOf),
  };
}

const objectsIn = (manifest: string): KubernetesObject[] =>
  parseAllDocuments(manifest).flatMap((document) => {
    const object = document.toJS() as (KubernetesObject & { items?: KubernetesObject[] }) | null;
    if (object?.kind === undefined) return [];
    return object.kind === 'List' ? (object.items ?? []) : [object];
  });
