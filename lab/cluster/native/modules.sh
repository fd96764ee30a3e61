#!/usr/bin/env bash
# Writes the go.mod and go.sum of modules/* anew for the versions in lab/versions.env.
# Needed only when one of them changes; build.sh uses the files as they are.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
MODULES=$CLUSTER_DIR/native/modules

# module NAME PATH VERSION...: a module that needs PATH at VERSION.
module() {
  local name=$1
  shift
  cd "$MODULES/$name"
  rm -f go.mod go.sum
  {
    printf 'module n8n-tuned.local/%s\n\ngo 1.26.0\n\nrequire (\n' "$name"
    printf '\t%s %s\n' "$@"
    printf ')\n'
  } >go.mod
}

module containerd github.com/containerd/containerd/v2 "$CONTAINERD_VERSION"
go mod tidy
module net github.com/containernetworking/plugins "$CNI_VERSION" github.com/coredns/coredns "$COREDNS_VERSION"
go mod tidy
module runc github.com/opencontainers/runc "$RUNC_VERSION"
go mod tidy
# No code of it is built, only its YAML is taken: not tidied, or the requirement would go.
module gateway-api sigs.k8s.io/gateway-api "$GATEWAY_API_VERSION"
go mod download sigs.k8s.io/gateway-api

# `go install k8s.io/kubernetes/...@v` is refused, because its go.mod replaces the staging modules by
# folders; here each is replaced by its published version.
cd "$MODULES/kube"
rm -f go.mod go.sum
source=$(cd / && go mod download -json "k8s.io/kubernetes@$K8S_VERSION" | jq -r .Dir)
staging=v0.${K8S_VERSION#v1.}
{
  printf 'module n8n-tuned.local/kube\n\n'
  grep -E '^go ' "$source/go.mod"
  printf '\nrequire (\n\tgo.etcd.io/etcd/server/v3 %s\n\tk8s.io/kubernetes %s\n\tsigs.k8s.io/metrics-server %s\n)\n\n' \
    "$ETCD_VERSION" "$K8S_VERSION" "$METRICS_SERVER_VERSION"
  echo 'replace ('
  sed -n "s#^\t\(k8s.io/[a-z0-9-]*\) => ./staging/.*#\t\1 => \1 $staging#p" "$source/go.mod"
  # v0.26.0 holds a package that has a module of its own by now: an "ambiguous import".
  printf ')\n\nexclude cloud.google.com/go v0.26.0\n'
} >go.mod
go mod tidy
