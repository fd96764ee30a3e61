#!/bin/sh
# redis-server by default, also when only its options or a configuration file are given. As in the
# original image it answers other pods unless it is told to protect itself.
set -e
case ${1-} in
  '' | -* | *.conf) set -- redis-server "$@" ;;
esac
if [ "$1" = redis-server ]; then
  said=$*
  if [ -r "${2-}" ]; then said="$said $(cat "$2")"; fi
  case $said in
    *protected-mode*) ;;
    *) set -- "$@" --protected-mode no ;;
  esac
fi
exec "$@"
