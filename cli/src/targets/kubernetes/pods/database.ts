/** n8n's database, asked from within the pod that has it. */
import type { Database, DatabaseRow } from '../../process/database';
import { Failure } from '../../../ui/exit';
import type { Cluster } from '../api/api';
import type { databaseSeat } from '../release/release';

type Seated = NonNullable<ReturnType<typeof databaseSeat>>;

const WITHIN_MS = 30_000;

/** psql of the server's own image, as the role whose password it was given: the chart's superuser has none. */
const PSQL = `psql -X -q -A -t -v ON_ERROR_STOP=1 -h 127.0.0.1 -U "\${N8N_ROLE:-\${POSTGRES_USER:-postgres}}" -d "\${POSTGRES_DB:-$POSTGRES_USER}" -c "$1"`;
export const PSQL_WITH_PASSWORD = `PGPASSWORD="\${POSTGRES_PASSWORD:-$(cat "$POSTGRES_PASSWORD_FILE" 2>/dev/null)}"; export PGPASSWORD; ${PSQL}`;

/** The Node.js that runs n8n, which knows its own SQLite. */
const SQLITE = `
const { DatabaseSync } = require('node:sqlite');
const folder = process.env.N8N_USER_FOLDER ?? require('node:os').homedir();
const file = process.env.DB_SQLITE_DATABASE ?? 'database.sqlite';
const database = new DatabaseSync(require('node:path').join(folder, '.n8n', file), { timeout: 10000 });
process.stdout.write(JSON.stringify(database.prepare(process.argv[1]).all()));
database.close();
`;

/** `seat`: asked again for each query, since another pod may have taken its place. */
export function podDatabase(
  cluster: Cluster,
  namespace: string,
  kind: Seated['kind'],
  seat: () => Seated | null,
): Database {
  const command = (sql: string): string[] =>
    kind === 'postgresql'
      ? [
          'sh',
          '-c',
          PSQL_WITH_PASSWORD,
          'sh',
          `SELECT coalesce(json_agg(rows), '[]') FROM (${sql}) rows`,
        ]
      : // What Node.js loads before n8n is not for this.
        ['env', '-u', 'NODE_OPTIONS', 'node', '--no-warnings', '-e', SQLITE, sql];
  return {
    kind,
    query: async (sql, withinMs = WITHIN_MS) => {
      const now = seat();
      if (now === null) throw new Failure("no pod of n8n's database is running");
      const { pod, container } = now.seat;
      const text = await cluster.output({ namespace, pod, container }, command(sql), withinMs);
      return JSON.parse(text) as DatabaseRow[];
    },
  };
}
