#!/usr/bin/env bash
# Builds every program of the native cluster into $BIN. A part whose inputs have not changed since
# it was last built is left as it is, so a run that was interrupted goes on where it stopped.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
HERE=$CLUSTER_DIR/native
MODULES=$HERE/modules
NEEDED_DISK_MIB=8192

check_pins() { # the module files are made from versions.env: they must not say anything else
  local module version
  while read -r module version; do
    grep -qrE "[[:space:]]$module $version\$" --include=go.mod "$MODULES" ||
      fail "lab/versions.env wants $module $version, the module files do not: run lab/cluster/native/modules.sh"
  done <<Y
k8s.io/kubernetes $K8S_VERSION
go.etcd.io/etcd/server/v3 $ETCD_VERSION
sigs.k8s.io/metrics-server $METRICS_SERVER_VERSION
github.com/containerd/containerd/v2 $CONTAINERD_VERSION
github.com/opencontainers/runc $RUNC_VERSION
github.com/containernetworking/plugins $CNI_VERSION
github.com/coredns/coredns $COREDNS_VERSION
sigs.k8s.io/gateway-api $GATEWAY_API_VERSION
Y
}

install_packages() {
  local package missing=()
  for package in iptables iproute2 procps util-linux libseccomp-dev gcc libc6-dev jq openssl curl; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  note "installing Debian's ${missing[*]}"
  local log=$CLUSTER_CACHE/apt.log
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 ||
    fail "could not install ${missing[*]}: see $log"
}

build_kube() {
  local minor=${K8S_VERSION#v1.} v=k8s.io/component-base/version program
  minor=${minor%%.*}
  go -C "$MODULES/kube" build -o "$BIN/k8s" -ldflags "-s -w -X $v.gitVersion=$K8S_VERSION -X $v.gitMajor=1 \
    -X $v.gitMinor=$minor -X $v.gitTreeState=clean -X $v.buildDate=2026-01-01T00:00:00Z" .
  for program in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy metrics-server kubectl; do
    ln -sf k8s "$BIN/$program"
  done
}
build_containerd() {
  local c=github.com/containerd/containerd/v2
  go -C "$MODULES/containerd" build -o "$BIN/" -tags "osusergo netgo static_build no_btrfs no_devmapper no_zfs no_aufs" \
    -ldflags "-s -w -X $c/version.Version=$CONTAINERD_VERSION" $c/cmd/containerd $c/cmd/containerd-shim-runc-v2 $c/cmd/ctr
}
build_cni() {
  local p=github.com/containernetworking/plugins/plugins
  go -C "$MODULES/net" build -o "$BIN/cni/" -ldflags "-s -w" $p/main/bridge $p/main/loopback $p/ipam/host-local $p/meta/portmap
}
build_coredns() { go -C "$MODULES/net" build -o "$BIN/coredns" -ldflags "-s -w" ./coredns; }
build_registry() { go -C "$MODULES/net" build -o "$BIN/registry" -ldflags "-s -w" ./registry; }
build_runc() { # its first stage is C
  CGO_ENABLED=1 go -C "$MODULES/runc" build -o "$BIN/runc" -tags "netgo osusergo seccomp" \
    -ldflags "-s -w -extldflags -static -X main.version=${RUNC_VERSION#v}" github.com/opencontainers/runc
}
build_pause() { gcc -Os -static -s -o "$BIN/pause" "$HERE/pause.c"; }
build_gateway_api() { # the definitions of the Gateway API's objects
  local dir
  dir=$(go -C "$MODULES/gateway-api" mod download -json sigs.k8s.io/gateway-api | jq -r .Dir)
  for f in "$dir"/config/crd/standard/*.yaml; do [ "${f##*/}" = kustomization.yaml ] || { cat "$f"; echo ---; }; done >"$BIN/gateway-api.yaml"
}
build_system_images() { # the two images that every cluster needs
  local root
  root=$(mktemp -d "$CLUSTER_CACHE/.image.XXXXXX")
  chmod 755 "$root"
  cp "$BIN/pause" "$root/pause"
  "$HERE/image.sh" -e '["/pause"]' -u 65535:65535 -o "$BIN/images/pause.tar" "$PAUSE_IMAGE" "$root"
  rm "$root/pause"
  cp "$BIN/coredns" "$root/coredns"
  "$HERE/image.sh" -e '["/coredns"]' -o "$BIN/images/coredns.tar" "$COREDNS_IMAGE" "$root"
  rm -r "$root"
}

# part NAME INPUT...: runs build_NAME unless its inputs, its own text and Go are as they were, whichever checkout they are in.
part() {
  local name=$1 sum start=$EPOCHREALTIME kind=warm
  shift
  sum=$({ echo "$go_version $GOFLAGS"; declare -f "build_$name"; find "$@" -type f -print0 | sort -z | xargs -0 sha256sum | sed "s| $CLUSTER_DIR/| |"; } | sha256sum)
  [ "$(cat "$BIN/.stamp/$name" 2>/dev/null)" = "$sum" ] && return
  [ -e "$BIN/.stamp/$name" ] || kind=cold
  note "building $name"
  rm -f "$BIN/.stamp/$name"
  "build_$name"
  echo "$sum" >"$BIN/.stamp/$name"
  record "cluster-build-$name" "$(seconds_since "$start")" "$kind"
  note "built $name in $(seconds_since "$start") s"
}

mkdir -p "$BIN/cni" "$BIN/.stamp" "$BIN/images"
exec 8>"$CLUSTER_CACHE/build.lock"
flock -n 8 || { note "another build is running: waiting for it"; flock 8; }
command -v go >/dev/null || mistake "Go is not here and the programs of the cluster are built with it: install Go 1.26 or newer"
if [ ! -e "$BIN/.stamp/kube" ]; then
  free_mib=$(df --output=avail -m "$CLUSTER_CACHE" | tail -1)
  [ "$free_mib" -ge $NEEDED_DISK_MIB ] || mistake "$CLUSTER_CACHE has $((free_mib)) MiB free and the build needs $NEEDED_DISK_MIB: free some, or set N8N_TUNED_CACHE to a folder on a larger disk"
fi
rm -rf "$CLUSTER_CACHE"/.image.*        # what an interrupted build left
install_packages
check_pins
export CGO_ENABLED=0 GOFLAGS="-buildvcs=false -trimpath"
go_version=$(go version)
renice -n 10 $$ >/dev/null
part containerd "$MODULES/containerd"
part cni "$MODULES/net"
part runc "$MODULES/runc"
part registry "$MODULES/net/registry" "$MODULES/net/go.mod"
part coredns "$MODULES/net"
part pause "$HERE/pause.c"
part gateway_api "$MODULES/gateway-api"
part kube "$MODULES/kube"
part system_images "$BIN/pause" "$BIN/coredns" "$HERE/image.sh"
