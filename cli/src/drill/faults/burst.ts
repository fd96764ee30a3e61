import { SURVIVED, type Fault } from '../fault';
import { lasting, needsNothing, seconds } from '../make';

const FACTOR = 10;

export const burst: Fault = {
  name: 'burst',
  title: `${String(FACTOR)} times the rate for a while`,
  kind: 'accident',
  usualSeconds: 10,
  rateFactor: FACTOR,
  promise: SURVIVED,
  lacks: needsNothing,
  make: async (scene) => {
    scene.tell(`${String(FACTOR)} times the rate for ${seconds(scene.lastsMs)}`);
    await lasting(scene);
    scene.tell('the rate is as before');
  },
};
