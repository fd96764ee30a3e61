#!/usr/bin/env bash
# Starts the native cluster, or finds it running, and waits until its node, DNS, metrics and ingress
# are ready. Whatever fails or is interrupted here is taken down again.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
HERE=$CLUSTER_DIR/native
READY_SECONDS=120

# A new group gets as much CPU as one process outside: beside the tests of a busy machine the pods would stand still. It gets
# as much as twenty.
prepare_cgroups() {
  local root=/sys/fs/cgroup controller hierarchy
  if [ -e $root/cgroup.controllers ]; then   # version 2: one tree, whose controllers are handed down explicitly
    for controller in cpuset cpu memory pids; do
      echo "+$controller" 2>/dev/null >$root/cgroup.subtree_control ||
        mistake "the controller $controller cannot be handed down in $root: run where root owns the whole cgroup tree"
    done
    mkdir -p "$root/$CGROUP"
    echo 2000 >"$root/$CGROUP/cpu.weight"
    return
  fi
  for hierarchy in "$root"/*/; do            # version 1: a folder in each hierarchy
    [ -e "${hierarchy}cgroup.procs" ] && [ ! -e "${hierarchy}cgroup.controllers" ] || continue
    mkdir -p "$hierarchy$CGROUP"
    [ -e "${hierarchy}cpuset.cpus" ] || continue
    cat "${hierarchy}cpuset.cpus" >"$hierarchy$CGROUP/cpuset.cpus"
    cat "${hierarchy}cpuset.mems" >"$hierarchy$CGROUP/cpuset.mems"
  done
  [ -d "$root/memory/$CGROUP" ] && [ -d "$root/cpu/$CGROUP" ] ||
    mistake "$root has neither version 2 nor the version 1 controllers cpu and memory: run where cgroups are mounted"
  echo 20480 >"$root/cpu/$CGROUP/cpu.shares"
}

begin() {
  "$HERE/down.sh"
  mkdir -p "$LOGS" "$STATE/etcd" "$STATE/root"
  chmod 700 "$STATE/etcd"
  rm -f "$LOGS"/*
  "$HERE/pki.sh"
  "$HERE/config.sh"
  prepare_cgroups
  exec 7>"$MOUNT_POINTS.lock"            # down.sh of another cluster must not take them away in between
  flock 7
  for dir in /var/lib/kubelet /var/lib/cni; do [ -d "$dir" ] || { echo "$dir" >>"$MOUNT_POINTS"; mkdir -p "$dir"; }; done
  setsid unshare --net --mount --pid --fork --kill-child "$HERE/init.sh" "$STATE" </dev/null >"$LOGS/init.log" 2>&1 7>&- 9>&- &
  local unshare=$!
  until [ -s "$LOGS/pids" ]; do [ -d "/proc/$unshare" ] || fail "the cluster did not start: $(tail -1 "$LOGS/init.log")"; sleep 0.05; done
  exec 7>&-
}

kubectl() { "$CLUSTER_DIR/cluster" exec kubectl "$@"; }
node_ready() { [ "$(kubectl get node "$NODE" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}')" = True ]; }
# The parts are given by hand as objects: `kubectl wait` refuses those that do not exist yet.
parts_ready() {
  kubectl -n kube-system wait --for=condition=Available deploy/coredns deploy/ingress --timeout=0 &&
    kubectl wait --for=condition=Available apiservice/v1beta1.metrics.k8s.io --timeout=0
}
# until_ready WHAT COMMAND...: for READY_SECONDS, as long as the cluster lives.
until_ready() {
  local what=$1 deadline=$((SECONDS + READY_SECONDS))
  shift
  until "$@" >"$LOGS/up.log" 2>&1; do
    find_init || fail "the cluster ended while its $what was awaited: $(tail -1 "$LOGS/init.log")"
    [ $SECONDS -lt $deadline ] || fail "its $what was not ready after $READY_SECONDS s: see $LOGS"
    sleep 0.2
  done
  note "$what ready after $(seconds_since "$start") s"
}

start=$EPOCHREALTIME
if find_init; then
  note "already running"
else
  trap '[ $? = 0 ] || "$HERE/down.sh"' EXIT
  trap 'exit 130' INT TERM HUP
  begin
fi
until_ready node node_ready
record cluster-node-ready "$(seconds_since "$start")" warm
until_ready "DNS, metrics and ingress" parts_ready
record cluster-ready "$(seconds_since "$start")" warm
