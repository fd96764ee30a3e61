#!/usr/bin/env bash
# What .github/workflows/nightly.yml runs each day, step by step, also by hand: new releases of n8n are admitted.
set -euo pipefail
cd "$(dirname "$0")/../.."
CLI="node cli/dist/cli.js"
OUT=${OUT:-results/new-versions}
RECORD=docs/records/versions.json

usage() {
  cat <<Y
usage: new-versions.sh list       prints the newest releases of the registry that the record has not: of the newest minor version and of 1.x
       new-versions.sh admit      n8n-tuned n8n admit VERSION --full for each; what it says goes into $OUT
       new-versions.sh publish    a pull request for each that is whole, an issue for each other one (GH_TOKEN; DRY_RUN=1 only says it)
Y
}

list() {
  $CLI n8n list --json | node -e '
    const { released } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const known = new Set(JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).versions.map(({ n8n }) => n8n));
    const newest = [released?.at(-1), released?.filter((version) => version.startsWith("1.")).at(-1)];
    for (const version of newest) if (version !== undefined && !known.has(version)) console.log(version);
  ' "$RECORD"
}

admit() {
  local version code
  mkdir -p "$OUT"
  for version in $(list); do
    code=0
    $CLI n8n admit "$version" --full >"$OUT/$version.txt" || code=$?
    # 1: something is left to a person. Anything else has not come to an end.
    [ "$code" -le 1 ] || exit "$code"
    echo "$code" >"$OUT/$version.code"
  done
}

# The row and the difference, as text in a block.
body() {
  local fence='~~~'
  printf '%s said:\n\n%s\n%s\n%s\n' "n8n-tuned n8n admit $1 --full" "$fence" "$(<"$OUT/$1.txt")" "$fence"
}

publish() {
  local file version run=${DRY_RUN:+echo}
  for file in "$OUT"/*.code; do
    [ -e "$file" ] || { echo 'nothing is new'; return; }
    version=$(basename "$file" .code)
    body "$version" >"$OUT/$version.md"
    if [ "$(<"$file")" != 0 ]; then
      $run gh issue create --title "n8n $version: a patch does not know its code" --body-file "$OUT/$version.md"
      continue
    fi
    $run git switch --create "n8n-$version"
    $run git add docs charts lab
    $run git -c user.name='github-actions[bot]' -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \
      commit --message "Admit n8n $version, whose code the patches know"
    $run git push --set-upstream origin "n8n-$version"
    $run gh pr create --title "n8n $version" --body-file "$OUT/$version.md"
    $run git switch -
  done
}

case ${1-} in
  list | admit | publish) "$1" ;;
  *) usage; exit 2 ;;
esac
