#!/usr/bin/env bash
# Gets the charts that ours is compared with into peers/, without their optional stores, which are charts of a third party.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p peers

get() {
  local name=$1 repository=$2 copy
  copy=$(mktemp -d)
  git clone --quiet --depth 1 "$repository" "$copy"
  rm -rf "peers/$name"
  cp -r "$copy/charts/n8n" "peers/$name"
  rm -rf "$copy" "peers/$name/Chart.lock"
  # The list ends at the next key.
  sed -i '/^dependencies:/,/^[a-z]/{/^dependencies:/d;/^[ -]/d}' "peers/$name/Chart.yaml"
  grep '^version:' "peers/$name/Chart.yaml" | sed "s/^/$name /"
}

get official "${OFFICIAL:-https://github.com/n8n-io/n8n-hosting}"
get community "${COMMUNITY:-https://github.com/community-charts/helm-charts}"
