import { SURVIVED, type Fault } from '../fault';
import { needsPostgresql, slow } from '../make';

/** An execution asks PostgreSQL some dozens of times, one after the other. */
const ADDED_MS = 50;

/** As of a PostgreSQL whose disk is slow, or in another region. */
export const slowPostgres: Fault = {
  name: 'slow-postgres',
  title: `PostgreSQL answers ${String(ADDED_MS)} ms later for a while`,
  kind: 'accident',
  usualSeconds: 30,
  isOnLinks: true,
  promise: SURVIVED,
  lacks: needsPostgresql,
  make: (scene) => slow(scene, 'postgresql', ADDED_MS),
};
