# shellcheck shell=bash
# The native cluster: everything built from its Go modules, run without any container engine.
NATIVE=$CLUSTER_DIR/native

native_check() {
  [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] ||
    mistake "the native cluster needs Linux on x86-64: name a cluster of your own with N8N_TUNED_KUBECONFIG, or start Docker and install kind"
  [ "$(id -u)" = 0 ] || mistake "the native cluster needs root: run this with sudo, or name a cluster of your own with N8N_TUNED_KUBECONFIG"
}
native_build() {
  native_check
  command -v apt-get >/dev/null || mistake "the native cluster needs Debian's packages and there is no apt-get: name a cluster of your own with N8N_TUNED_KUBECONFIG"
  mkdir -p "$CLUSTER_CACHE"
  "$NATIVE/build.sh"
  "$CLUSTER_DIR/../images/build.sh" ingress
}
native_up() {
  native_build
  take_lock
  "$NATIVE/up.sh"
}
native_down() {
  native_check
  mkdir -p "$CLUSTER_CACHE"
  take_lock
  "$NATIVE/down.sh" "$@"
}
native_running() { find_init; }
native_exec() {
  native_check
  find_init || fail "the cluster is not running: lab/cluster/cluster up"
  export KUBECONFIG=$ADMIN_KUBECONFIG PATH=$BIN:$CACHE/bin:$PATH
  unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY   # no proxy can be reached from in there
  # The names of Services resolve too: /etc/resolv.conf is the cluster's, for this command alone. What it was, and the network,
  # are kept for outside, of settings.sh.
  local seen=$STATE/outside-resolv.conf
  [ -n "${N8N_TUNED_OUTSIDE-}" ] || { touch "$STATE/outside-net"; cmp -s /etc/resolv.conf "$seen" || cat /etc/resolv.conf >"$seen"; }
  # shellcheck disable=SC2016,SC2154
  exec unshare --mount -- sh -c '
    [ -n "${N8N_TUNED_OUTSIDE-}" ] || mount --bind /proc/self/ns/net "$0/outside-net"
    mount --bind "$0/exec-resolv.conf" /etc/resolv.conf 2>/dev/null
    export N8N_TUNED_OUTSIDE="${N8N_TUNED_OUTSIDE:-$0}"
    exec nsenter --net="$@"' "$STATE" "/proc/$init_pid/ns/net" -- "$@"
}
native_status() {
  echo "kubeconfig=$ADMIN_KUBECONFIG"
  echo "kubernetes=$K8S_VERSION"
  echo "ingress=$INGRESS_IP"
  echo "gateway=$GATEWAY_IP"
  echo "logs=$LOGS"
}

# One up or down at a time; the second waits for the first.
take_lock() {
  mkdir -p "$CLUSTER_CACHE/state"
  exec 9>"$CLUSTER_CACHE/state/$NAME.lock"
  flock -n 9 || { note "another up or down is running: waiting for it"; flock 9; }
}
