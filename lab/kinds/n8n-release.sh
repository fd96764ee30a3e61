# shellcheck shell=bash disable=SC2034,SC2154
# A release of n8n for which the lab has no lock, as n8n@VERSION: what npm installs now, with its lock in its folder.
# shellcheck source-path=SCRIPTDIR source=n8n.sh
. "$LAB/kinds/n8n.sh"
inputs=

kind_build() {
  N8N_NODE="$BIN/$node" once fetch nice node "$LAB/n8n/from-registry.mjs" "$version" "$OUT"
  once sqlite3 build_sqlite3
}

kind_explain() {
  if grep -q 'does not load$' "$1"; then
    echo "npm installed n8n $version, but from packages of this registry that do not fit together, so that n8n does not load: choose another version"
  else
    echo 'npm could not install it: the log says why; run again once that is fixed'
  fi
}
