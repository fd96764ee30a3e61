/** The namespace that is loaded: one of its own, or one that is there; what was made in it, and its removal. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, messageOf } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import type { Cluster } from './api';
import { refusalOf } from './causes';
import { CALL, labelsOf, MADE_BY, releaseSelector, thisMaker } from './labels';

const GONE_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 500;
const RBAC = 'rbac.authorization.k8s.io/v1';
/** What hooks of our chart are made of, beside Jobs and Secrets. */
const OF_HOOKS = [
  ['v1', 'ConfigMap'],
  ['v1', 'ServiceAccount'],
  [RBAC, 'Role'],
  [RBAC, 'RoleBinding'],
] as const;
/** Nobody waits for an answer of these pods any more. */
const GRACE_SECONDS = 5;
/**
 * Kubernetes looks at a namespace 5 s after its deletion was asked for; where a pod is still there then, it looks again after
 * half of the grace period in that pod's specification, which is minutes for a worker.
 */
const GRACE_WITH_NAMESPACE_SECONDS = 1;

export class Space {
  private constructor(
    private readonly cluster: Cluster,
    private readonly call: string,
    readonly name: string,
    /** It was made here, and goes as a whole. */
    readonly isOwn: boolean,
  ) {}

  static async open(cluster: Cluster, call: string, wanted: string | null): Promise<Space> {
    const name = wanted ?? `n8n-tuned-${call}`;
    const there =
      wanted === null
        ? null
        : await cluster.found(`looking at the namespace ${name}`, () =>
            cluster.core.readNamespace({ name }),
          );
    if (there !== null) return new Space(cluster, call, name, false);
    await cluster.doing(`making the namespace ${name}`, () =>
      cluster.core.createNamespace({
        body: {
          metadata: {
            name,
            labels: labelsOf(call),
            annotations: { [MADE_BY]: thisMaker() },
          },
        },
      }),
    );
    return new Space(cluster, call, name, true);
  }

  /** Everything that was made here, and nothing else. `release`: what was installed, null where nothing was. */
  async clean(
    release: string | null,
    uninstall: () => Promise<void>,
    progress: Progress,
  ): Promise<void> {
    progress(`removing what was made in the namespace ${this.name}`);
    if (this.isOwn) {
      await removeNamespace(this.cluster, this.name, progress);
      return;
    }
    const { core, batch } = this.cluster;
    const namespace = this.name;
    const ours = { namespace, labelSelector: `${CALL}=${this.call}` };
    await this.cluster.doing('removing the load generator', async () => {
      await batch.deleteCollectionNamespacedJob({ ...ours, propagationPolicy: 'Background' });
      await core.deleteCollectionNamespacedConfigMap(ours);
    });
    if (release === null) return;
    await uninstall();
    const theirs = { namespace, labelSelector: releaseSelector(release) };
    const doing = <T>(work: () => Promise<T>): Promise<T> =>
      this.cluster.doing(`removing what the release ${release} left`, work);
    await doing(async () => {
      // Hooks are no part of a release: a Job among them would make its pod, and that its Secret, again.
      await batch.deleteCollectionNamespacedJob({ ...theirs, propagationPolicy: 'Background' });
      await core.deleteCollectionNamespacedPod({ ...theirs, gracePeriodSeconds: GRACE_SECONDS });
    });
    await this.awaitNoPods(release);
    await doing(async () => {
      // Volumes and keys outlive a release on purpose; nobody wants those of a measurement.
      await core.deleteCollectionNamespacedPersistentVolumeClaim(theirs);
      await core.deleteCollectionNamespacedSecret(theirs);
      for (const [apiVersion, kind] of OF_HOOKS)
        await this.removeOfHooks(apiVersion, kind, release);
    });
  }

  /** Helm removes them when its hook has succeeded: not where that failed, or helm itself was ended. */
  private async removeOfHooks(apiVersion: string, kind: string, release: string): Promise<void> {
    const { objects } = this.cluster;
    const nothing = [undefined, undefined, undefined, undefined] as const;
    try {
      const { items } = await objects.list(
        ...([apiVersion, kind, this.name, ...nothing, releaseSelector(release)] as const),
      );
      for (const { metadata } of items) {
        if (metadata?.annotations?.['helm.sh/hook'] === undefined) continue;
        const { name = '', namespace = this.name } = metadata;
        await objects.delete({ apiVersion, kind, metadata: { name, namespace } });
      }
    } catch (error) {
      const { code } = refusalOf(error) ?? {};
      // A chart without them asks for no right to them; and they may have gone by themselves.
      if (code !== 403 && code !== 404) throw error;
    }
  }

  private async awaitNoPods(release: string): Promise<void> {
    const giveUpMs = Date.now() + GONE_WITHIN_MS;
    for (;;) {
      const { items } = await this.cluster.core.listNamespacedPod({
        namespace: this.name,
        labelSelector: releaseSelector(release),
      });
      if (items.length === 0 || Date.now() > giveUpMs) return;
      await sleep(LOOK_EVERY_MS);
    }
  }
}

/** Returns when it is gone. */
export async function removeNamespace(
  cluster: Cluster,
  name: string,
  progress: Progress,
): Promise<void> {
  const giveUpMs = Date.now() + GONE_WITHIN_MS;
  let why = 'its objects are still being removed';
  while (Date.now() < giveUpMs) {
    try {
      await cluster.core.deleteNamespace({ name }).catch((error: unknown) => {
        // It is being removed already.
        if (refusalOf(error)?.code !== 409) throw error;
      });
      await cluster.core
        .deleteCollectionNamespacedPod({
          namespace: name,
          gracePeriodSeconds: GRACE_WITH_NAMESPACE_SECONDS,
        })
        .catch(() => undefined);
      while (Date.now() < giveUpMs) {
        await cluster.core.readNamespace({ name });
        progress(`waiting until the namespace ${name} is removed`);
        await sleep(LOOK_EVERY_MS);
      }
    } catch (error) {
      if (refusalOf(error)?.code === 404) return;
      // A lost connection may come back; a right that is missing does not.
      why = messageOf(cluster.explained(`removing the namespace ${name}`, error));
      if (refusalOf(error)?.code === 403) break;
      await sleep(1_000);
    }
  }
  throw new Failure(
    `the namespace ${name} could not be removed: ${why} n8n-tuned clean --target kubernetes --context ${cluster.context} removes it.`,
  );
}

/** Removes what an earlier call has left in somebody else's namespace: the load generator, and what the workload calls. */
export async function removeGenerators(
  cluster: Cluster,
  namespace: string,
  call: string,
): Promise<void> {
  const theirs = { namespace, labelSelector: `${CALL}=${call}` };
  await cluster.found('removing the load generator', () =>
    cluster.batch.deleteCollectionNamespacedJob({ ...theirs, propagationPolicy: 'Background' }),
  );
  await cluster.found('removing the load generator', () =>
    cluster.core.deleteCollectionNamespacedConfigMap(theirs),
  );
}
