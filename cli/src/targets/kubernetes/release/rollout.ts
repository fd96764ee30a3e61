/** Waits until all of a release is ready; tells at once what no waiting will change. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../ui/exit';
import type { Progress } from '../../../ui/progress';
import { within } from '../../../ui/within';
import type { Cluster } from '../api/api';
import type { CoreV1Event, V1Deployment, V1Pod, V1StatefulSet } from '../api/api-types';
import { releaseSelector } from '../objects/labels';
import {
  troublesInEvents,
  troublesOf,
  troublesOfClaims,
  troublesOfLostNodes,
  type Trouble,
} from '../pods/pod-trouble';

const LOOK_EVERY_MS = 1_000;

export interface Rollout {
  cluster: Cluster;
  namespace: string;
  release: string;
  timeoutMs: number;
}

/** `isDone` says whether what makes the release has ended: before, there may be less of it than will be. */
export function awaitRollout(
  { cluster, namespace, release, timeoutMs }: Rollout,
  isDone: () => boolean,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = releaseSelector(release);
  const sinceMs = Date.now();
  return within(timeoutMs, signal, async (patience) => {
    for (;;) {
      const [pods, workloads, events] = await cluster.doing('reading the release', async () => {
        const one = { namespace, labelSelector };
        const [podList, deployments, sets, eventList] = await Promise.all([
          cluster.core.listNamespacedPod(one),
          cluster.apps.listNamespacedDeployment(one),
          cluster.apps.listNamespacedStatefulSet(one),
          cluster.core.listNamespacedEvent({ namespace }),
        ]);
        const all = [...deployments.items, ...sets.items];
        return [podList.items, all, since(eventList.items, sinceMs)] as const;
      });
      const waitingFor = unready(workloads);
      if (isDone() && workloads.length > 0 && waitingFor.length === 0) return;
      const trouble = worstTrouble(pods, events, release);
      progress(
        trouble === null
          ? `waiting for ${waitingFor.join(', ') || `the release ${release}`}`
          : `waiting: ${trouble.pod}: ${trouble.text}`,
      );
      signal.throwIfAborted();
      if (trouble?.isFinal === true) {
        throw new Failure(`${trouble.pod} does not start: ${trouble.text}.`);
      }
      if (patience.aborted) {
        throw new Failure(
          `the release ${release} was not ready within ${String(timeoutMs / 1000)} s (--deploy-timeout): ${
            trouble === null
              ? `${waitingFor.join(', ')} never became ready`
              : `${trouble.pod}: ${trouble.text}`
          }.`,
        );
      }
      await sleep(LOOK_EVERY_MS);
    }
  });
}

function since(events: readonly CoreV1Event[], sinceMs: number): CoreV1Event[] {
  // Times of the cluster are whole seconds.
  return events.filter(
    ({ lastTimestamp, metadata }) =>
      Number(lastTimestamp ?? metadata.creationTimestamp ?? 0) >= sinceMs - 2_000,
  );
}

/** Names of what has fewer ready pods than it should. Pure. */
export function unready(workloads: readonly (V1Deployment | V1StatefulSet)[]): string[] {
  return workloads.flatMap(({ metadata, spec, status }) => {
    const isSeen = (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
    const ready = status?.readyReplicas ?? 0;
    return isSeen && ready >= (spec?.replicas ?? 1) ? [] : [metadata?.name ?? ''];
  });
}

/** Whether every pod of it is of its newest template and ready, and none of an older one counts any more. Pure. */
export function isRolledOut({ metadata, spec, status }: V1Deployment): boolean {
  const wanted = spec?.replicas ?? 1;
  const { updatedReplicas = 0, readyReplicas = 0, replicas = 0 } = status ?? {};
  const isSeen = (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
  return isSeen && [updatedReplicas, readyReplicas, replicas].every((count) => count === wanted);
}

/** What no waiting changes first, then what is the cause of others. Pure. */
export function worstTrouble(
  pods: readonly V1Pod[],
  events: readonly CoreV1Event[],
  release: string,
): Trouble | null {
  // Events carry no labels: the objects of a release begin with its name.
  const theirs = troublesInEvents(events).filter(({ pod }) => pod.startsWith(release));
  const troubles = [
    ...troublesOfClaims(events, pods),
    ...troublesOfLostNodes(events, pods),
    ...troublesOf(pods),
    ...theirs,
  ];
  return troubles.find(({ isFinal }) => isFinal) ?? troubles[0] ?? null;
}
