import { SURVIVED, type Fault } from '../fault';
import { first, lasting, needsWorkers, seconds } from '../make';

/** Longer than the lock of a job (60 s by default), so that the others take the worker for dead: does work run twice? */
export const stallWorker: Fault = {
  name: 'stall-worker',
  title: 'one worker frozen (SIGSTOP), then going on (SIGCONT)',
  kind: 'accident',
  usualSeconds: 75,
  promise: SURVIVED,
  lacks: needsWorkers,
  make: async (scene) => {
    const { access, lastsMs, tell } = scene;
    const instance = first(scene, 'worker');
    await access.signal(instance, 'SIGSTOP');
    tell(`SIGSTOP of ${instance} for ${seconds(lastsMs)}`);
    await lasting(scene);
    await access.signal(instance, 'SIGCONT');
    tell(`SIGCONT of ${instance}`);
  },
};
