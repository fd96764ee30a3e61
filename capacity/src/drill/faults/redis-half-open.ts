import { NEEDS_LINKS, SURVIVED, type Fault } from '../fault';
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
  notOn: NEEDS_LINKS,
  promise: SURVIVED,
  lacks: needsWorkers,
  make: (scene) => {
    const lost = linksOf(scene, { role: 'worker', store: 'redis' }).map((link) => link.lose());
    const connections = lost.reduce((sum, each) => sum + each, 0);
    scene.tell(`${String(connections)} connections of workers to Redis carry nothing any more`);
    return Promise.resolve();
  },
};
