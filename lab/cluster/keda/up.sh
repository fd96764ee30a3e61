#!/usr/bin/env bash
# Puts KEDA into the running cluster, or finds it there, and waits until it serves metrics: its own manifests, without the
# admission webhooks, and its operator and metrics server built from its Go module.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
READY_SECONDS=240

cluster() { "$CLUSTER_DIR/cluster" "$@"; }
manifests() {
  local module
  module=$(outside go -C "$CLUSTER_DIR/keda" list -m -f '{{.Dir}}' github.com/kedacore/keda/v2)
  "$BIN/kubectl" kustomize "$module/config/minimal" |
    sed -E -e "s#ghcr.io/kedacore/keda:[a-z0-9.]+#$KEDA_IMAGE#" \
      -e "s#ghcr.io/kedacore/keda-metrics-apiserver:[a-z0-9.]+#$KEDA_ADAPTER_IMAGE#"
}
kubectl() { cluster exec kubectl "$@"; }

status=$(cluster status) || fail "KEDA needs a running cluster: lab/cluster/cluster up"
# Any other cluster pulls the images of these names from their registry.
case $status in *provider=native*) "$CLUSTER_DIR/../images/build.sh" keda ;; esac
note "applying KEDA $KEDA_VERSION"
# What an object is of must be known before it: a first try may come too early.
for try in 1 2 3; do
  manifests | kubectl apply --server-side -f - >"$LOGS/keda.log" 2>&1 && break
  [ "$try" -lt 3 ] || fail "KEDA was not applied: see $LOGS/keda.log"
  sleep 2
done
start=$SECONDS
until kubectl -n keda wait --for=condition=Available deploy --all --timeout=0 &&
  kubectl wait --for=condition=Available apiservice/v1beta1.external.metrics.k8s.io --timeout=0; do
  [ $((SECONDS - start)) -lt $READY_SECONDS ] || fail "KEDA was not ready after $READY_SECONDS s: kubectl -n keda get pods"
  sleep 1
done >"$LOGS/keda-ready.log" 2>&1
note "KEDA ready after $((SECONDS - start)) s"
