import { SURVIVED, type Fault } from '../fault';
import { kill, needsWebhooks } from '../make';

export const killWebhook: Fault = {
  name: 'kill-webhook',
  title: 'SIGKILL of one webhook processor',
  kind: 'accident',
  usualSeconds: 0,
  promise: SURVIVED,
  lacks: needsWebhooks,
  make: (scene) => kill(scene, 'webhook'),
};
