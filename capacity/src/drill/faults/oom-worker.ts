import { SURVIVED, type Fault } from '../fault';
import { first, needsWorkers } from '../make';

/** As when an execution takes more than the container may have: by the kernel, under memory pressure before. */
export const oomWorker: Fault = {
  name: 'oom-worker',
  title: 'the memory limit of one worker lowered to what it uses, until the kernel ends it',
  kind: 'accident',
  usualSeconds: 0,
  promise: SURVIVED,
  notOn: { kubernetes: 'the memory limit of a container is not changed while it runs' },
  lacks: needsWorkers,
  make: async (scene) => {
    const instance = first(scene, 'worker');
    scene.tell(`the memory of ${instance} is limited to what it uses`);
    await scene.access.runOutOfMemory(instance, scene.signal);
    scene.tell(`${instance} was ended for want of memory`);
  },
};
