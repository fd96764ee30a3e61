import { SURVIVED, type Fault } from '../fault';
import { needsQueue, slow } from '../make';

const ADDED_MS = 200;

/** As of a Redis that is busy with something else, or in another region. */
export const slowRedis: Fault = {
  name: 'slow-redis',
  title: `Redis answers ${String(ADDED_MS)} ms later for a while`,
  kind: 'accident',
  usualSeconds: 30,
  isOnLinks: true,
  promise: SURVIVED,
  lacks: needsQueue,
  make: (scene) => slow(scene, 'redis', ADDED_MS),
};
