import { UNNOTICED, type Fault } from '../fault';
import { needsQueue, restart } from '../make';

/** With its data: as of a Redis with persistence that is upgraded. */
export const restartRedis: Fault = {
  name: 'restart-redis',
  title: 'Redis shut down cleanly and started again, its data kept',
  kind: 'planned',
  usualSeconds: 0,
  promise: UNNOTICED,
  lacks: needsQueue,
  make: (scene) => restart(scene, 'redis'),
};
