#!/usr/bin/env bash
# Takes the k6-operator out of the running cluster, with every TestRun.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"

module=$(go -C "$CLUSTER_DIR/k6-operator" list -m -f '{{.Dir}}' github.com/grafana/k6-operator)
"$CLUSTER_DIR/cluster" exec kubectl delete --ignore-not-found --timeout=120s -f - <"$module/bundle.yaml" >&2
