/** The namespace that is loaded: one of the call's own, which goes as a whole, or one that others use too. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, messageOf, Mistake } from '../../../ui/exit';
import type { Progress } from '../../../ui/progress';
import type { Cluster } from '../api/api';
import type { V1Namespace } from '../api/api-types';
import { refusalOf } from '../api/failure-causes';
import { everythingIn } from './inventory';
import { labelsOf, MADE_BY, ownNamespace, thisMaker } from './labels';
import { textOf } from './made';
import { objectsOf } from './delete';

const GONE_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 500;
/**
 * Kubernetes looks at a namespace 5 s after its deletion was asked for; where a pod is still there then, it looks again after
 * half of the grace period in that pod's specification, which is minutes for a worker.
 */
const GRACE_WITH_NAMESPACE_SECONDS = 1;

export interface RunNamespace {
  name: string;
  /** Uid of the object if this call created it. */
  uid: string | null;
  /** It has a name that only this call gives, so nobody else puts anything there: it goes as a whole. */
  isOwn: boolean;
}

/** `wanted`: one that the user names; null: one of its own. */
export async function openRunNamespace(
  cluster: Cluster,
  call: string,
  wanted: string | null,
  how: 'deploy' | 'existing',
): Promise<RunNamespace> {
  const name = wanted ?? ownNamespace(call);
  const isOwn = wanted === null;
  if (!isOwn) {
    const there = await cluster.found(`reading the namespace ${name}`, () =>
      cluster.core.readNamespace({ name }),
    );
    if (there !== null) return { name, uid: null, isOwn };
    if (how === 'existing') {
      throw new Mistake(
        `there is no namespace ${name}: kubectl get namespaces lists the existing namespaces.`,
      );
    }
  }
  const { metadata } = await cluster.doing(`creating the namespace ${name}`, () =>
    cluster.core.createNamespace({ body: namespaceOf(name, call) }),
  );
  return { name, uid: metadata?.uid ?? '', isOwn };
}

const namespaceOf = (name: string, call: string): V1Namespace => ({
  metadata: { name, labels: labelsOf(call), annotations: { [MADE_BY]: thisMaker() } },
});

/** A namespace as it was when it was found; one of its name that was made later is another. */
export interface KnownNamespace {
  name: string;
  uid: string;
}

/** Returns when it is gone. */
export async function removeNamespace(
  cluster: Cluster,
  { name, uid }: KnownNamespace,
  progress: Progress,
): Promise<void> {
  const giveUpMs = performance.now() + GONE_WITHIN_MS;
  let why = 'its objects are still being removed.';
  while (performance.now() < giveUpMs) {
    try {
      const isThere = async (): Promise<boolean> =>
        (await cluster.core.readNamespace({ name })).metadata?.uid === uid;
      if (!(await isThere())) return;
      await cluster.core
        .deleteNamespace({ name, body: { preconditions: { uid } } })
        .catch((error: unknown) => {
          // It is being removed already.
          if (refusalOf(error)?.code !== 409) throw error;
        });
      await cluster.core
        .deleteCollectionNamespacedPod({
          namespace: name,
          gracePeriodSeconds: GRACE_WITH_NAMESPACE_SECONDS,
        })
        .catch(() => undefined);
      while (performance.now() < giveUpMs) {
        if (!(await isThere())) return;
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

/** One that a call made by a name that its user gave: others may use it by now. Says what is in it, if it stays. */
export async function removeIfEmpty(
  cluster: Cluster,
  namespace: KnownNamespace,
  progress: Progress,
): Promise<string | null> {
  const others = await everythingIn(objectsOf(cluster), namespace.name);
  if (others.length > 0) {
    return `the namespace ${namespace.name} is kept, because others use it now: it contains ${listed(others.map(textOf))}.`;
  }
  await removeNamespace(cluster, namespace, progress);
  return null;
}

const NAMED = 5;

/** The first of them, and how many more there are. */
export const listed = (names: readonly string[]): string =>
  names.length <= NAMED
    ? names.join(', ')
    : `${names.slice(0, NAMED).join(', ')} and ${String(names.length - NAMED)} more`;
