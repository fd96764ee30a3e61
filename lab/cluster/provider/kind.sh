# shellcheck shell=bash
# kind, where a Docker engine runs. It pulls the images from their registries.
KIND_KUBECONFIG=$CLUSTER_CACHE/state/$NAME.kind.kubeconfig

kind_build() { note "kind needs no build"; }
kind_running() { kind get clusters 2>/dev/null | grep -qx "$NAME"; }
kind_up() {
  mkdir -p "$CLUSTER_CACHE/state"
  if kind_running; then
    note "already running"
  else
    kind create cluster --name "$NAME" --kubeconfig "$KIND_KUBECONFIG" --wait 120s >&2 || fail "kind could not create the cluster $NAME"
  fi
}
kind_down() { kind delete cluster --name "$NAME" --kubeconfig "$KIND_KUBECONFIG" >&2; }
kind_exec() {
  kind_running || fail "the cluster is not running: lab/cluster/cluster up"
  [ -s "$KIND_KUBECONFIG" ] || kind export kubeconfig --name "$NAME" --kubeconfig "$KIND_KUBECONFIG" >&2
  KUBECONFIG=$KIND_KUBECONFIG PATH=$CACHE/bin:$PATH exec "$@"
}
kind_status() { echo "kubeconfig=$KIND_KUBECONFIG"; }
