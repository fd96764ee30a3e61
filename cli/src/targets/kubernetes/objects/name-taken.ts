/** Refuses a release name that is used already in a namespace, by any user and any tool. */
import { Mistake } from '../../../ui/exit';
import type { Cluster } from '../api/api';
import { leftInTheMiddle, type Helm } from '../release/helm';
import { planned, releaseObjects } from './inventory';
import { textOf, type ObjectName, type Plan } from './made';
import { objectsOf } from './delete';
import { listed } from './run-namespace';

interface TakenPlace {
  cluster: Cluster;
  namespace: string;
  release: string;
}

/** `helm`: as the user has it, since another one keeps its releases elsewhere. */
export async function refuseTaken(
  helm: Helm,
  { cluster, namespace, release }: TakenPlace,
  warn: (text: string) => void,
): Promise<void> {
  const status = await helm.status();
  if (status !== null) {
    throw new Mistake(
      leftInTheMiddle(status, { release, namespace }) ??
        `the release name '${release}' is taken in the namespace ${namespace} (${status}): choose another --release, or load-test the existing release with --existing.`,
    );
  }
  const { there, unseen } = await releaseObjects(objectsOf(cluster), namespace, release);
  if (there.length > 0) throw new Mistake(takenSentence(there, { namespace, release }));
  if (unseen.length > 0) {
    warn(
      `the user of context ${cluster.context} may not list ${unseen.join(', ')} in the namespace ${namespace}, so the command cannot check whether another n8n instance is named '${release}'.`,
    );
  }
}

export async function refuseThere(
  cluster: Cluster,
  { namespace, release, plan }: Omit<TakenPlace, 'cluster'> & { plan: Plan },
): Promise<void> {
  const there = await planned(objectsOf(cluster), namespace, plan);
  if (there.length > 0) throw new Mistake(takenSentence(there, { namespace, release }));
}

/** Pure. */
export const takenSentence = (
  there: readonly ObjectName[],
  { namespace, release }: Omit<TakenPlace, 'cluster'>,
): string =>
  `the namespace ${namespace} has objects of another n8n instance named '${release}' (${listed(there.map(textOf))}), which would conflict with this deployment: choose another --release or --namespace, or remove --release.`;
