import type pg from 'pg';
import type { Metric } from '../record/metrics';
import { connect } from './sql-reader';
import type { Sampler } from './sampler';
import { sampler } from './ticker';

/** The size of a database is summed from its files, which is dear and moves slowly. */
const sizeEveryTicks = 10;

const activity = `
  SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid())::int AS connections,
    (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int) AS most,
    (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active')::int AS active,
    (SELECT count(*) FROM pg_locks WHERE NOT granted)::int AS waiting,
    (SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database())::float8 AS transactions`;

interface Activity {
  connections: number;
  most: number;
  active: number;
  waiting: number;
  transactions: number;
}

/** What PostgreSQL says of its connections, transactions, locks and size. */
export function postgresqlSampler(): Sampler {
  return sampler('postgresql', async (running, sink) => {
    if (running.postgresql === null) throw new Error('the target has no PostgreSQL');
    const { url } = running.postgresql;
    let client: pg.Client | null = await connect(url);
    let ticks = 0;
    const write = (metric: Metric, value: number): void => {
      sink.sample('postgresql', 'postgresql', metric, value);
    };
    return {
      tick: async () => {
        client ??= await connect(url);
        try {
          const [row] = (await client.query<Activity>(activity)).rows;
          if (row === undefined) return;
          write('dbConnections', row.connections);
          write('dbConnectionsMax', row.most);
          write('dbActiveConnections', row.active);
          write('dbLocksWaiting', row.waiting);
          write('dbTransactions', row.transactions);
          if (ticks % sizeEveryTicks === 0) write('dbSizeMiB', await sizeMiB(client));
          ticks += 1;
        } catch (error) {
          client = null; // A broken connection does not heal; the next tick makes a new one.
          throw error;
        }
      },
      close: () => client?.end(),
    };
  });
}

async function sizeMiB(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS bytes',
  );
  return (rows[0]?.bytes ?? 0) / (1024 * 1024);
}
