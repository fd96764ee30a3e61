/** What a call has made in a namespace that others use too: found, kept and removed by UID. */
import type { Progress } from '../../../ui/progress';
import type { KubernetesObject } from '../api/api-types';
import { callSelector, helmSelector, journalName, releaseSelector } from './labels';
import {
  KINDS,
  KINDS_OF_LOAD,
  createdMs,
  isClaimOf,
  keyOf,
  madeAmong,
  madeFrom,
  makesPods,
  textOf,
  type Made,
  type ObjectName,
  type Plan,
  type CallTraits,
} from './made';
import { awaitGone, type ObjectKind, type Objects } from './delete';

export interface Inventory extends CallTraits {
  namespace: string;
}

const GONE_WITHIN_MS = 180_000;
/** Nobody waits for an answer of these pods any more. */
const GRACE_SECONDS = 5;

/** Everything that the call has made and that is there. */
export async function foundOf(objects: Objects, whose: Inventory): Promise<Made[]> {
  const { namespace, plan, call, seen } = whose;
  const byLabel = await everyKind(objects, kindsOf(whose), namespace, callSelector(call));
  const byName = await Promise.all([...plan.objects, ...seen].map((name) => objects.read(name)));
  const byOwner =
    plan.release === null ? [] : await everyKind(objects, BY_OWNER, namespace, undefined);
  const all = new Map<string, KubernetesObject>();
  for (const object of [...byOwner, ...byLabel, ...byName]) {
    if (object !== null) all.set(object.metadata?.uid ?? '', object);
  }
  return madeAmong([...all.values()], whose);
}

/** Their names and owners tell whose they are, and no label. */
const BY_OWNER: readonly ObjectKind[] = [
  { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  { apiVersion: 'v1', kind: 'Pod' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
];

const kindsOf = ({ plan }: CallTraits): readonly ObjectKind[] =>
  plan.release === null ? KINDS_OF_LOAD : KINDS;

/** What may not be listed was not made either: a user who may make an object for a chart may list its kind. */
async function everyKind(
  objects: Objects,
  kinds: readonly ObjectKind[],
  namespace: string,
  selector: string | undefined,
): Promise<KubernetesObject[]> {
  const lists = await Promise.all(kinds.map((kind) => objects.list(kind, namespace, selector)));
  return lists.flatMap((list) => (list === 'forbidden' ? [] : list));
}

/**
 * Removes what the call has made. `keep` is told it all before anything is removed. What makes pods goes first; then what is
 * left is looked for again, since a pod that was ending may have written something. What tells whose the rest is goes last.
 */
export async function removeMade(
  objects: Objects,
  whose: Inventory,
  keep: (made: Made[]) => Promise<void>,
  progress: Progress,
): Promise<void> {
  const first = await foundOf(objects, whose);
  await keep(first);
  const [makers, others] = parted(first, makesPods);
  await removeAll(objects, makers);
  await awaitGone(objects, makers, GONE_WITHIN_MS, progress);
  const again = await foundOf(objects, { ...whose, seen: [...whose.seen, ...others] });
  const rest = [...new Map([...others, ...again].map((one) => [one.uid, one])).values()];
  const [tellers, told] = parted(rest, (one) => isTeller(one, whose));
  await removeAll(objects, told);
  await awaitGone(objects, told, GONE_WITHIN_MS, progress);
  await removeAll(
    objects,
    [...tellers].sort((one) => (isJournal(one, whose) ? 1 : -1)),
  );
}

const removeAll = async (objects: Objects, made: readonly Made[]): Promise<void> => {
  for (const one of made) {
    await objects.remove(one, one.kind === 'Pod' ? GRACE_SECONDS : undefined);
  }
};

function parted<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** The journal of the call, and what Helm keeps of its release. */
const isTeller = (one: Made, whose: CallTraits): boolean =>
  isJournal(one, whose) ||
  (whose.plan.release !== null &&
    one.name.startsWith(`sh.helm.release.v1.${whose.plan.release}.v`));

const isJournal = ({ kind, name }: Made, { call }: CallTraits): boolean =>
  kind === 'ConfigMap' && name === journalName(call);

/** What another n8n of that release has in the namespace, by whatever tool it was deployed; and the kinds that may not be listed. */
export async function releaseObjects(
  objects: Objects,
  namespace: string,
  release: string,
): Promise<{ there: ObjectName[]; unseen: string[] }> {
  const asked = [
    ...KINDS.map((kind) => ({ kind, selector: releaseSelector(release) })),
    ...['Secret', 'ConfigMap'].map((kind) => ({
      kind: { apiVersion: 'v1', kind },
      selector: helmSelector(release),
    })),
  ];
  const lists = await Promise.all(
    asked.map(async ({ kind, selector }) => ({
      kind,
      list: await objects.list(kind, namespace, selector),
    })),
  );
  const there = lists.flatMap(({ list }) => (list === 'forbidden' ? [] : list.map(madeFrom)));
  const unseen = lists.flatMap(({ kind, list }) => (list === 'forbidden' ? [kind.kind] : []));
  return { there: unique(there), unseen: [...new Set(unseen)] };
}

/**
 * What came while the call was at work and has the label of its release, but nothing that only the call could have written:
 * such as what a hook of another chart made, or what somebody else has deployed by the same name.
 */
export async function unsureOf(
  objects: Objects,
  { namespace, plan, sinceMs }: Inventory,
): Promise<ObjectName[]> {
  if (plan.release === null) return [];
  const all = await everyKind(objects, KINDS, namespace, releaseSelector(plan.release));
  return all.filter((object) => createdMs(object) >= sinceMs && isOnItsOwn(object)).map(madeFrom);
}

const isOnItsOwn = ({ metadata }: KubernetesObject): boolean =>
  (metadata?.ownerReferences ?? []).length === 0 && metadata?.deletionTimestamp === undefined;

/** What is there already by a name that the plan gives to an object, or that a StatefulSet of it gives to a claim. */
export async function planned(
  objects: Objects,
  namespace: string,
  { objects: names, claims }: Plan,
): Promise<ObjectName[]> {
  const found = await Promise.all(names.map((name) => objects.read(name)));
  const kind = { apiVersion: 'v1', kind: 'PersistentVolumeClaim' };
  const list = claims.length === 0 ? [] : await objects.list(kind, namespace);
  const claimed = (list === 'forbidden' ? [] : list).filter(({ metadata }) =>
    claims.some((prefix) => isClaimOf(metadata?.name ?? '', prefix)),
  );
  return unique(
    [...found, ...claimed].flatMap((object) => (object === null ? [] : [madeFrom(object)])),
  );
}

/** All that anybody has put there. What Kubernetes makes by itself is left out, and what a controller makes. */
export async function everythingIn(objects: Objects, namespace: string): Promise<ObjectName[]> {
  const all = await everyKind(objects, KINDS, namespace, undefined);
  return all
    .filter(({ metadata }) => (metadata?.ownerReferences ?? []).length === 0)
    .map(madeFrom)
    .filter(({ kind, name }) => !BY_KUBERNETES.includes(textOf({ kind, name })));
}

const BY_KUBERNETES = ['ConfigMap kube-root-ca.crt', 'ServiceAccount default'];

const unique = (names: readonly ObjectName[]): ObjectName[] => [
  ...new Map(names.map((one) => [keyOf(one), one])).values(),
];
