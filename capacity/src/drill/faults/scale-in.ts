import { UNNOTICED, type Fault } from '../fault';
import { first, needsTwoWorkers } from '../make';

/** N8N_GRACEFUL_SHUTDOWN_TIMEOUT is 30 s, and a pod should have somewhat more. */
const GRACE_MS = 45_000;

/** It stays down for the rest of the drill. */
export const scaleIn: Fault = {
  name: 'scale-in',
  title: 'one worker shut down cleanly (SIGTERM), and not started again',
  kind: 'planned',
  usualSeconds: 0,
  promise: UNNOTICED,
  lacks: needsTwoWorkers,
  make: async (scene) => {
    const instance = first(scene, 'worker');
    scene.tell(`SIGTERM of ${instance}`);
    await scene.access.keepDown(instance, GRACE_MS);
    scene.tell(`${instance} has ended`);
  },
};
