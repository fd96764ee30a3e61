/** What PostgreSQL is asked for about once a second, wherever it is asked. */

/** The size of a database is summed from its files, which is dear and moves slowly. */
export const SIZE_EVERY_LOOKS = 10;

export const SIZE = 'SELECT pg_database_size(current_database())::float8 AS bytes';

/** `connections` and `max` leave out the one that asks. It asks as n8n's own user: a superuser has the reserved ones too. */
export const ACTIVITY = `
  SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid())::int AS connections,
    (SELECT current_setting('max_connections')::int - 1 - CASE WHEN rolsuper THEN 0
      ELSE current_setting('superuser_reserved_connections')::int END FROM pg_roles WHERE rolname = session_user) AS max,
    (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active')::int AS active,
    (SELECT count(*) FROM pg_locks WHERE NOT granted)::int AS waiting,
    (SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database())::float8 AS transactions`;
