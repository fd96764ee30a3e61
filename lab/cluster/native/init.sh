#!/usr/bin/env bash
# Process 1 of the cluster, in PID, mount and network namespaces of its own (up.sh starts it as
# `init.sh STATE`, by which it is found). When it ends, the kernel ends all the other
# processes, and with them the mounts and the network are gone.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
mount -t proc proc /proc
export PATH=$BIN:$PATH

# A network without a way out.
ip link set lo up
ip link add node0 type bridge
ip addr add "$NODE_IP/32" dev node0
ip link set node0 up
ip route add "$SERVICE_CIDR" dev node0  # Service addresses are translated after routing, so they want a route
sysctl -qw net.ipv4.ip_forward=1

# Mounts that only this namespace sees.
mount --make-rshared /
mount -t tmpfs -o mode=755 n8n-tuned-run /run
mkdir -p /run/lock
# On a machine with both versions of cgroups, the programs must see plain version 1.
umount /sys/fs/cgroup/unified 2>/dev/null || true
for dir in /var/lib/kubelet /var/lib/cni /var/log; do
  mkdir -p "$STATE/root$dir"
  mount --bind "$STATE/root$dir" "$dir"
done
# The kubelet sets these sysctls of the whole machine unless they read as it wants them: let it read that.
for setting in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1 \
  kernel/keys/root_maxkeys=1000000 kernel/keys/root_maxbytes=25000000; do
  key=${setting%=*} value=${setting#*=}
  [ "$(cat "/proc/sys/$key")" = "$value" ] && continue
  mkdir -p "$STATE/sysctl"
  echo "$value" >"$STATE/sysctl/${key//\//.}"
  mount --bind "$STATE/sysctl/${key//\//.}" "/proc/sys/$key"
done

start() { # start NAME COMMAND...
  local name=$1
  shift
  "$@" >"$LOGS/$name.log" 2>&1 &
  echo "$name $!" >>"$LOGS/pids"
}
wait_for() { # wait_for NAME COMMAND...
  local name=$1
  shift
  for _ in $(seq 600); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  echo "init: no $name after 60 s" >&2
  exit 1
}
api_clients() { echo "--kubeconfig=$PKI/$1.kubeconfig --authentication-kubeconfig=$PKI/$1.kubeconfig --authorization-kubeconfig=$PKI/$1.kubeconfig"; }

start containerd containerd -c "$STATE/containerd.toml"
start registry registry 127.0.0.1:5000 "$REGISTRY"
start etcd etcd --name n8n-tuned --data-dir "$STATE/etcd" --unsafe-no-fsync --log-level warn \
  --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
  --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
  --initial-cluster n8n-tuned=http://127.0.0.1:2380
start kube-apiserver kube-apiserver --etcd-servers=http://127.0.0.1:2379 --advertise-address="$NODE_IP" --bind-address=0.0.0.0 \
  --secure-port=6443 --service-cluster-ip-range="$SERVICE_CIDR" --allow-privileged=true --profiling=false \
  --authorization-mode=Node,RBAC --enable-admission-plugins=NodeRestriction \
  --client-ca-file="$PKI/ca.crt" --tls-cert-file="$PKI/apiserver.crt" --tls-private-key-file="$PKI/apiserver.key" \
  --service-account-issuer=https://kubernetes.default.svc.cluster.local \
  --service-account-key-file="$PKI/sa.pub" --service-account-signing-key-file="$PKI/sa.key" \
  --kubelet-certificate-authority="$PKI/ca.crt" --kubelet-client-certificate="$PKI/apiserver-kubelet.crt" \
  --kubelet-client-key="$PKI/apiserver-kubelet.key" --kubelet-preferred-address-types=InternalIP \
  --requestheader-client-ca-file="$PKI/front-proxy-ca.crt" --requestheader-allowed-names=front-proxy-client \
  --requestheader-username-headers=X-Remote-User --requestheader-group-headers=X-Remote-Group \
  --requestheader-extra-headers-prefix=X-Remote-Extra- \
  --proxy-client-cert-file="$PKI/front-proxy.crt" --proxy-client-key-file="$PKI/front-proxy.key"
wait_for containerd ctr -a "$CONTAINERD_SOCKET" version
for image in "$BIN"/images/*.tar; do
  ctr -a "$CONTAINERD_SOCKET" -n k8s.io images import "$image" >>"$LOGS/images.log" 2>&1
done
wait_for kube-apiserver kubectl --kubeconfig "$PKI/admin.kubeconfig" get --raw /readyz
# shellcheck disable=SC2046 # several words are meant
{
  start kube-controller-manager kube-controller-manager $(api_clients controller-manager) --bind-address=127.0.0.1 \
    --use-service-account-credentials=true --kube-api-qps=300 --kube-api-burst=600 --leader-elect=false --profiling=false \
    --root-ca-file="$PKI/ca.crt" --service-account-private-key-file="$PKI/sa.key" \
    --cluster-signing-cert-file="$PKI/ca.crt" --cluster-signing-key-file="$PKI/ca.key" --service-cluster-ip-range="$SERVICE_CIDR" \
    --horizontal-pod-autoscaler-sync-period=5s --horizontal-pod-autoscaler-cpu-initialization-period=20s \
    --horizontal-pod-autoscaler-initial-readiness-delay=5s --horizontal-pod-autoscaler-downscale-stabilization=30s
  start kube-scheduler kube-scheduler $(api_clients scheduler) --bind-address=127.0.0.1 --leader-elect=false --profiling=false
  # Its cAdvisor asks containerd which container a control group is, by a setting of its own.
  start kubelet kubelet --config="$STATE/kubelet.yaml" --kubeconfig="$PKI/kubelet.kubeconfig" \
    --hostname-override="$NODE" --node-ip="$NODE_IP" --containerd="$CONTAINERD_SOCKET"
  start kube-proxy kube-proxy --config="$STATE/kube-proxy.yaml"
  start metrics-server metrics-server $(api_clients metrics) --secure-port=4443 --cert-dir="$STATE/metrics" \
    --kubelet-certificate-authority="$PKI/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --metric-resolution=10s --kubelet-request-timeout=5s
}
apply() { kubectl --kubeconfig "$PKI/admin.kubeconfig" apply --server-side -f "$1" >>"$LOGS/apply.log" 2>&1 || echo "init: $1 was not applied: see $LOGS/apply.log"; }
apply "$STATE/system.yaml"
apply "$BIN/gateway-api.yaml"
apply "$STATE/ingress.yaml"
start provisioner "$CLUSTER_DIR/native/provisioner.sh"
# Reaps orphans for as long as the cluster lives, and says which of its programs ended.
while :; do
  wait -n -p ended && code=0 || code=$?
  [ -n "${ended-}" ] || { sleep 5; continue; }
  echo "init: $(grep " $ended\$" "$LOGS/pids" || echo "process $ended") ended with $code"
done
