# shellcheck shell=bash disable=SC2034
# Names, places and addresses of the cluster, sourced by every script of this folder.
# The versions come from lab/versions.env.
CLUSTER_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../versions.env
. "$CLUSTER_DIR/../versions.env"

CACHE=${N8N_TUNED_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/n8n-tuned}
CLUSTER_CACHE=$CACHE/cluster
BIN=$CLUSTER_CACHE/bin                  # the programs that the build makes
REGISTRY=$CLUSTER_CACHE/registry        # the images that pods can pull
NAME=${N8N_TUNED_CLUSTER:-n8n-tuned}    # another name is another cluster beside the first
STATE=$CLUSTER_CACHE/state/$NAME        # all that a running cluster writes
PKI=$STATE/pki
LOGS=$STATE/log
MOUNT_POINTS=$CLUSTER_CACHE/state/mount-points   # the folders that clusters made under /var/lib
ADMIN_KUBECONFIG=$STATE/admin.kubeconfig
CONTAINERD_SOCKET=$STATE/containerd.sock
CGROUP=$NAME-cluster                    # pods' cgroups lie under /sys/fs/cgroup/[CONTROLLER/]$CGROUP

# Addresses from the range for benchmarks (RFC 2544): they cannot clash with a real network.
NODE=node0
NODE_IP=198.19.255.1
POD_CIDR=198.18.0.0/24
SERVICE_CIDR=198.19.0.0/20
API_IP=198.19.0.1                       # the first address of SERVICE_CIDR
DNS_IP=198.19.0.10
INGRESS_IP=198.19.0.80                  # Ingress objects answer here
GATEWAY_IP=198.19.0.81                  # HTTPRoute objects answer here

PAUSE_IMAGE=n8n-tuned.local/pause:1
COREDNS_IMAGE=n8n-tuned.local/coredns:1
INGRESS_IMAGE=n8n-tuned.local/ingress:1
KEDA_IMAGE=ghcr.io/kedacore/keda:${KEDA_VERSION#v}
KEDA_ADAPTER_IMAGE=ghcr.io/kedacore/keda-metrics-apiserver:${KEDA_VERSION#v}
ARGOCD_IMAGE=quay.io/argoproj/argocd:$ARGOCD_VERSION
SOURCE_CONTROLLER_IMAGE=ghcr.io/fluxcd/source-controller:$SOURCE_CONTROLLER_VERSION
HELM_CONTROLLER_IMAGE=ghcr.io/fluxcd/helm-controller:$HELM_CONTROLLER_VERSION
K6_OPERATOR_IMAGE=ghcr.io/grafana/k6-operator:controller-$K6_OPERATOR_VERSION
K6_STARTER_IMAGE=ghcr.io/grafana/k6-operator:starter-$K6_OPERATOR_VERSION

# Exit codes: 1 it failed, 2 the user's mistake or something that this machine lacks.
fail() { echo "cluster: $*" >&2; exit 1; }
mistake() { echo "cluster: $*" >&2; exit 2; }
note() { echo "cluster: $*" >&2; }

# outside COMMAND...: what runs in the cluster's network, by native_exec, reaches no registry of packages. This does, anywhere:
# it runs COMMAND with the machine's own network and names.
outside() {
  [ -n "${N8N_TUNED_OUTSIDE-}" ] || { "$@"; return; }
  # shellcheck disable=SC2016
  nsenter --net="$N8N_TUNED_OUTSIDE/outside-net" -- env -u N8N_TUNED_OUTSIDE unshare --mount -- \
    sh -c 'mount --bind "$0" /etc/resolv.conf; exec "$@"' "$N8N_TUNED_OUTSIDE/outside-resolv.conf" "$@"
}

# Sets init_pid to the machine's id of the cluster's process 1, if it lives. The processes are asked and
# no file, so that the answer is right after any crash.
init_pid=
find_init() {
  local pid arguments
  for pid in $(pgrep -f 'native/init\.sh'); do
    mapfile -d '' -t arguments 2>/dev/null <"/proc/$pid/cmdline" || continue
    [ "${arguments[0]-} ${arguments[2]-}" = "bash $STATE" ] || continue
    grep -qE '^NSpid:.*[[:space:]]1$' "/proc/$pid/status" 2>/dev/null && { init_pid=$pid; return; }
  done
  return 1
}

# record STAGE SECONDS cold|warm: the times of the lab's stages.
record() { printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$3" >>"$CACHE/times.tsv"; }

# seconds_since START, both as $EPOCHREALTIME gives them.
seconds_since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }
