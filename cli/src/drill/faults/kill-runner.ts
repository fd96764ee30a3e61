import { Failure } from '../../ui/exit';
import { SURVIVED, type Fault } from '../fault';
import { needsRunners, next } from '../make';

/** As a task that takes all of the runner's memory does it; n8n starts another one. */
export const killRunner: Fault = {
  name: 'kill-runner',
  title: 'SIGKILL of the task runner of one worker',
  kind: 'accident',
  usualSeconds: 0,
  promise: SURVIVED,
  lacks: needsRunners,
  make: async (scene) => {
    const instance = next(scene, 'worker');
    if ((await scene.access.killRunner(instance)) === 0) {
      throw new Failure(`${instance} has no task runner`);
    }
    scene.tell(`SIGKILL of the task runner of ${instance}`);
  },
};
