/**
 * Run in the container of main (dist/pod-connections.cjs): takes every connection to n8n's PostgreSQL with n8n's own client
 * and settings, says how many, and gives them back when its input ends or says so.
 */
import { moduleOfN8n } from '../../n8n-module';
import { useUpConnections, type PostgresClient } from '../../process/connections';
import { messageOf } from '../../../ui/errors';

const { env } = process;

async function main(): Promise<void> {
  const { Client } = moduleOfN8n('pg') as {
    Client: new (settings: Record<string, unknown>) => PostgresClient;
  };
  const { taken, giveBack } = await useUpConnections(
    (name) =>
      new Client({
        host: env['DB_POSTGRESDB_HOST'],
        port: Number(env['DB_POSTGRESDB_PORT'] ?? 5432),
        database: env['DB_POSTGRESDB_DATABASE'],
        user: env['DB_POSTGRESDB_USER'],
        password: env['DB_POSTGRESDB_PASSWORD'],
        application_name: name,
      }),
  );
  process.stdout.write(`${String(taken)}\n`);
  await new Promise((resolve) => process.stdin.once('data', resolve).once('end', resolve));
  await giveBack();
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  },
);
