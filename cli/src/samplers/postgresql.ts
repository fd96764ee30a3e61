import type pg from 'pg';
import { ACTIVITY, SIZE, SIZE_EVERY_LOOKS } from '../targets/activity-sql';
import type { DatabaseActivity, Running } from '../targets/target';
import type { Metric } from '../record/metrics';
import { connect } from './sql-reader';
import type { Sampler } from './sampler';
import { sampler } from './ticker';

/** What PostgreSQL says of its connections, transactions, locks and size. */
export function postgresqlSampler(): Sampler {
  return sampler('postgresql', async (running, sink) => {
    const { look, close } = running.storeLooks?.postgresql
      ? { look: running.storeLooks.postgresql, close: () => undefined }
      : await reached(running);
    const write = (metric: Metric, value: number): void => {
      sink.sample('postgresql', 'postgresql', metric, value);
    };
    return {
      tick: async () => {
        const {
          connections,
          max: maximum,
          active,
          waiting,
          transactions,
          sizeMiB: size,
        } = await look();
        write('dbConnections', connections);
        write('dbConnectionsMax', maximum);
        write('dbActiveConnections', active);
        write('dbLocksWaiting', waiting);
        write('dbTransactions', transactions);
        if (size !== null) write('dbSizeMiB', size);
      },
      close,
    };
  });
}

async function reached(running: Running): Promise<{
  look: () => Promise<DatabaseActivity>;
  close: () => Promise<void> | undefined;
}> {
  if (running.postgresql === null) throw new Error('the target has no PostgreSQL');
  const { url } = running.postgresql;
  let client: pg.Client | null = await connect(url);
  let looks = 0;
  return {
    look: async () => {
      client ??= await connect(url);
      try {
        const [row] = (await client.query<Omit<DatabaseActivity, 'sizeMiB'>>(ACTIVITY)).rows;
        if (row === undefined) throw new Error('PostgreSQL gave no answer');
        const size = looks % SIZE_EVERY_LOOKS === 0 ? await sizeMiB(client) : null;
        looks += 1;
        return { ...row, sizeMiB: size };
      } catch (error) {
        client = null; // A broken connection does not heal; the next tick makes a new one.
        throw error;
      }
    },
    close: () => client?.end(),
  };
}

async function sizeMiB(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(SIZE);
  return (rows[0]?.bytes ?? 0) / (1024 * 1024);
}
