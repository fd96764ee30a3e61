/** What earlier commands left in a cluster. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../../../linux/proc';
import type { Progress } from '../../../ui/progress';
import type { Cluster } from '../api/api';
import type { V1ConfigMap, V1Namespace } from '../api/api-types';
import type { Inventory } from './inventory';
import { inventoryIn, Journal, unsureText } from './journal';
import {
  CALL,
  MADE_BY,
  makerFrom,
  makerText,
  OURS_SELECTOR,
  ownNamespace,
  thisPlace,
  type Maker,
} from './labels';
import { removeIfEmpty, removeNamespace } from './run-namespace';

export interface Leftover {
  /** `namespace`: as a whole, or without what is of others; `objects`: in a namespace that others use too. */
  kind: 'namespace' | 'objects';
  namespace: string;
  call: string;
  /** Release of Helm in a shared namespace; null if there is none. */
  release: string | null;
  /**
   * `ended`: the process that made it is gone; `elsewhere`: it was made on another machine, in another container or before a
   * restart, which cannot be asked.
   */
  state: 'running' | 'ended' | 'elsewhere';
  madeBy: string;
}

/** With what its removal needs. */
export type Found = Leftover & { uid: string; isOwn: boolean; inventory: Inventory | null };

/** Pure. What is in a namespace of a call's own goes with it. */
export function leftoversIn(
  namespaces: readonly V1Namespace[],
  journals: readonly V1ConfigMap[],
  here: Required<Pick<Maker, 'host' | 'place'>>,
  lives: (maker: Maker) => boolean,
): Found[] {
  const stateOf = (maker: Maker): Leftover['state'] => {
    // Without a start time it was made where processes cannot be told apart: nobody knows whether it goes on.
    const isHere = maker.host === here.host && (maker.place ?? here.place) === here.place;
    if (!isHere || maker.startedAtMs === 0) return 'elsewhere';
    return lives(maker) ? 'running' : 'ended';
  };
  /** Null for what has a label of ours and was not made by a command. */
  const madeIn = ({ metadata }: V1Namespace | V1ConfigMap) => {
    const madeBy = metadata?.annotations?.[MADE_BY] ?? '';
    const call = metadata?.labels?.[CALL] ?? '';
    const maker = makerFrom(madeBy);
    if (maker === null || call === '') return null;
    return { call, uid: metadata?.uid ?? '', state: stateOf(maker), madeBy };
  };
  const spaces = namespaces.flatMap((one): Found[] => {
    const made = madeIn(one);
    const namespace = one.metadata?.name ?? '';
    if (made === null) return [];
    const isOwn = namespace === ownNamespace(made.call);
    return [{ ...made, namespace, isOwn, kind: 'namespace', release: null, inventory: null }];
  });
  const whole = new Set(spaces.filter(({ isOwn }) => isOwn).map(({ namespace }) => namespace));
  const objects = journals.flatMap((one): Found[] => {
    const made = madeIn(one);
    const inventory = inventoryIn(one);
    if (made === null || inventory === null || whole.has(inventory.namespace)) return [];
    const { namespace, plan } = inventory;
    return [
      { ...made, namespace, isOwn: false, kind: 'objects', release: plan.release, inventory },
    ];
  });
  // A namespace is looked at once what was made in it is gone.
  return [...objects, ...spaces];
}

/** `namespace`: only there; null: everywhere. Null where this may not be listed: then nobody can tell. */
export async function findLeftovers(
  cluster: Cluster,
  namespace: string | null,
): Promise<Found[] | null> {
  const labelSelector = OURS_SELECTOR;
  try {
    const [namespaces, journals] = await Promise.all([
      namespace === null
        ? cluster.core.listNamespace({ labelSelector }).then(({ items }) => items)
        : cluster.core
            .readNamespace({ name: namespace })
            .then((one) => [one])
            .catch(() => []),
      namespace === null
        ? cluster.core.listConfigMapForAllNamespaces({ labelSelector }).then(({ items }) => items)
        : cluster.core
            .listNamespacedConfigMap({ namespace, labelSelector })
            .then(({ items }) => items),
    ]);
    return leftoversIn(namespaces, journals, thisPlace(), isAlive);
  } catch {
    return null;
  }
}

export const leftoverText = ({ kind, namespace, release, madeBy }: Leftover): string => {
  const objects = release === null ? 'a load generator' : `the release ${release}`;
  return `${kind === 'namespace' ? `the namespace ${namespace}` : `${objects} in the namespace ${namespace}`} (made by ${shortMaker(madeBy)})`;
};

/** Without the place, which says nothing to a person. */
function shortMaker(text: string): string {
  const maker = makerFrom(text);
  if (maker === null) return text;
  const { host, pid, startedAtMs } = maker;
  return makerText({ host, pid, startedAtMs });
}

/** A helm whose command was killed is ended within this time by its reaper; what it makes until then goes too. */
const HELM_ENDS_WITHIN_MS = 4_000;

export interface Removal {
  isGone: boolean;
  /** Sentences: what stays there, and why. */
  leftAlone: string[];
}

export async function removeLeftover(
  cluster: Cluster,
  { kind, namespace, uid, isOwn, inventory }: Found,
  progress: Progress,
): Promise<Removal> {
  if (kind === 'namespace') {
    const known = { name: namespace, uid };
    if (isOwn) await removeNamespace(cluster, known, progress);
    const stays = isOwn ? null : await removeIfEmpty(cluster, known, progress);
    return { isGone: stays === null, leftAlone: stays === null ? [] : [stays] };
  }
  if (inventory === null) return { isGone: false, leftAlone: [] };
  progress(`removing what a command left in the namespace ${namespace}`);
  const wasMadeWhole = inventory.seen.length > 0;
  if (inventory.plan.release !== null && !wasMadeWhole) await sleep(HELM_ENDS_WITHIN_MS);
  const unsure = await Journal.of(cluster, inventory).remove(progress);
  return {
    isGone: true,
    leftAlone: unsure.length === 0 ? [] : [unsureText(namespace, unsure)],
  };
}
