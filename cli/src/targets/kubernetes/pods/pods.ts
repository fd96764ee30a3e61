/** What the pods of a release are, and what has happened to them between two looks. Pure. */
import type { RunEvent, SampledRole } from '../../../record/run-record';
import type { CoreV1Event, V1ContainerStatus, V1Pod } from '../api/api-types';
import { COMPONENT } from '../objects/labels';
import { lostNodeText, nameOf } from './pod-trouble';

type PodRole = Exclude<SampledRole, 'generator' | 'host'>;

/** A container that is looked at. */
export interface ContainerSeat {
  pod: string;
  container: string;
  role: PodRole;
  node: string;
  restarts: number;
  /** It changes when the container is started again. */
  id: string;
}

/** By the label that charts give the parts of a release; null for what plays no part, such as a job. */
export function roleOf(pod: V1Pod): PodRole | null {
  const { labels = {}, ownerReferences = [] } = pod.metadata ?? {};
  if (ownerReferences.some(({ kind }) => kind === 'Job')) return null;
  const component = labels[COMPONENT] ?? '';
  if (/worker/.test(component)) return 'worker';
  if (/webhook/.test(component)) return 'webhook';
  // Beside n8n, and of the same chart: by its name alone it would be taken for main.
  if (/exporter|smoke|test/.test(component)) return null;
  const words = `${component} ${labels['app.kubernetes.io/name'] ?? ''}`;
  if (/redis|valkey/.test(words)) return 'redis';
  if (/postgres/.test(words)) return 'postgresql';
  return /main|n8n/.test(words) ? 'main' : null;
}

const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';

/** What a container of a pod of that role plays: a sidecar with a task runner a part of its own, any other none. */
function partOf(pod: V1Pod, role: PodRole, container: string): PodRole | null {
  const chief =
    pod.metadata?.annotations?.[DEFAULT_CONTAINER] ?? pod.spec?.containers[0]?.name ?? '';
  if (container === chief) return role;
  return /runner/.test(container) ? 'runner' : null;
}

/** The containers that run. */
export function seatsOf(pods: readonly V1Pod[]): ContainerSeat[] {
  return pods.flatMap((pod) => {
    const role = roleOf(pod);
    if (role === null || pod.metadata?.deletionTimestamp !== undefined) return [];
    const statuses = [
      ...(pod.status?.containerStatuses ?? []),
      // A sidecar that starts first is an init container that goes on.
      ...(pod.status?.initContainerStatuses ?? []),
    ];
    return statuses.flatMap(({ name, state, restartCount, containerID = '' }) => {
      if (state?.running === undefined) return [];
      const part = partOf(pod, role, name);
      if (part === null) return [];
      return [
        {
          pod: nameOf(pod),
          container: name,
          role: part,
          node: pod.spec?.nodeName ?? '',
          restarts: restartCount,
          id: `${pod.metadata?.uid ?? ''} ${containerID}`,
        },
      ];
    });
  });
}

/** What a container's end was: by which it breaks a run. */
type Happened = Omit<RunEvent, 'tMs'>;

interface Known {
  /** How often each container has ended. */
  ends: Map<string, number>;
  gone: boolean;
  node: string | undefined;
}

export class PodHistory {
  private readonly seen = new Map<string, Known>();
  private readonly told = new Set<string>();
  private isFirst = true;

  /** What has happened since the look before; nothing at the first one. */
  look(pods: readonly V1Pod[]): Happened[] {
    const now = new Set(pods.map(({ metadata }) => metadata?.uid ?? ''));
    const happened: Happened[] = [];
    for (const pod of pods) happened.push(...this.lookAt(pod));
    for (const [uid, known] of this.seen) {
      if (!known.gone && !now.has(uid)) this.seen.delete(uid);
    }
    this.isFirst = false;
    return happened;
  }

  private lookAt(pod: V1Pod): Happened[] {
    const role = roleOf(pod);
    if (role === null) return [];
    const uid = pod.metadata?.uid ?? '';
    const name = nameOf(pod);
    const before = this.seen.get(uid);
    const known = before ?? { ends: new Map<string, number>(), gone: false, node: '' };
    known.node = pod.spec?.nodeName;
    this.seen.set(uid, known);
    const happened: Happened[] = [];
    if (before === undefined && !this.isFirst) {
      happened.push({ kind: 'pod', text: `a new pod: ${name}` });
    }
    const isLeaving = pod.metadata?.deletionTimestamp !== undefined;
    if (isLeaving && !known.gone) {
      known.gone = true;
      // What deletes a pod takes its requests with it: a rollout, a drain, an autoscaler.
      if (before !== undefined) happened.push({ kind: 'exit', text: `${name} is being deleted` });
    }
    if (pod.status?.reason === 'Evicted' && !this.isTold(`${uid} evicted`)) {
      happened.push({ kind: 'exit', text: `${name} was evicted: ${pod.status.message ?? ''}` });
    }
    const statuses = [
      ...(pod.status?.initContainerStatuses ?? []),
      ...(pod.status?.containerStatuses ?? []),
    ];
    for (const status of statuses) {
      const last = known.ends.get(status.name);
      const ends = isLeaving ? status.restartCount : endsOf(status);
      known.ends.set(status.name, Math.max(ends, last ?? 0));
      if (last === undefined || ends <= last) continue;
      happened.push(endOf(name, partOf(pod, role, status.name), status));
    }
    return happened;
  }

