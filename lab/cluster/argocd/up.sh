#!/usr/bin/env bash
# Puts Argo CD into the running cluster with the chart as its repository, or finds it there, and waits until it is ready: its
# own definitions of objects, and its program built from its Go module.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
READY_SECONDS=240
HERE=$CLUSTER_DIR/argocd

kubectl() { "$CLUSTER_DIR/cluster" exec kubectl "$@"; }

status=$("$CLUSTER_DIR/cluster" status) || fail "Argo CD needs a running cluster: lab/cluster/cluster up"
# Any other cluster pulls the images of these names from their registry.
case $status in *provider=native*) "$CLUSTER_DIR/../images/build.sh" argocd busybox redis ;; esac
module=$(outside go -C "$HERE" list -m -f '{{.Dir}}' github.com/argoproj/argo-cd/v3)
charts=$(mktemp -d)
trap 'rm -rf "$charts"' EXIT
"$CACHE/bin/helm3" package --destination "$charts" "$CLUSTER_DIR/../../charts/n8n-tuned" >/dev/null
"$CACHE/bin/helm3" repo index "$charts" --url http://127.0.0.1:8879
note "applying Argo CD $ARGOCD_VERSION"
{
  for name in application appproject applicationset; do cat "$module/manifests/crds/$name-crd.yaml"; echo ---; done
} | kubectl apply --server-side -f - >"$LOGS/argocd.log" 2>&1 || fail "Argo CD's definitions were not applied: see $LOGS/argocd.log"
kubectl wait --for=condition=Established crd/applications.argoproj.io crd/appprojects.argoproj.io >>"$LOGS/argocd.log" 2>&1
{
  kubectl create namespace argocd --dry-run=client -o yaml
  echo ---
  kubectl -n argocd create configmap charts --from-file="$charts" --dry-run=client -o yaml
  echo ---
  sed -e "s#ARGOCD\$#$ARGOCD_IMAGE#" -e "s#REDIS\$#docker.io/library/redis:$REDIS_IMAGE_TAG#" \
    -e "s#BUSYBOX\$#docker.io/library/busybox:$BUSYBOX_IMAGE_TAG#" "$HERE/argocd.yaml"
} | kubectl apply --server-side --force-conflicts -f - >>"$LOGS/argocd.log" 2>&1 || fail "Argo CD was not applied: see $LOGS/argocd.log"
# The chart may be another one than before.
kubectl -n argocd rollout restart deployment/argocd >>"$LOGS/argocd.log" 2>&1
kubectl -n argocd rollout status deployment/argocd --timeout="${READY_SECONDS}s" >>"$LOGS/argocd.log" 2>&1 ||
  fail "Argo CD was not ready after $READY_SECONDS s: kubectl -n argocd get pods"
