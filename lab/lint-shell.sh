#!/usr/bin/env bash
# ShellCheck over every shell script of the repository, whatever its name ends in, and over those in the workflows of
# GitHub, which actionlint checks as a whole.
set -euo pipefail
. "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/places.sh"
cd "$LAB/.."
for program in shellcheck actionlint; do
  [ -x "$BIN/$program" ] || { echo "lab: $program is missing: run lab/install.sh $program" >&2; exit 2; }
done
status=0
# SC2317: Debian's ShellCheck takes functions that are called by name for unreachable.
git grep -lIE '^#!.*\b(ba)?sh$|^# shellcheck shell=' -- ':!*.ts' ':!*.md' ':!*.tpl' | xargs "$BIN/shellcheck" -x --source-path=SCRIPTDIR --exclude=SC2317 || status=1
"$BIN/actionlint" -shellcheck "$BIN/shellcheck" .github/workflows/*.yml || status=1
exit $status
