import { SURVIVED, type Fault } from '../fault';
import { first, needsQueue } from '../make';

/** The jobs are gone, those at work included; n8n still has their executions. */
export const redisLosesData: Fault = {
  name: 'redis-loses-data',
  title: 'a Redis without persistence killed: it comes back empty',
  kind: 'accident',
  usualSeconds: 0,
  promise: SURVIVED,
  isOnForgetfulRedis: true,
  lacks: needsQueue,
  make: async (scene) => {
    const redis = first(scene, 'redis');
    await scene.access.loseStore(redis);
    scene.tell(`${redis} was killed and loses its data`);
  },
};
