# shellcheck shell=bash disable=SC2034,SC2154
# Programs or libraries from the npm registry, in a folder of their own in the cache; this repository has their lock alone.
# shellcheck source-path=SCRIPTDIR source=npm.sh
. "$LAB/kinds/npm.sh"
inputs="kinds/npm.sh npm/$tool/package.json npm/$tool/package-lock.json"
place=npm/$tool
for program in $programs; do contents="$contents node_modules/.bin/$program"; done

kind_build() { once fetch npm_ci "npm/$tool"; }

kind_link() {
  local program
  for program in $programs; do link "../$place/node_modules/.bin/$program" "$program"; done
}
