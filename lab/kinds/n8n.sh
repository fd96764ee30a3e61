# shellcheck shell=bash disable=SC2034,SC2154
# n8n from the npm registry. Its only native module that brings no build of its own is sqlite3. The tool
# names the Node.js that runs it, as a tool.
# shellcheck source-path=SCRIPTDIR source=npm.sh
. "$LAB/kinds/npm.sh"
inputs="kinds/npm.sh n8n/$version/package.json n8n/$version/package-lock.json"
requires="$node build-tools"
place=n8n/$version
contents='node_modules/n8n/bin/n8n node_modules/sqlite3/build/Release/node_sqlite3.node'
lasts='about 4 min'
only_linux_x64=yes
kind_is_big=yes

kind_build() {
  once fetch npm_ci "n8n/$version"
  once sqlite3 build_sqlite3
}

# Node-API: what the headers of this Node.js build runs under every later one. The same sqlite3 that another n8n beside this
# one has is copied, since compiling it takes longer than the rest.
build_sqlite3() {
  local program build=node_modules/sqlite3/build/Release other
  for other in "$CACHE"/n8n/*; do
    cmp -s "$other/node_modules/sqlite3/package.json" "$OUT/node_modules/sqlite3/package.json" || continue
    mkdir -p "$OUT/$build"
    cp "$other/$build/node_sqlite3.node" "$OUT/$build/" 2>/dev/null && opens_sqlite3 2>/dev/null && return
  done
  program=$("$BIN/$node" -p 'fs.realpathSync(process.execPath)')
  npm_config_nodedir=${program%/bin/*} npm_config_build_from_source=true \
    nice npm rebuild sqlite3 --prefix "$OUT" --ignore-scripts=false --loglevel error
  opens_sqlite3
  rm -rf "${OUT:?}/$build/obj" "$OUT/$build/obj.target"
}

opens_sqlite3() {
  (cd "$OUT" && "$BIN/$node" -e "new (require('sqlite3').Database)(':memory:').get('select 1', (error) => process.exit(error ? 1 : 0))")
}

kind_link() { :; }
