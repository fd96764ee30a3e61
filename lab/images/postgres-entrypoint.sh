#!/bin/bash
# Makes the database cluster on the first start (POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB,
# POSTGRES_INITDB_ARGS, PGDATA, each also from the file that NAME_FILE names), runs what lies in
# /docker-entrypoint-initdb.d, then PostgreSQL with the options given.
set -euo pipefail

from_file() { # from_file NAME DEFAULT
  local file=$1_FILE
  if [ -n "${!file-}" ]; then printf -v "$1" '%s' "$(<"${!file}")"; fi
  printf -v "$1" '%s' "${!1:-$2}"
}
from_file POSTGRES_USER postgres
from_file POSTGRES_PASSWORD ''
from_file POSTGRES_DB "$POSTGRES_USER"
from_file POSTGRES_INITDB_ARGS ''
export PGDATA=${PGDATA:-/var/lib/postgresql/data}

[[ ${1-} != -* && $# -gt 0 ]] || set -- postgres "$@"
[ "$1" = postgres ] || exec "$@"

first_start() {
  if [ -z "$POSTGRES_PASSWORD" ] && [ "${POSTGRES_HOST_AUTH_METHOD-}" != trust ]; then
    echo 'postgres: the database has no password: set POSTGRES_PASSWORD' >&2
    exit 1
  fi
  # It is made beside its place and moved there: a pod killed in the middle starts from the beginning.
  local new=$PGDATA/.new options
  rm -rf "$new"
  mkdir -p "$PGDATA"
  mkdir -m 700 "$new"
  read -r -a options <<<"$POSTGRES_INITDB_ARGS"
  initdb -D "$new" --username="$POSTGRES_USER" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") \
    --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 ${options[@]+"${options[@]}"}
  echo "host all all all ${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}" >>"$new/pg_hba.conf"
  # Until it is complete it is reached from here alone: not by its address, and not by a probe.
  pg_ctl -D "$new" -o "-c listen_addresses='' -c unix_socket_directories=$new" -w start
  export PGHOST=$new PGUSER=$POSTGRES_USER
  [ "$POSTGRES_DB" = postgres ] || createdb --maintenance-db=postgres "$POSTGRES_DB"
  local file
  for file in /docker-entrypoint-initdb.d/*; do
    case $file in
      *.sh) bash "$file" ;;
      *.sql) psql -v ON_ERROR_STOP=1 --no-psqlrc -d "$POSTGRES_DB" -f "$file" ;;
      *.sql.gz) gunzip -c "$file" | psql -v ON_ERROR_STOP=1 --no-psqlrc -d "$POSTGRES_DB" ;;
    esac
  done
  unset PGHOST PGUSER
  pg_ctl -D "$new" -m fast -w stop
  # PG_VERSION, by which a complete database is known, last.
  find "$new" -mindepth 1 -maxdepth 1 ! -name PG_VERSION -exec mv -t "$PGDATA" {} +
  mv "$new/PG_VERSION" "$PGDATA"
  rmdir "$new"
}
[ -s "$PGDATA/PG_VERSION" ] || first_start
chmod 700 "$PGDATA" 2>/dev/null || true   # refused where the volume gives it to a group: PostgreSQL takes 750 too
# The npm package's server would put its socket into /tmp, where clients do not look.
exec postgres -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql "${@:2}"
