import { SURVIVED, type Fault } from '../fault';
import { needsPostgresql, restart } from '../make';

export const stopPostgres: Fault = {
  name: 'stop-postgres',
  title: 'PostgreSQL away for a while',
  kind: 'accident',
  usualSeconds: 30,
  promise: SURVIVED,
  lacks: needsPostgresql,
  make: (scene) => restart(scene, 'postgresql'),
};