  /** Warnings of the cluster about these pods, each once. */
  warnings(events: readonly CoreV1Event[], sinceMs: number): Happened[] {
    return events.flatMap(
      ({ metadata, type, reason = '', message = '', involvedObject, lastTimestamp }) => {
        const atMs = Number(lastTimestamp ?? metadata.creationTimestamp ?? 0);
        if (type !== 'Warning' || atMs < sinceMs || !TELLING.has(reason)) return [];
        if (this.isTold(`${metadata.uid ?? ''} ${reason}`)) return [];
        const lost = reason === NODE_LOST ? this.seen.get(involvedObject.uid ?? '') : undefined;
        if (lost !== undefined) {
          // Taken down later, or back: what it was doing is gone or doubtful from now on.
          return [
            { kind: 'exit', text: `${involvedObject.name ?? ''}: ${lostNodeText(lost.node)}` },
          ];
        }
        return [
          { kind: 'cluster', text: `${involvedObject.name ?? ''}: ${reason}: ${message.trim()}` },
        ];
      },
    );
  }

  /** What autoscalers have decided, each decision once. */
  decisions(events: readonly CoreV1Event[], sinceMs: number): Happened[] {
    return decisionsIn(events, sinceMs).flatMap(({ key, event }) =>
      this.isTold(key) ? [] : [event],
    );
  }

  private isTold(key: string): boolean {
    const before = this.told.has(key);
    this.told.add(key);
    return before;
  }
}

const NODE_LOST = 'NodeNotReady';
const TELLING = new Set([
  ...['Evicted', 'OOMKilling', NODE_LOST, 'Preempted', 'FailedScheduling', 'Unhealthy'],
  ...['FailedGetResourceMetric', 'BackOff', 'FailedKillPod', 'SystemOOM'],
]);

/** Exit code of a process that aborts, as V8 does when its heap is full. */
const ABORTED = 134;

/** Kubernetes may wait for minutes before it starts a container again, so that an end is known before its restart is. */
function endsOf({ restartCount, state }: V1ContainerStatus): number {
  // An init container that is done stays ended.
  const hasFailed = (state?.terminated?.exitCode ?? 0) !== 0;
  const isHeldBack = state?.waiting?.reason === 'CrashLoopBackOff';
  return restartCount + (hasFailed || isHeldBack ? 1 : 0);
}

/** On SIGKILL by the kernel it is 137, which a probe's kill gives too; only the reason tells. */
function endOf(
  pod: string,
  role: PodRole | null,
  { name, state, lastState }: V1ContainerStatus,
): Happened {
  const end = state?.terminated ?? lastState?.terminated;
  const usedUp = (resource: 'memory' | 'heap'): Pick<Happened, 'exhausted'> =>
    role === null ? {} : { exhausted: { role, resource } };
  if (end?.reason === 'OOMKilled') {
    return {
      kind: 'oom-kill',
      text: `the container ${name} of ${pod} was killed, because its memory limit was reached`,
      ...usedUp('memory'),
    };
  }
  if (end?.exitCode === ABORTED) {
    return {
      kind: 'restart',
      text: `the container ${name} of ${pod} aborted, as V8 does when its heap is full`,
      ...usedUp('heap'),
    };
  }
  const how =
    end === undefined
      ? 'was started again'
      : `ended (${end.reason ?? 'no reason is known'}, exit code ${String(end.exitCode)})`;
  return { kind: 'restart', text: `the container ${name} of ${pod} ${how}` };
}

/** KEDA makes a HorizontalPodAutoscaler for all but the way to no pods and back, which it does itself. */
const DECISIONS = new Set([
  'SuccessfulRescale',
  'KEDAScaleTargetActivated',
  'KEDAScaleTargetDeactivated',
]);

interface ScalingDecision {
  /** Key of one decision; an autoscaler that repeats itself raises the count of its event. */
  key: string;
  event: Omit<RunEvent, 'tMs'>;
}

function decisionsIn(events: readonly CoreV1Event[], sinceMs: number): ScalingDecision[] {
  return events.flatMap(
    ({ metadata, reason = '', message = '', count = 1, involvedObject, lastTimestamp }) => {
      const atMs = Number(lastTimestamp ?? metadata.creationTimestamp ?? 0);
      if (atMs < sinceMs || !DECISIONS.has(reason)) return [];
      return [
        {
          key: `${metadata.uid ?? ''} ${String(count)}`,
          event: { kind: 'autoscaler', text: `${involvedObject.name ?? ''}: ${message.trim()}` },
        },
      ];
    },
  );
}
