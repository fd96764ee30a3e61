#!/bin/sh
# Writes a dump of n8n's database to FOLDER and takes the oldest of this release away; with RESTORE it puts one back: the name
# of a file, or latest. Everything happens in one transaction, so that a restore that fails has changed nothing.
# The volume may hold files of the user's, and dumps of another release: only what has the name NAME-TIME.dump is ours.
set -eu
umask 077
day='[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]'
time="${day}T[0-9][0-9][0-9][0-9][0-9][0-9]Z"
# By the time in their names, the oldest first.
ours() { find "$FOLDER" -maxdepth 1 -type f -name "$NAME-$time.dump$1" | sort; }
newest() { ours '' | tail -n 1; }
fail() { echo "$*" >&2; exit 1; }

if [ -n "${RESTORE:-}" ]; then
  file=$FOLDER/$RESTORE
  [ "$RESTORE" != latest ] || file=$(newest)
  [ -f "$file" ] || fail "there is no dump $RESTORE on the volume of backups"
  others=$(psql -XAtq -c "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'")
  [ "$others" = 0 ] || fail "$others others are connected to the database: stop n8n first"
  pg_restore --list "$file" >/dev/null || fail "$file cannot be read"
  # If pg_restore breaks off, psql has read all that there is: it commits nothing, and ends as after a success. Only what it
  # says after its COMMIT shows that the dump is in the database.
  said=$(
    {
      echo 'BEGIN; DROP SCHEMA public CASCADE; CREATE SCHEMA public;'
      pg_restore --no-owner --no-privileges --file=- "$file" && printf '%s\n' 'COMMIT;' '\echo committed'
    } | psql -Xq -v ON_ERROR_STOP=1 --output=/dev/null
  ) || said=''
  [ "$said" = committed ] || fail "$(basename "$file") was not restored"
  echo "restored $(basename "$file")"
  exit
fi

file=$FOLDER/$NAME-$(date -u +%Y%m%dT%H%M%SZ).dump
# What a dump that was broken off has left.
ours .part | while read -r part; do rm "$part"; done
pg_dump --format=custom --file="$file.part"
# All of it, since its list is at its beginning.
pg_restore --file=/dev/null "$file.part"
mv "$file.part" "$file"
echo "wrote $(basename "$file"), $(wc -c <"$file") bytes"
ours '' | sort -r | tail -n "+$((KEEP + 1))" | while read -r old; do
  rm "$old"
  echo "removed $(basename "$old")"
done
