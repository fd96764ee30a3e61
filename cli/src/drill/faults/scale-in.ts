import { UNNOTICED, type Fault } from '../fault';
import { first, needsTwoWorkers } from '../make';

/** It has as long to end as it is deployed with, and stays down for the rest of the drill. */
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
    await scene.access.keepDown(instance);
    scene.tell(`${instance} has ended`);
  },
};
