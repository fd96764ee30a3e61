import { SURVIVED, type Fault } from '../fault';
import { kill, needsQueue } from '../make';

/** The Redis of the target keeps nothing on disk: killed, it comes back empty. */
export const redisLosesData: Fault = {
  name: 'redis-loses-data',
  title: 'SIGKILL of a Redis without persistence: it comes back empty',
  kind: 'accident',
  usualSeconds: 0,
  promise: SURVIVED,
  notOn: { kubernetes: 'the Redis of the chart has its data on a volume and comes back with it' },
  lacks: needsQueue,
  make: (scene) => kill(scene, 'redis'),
};
