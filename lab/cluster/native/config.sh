#!/usr/bin/env bash
# Writes the configuration files of the node's programs into $STATE.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
mkdir -p "$STATE/cni" "$STATE/certs.d/_default"

cat >"$STATE/cni/10-n8n-tuned.conflist" <<Y
{"cniVersion": "1.0.0", "name": "n8n-tuned", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$STATE/root/ipam", "ranges": [[{"subnet": "$POD_CIDR"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
Y
cat >"$STATE/containerd.toml" <<Y
version = 3
root = "$STATE/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri", "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing"]
[grpc]
  address = "$CONTAINERD_SOCKET"
[ttrpc]
  address = "/run/containerd/ttrpc.sock"
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
  discard_unpacked_layers = true  # the registry beside it has them
  [plugins."io.containerd.cri.v1.images".registry]
    config_path = "$STATE/certs.d"
  [plugins."io.containerd.cri.v1.images".pinned_images]
    sandbox = "$PAUSE_IMAGE"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true   # without CAP_SYS_RESOURCE lowering oom_score_adj is refused
  max_container_log_line_size = 262144
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["$BIN/cni"]
    conf_dir = "$STATE/cni"
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
      BinaryName = "$BIN/runc"
      SystemdCgroup = false
Y
cat >"$STATE/certs.d/_default/hosts.toml" <<Y
server = "http://127.0.0.1:5000"
[host."http://127.0.0.1:5000"]
  capabilities = ["pull", "resolve"]
Y
: >"$STATE/resolv.conf"                 # what pods with dnsPolicy Default get: nothing lies outside
cat >"$STATE/exec-resolv.conf" <<Y
nameserver $DNS_IP
search default.svc.cluster.local svc.cluster.local cluster.local
options ndots:5
Y
cat >"$STATE/kubelet.yaml" <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /$CGROUP
containerRuntimeEndpoint: unix://$CONTAINERD_SOCKET
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $PKI/ca.crt}}
authorization: {mode: Webhook}
tlsCertFile: $PKI/kubelet-serving.crt
tlsPrivateKeyFile: $PKI/kubelet-serving.key
clusterDomain: cluster.local
clusterDNS: [$DNS_IP]
resolvConf: $STATE/resolv.conf
volumePluginDir: $STATE/root/volumeplugins
failSwapOn: false
serializeImagePulls: false
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard: {memory.available: 200Mi, nodefs.available: 1%, nodefs.inodesFree: 1%, imagefs.available: 1%}
crashLoopBackOff: {maxContainerRestartPeriod: 10s}   # 300 s in the wild: tests would wait for it
shutdownGracePeriod: 0s
Y
cat >"$STATE/kube-proxy.yaml" <<Y
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
hostnameOverride: $NODE
clusterCIDR: $POD_CIDR
clientConnection: {kubeconfig: $PKI/proxy.kubeconfig}
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
iptables: {minSyncPeriod: 200ms}
Y
for manifest in system ingress; do
  sed "s#@DNS_IP@#$DNS_IP#; s#@NODE_IP@#$NODE_IP#; s#@COREDNS_IMAGE@#$COREDNS_IMAGE#; s#@INGRESS_IMAGE@#$INGRESS_IMAGE#
       s#@INGRESS_IP@#$INGRESS_IP#; s#@GATEWAY_IP@#$GATEWAY_IP#" "$CLUSTER_DIR/native/$manifest.yaml" >"$STATE/$manifest.yaml"
done
