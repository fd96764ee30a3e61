/** Which objects of a namespace a call has made: what it may remove, and nothing else. Pure. */
import type { KubernetesObject } from '../api/api-types';
import { CALL } from './labels';

export interface ObjectName {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}

export interface Made extends ObjectName {
  uid: string;
}

export interface Planned extends ObjectName {
  /** Helm makes it as a hook, without its mark of who owns it. */
  isHook: boolean;
}

/** What a call is going to make, known before it makes anything. */
export interface Plan {
  /** Release of Helm; null if nothing is deployed. */
  release: string | null;
  objects: readonly Planned[];
  /** How the names of claims begin that its StatefulSets make, an ordinal after it. */
  claims: readonly string[];
}

/** What is known of a call when its objects are looked for. */
export interface CallTraits {
  call: string;
  /** The call began to make objects no earlier: by the clock of the API server. */
  sinceMs: number;
  plan: Plan;
  /** Seen once all was made; what has the name of one of these and another UID was put in its place by somebody else. */
  seen: readonly Made[];
}

/** Kinds that the command, its chart and the hooks of that make. What their controllers make goes with them. */
export const KINDS: readonly Pick<ObjectName, 'apiVersion' | 'kind'>[] = [
  ...['ConfigMap', 'PersistentVolumeClaim', 'Pod', 'Secret', 'Service', 'ServiceAccount'].map(
    (kind) => ({ apiVersion: 'v1', kind }),
  ),
  ...['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'].map((kind) => ({
    apiVersion: 'apps/v1',
    kind,
  })),
  ...['CronJob', 'Job'].map((kind) => ({ apiVersion: 'batch/v1', kind })),
  { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
  ...['Ingress', 'NetworkPolicy'].map((kind) => ({ apiVersion: 'networking.k8s.io/v1', kind })),
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  ...['Role', 'RoleBinding'].map((kind) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
  })),
  { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' },
  ...['ScaledObject', 'TriggerAuthentication'].map((kind) => ({
    apiVersion: 'keda.sh/v1alpha1',
    kind,
  })),
  ...['PodMonitor', 'PrometheusRule', 'ServiceMonitor'].map((kind) => ({
    apiVersion: 'monitoring.coreos.com/v1',
    kind,
  })),
  { apiVersion: 'k6.io/v1alpha1', kind: 'TestRun' },
];

/** Beside a release that is there: the load generator alone. */
export const KINDS_OF_LOAD: typeof KINDS = [
  ...['ConfigMap', 'Pod'].map((kind) => ({ apiVersion: 'v1', kind })),
  { apiVersion: 'batch/v1', kind: 'Job' },
];

export const keyOf = ({ apiVersion, kind, namespace, name }: ObjectName): string =>
  // A newer version of a group names the same object.
  [apiVersion.includes('/') ? apiVersion.split('/')[0] : '', kind, namespace, name].join(' ');

/** The object as an argument of `kubectl get`. */
export const textOf = ({ kind, name }: Pick<ObjectName, 'kind' | 'name'>): string =>
  `${kind} ${name}`;

export const madeFrom = (object: KubernetesObject): Made => ({
  apiVersion: object.apiVersion ?? 'v1',
  kind: object.kind ?? '',
  namespace: object.metadata?.namespace ?? '',
  name: object.metadata?.name ?? '',
  uid: object.metadata?.uid ?? '',
});

/** Made again and again by a controller, with another UID each time. */
const isByController = ({ kind }: Pick<ObjectName, 'kind'>): boolean =>
  kind === 'Pod' || kind === 'ReplicaSet';

/** What is worth being seen once all was made. */
export const lasting = (made: readonly Made[]): Made[] =>
  made.filter((one) => !isByController(one));

/**
 * Those of `objects` that the call has made. An object counts if it was seen with its UID, or else if no other was seen
 * under its name, it is no older than the call, and one of these holds: it has the label of the call; it was planned, and Helm
 * has marked it as of the release that the call installed; a StatefulSet of the call has claimed it; its controller is one of
 * them.
 */
