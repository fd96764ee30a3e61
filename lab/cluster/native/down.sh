#!/usr/bin/env bash
# Ends the cluster that up.sh started, or whatever is left of it, and nothing else. Its logs and
# certificates stay; with --wipe they go too.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
WAIT_TENTHS=200

if find_init; then
  kill -KILL "$init_pid"   # the kernel ends every process of its PID namespace
  for _ in $(seq $WAIT_TENTHS); do find_init || break; sleep 0.1; done
  ! find_init || fail "process $init_pid does not end"
fi

# The last processes leave their cgroups a moment after they were ended.
remove_cgroups() {
  local tree left=0
  for tree in /sys/fs/cgroup/"$CGROUP" /sys/fs/cgroup/*/"$CGROUP"; do
    [ -d "$tree" ] || continue
    find "$tree" -depth -type d -exec rmdir {} \; 2>/dev/null || true
    [ ! -d "$tree" ] || left=1
  done
  return $left
}
removed=
for _ in $(seq $WAIT_TENTHS); do remove_cgroups && { removed=1; break; }; sleep 0.1; done

# The last cluster to go takes the mount points with it: without one its mount ends in every namespace.
mkdir -p "$CLUSTER_CACHE/state"
exec 7>"$MOUNT_POINTS.lock"
flock 7
if [ -s "$MOUNT_POINTS" ] && ! pgrep -f 'native/init\.sh' >/dev/null; then
  while read -r dir; do rmdir "$dir" 2>/dev/null || true; done <"$MOUNT_POINTS"
  rm "$MOUNT_POINTS"
fi
exec 7>&-
if [ "${1-}" = --wipe ]; then rm -rf "$STATE"; else rm -rf "$STATE"/{containerd,etcd,root,sysctl,metrics,cni,certs.d}; fi
[ -n "$removed" ] || fail "some cgroups named $CGROUP are left under /sys/fs/cgroup: processes are still in them"
