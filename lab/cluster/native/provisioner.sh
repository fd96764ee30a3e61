#!/usr/bin/env bash
# Makes a volume for each claim of the classes "standard" and "sized": a folder of the node, as a PersistentVolume
# of the type `local`, because the kubelet gives that (and not a hostPath) to the pod's fsGroup. One of "sized" is a file
# system of its own (in memory), as large as its claim, so that it can be full without the node being full.
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
  if [ "$class" = sized ] && ! mountpoint -q "$VOLUMES/$uid"; then
    mount -t tmpfs -o "size=${size%i},nosuid,nodev" n8n-tuned "$VOLUMES/$uid"
  fi
  kubectl create -f - <<Y
{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pvc-$uid"}, "spec": {
 "capacity": {"storage": "$size"}, "accessModes": $modes, "storageClassName": "$class", "persistentVolumeReclaimPolicy": "Retain",
 "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "$namespace", "name": "$claim", "uid": "$uid"},
 "local": {"path": "$VOLUMES/$uid"},
 "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["$NODE"]}]}]}}}}
Y
}
while :; do
  watch_claims | while read -r event namespace claim uid class size modes phase; do
    [ "$class" = standard ] || [ "$class" = sized ] || continue
    if [ "$event" = DELETED ]; then
      kubectl delete pv "pvc-$uid" --ignore-not-found --wait=false || true
      umount -l "$VOLUMES/$uid" 2>/dev/null || true
      rm -rf "${VOLUMES:?}/$uid"
    elif [ "$phase" = Pending ]; then
      make_volume || true   # the watch tells the same claim again after a reconnect
    fi
  done || true
  sleep 1
done
