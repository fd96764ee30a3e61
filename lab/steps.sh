# shellcheck shell=bash disable=SC2034,SC2154
# The steps of an install, for install.sh. Bash 3.2 will do, as macOS has it.

PLATFORM="$(uname -s) on $(uname -m)"
MIN_FREE_MIB=8192        # n8n, the Go programs and what is downloaded and compiled for them
HEARTBEAT_SECONDS=30
INSTALLED=10             # how the process of a tool ends that was not up to date

note() { echo "lab: $*" >&2; }
fail() { note "$*"; exit 1; }
mistake() { note "$*"; exit 2; }

known_platform() { case $PLATFORM in Linux\ * | Darwin\ *) ;; *) return 1 ;; esac; }
supports_platform() { [ "$only_linux_x64" = no ] || [ "$PLATFORM" = 'Linux on x86_64' ]; }
tool_names() { sed -n 's/^tool_\(.*\)() {$/\1/p' "$LAB/tools.sh"; }
lines_of() { sed -n "/^tool_$1() {\$/,/^}\$/s/^  //p" "$LAB/tools.sh"; }   # what the function of a tool says
own_tools() { tool_names | while read -r name; do lines_of "$name" | grep -qE '^kind=(group|script)$' || echo "$name"; done; }
known_tools() {
  local name
  for name in "$@"; do
    case $name in
      "n8n@$N8N_VERSION" | "n8n@$N8N_LEGACY_VERSION") mistake "$name has a lock in the lab: $LAB/install.sh --list shows its tool" ;;
      n8n@[0-9]*.[0-9]*.[0-9]*) continue ;;
    esac
    declare -F "tool_$name" >/dev/null || mistake "there is no tool $name: $LAB/install.sh --list shows them"
  done
}

# What a tool and its kind may say, and what holds where they say nothing.
load_tool() {
  tool=$1
  about=           # what it is, in a few words
  kind=            # how it is installed: a file in kinds/
  version=
  programs=        # what it adds to the cache's bin/
  commands=        # what must be on the PATH afterwards, without a link to it
  inputs=          # files and folders of the lab that it is made from
  requires=        # tools that must be installed before
  place=           # its folder in the cache, for what is more than a link
  contents=        # what must be in that folder
  script=          # what makes it, where that is a script of the lab
  lasts=           # a word on how long, where it is long
  only_linux_x64=no
  kind_is_big=no
  # A program of the user's own that does as well, from a version on and below another.
  own_program='' own_version_argument='' own_from='' own_below=''
  "tool_${tool%@*}"
  case $tool in *@*) kind=n8n-release version=${tool#*@} ;; esac   # another release than the pinned one
  # shellcheck disable=SC1090
  . "$LAB/kinds/$kind.sh"
}

kubernetes_minor() { local minor=${K8S_VERSION#v1.}; echo "${minor%%.*}"; }   # the one the lab's cluster runs

hash_of() { if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi; }

# All that the result is made from, but for comments.
fingerprint() {
  {
    echo "$tool $kind $version $place $programs $commands $PLATFORM"
    # shellcheck disable=SC2086
    (cd "$LAB" && { lines_of "${tool%@*}"; cat "kinds/$kind.sh" $inputs; } | grep -v '^ *#')
  } | hash_of | cut -c1-16
}

# A stamp has three lines: the fingerprint, the tool's folder in the cache or -, and where a program of the
# user's own was taken, that program as ls shows it: a later version of it is looked at again.
is_installed() {
  local stamped='' folder='' own='' file
  { read -r stamped && read -r folder && read -r own; } 2>/dev/null <"$CACHE/.stamp/$tool" || return 1
  [ "$stamped" = "$fingerprint" ] || return 1
  for file in $programs; do [ -x "$BIN/$file" ] || return 1; done
  for file in $commands; do search "$file" >/dev/null || return 1; done
  if [ "$folder" != - ]; then
    for file in $contents; do [ -e "$CACHE/$folder/$file" ] || return 1; done
  fi
  case $own in */*) [ "$(ls -lL "/${own#*/}" 2>/dev/null)" = "$own" ] ;; esac
}

