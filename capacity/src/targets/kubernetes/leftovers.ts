/** What earlier commands left in a cluster. */
import { hostname } from 'node:os';
import { isAlive } from '../../linux/proc';
import type { Cluster } from './api';
import type { V1Job, V1Namespace } from './api-types';
import { CALL, MADE_BY, makerFrom, OURS_SELECTOR, type Maker } from './labels';

export interface Leftover {
  kind: 'namespace' | 'generator';
  namespace: string;
  call: string;
  /** `ended`: the process that made it is gone; `elsewhere`: it was made on another machine, which cannot be asked. */
  state: 'running' | 'ended' | 'elsewhere';
  madeBy: string;
}

/** Pure. A generator in a namespace of our own goes with it. */
export function leftoversIn(
  namespaces: readonly V1Namespace[],
  jobs: readonly V1Job[],
  here: string,
  lives: (maker: Maker) => boolean,
): Leftover[] {
  const stateOf = (maker: Maker | null): Leftover['state'] => {
    // Without a start time it was made where processes cannot be told apart: nobody knows whether it goes on.
    if (maker === null || maker.host !== here || maker.startedAtMs === 0) return 'elsewhere';
    return lives(maker) ? 'running' : 'ended';
  };
  const spaces = namespaces.map(({ metadata }): Leftover => {
    const madeBy = metadata?.annotations?.[MADE_BY];
    return {
      kind: 'namespace',
      namespace: metadata?.name ?? '',
      call: metadata?.labels?.[CALL] ?? '',
      state: stateOf(makerFrom(madeBy)),
      madeBy: madeBy ?? '',
    };
  });
  const own = new Set(spaces.map(({ namespace }) => namespace));
  const generators = jobs.flatMap(({ metadata }): Leftover[] => {
    const namespace = metadata?.namespace ?? '';
    if (own.has(namespace)) return [];
    const madeBy = metadata?.annotations?.[MADE_BY];
    return [
      {
        kind: 'generator',
        namespace,
        call: metadata?.labels?.[CALL] ?? '',
        state: stateOf(makerFrom(madeBy)),
        madeBy: madeBy ?? '',
      },
    ];
  });
  // A load generator and the service that a workload calls are of one call.
  const each = new Map(generators.map((one) => [`${one.namespace} ${one.call}`, one]));
  return [...spaces, ...each.values()];
}

/** Null where this may not be listed: then nobody can tell. */
export async function findLeftovers(cluster: Cluster): Promise<Leftover[] | null> {
  const all = { labelSelector: OURS_SELECTOR };
  try {
    const namespaces = await cluster.core.listNamespace(all);
    const jobs = await cluster.batch
      .listJobForAllNamespaces(all)
      .then(({ items }) => items)
      .catch(() => []);
    return leftoversIn(namespaces.items, jobs, hostname(), isAlive);
  } catch {
    return null;
  }
}

export const leftoverText = ({ kind, namespace, madeBy }: Leftover): string =>
  `${kind === 'namespace' ? `the namespace ${namespace}` : `a load generator in the namespace ${namespace}`} (made by ${madeBy || 'an unknown command'})`;
