// Uses PostgreSQL through n8n's TypeORM as n8n sets it up, does what it is told, and writes what the sessions were. Reads
// {port, password, schema, statementTimeoutMs, steps: ['query' | 'transaction' | 'at once' | 'broken' | 'refused']}.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { setTimeout } = require('node:timers/promises');

const manifest = process.argv[2];
const { DataSource } = createRequire(join(dirname(dirname(manifest)), '@n8n/typeorm/package.json'))(
  '@n8n/typeorm',
);
const given = JSON.parse(readFileSync(0, 'utf8'));
const SESSION = `SELECT pg_backend_pid() AS pid, current_setting('search_path') AS "searchPath",
  current_setting('statement_timeout') AS timeout`;

async function main() {
  const source = new DataSource({
    ...{ type: 'postgres', host: '127.0.0.1', port: given.port, database: 'n8n' },
    ...{ username: 'n8n', password: given.password },
    ...{ schema: given.schema, poolSize: 2, statementTimeout: given.statementTimeoutMs },
    poolErrorHandler: () => undefined,
  });
  await source.initialize();
  const look = async () => (await source.query(SESSION))[0];
  const does = {
    query: look,
    transaction: () => source.transaction(async (own) => (await own.query(SESSION))[0]),
    'at once': () =>
      Promise.all(
        [1, 2, 3, 4].map(async () => (await source.query(`${SESSION}, pg_sleep(0.1)`))[0]),
      ),
    // A connection is ended as by an administrator or a failover, while it lies idle in the pool: the pool has to make a new one.
    broken: async () => {
      const all = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE usename = 'n8n' AND pid <> pg_backend_pid()`;
      await source.query(all);
      await setTimeout(200);
      return look();
    },
    // More often than there are connections: none may be left taken.
    refused: async () => {
      const failures = [1, 2, 3].map(() =>
        source.query('SELECT absent').catch(({ message }) => message),
      );
      return Promise.all(failures);
    },
  };
  const seen = [];
  for (const step of given.steps) seen.push(await does[step]());
  process.stdout.write(JSON.stringify(seen.flat()));
  await source.destroy();
}

void main();
