import { SURVIVED, type Fault } from '../fault';
import { needsWorkers, next } from '../make';

/** As when an execution takes more than the container may have: by the kernel, under memory pressure before. */
export const oomWorker: Fault = {
  name: 'oom-worker',
  title: 'one worker out of memory, until the kernel kills it',
  kind: 'accident',
  usualSeconds: 0,
  promise: SURVIVED,
  lacks: needsWorkers,
  make: async (scene) => {
    const instance = next(scene, 'worker');
    scene.tell(`${instance} runs out of memory`);
    await scene.access.runOutOfMemory(instance, scene.signal);
    if (!scene.signal.aborted)
      scene.tell(`${instance} was killed by the kernel for lack of memory`);
  },
};
