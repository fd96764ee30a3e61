#!/usr/bin/env bash
# What .github/workflows/nightly.yml runs each day, step by step, also by hand: new releases of n8n are admitted.
set -euo pipefail
cd "$(dirname "$0")/../.."
CLI="node cli/dist/cli.js"
OUT=${OUT:-results/new-versions}
RECORD=docs/records/versions.json

# What admit writes: each release begins without what another one has written.
WRITTEN=(README.md docs charts lab)

usage() {
  cat <<Y
usage: new-versions.sh list       prints the newest releases of the registry that the record has not: of the newest minor version and of 1.x
       new-versions.sh admit      n8n-tuned n8n admit VERSION --full for each; what it says and what it changes goes into $OUT
       new-versions.sh publish    a pull request for each that is whole, an issue for each other one (GH_TOKEN; DRY_RUN=1 only says it)
With GH_TOKEN, a release that has a pull request or an issue, open or closed, is left out.
Y
}

list() {
  $CLI n8n list --json | node -e '
    const { released } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
    const known = new Set(JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).versions.map(({ n8n }) => n8n));
    const newest = new Set([released?.at(-1), released?.filter((version) => version.startsWith("1.")).at(-1)]);
    for (const version of newest) if (version !== undefined && !known.has(version)) console.log(version);
  ' "$RECORD"
}

# Whether GitHub has a pull request or an issue of it.
told() {
  local count titles
  [ -n "${GH_TOKEN-}" ] || return 1
  count=$(gh pr list --state all --head "n8n-$1" --json number --jq length) || exit
  titles=$(gh issue list --state all --search "\"n8n $1\" in:title" --json title --jq '.[].title') || exit
  [ "$count" != 0 ] || [[ $'\n'$titles == *$'\n'"n8n $1: "* ]]
}

admit() {
  local versions version code worst=0
  if [ -n "$(git status --porcelain -- "${WRITTEN[@]}")" ]; then
    echo "new-versions.sh: ${WRITTEN[*]} have changes of yours: commit or stash them first" >&2
    exit 2
  fi
  mkdir -p "$OUT"
  rm -f "$OUT"/*.{txt,md,code,patch}
  versions=$(list)
  for version in $versions; do
    if told "$version"; then continue; fi
    code=0
    $CLI n8n admit "$version" --full >"$OUT/$version.txt" || code=$?
    git add --all -- "${WRITTEN[@]}"
    git diff --cached --binary >"$OUT/$version.patch"
    [ ! -s "$OUT/$version.patch" ] || git apply --reverse --index "$OUT/$version.patch"
    # 1: something is left to a person. Anything else has not come to an end, and is tried again the next time.
    if [ "$code" -le 1 ]; then echo "$code" >"$OUT/$version.code"; else worst=$code; fi
  done
  exit "$worst"
}

# The row and the difference, as text in a block.
body() {
  local fence='~~~'
  printf '%s said:\n\n%s\n%s\n%s\n' "n8n-tuned n8n admit $1 --full" "$fence" "$(<"$OUT/$1.txt")" "$fence"
}

# What is left to a person, by the lines of admit.
fault() {
  local said=$OUT/$1.txt faults=() text
  ! grep -qE '^[a-z-]+ +unknown( |$)' "$said" || faults+=('a patch does not know its code')
  ! grep -qE '^[a-z-]+ +not tried( |$)' "$said" || faults+=('code could not be read')
  ! grep -qE '^variables +(different|not read  )' "$said" || faults+=('variables differ')
  ! grep -qE '^tests +(0 tests|.* [1-9][0-9]* failed)' "$said" || faults+=('a test of the patches fails')
  grep -qE '^workloads +([0-9]+) of \1 ' "$said" || ! grep -q '^workloads ' "$said" || faults+=('a workload does not respond')
  printf -v text ', %s' "${faults[@]-admit says no}"
  echo "${text#, }"
}

publish() {
  local file version run=${DRY_RUN:+echo}
  for file in "$OUT"/*.code; do
    [ -e "$file" ] || { echo 'nothing is new'; return; }
    version=$(basename "$file" .code)
    if told "$version"; then continue; fi
    body "$version" >"$OUT/$version.md"
    if [ "$(<"$file")" != 0 ]; then
      $run gh issue create --title "n8n $version: $(fault "$version")" --body-file "$OUT/$version.md"
      continue
    fi
    printf '\n%s\n' "If this version is the newest, raise \`testedBelow\` in charts/n8n-tuned/files/versions.yaml before you merge: no command does." >>"$OUT/$version.md"
    # A branch without a pull request is what an earlier night has left.
    $run git switch --quiet --force-create "n8n-$version"
    $run git apply --index "$OUT/$version.patch"
    $run git -c user.name='github-actions[bot]' -c user.email='41898282+github-actions[bot]@users.noreply.github.com' \
      commit --quiet --message "Admit n8n $version, whose code the patches know"
    $run git push --quiet --force --set-upstream origin "n8n-$version"
    $run gh pr create --title "n8n $version" --body-file "$OUT/$version.md"
    $run git switch --quiet -
  done
}

case ${1-} in
  list | admit | publish) "$1" ;;
  *) usage; exit 2 ;;
esac
