#!/usr/bin/env bash
# Puts the k6-operator into the running cluster by its own manifests, and waits until it is ready: its program is built from
# its Go module. `down.sh` takes it out again, and with it every TestRun.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
READY_SECONDS=180

kubectl() { "$CLUSTER_DIR/cluster" exec kubectl "$@"; }

status=$("$CLUSTER_DIR/cluster" status) || fail "the k6-operator needs a running cluster: lab/cluster/cluster up"
# Any other cluster pulls the images of these names from their registry.
case $status in *provider=native*) "$CLUSTER_DIR/../images/build.sh" k6-operator k6-starter ;; esac
module=$(outside go -C "$CLUSTER_DIR/k6-operator" list -m -f '{{.Dir}}' github.com/grafana/k6-operator)
note "applying k6-operator $K6_OPERATOR_VERSION"
kubectl apply --server-side -f - <"$module/bundle.yaml" >"$LOGS/k6-operator.log" 2>&1 ||
  fail "the k6-operator was not applied: see $LOGS/k6-operator.log"
kubectl -n k6-operator-system rollout status deployment --timeout="${READY_SECONDS}s" >>"$LOGS/k6-operator.log" 2>&1 ||
  fail "the k6-operator was not ready after $READY_SECONDS s: kubectl -n k6-operator-system get pods"
