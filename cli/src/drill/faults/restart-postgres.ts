import { UNNOTICED, type Fault } from '../fault';
import { needsPostgresql, restart } from '../make';

export const restartPostgres: Fault = {
  name: 'restart-postgres',
  title: 'PostgreSQL shut down cleanly and started again',
  kind: 'planned',
  usualSeconds: 0,
  promise: UNNOTICED,
  lacks: needsPostgresql,
  make: (scene) => restart(scene, 'postgresql'),
};
