import { SURVIVED, type Fault } from '../fault';
import { kill, needsWorkers } from '../make';

/** As the kernel does it for want of memory: the worker has no time to hand anything over. */
export const killWorker: Fault = {
  name: 'kill-worker',
  title: 'SIGKILL of one worker',
  kind: 'accident',
  usualSeconds: 0,
  promise: SURVIVED,
  lacks: needsWorkers,
  make: (scene) => kill(scene, 'worker'),
};
