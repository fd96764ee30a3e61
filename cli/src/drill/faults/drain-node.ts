import { Failure } from '../../ui/exit';
import { NEEDS_PODS, UNNOTICED, type Fault } from '../fault';
import { first, needsNothing } from '../make';

/** As by `kubectl drain`, for the pods of n8n alone: the node stays open to pods, and the stores stay where they are. */
export const drainNode: Fault = {
  name: 'drain-node',
  title: 'every pod of n8n on the node of main evicted',
  kind: 'planned',
  usualSeconds: 60,
  promise: UNNOTICED,
  notOn: NEEDS_PODS,
  lacks: needsNothing,
  make: async (scene) => {
    const { access, tell, signal } = scene;
    if (access.drainNode === undefined) throw new Failure('there are no pods to evict');
    const main = first(scene, 'main');
    tell(`eviction of the pods of n8n on the node of ${main}`);
    const { node, evicted } = await access.drainNode(main, signal);
    tell(`${evicted.join(', ')} were evicted from ${node}`);
  },
};
