/** Why pods do not become ready, from what the cluster says of them. Pure. */
import type { CoreV1Event, V1ContainerStatus, V1Pod, V1PodCondition } from '../api/api-types';
import { claimText, isOfVolume, noNodeText } from './unscheduled';

export interface Trouble {
  pod: string;
  /** In words, with what to do. */
  text: string;
  /** Waiting does not help: what is wrong is in the order, not in the cluster's pace. */
  isFinal: boolean;
}

const NOT_PULLED = new Set(['ImagePullBackOff', 'ErrImagePull', 'InvalidImageName']);
const NOT_MADE = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);
/** A container may fail while it waits for a database; so often is no waiting any more. */
const CRASHES_TOLERATED = 3;
/** Exit code of what ended because it was told to: nobody else does that to a pod that stays. */
const SIGTERM = 143;
const TOLD_TO_END =
  ', which happens when a liveness probe fails: give the container more CPU or a startup probe';

export function troublesOf(pods: readonly V1Pod[]): Trouble[] {
  return pods.flatMap((pod) => {
    const trouble = troubleOf(pod);
    return trouble === null ? [] : [{ pod: nameOf(pod), ...trouble }];
  });
}

function troubleOf(pod: V1Pod): Omit<Trouble, 'pod'> | null {
  if (pod.metadata?.deletionTimestamp !== undefined) return null;
  const { status } = pod;
  const unscheduled = unscheduledOf(pod);
  if (unscheduled !== undefined) {
    return {
      text: noNodeText(unscheduled.message),
      // An autoscaler may bring a node, a provisioner a volume.
      isFinal: false,
    };
  }
  if (status?.reason === 'Evicted') {
    return { text: `it was evicted: ${status.message ?? 'no reason given'}`, isFinal: false };
  }
  for (const one of [
    ...(status?.initContainerStatuses ?? []),
    ...(status?.containerStatuses ?? []),
  ]) {
    const trouble = containerTrouble(one);
    if (trouble !== null) return trouble;
  }
  return null;
}

function containerTrouble(status: V1ContainerStatus): Omit<Trouble, 'pod'> | null {
  const { name, image, state, lastState, restartCount } = status;
  const waiting = state?.waiting;
  const why = waiting?.message ?? '';
  if (NOT_PULLED.has(waiting?.reason ?? '')) {
    return {
      text: `the image ${image} cannot be pulled (${why || (waiting?.reason ?? '')}): correct its name, or give the cluster access to its registry`,
      isFinal: waiting?.reason !== 'ErrImagePull',
    };
  }
  if (NOT_MADE.has(waiting?.reason ?? '')) {
    return { text: `the container ${name} cannot be started: ${why}`, isFinal: true };
  }
  if (waiting?.reason === 'CrashLoopBackOff' || restartCount >= CRASHES_TOLERATED) {
    const end = (lastState ?? state)?.terminated;
    const how =
      end === undefined
        ? 'it keeps exiting'
        : `it ended with ${end.reason ?? 'no reason'} (exit code ${String(end.exitCode)})${end.exitCode === SIGTERM ? TOLD_TO_END : ''}`;
    return {
      text: `the container ${name} was started ${String(restartCount + 1)} times: ${how}`,
      isFinal: restartCount >= CRASHES_TOLERATED,
    };
  }
  return null;
}

/** What keeps pods from being made at all is told only by events of what should make them. */
export function troublesInEvents(events: readonly CoreV1Event[]): Trouble[] {
  return events.flatMap(({ reason, message = '', involvedObject, type }): Trouble[] => {
    if (type !== 'Warning') return [];
    const pod = nameOfObject(involvedObject);
    if (reason === 'FailedCreate') return [{ pod, text: notMade(message), isFinal: true }];
    if (reason === 'FailedMount' || reason === 'FailedAttachVolume') {
      return [{ pod, text: `a volume cannot be mounted: ${message}`, isFinal: false }];
    }
    return [];
  });
}

/** Problems of claims for which these pods wait. Their events remain once there is a volume; then a node has taken the pod. */
export function troublesOfClaims(
  events: readonly CoreV1Event[],
  pods: readonly V1Pod[],
): Trouble[] {
  const awaited = new Set(pods.filter(mayAwaitVolume).flatMap(claimsOf));
  return events.flatMap(({ reason = '', message = '', involvedObject }): Trouble[] => {
    const claim = nameOfObject(involvedObject);
    if (involvedObject.kind !== 'PersistentVolumeClaim' || !awaited.has(claim)) return [];
    const text = claimText(reason, message);
    return text === null ? [] : [{ pod: claim, text, isFinal: false }];
  });
}

/** The node controller calls pods of a node that has gone silent unready, and says why in an event of each. */
export function troublesOfLostNodes(
  events: readonly CoreV1Event[],
  pods: readonly V1Pod[],
): Trouble[] {
  const told = new Set(
    events.flatMap(({ reason, involvedObject }) =>
      reason === 'NodeNotReady' ? [nameOfObject(involvedObject)] : [],
    ),
  );
  return pods.flatMap((pod): Trouble[] =>
    told.has(nameOf(pod)) && !isReady(pod)
      ? [{ pod: nameOf(pod), text: lostNodeText(pod.spec?.nodeName), isFinal: false }]
      : [],
  );
}

export const lostNodeText = (node = ''): string =>
  `its node ${node} no longer responds: kubectl describe node ${node} shows since when; restore the node, or measure on the remaining nodes`;

/** Still said to run, while the node controller has called it unready: no kubelet tells of it any more. */
export function hasLostNode({ status }: V1Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const containers = status?.containerStatuses ?? [];
  return (
    status?.phase === 'Running' &&
    ready?.status === 'False' &&
    containers.length > 0 &&
    containers.every((container) => container.ready)
  );
}

const unscheduledOf = ({ status }: V1Pod): V1PodCondition | undefined =>
  status?.conditions?.find(
    ({ type, status: is, reason }) =>
      type === 'PodScheduled' && is === 'False' && reason === 'Unschedulable',
  );

/** A claim may wait for its pod as well: for a node with enough CPU, say. */
function mayAwaitVolume(pod: V1Pod): boolean {
  const said = unscheduledOf(pod)?.message;
  return !isScheduled(pod) && (said === undefined || isOfVolume(said));
}

const isScheduled = ({ status }: V1Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'PodScheduled' && is === 'True') ===
  true;

const claimsOf = ({ spec }: V1Pod): string[] =>
  (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [claim.claimName],
  );

function notMade(message: string): string {
  const quota = /exceeded quota: (.*)$/s.exec(message)?.[1];
  if (quota !== undefined) {
    return `its pods exceed a quota of the namespace (${quota}): raise the quota, or request less with --cpu, --memory or --workers`;
  }
  const range = /((?:maximum|minimum) (?:cpu|memory).*)$/s.exec(message)?.[1];
  if (range !== undefined) {
    return `its pods are refused by a LimitRange of the namespace (${range.replace(/^\W+|\W+$/g, '')}): request amounts within its limits`;
  }
  return `its pods are refused: ${message}`;
}

export function isReady(pod: V1Pod): boolean {
  return (
    pod.metadata?.deletionTimestamp === undefined &&
    pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ===
      true
  );
}

const nameOfObject = ({ name }: CoreV1Event['involvedObject']): string => name ?? '';

export const nameOf = ({ metadata }: V1Pod): string => metadata?.name ?? '';
