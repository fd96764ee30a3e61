#!/usr/bin/env bash
# ShellCheck over every shell script of the repository, whatever its name ends in.
set -euo pipefail
. "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/places.sh"
cd "$LAB/.."
[ -x "$BIN/shellcheck" ] || { echo 'lab: shellcheck is missing: run lab/install.sh shellcheck' >&2; exit 2; }
# SC2317: Debian's ShellCheck takes functions that are called by name for unreachable.
git grep -lIE '^#!.*\b(ba)?sh$|^# shellcheck shell=' -- ':!*.ts' ':!*.md' ':!*.tpl' | xargs "$BIN/shellcheck" -x --source-path=SCRIPTDIR --exclude=SC2317
