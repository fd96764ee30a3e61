#!/bin/sh
# Writes a dump of n8n's database to the volume of backups and takes the oldest away; with RESTORE it puts one back: the name
# of a file, or latest. Everything happens in one transaction, so that a restore that fails has changed nothing.
set -eu
umask 077
folder=/backups
# A restore by a name may begin with any dump; the newest is the last by its name, which is the time.
newest() { find "$folder" -maxdepth 1 -name 'n8n-*.dump' | sort | tail -n 1; }
fail() { echo "$*" >&2; exit 1; }

if [ -n "${RESTORE:-}" ]; then
  file=$folder/$RESTORE
  [ "$RESTORE" != latest ] || file=$(newest)
  [ -f "$file" ] || fail "there is no dump $RESTORE on the volume of backups"
  others=$(psql -XAtq -c "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'")
  [ "$others" = 0 ] || fail "$others others are connected to the database: stop n8n first"
  pg_restore --list "$file" >/dev/null || fail "$file cannot be read"
  {
    echo 'BEGIN; DROP SCHEMA public CASCADE; CREATE SCHEMA public;'
    # Without its end nothing is committed.
    pg_restore --no-owner --no-privileges --file=- "$file" && echo 'COMMIT;'
  } | psql -Xq -v ON_ERROR_STOP=1 --output=/dev/null
  echo "restored $(basename "$file")"
  exit
fi

file=$folder/n8n-$(date -u +%Y%m%dT%H%M%SZ).dump
rm -f "$folder"/*.part
pg_dump --format=custom --file="$file.part"
pg_restore --list "$file.part" >/dev/null
mv "$file.part" "$file"
echo "wrote $(basename "$file"), $(wc -c <"$file") bytes"
find "$folder" -maxdepth 1 -name 'n8n-*.dump' | sort -r | tail -n "+$((KEEP + 1))" | while read -r old; do
  rm "$old"
  echo "removed $(basename "$old")"
done