export function madeAmong(objects: readonly KubernetesObject[], whose: CallTraits): Made[] {
  const seen = new Map(whose.seen.map((one) => [keyOf(one), one.uid]));
  const planned = new Map(whose.plan.objects.map((one) => [keyOf(one), one]));
  const holdsRelease = objects.some((object) => isRecordOf(object, whose));
  const found = new Map<string, Made>();
  // A name that holds the call is nobody else's.
  const claims = new Set(
    whose.plan.claims.filter((prefix) => holdsRelease || prefix.includes(whose.call)),
  );
  const add = (object: KubernetesObject, one: Made): void => {
    found.set(one.uid, one);
    for (const prefix of claimsOf(object)) claims.add(prefix);
  };
  const mayBe = (object: KubernetesObject, one: Made): boolean => {
    const uid = isByController(one) ? undefined : seen.get(keyOf(one));
    return uid === undefined ? createdMs(object) >= whose.sinceMs : uid === one.uid;
  };
  const candidates = objects.map((object) => ({ object, one: madeFrom(object) }));
  for (const { object, one } of candidates) {
    if (one.uid === '' || !mayBe(object, one)) continue;
    const plan = planned.get(keyOf(one));
    const isTold =
      seen.get(keyOf(one)) === one.uid ||
      object.metadata?.labels?.[CALL] === whose.call ||
      (plan !== undefined && holdsRelease && (plan.isHook ? isHook(object) : isHelms(object)));
    if (isTold) add(object, one);
  }
  for (const { object, one } of candidates) {
    if (one.kind !== 'PersistentVolumeClaim' || !mayBe(object, one)) continue;
    if ([...claims].some((prefix) => isClaimOf(one.name, prefix))) add(object, one);
  }
  // A Deployment has ReplicaSets, and those have pods.
  for (const kind of ['ReplicaSet', 'Job', 'Pod']) {
    for (const { object, one } of candidates) {
      if (one.kind === kind && found.has(controllerOf(object))) add(object, one);
    }
  }
  return [...found.values()];

  function isHelms({ metadata }: KubernetesObject): boolean {
    return metadata?.annotations?.['meta.helm.sh/release-name'] === whose.plan.release;
  }
}

const isHook = ({ metadata }: KubernetesObject): boolean =>
  metadata?.annotations?.['helm.sh/hook'] !== undefined;

/** Whether this belongs to the release that the call installed, not to a later one of the same name; the release records the call. */
const isRecordOf = ({ metadata }: KubernetesObject, { call, plan }: CallTraits): boolean =>
  plan.release !== null &&
  metadata?.labels?.['owner'] === 'helm' &&
  metadata.labels['name'] === plan.release &&
  metadata.labels[CALL] === call;

const controllerOf = ({ metadata }: KubernetesObject): string =>
  metadata?.ownerReferences?.find(({ controller }) => controller === true)?.uid ?? '';

export function createdMs({ metadata }: KubernetesObject): number {
  const at = metadata?.creationTimestamp;
  return at === undefined ? 0 : new Date(at).getTime();
}

interface ClaimTemplates {
  spec?: { volumeClaimTemplates?: { metadata?: { name?: string } }[] };
}

/** How the names of claims begin that a StatefulSet makes, an ordinal after it. */
export function claimsOf(object: KubernetesObject): string[] {
  if (object.kind !== 'StatefulSet') return [];
  const { spec } = object as KubernetesObject & ClaimTemplates;
  return (spec?.volumeClaimTemplates ?? []).map(
    ({ metadata }) => `${metadata?.name ?? ''}-${object.metadata?.name ?? ''}-`,
  );
}

export const isClaimOf = (name: string, prefix: string): boolean =>
  name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));

/** What makes pods goes first: what they write would come after what is removed. */
const MAKES_PODS = [
  ...['CronJob', 'ScaledObject', 'HorizontalPodAutoscaler', 'TestRun', 'Deployment'],
  ...['StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job', 'Pod'],
];

export const makesPods = ({ kind }: Pick<ObjectName, 'kind'>): boolean => MAKES_PODS.includes(kind);
