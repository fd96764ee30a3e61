import { SURVIVED, type Fault } from '../fault';
import { linksOf, needsWorkers } from '../make';

/**
 * As after a network that flapped, or a balancer that forgot its connections: nothing tells the workers (n8n #37581).
 * Main and the webhook processors go on, so that work is accepted.
 */
export const redisHalfOpen: Fault = {
  name: 'redis-half-open',
  title: 'the connections of all workers to Redis stay open and carry nothing any more',
  kind: 'accident',
  usualSeconds: 0,
  isOnLinks: true,
  promise: SURVIVED,
  lacks: needsWorkers,
  make: async (scene) => {
    const links = linksOf(scene, { role: 'worker', store: 'redis' });
    const lost = await Promise.all(links.map((link) => link.lose()));
    const connections = lost.reduce((sum, each) => sum + each, 0);
    scene.tell(`${String(connections)} connections of workers to Redis carry nothing any more`);
  },
};