# search PROGRAM: its path on the user's PATH, or where servers are put; never what the cache itself holds.
search() {
  local folder IFS=:
  for folder in $PATH /usr/sbin /sbin /usr/lib/postgresql/*/bin /opt/homebrew/bin; do
    case $folder in "$CACHE" | "$CACHE"/*) continue ;; esac
    if [ -x "$folder/$1" ] && [ ! -d "$folder/$1" ]; then echo "$folder/$1"; return; fi
  done
  return 1
}

# The lock goes when its holder and all that the holder started have ended, however they end.
take_lock() {
  exec 9>"$CACHE/.lock/$tool"
  try_lock -n && return
  note "$tool: waiting for another install"
  try_lock
}
try_lock() {   # macOS has perl, and no flock
  if command -v flock >/dev/null; then flock "$@" 9; else
    perl -e 'open(my $f, ">&=", 9); exit !flock($f, 2 | (@ARGV ? 4 : 0))' -- "$@"
  fi
}

require_disk() {
  local folder=$CACHE free
  free=$(df -Pk "$folder" | awk 'NR == 2 { print int($4 / 1024) }')
  [ "$free" -ge "$MIN_FREE_MIB" ] ||
    mistake "only $((free / 1024)) GB are free where $folder lies and the lab needs $((MIN_FREE_MIB / 1024)): free some, or set N8N_TUNED_CACHE to a folder on another disk"
}

# version_within VERSION FROM BELOW
version_within() {
  awk -v v="$1" -v from="$2" -v below="$3" 'function n(s, p) { split(s, p, "."); return p[1] * 1e8 + p[2] * 1e4 + p[3] + p[4] / 10 }
    BEGIN { exit !(v != "" && n(v) >= n(from) && n(v) < n(below)) }'
}

find_fitting() {
  local found
  [ -n "$own_program" ] && own=$(search "$own_program") || return 1
  # shellcheck disable=SC2086
  found=$("$own" $own_version_argument 2>/dev/null | grep -Eo '[0-9]+\.[0-9]+\.[0-9]+' | head -n 1) || return 1
  version_within "$found" "$own_from" "$own_below" && kind_accepts_own "$own" "$found" && own_version=$found
}
kind_accepts_own() { :; }   # a kind may look closer, and may set own

use_fitting() {
  remove_stamped
  link "$own" "$programs"
  stamp - "$(ls -lL "$own")"
  note "$tool: $own ($own_version) fits"
}

# Builds into $OUT, which a later run with the same inputs takes up where this one was stopped.
build() {
  local old log=$CACHE/log/$tool.log code=0
  OUT=$CACHE/.tmp/$tool@$fingerprint
  for old in "$CACHE/.tmp/$tool@"*; do
    case $old in "$OUT" | "$CACHE/.tmp/$tool@"*@*) ;; *) rm -rf "$old" ;; esac   # n8n@2.16.1@... is another tool than n8n
  done
  [ -e "$OUT/.complete" ] && return
  mkdir -p "$OUT"
  set -m   # a process group of its own, so that all of it can be stopped
  (set -euo pipefail; kind_build; : >"$OUT/.complete") </dev/null >"$log" 2>&1 &
  builder=$!
  set +m
  trap 'kill -TERM -- -$builder 2>/dev/null; wait $builder 2>/dev/null || true; note "$tool: stopped; the next run goes on from here"; exit 130' INT TERM HUP
  heartbeat &
  local pulse=$!
  wait $builder || code=$?
  kill $pulse 2>/dev/null || true
  wait $pulse 2>/dev/null || true
  trap - INT TERM HUP
  [ $code = 0 ] || fail "$tool: $(explain "$log")"
}

heartbeat() {
  local beat=0
  exec 9>&-
  while sleep 1 && kill -0 $$ 2>/dev/null; do
    beat=$((beat + 1))
    [ $((beat % HEARTBEAT_SECONDS)) != 0 ] || note "$tool: at work for $beat s"
  done
}

# once NAME COMMAND...: a step of a build that is not done again after an interrupt.
once() {
  local done_file=$OUT/.done-$1
  shift
  [ -e "$done_file" ] || { "$@"; : >"$done_file"; }
}

# explain LOG: one sentence on why a build failed and what to do.
explain() {
  if grep -qE 'No space left on device|ENOSPC' "$1"; then
    echo "the disk is full: free some space and run again (log: $1)"
  elif grep -qE 'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|no such host|dial tcp|connection refused|proxyconnect|Could not resolve|Unable to connect|Temporary failure' "$1"; then
    echo "the package registry cannot be reached: check the network and the proxy settings, and run again (log: $1)"
  else
    echo "$(kind_explain "$1") (log: $1)"
  fi
}
kind_explain() { echo 'it could not be installed: the log says why; run again once that is fixed'; }

put_into_place() {
  local old=$CACHE/.tmp/$tool@old
  if [ -n "$place" ]; then
    rm -f "$OUT"/.done-*
    remove_stamped
    rm -rf "$old"
    if [ -e "$CACHE/$place" ]; then mv "$CACHE/$place" "$old"; fi
    mkdir -p "$(dirname "$CACHE/$place")"
    mv "$OUT" "$CACHE/$place"
    rm -f "$CACHE/$place/.complete"
  else
    rm -rf "$OUT"
  fi
  kind_link
  stamp "${place:--}" built
  record_time "tool-$tool" $((SECONDS - started)) cold
  note "${tool%@*}${version:+ $version}: ready after $((SECONDS - started)) s"
  rm -rf "$CACHE/.tmp/$tool@old"   # last: on a busy disk this takes minutes
}

# What an earlier version left: the stamp goes first, so that a half-removed tool never counts as installed.
remove_stamped() {
  local left=''
  { read -r _ && read -r left; } 2>/dev/null <"$CACHE/.stamp/$tool" || true
  rm -f "$CACHE/.stamp/$tool"
  case $left in '' | - | "$place") ;; *) rm -rf "${CACHE:?}/$left" ;; esac
}

# link TARGET NAME: by a rename, so that the name is never missing.
link() { ln -sfn "$1" "$BIN/.$2.$$" && mv -f "$BIN/.$2.$$" "$BIN/$2"; }

stamp() {
  printf '%s\n%s\n%s\n' "$fingerprint" "$1" "$2" >"$CACHE/.stamp/.$tool.$$"
  mv -f "$CACHE/.stamp/.$tool.$$" "$CACHE/.stamp/$tool"
}

# seconds_since START, as $EPOCHREALTIME or, before Bash 5, $SECONDS gave it.
seconds_since() { awk -v from="$1" -v to="${EPOCHREALTIME-$SECONDS}" 'BEGIN { printf "%.1f", to - from }'; }

# record_time STAGE SECONDS cold|warm, as the docs quote them.
record_time() { printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$3" >>"$CACHE/times.tsv"; }

check_tools() {
  local name
  for name in $(for wanted in "$@"; do with_required "$wanted"; done 2>/dev/null); do
    (load_tool "$name" && fingerprint=$(fingerprint) && is_installed) || exit 1
  done
}

list_tools() {
  local name
  for name in $(tool_names); do
    (
      load_tool "$name"
      [ "$kind" != group ] || exit 0
      fingerprint=$(fingerprint)
      state=missing
      if is_installed; then state=ready; elif [ -e "$CACHE/.stamp/$name" ]; then state=outdated; fi
      supports_platform || state='not here'
      printf '%-14s %-9s %-9s %s\n' "$name" "${version:--}" "$state" "$about"
    )
  done
}
