#!/usr/bin/env bash
# Installs the lab's tools into the cache, which lies outside the checkout.
#
#   lab/install.sh all            every tool that makes sense on this platform
#   lab/install.sh k6 n8n         these, and what they rest on
#   lab/install.sh n8n@2.39.10    another release of n8n, beside the pinned one
#   lab/install.sh --check k6     exit code 1 if it is missing or out of date
#   lab/install.sh --list         what there is, and what is installed
#
# A tool is a function in tools.sh: its kind (a file in kinds/), its version and its programs. A tool is built in a
# folder of its own and renamed into its place when whole, so that an interrupt leaves nothing half-done and the
# next run goes on from there. Exit codes: 1 an install failed, 2 something that the user has to fix first.

# shellcheck source-path=SCRIPTDIR disable=SC2034,SC2154
set -euo pipefail
export LC_ALL=C   # programs are read by their English words
# shellcheck source=places.sh
. "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/places.sh"
# shellcheck source=steps.sh
. "$LAB/steps.sh"
# shellcheck source=tools.sh
. "$LAB/tools.sh"

# One tool, in a process of its own, so that no tool's settings reach another's.
install_tool() {
  load_tool "$1"
  fingerprint=$(fingerprint)
  [ -z "$script" ] && is_installed && exit 0

  supports_platform || mistake "$tool runs only on Linux on x86-64, and this is $PLATFORM: leave it out, or use the url or kubernetes target, which do without it"
  # shellcheck disable=SC2086
  if [ -n "$script" ]; then exec "$LAB"/$script; fi
  mkdir -p "$CACHE/.lock" "$CACHE/.stamp" "$CACHE/.tmp" "$CACHE/log" "$BIN" 2>/dev/null ||
    mistake "the cache $CACHE cannot be written: set N8N_TUNED_CACHE to a folder that can"
  take_lock
  is_installed && exit 0   # the process that held the lock installed it

  local started=$SECONDS
  if find_fitting; then
    use_fitting
  else
    kind_check
    if [ "$kind_is_big" = yes ]; then require_disk; fi
    note "${tool%@*}${version:+ $version}: installing${lasts:+, $lasts}"
    build
    put_into_place
    exit "$INSTALLED"
  fi
}

# NAME and what it rests on, that first. Of a group, what makes sense on this platform.
with_required() (
  load_tool "$1"
  for required in $requires; do
    if [ "$kind" = group ] && ! (load_tool "$required" && supports_platform); then
      note "$required: left out on $PLATFORM"
    else
      with_required "$required"
    fi
  done
  if [ "$kind" != group ]; then echo "$1"; fi
)

# In the background, so that a signal to this script alone stops the install as well.
run_tool() {
  install_tool "$1" &
  worker=$!
  trap 'kill -TERM $worker 2>/dev/null; wait $worker || true; exit 130' INT TERM HUP
  local code=0
  wait "$worker" || code=$?
  case $code in 0) ;; "$INSTALLED") stage=cold ;; *) exit "$code" ;; esac
}

main() {
  local name wanted stage=warm start=${EPOCHREALTIME-$SECONDS}
  case ${1---help} in
    -h | --help) sed -n '2,/^$/{s/^# \{0,1\}//;p;}' "${BASH_SOURCE[0]}"; return ;;
    --list) list_tools; return ;;
    --check) shift; known_tools "$@"; check_tools "$@"; return ;;
    -*) mistake "there is no option $1: see $0 --help" ;;
  esac
  known_platform || mistake "this is $PLATFORM: the lab runs on Linux, on macOS, and on Windows under WSL"
  known_tools "$@"
  for name in $(for wanted in "$@"; do with_required "$wanted"; done); do run_tool "$name"; done
  for name in "$@"; do
    if (load_tool "$name" && [ "$kind" = group ]); then record_time "tools-$name" "$(seconds_since "$start")" $stage; fi
  done
}

main "$@"; exit   # so that an edit of this file during an install does not reach it
