import { SURVIVED, type Fault } from '../fault';
import { needsQueue, restart } from '../make';

export const stopRedis: Fault = {
  name: 'stop-redis',
  title: 'Redis away for a while, its data kept',
  kind: 'accident',
  usualSeconds: 30,
  promise: SURVIVED,
  lacks: needsQueue,
  make: (scene) => restart(scene, 'redis'),
};
