import { SURVIVED, type Fault } from '../fault';
import { first, lasting, linksOf, needsWorkers, seconds } from '../make';

/** Longer than the lock of a job, as `stall-worker`; but this worker works on, and tells of it when it is back. */
export const cutWorker: Fault = {
  name: 'cut-worker',
  title: 'one worker cut off from Redis and PostgreSQL, still running its jobs, then reconnected',
  kind: 'accident',
  usualSeconds: 75,
  isOnLinks: true,
  promise: SURVIVED,
  lacks: needsWorkers,
  make: async (scene) => {
    const instance = first(scene, 'worker');
    const links = linksOf(scene, { instance });
    await Promise.all(links.map((link) => link.freeze()));
    scene.tell(`${instance} is cut off from its stores for ${seconds(scene.lastsMs)}`);
    await lasting(scene);
    await Promise.all(links.map((link) => link.thaw()));
    scene.tell(`${instance} reaches its stores again`);
  },
};
