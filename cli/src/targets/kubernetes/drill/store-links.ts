/** The links of the pods of a release, ordered through exec. */
import { Failure, messageOf } from '../../../ui/exit';
import type { LinkCounts, StoreLink } from '../../target';
import type { Cluster } from '../api/api';
import { CONTROL_PORT, LINKS_CONTAINER } from './links-in-values';
import type { ContainerSeat } from '../pods/pods';

/** Sends one order to the control port of its pod, and says what it is told. */
const ORDER = `fetch('http://127.0.0.1:${String(CONTROL_PORT)}' + process.argv[1], { method: 'POST' }).then(async (reply) => {
  process.stdout.write(await reply.text());
  process.exitCode = reply.ok ? 0 : 1;
});`;

const STORES: readonly StoreLink['store'][] = ['redis', 'postgresql'];

export interface LinksPlace {
  cluster: Pick<Cluster, 'output'>;
  namespace: string;
}

/** Links of each running process of n8n. */
export const storeLinksOf = (place: LinksPlace, seats: readonly ContainerSeat[]): StoreLink[] =>
  seats.flatMap(({ pod, role }) =>
    role === 'main' || role === 'worker' || role === 'webhook'
      ? STORES.map((store): StoreLink => {
          const order = (...words: string[]): Promise<string> =>
            ordered(place, pod, ['', store, ...words].join('/'));
          return {
            ...{ instance: pod, role, store },
            slow: async (delayMs) => void (await order('slow', String(delayMs))),
            freeze: async () => void (await order('freeze')),
            thaw: async () => void (await order('thaw')),
            lose: async () => Number(await order('lose')),
            counts: async () => JSON.parse(await order('counts')) as LinkCounts,
          };
        })
      : [],
  );

async function ordered(
  { cluster, namespace }: LinksPlace,
  pod: string,
  path: string,
): Promise<string> {
  const at = { namespace, pod, container: LINKS_CONTAINER };
  try {
    return await cluster.output(at, ['node', '-e', ORDER, path]);
  } catch (error) {
    throw new Failure(`the store proxy of ${pod} rejected ${path}: ${messageOf(error)}`);
  }
}
