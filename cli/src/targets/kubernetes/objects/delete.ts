/** Objects of any kind in a cluster: listed, read, and removed only while they are the very ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../ui/exit';
import type { Progress } from '../../../ui/progress';
import type { Cluster } from '../api/api';
import type { KubernetesObject } from '../api/api-types';
import { refusalOf } from '../api/failure-causes';
import { textOf, type Made, type ObjectName } from './made';

export type ObjectKind = Pick<ObjectName, 'apiVersion' | 'kind'>;

export interface Objects {
  /** `forbidden` where the kind may not be listed; none where the cluster does not have it. */
  list(
    kind: ObjectKind,
    namespace: string,
    selector?: string,
  ): Promise<KubernetesObject[] | 'forbidden'>;
  /** Null where it is not there, or its kind is not. */
  read(name: ObjectName): Promise<KubernetesObject | null>;
  /** Removes an object; does nothing if it is gone, or replaced by another one of its name. */
  remove(made: Made, graceSeconds?: number): Promise<void>;
}

export function objectsOf(cluster: Cluster): Objects {
  const { objects } = cluster;
  return {
    list: async (kind, namespace, selector) => {
      const nothing = [undefined, undefined, undefined, undefined] as const;
      try {
        const { items } = await objects.list(
          ...([kind.apiVersion, kind.kind, namespace, ...nothing, selector] as const),
        );
        // In a list only the list says what they are.
        return items.map((item) => ({ ...item, ...kind }));
      } catch (error) {
        if (isUnknown(error)) return [];
        if (refusalOf(error)?.code === 403) return 'forbidden';
        throw cluster.explained(`reading objects of the kind ${kind.kind}`, error);
      }
    },
    read: async ({ apiVersion, kind, namespace, name }) => {
      try {
        return await objects.read({ apiVersion, kind, metadata: { name, namespace } });
      } catch (error) {
        if (isUnknown(error)) return null;
        throw cluster.explained(`reading the ${kind} ${name}`, error);
      }
    },
    remove: async ({ apiVersion, kind, namespace, name, uid }, graceSeconds) => {
      const nothing = [undefined, undefined, graceSeconds, undefined, undefined] as const;
      try {
        await objects.delete({ apiVersion, kind, metadata: { name, namespace } }, ...nothing, {
          preconditions: { uid },
          propagationPolicy: 'Background',
        });
      } catch (error) {
        // 409: another UID.
        if (isUnknown(error) || refusalOf(error)?.code === 409) return;
        throw cluster.explained(`removing the ${kind} ${name}`, error);
      }
    },
  };
}

/** The object, or its kind. */
const isUnknown = (error: unknown): boolean =>
  refusalOf(error)?.code === 404 ||
  (error instanceof Error && error.message.startsWith('Unrecognized API version and kind'));

const LOOK_EVERY_MS = 500;

/** Until none of them is there any more; says after a time what is still there. */
export async function awaitGone(
  objects: Objects,
  made: readonly Made[],
  withinMs: number,
  progress: Progress,
): Promise<void> {
  const giveUpMs = performance.now() + withinMs;
  let left = made;
  for (;;) {
    const there = await Promise.all(left.map(async (one) => isThere(await objects.read(one), one)));
    left = left.filter((_, index) => there[index]);
    const [first] = left;
    if (first === undefined) return;
    if (performance.now() > giveUpMs) {
      throw new Failure(
        `${left.map(textOf).join(', ')} in the namespace ${first.namespace} ${left.length === 1 ? 'is' : 'are'} still being removed after ${String(withinMs / 1000)} s.`,
      );
    }
    progress(`waiting until ${textOf(first)} is removed`);
    await sleep(LOOK_EVERY_MS);
  }
}

const isThere = (object: KubernetesObject | null, { uid }: Made): boolean =>
  object?.metadata?.uid === uid;
