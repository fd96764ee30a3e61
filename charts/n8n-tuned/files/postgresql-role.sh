#!/bin/sh
# Run once by the image of PostgreSQL, with an empty volume: the role of n8n, which owns the database and is no superuser. The
# superuser loses its password, so that it is reached through the socket within the pod alone.
set -eu
psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
\getenv role N8N_ROLE
\getenv database POSTGRES_DB
\getenv superuser POSTGRES_USER
\getenv password POSTGRES_PASSWORD
CREATE ROLE :"role" LOGIN PASSWORD :'password';
ALTER DATABASE :"database" OWNER TO :"role";
ALTER SCHEMA public OWNER TO :"role";
ALTER ROLE :"superuser" PASSWORD NULL;
SQL
