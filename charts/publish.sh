#!/usr/bin/env bash
# Packages both charts, signs the packages where a key is given, and pushes each with its provenance file.
#
# Usage: charts/publish.sh oci://REGISTRY/PATH [OPTION OF helm push]...
#   HELM                   the program (helm)
#   SIGNING_KEY            name of the key to sign with; nothing is signed without it
#   SIGNING_KEYRING        file with that key, as gpg --export-secret-keys writes it
#   SIGNING_PASSPHRASE     file with its passphrase; a key without one needs none
set -euo pipefail

place=${1:?say where to: charts/publish.sh oci://REGISTRY/PATH}
shift
helm=${HELM:-helm}
charts=("$(dirname "$0")/n8n-tuned" "$(dirname "$0")/n8n-load")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

sign=()
if [[ -n ${SIGNING_KEY:-} ]]; then
  sign=(--sign --key "$SIGNING_KEY" --keyring "${SIGNING_KEYRING:?give the file with the key}")
  [[ -z ${SIGNING_PASSPHRASE:-} ]] || sign+=(--passphrase-file "$SIGNING_PASSPHRASE")
fi
# A chart that was not built is refused by its own sentence, which packing does not show.
for chart in "${charts[@]}"; do "$helm" template n8n "$chart" >/dev/null; done
for chart in "${charts[@]}"; do
  "$helm" package "$chart" --destination "$folder" "${sign[@]}"
  # The provenance file beside it is pushed with it.
  "$helm" push "$folder/$(basename "$chart")"-[0-9]*.tgz "$place" "$@" 2>&1
done
