# shellcheck shell=bash disable=SC2034
# Folders of the lab's files and of what it installs; sourced by its scripts. cli/src/lab/paths.ts says the same.
LAB=$(cd "$(dirname "${BASH_SOURCE[0]:-$0}")" && pwd)
CACHE=${N8N_TUNED_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/n8n-tuned}
BIN=$CACHE/bin
# shellcheck source=versions.env
. "$LAB/versions.env"
