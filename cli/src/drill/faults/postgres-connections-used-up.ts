import { SURVIVED, type Fault } from '../fault';
import { lasting, needsPostgresql, seconds } from '../make';

/** As when something else on the same server takes them all while n8n has to connect again. */
export const postgresConnectionsUsedUp: Fault = {
  name: 'postgres-connections-used-up',
  title: "n8n's connections to PostgreSQL ended, and all that it allows taken by others",
  kind: 'accident',
  usualSeconds: 30,
  promise: SURVIVED,
  lacks: needsPostgresql,
  make: async (scene) => {
    const { taken, giveBack } = await scene.access.useUpConnections();
    scene.tell(`${String(taken)} connections to PostgreSQL taken for ${seconds(scene.lastsMs)}`);
    await lasting(scene);
    await giveBack();
    scene.tell('the connections to PostgreSQL were given back');
  },
};
