#!/usr/bin/env bash
# Makes a volume for each claim of the class "standard": a folder of the node, as a PersistentVolume
# of the type `local`, because the kubelet gives that (and not a hostPath) to the pod's fsGroup.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
kubectl() { "$BIN/kubectl" --kubeconfig "$PKI/admin.kubeconfig" "$@"; }
VOLUMES=$STATE/root/volumes
mkdir -p "$VOLUMES"

watch_claims() {
  kubectl get pvc -A --watch --output-watch-events -o jsonpath='{.type} {.object.metadata.namespace} {.object.metadata.name} {.object.metadata.uid} {.object.spec.storageClassName} {.object.spec.resources.requests.storage} {.object.spec.accessModes} {.object.status.phase}{"\n"}'
}
make_volume() {
  mkdir -p "$VOLUMES/$uid"
  kubectl create -f - <<Y
{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pvc-$uid"}, "spec": {
 "capacity": {"storage": "$size"}, "accessModes": $modes, "storageClassName": "standard", "persistentVolumeReclaimPolicy": "Retain",
 "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "$namespace", "name": "$claim", "uid": "$uid"},
 "local": {"path": "$VOLUMES/$uid"},
 "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["$NODE"]}]}]}}}}
Y
}
while :; do
  watch_claims | while read -r event namespace claim uid class size modes phase; do
    [ "$class" = standard ] || continue
    if [ "$event" = DELETED ]; then
      kubectl delete pv "pvc-$uid" --ignore-not-found --wait=false || true
      rm -rf "${VOLUMES:?}/$uid"
    elif [ "$phase" = Pending ]; then
      make_volume || true   # the watch tells the same claim again after a reconnect
    fi
  done || true
  sleep 1
done
