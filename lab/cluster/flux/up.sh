#!/usr/bin/env bash
# Puts Flux's controllers of sources and of Helm into the running cluster with the chart in a repository, or finds them there,
# and waits until they are ready: their own definitions of objects, and their programs built from their Go modules.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
READY_SECONDS=240
HERE=$CLUSTER_DIR/flux

kubectl() { "$CLUSTER_DIR/cluster" exec kubectl "$@"; }
definitions() { # definitions CONTROLLER
  local module file
  module=$(outside go -C "$HERE/$1" list -m -f '{{.Dir}}' "github.com/fluxcd/$1")
  for file in "$module"/config/crd/bases/*.yaml; do cat "$file"; echo ---; done
}

status=$("$CLUSTER_DIR/cluster" status) || fail "Flux needs a running cluster: lab/cluster/cluster up"
# Any other cluster pulls the images of these names from their registry.
case $status in *provider=native*) "$CLUSTER_DIR/../images/build.sh" flux busybox ;; esac
charts=$(mktemp -d)
trap 'rm -rf "$charts"' EXIT
"$CACHE/bin/helm3" package --destination "$charts" "$CLUSTER_DIR/../../charts/n8n-tuned" >/dev/null
"$CACHE/bin/helm3" repo index "$charts" --url http://127.0.0.1:8879
note "applying Flux's source-controller $SOURCE_CONTROLLER_VERSION and helm-controller $HELM_CONTROLLER_VERSION"
{ definitions source-controller; definitions helm-controller; } |
  kubectl apply --server-side -f - >"$LOGS/flux.log" 2>&1 || fail "Flux's definitions were not applied: see $LOGS/flux.log"
kubectl wait --for=condition=Established crd/helmreleases.helm.toolkit.fluxcd.io crd/helmrepositories.source.toolkit.fluxcd.io >>"$LOGS/flux.log" 2>&1
{
  kubectl create namespace flux-system --dry-run=client -o yaml
  echo ---
  kubectl -n flux-system create configmap charts --from-file="$charts" --dry-run=client -o yaml
  echo ---
  sed -e "s#SOURCE\$#$SOURCE_CONTROLLER_IMAGE#" -e "s#HELM\$#$HELM_CONTROLLER_IMAGE#" \
    -e "s#BUSYBOX\$#docker.io/library/busybox:$BUSYBOX_IMAGE_TAG#" "$HERE/flux.yaml"
} | kubectl apply --server-side --force-conflicts -f - >>"$LOGS/flux.log" 2>&1 || fail "Flux was not applied: see $LOGS/flux.log"
# The chart may be another one than before.
kubectl -n flux-system rollout restart deployment/flux >>"$LOGS/flux.log" 2>&1
kubectl -n flux-system rollout status deployment/flux --timeout="${READY_SECONDS}s" >>"$LOGS/flux.log" 2>&1 ||
  fail "Flux was not ready after $READY_SECONDS s: kubectl -n flux-system get pods"
