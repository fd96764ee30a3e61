import { SURVIVED, type Fault } from '../fault';
import { kill, needsNothing } from '../make';

/** Main answers the webhooks, unless webhook processors do; in regular mode it executes too. */
export const killMain: Fault = {
  name: 'kill-main',
  title: 'SIGKILL of main',
  kind: 'accident',
  usualSeconds: 0,
  promise: SURVIVED,
  lacks: needsNothing,
  make: (scene) => kill(scene, 'main'),
};
