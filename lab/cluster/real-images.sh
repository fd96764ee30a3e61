#!/usr/bin/env bash
# The chart with the images that users pull, step by step, on whichever cluster runs: .github/workflows/real-images.yml takes
# the steps on kind, the cluster test chart-real-images on the lab's cluster with the lab's images.
#   real-images.sh install|test|patches|images|remove
set -euo pipefail
. "$(dirname "$0")/settings.sh"
SPACE=real-images
CHART=$CLUSTER_DIR/../../charts/n8n-tuned

on_cluster() { "$CLUSTER_DIR/cluster" exec "$@"; }
pods() { on_cluster kubectl -n "$SPACE" get pods -l app.kubernetes.io/instance=n8n,"app.kubernetes.io/component in ($1)" -o name; }

case ${1-} in
  install)
    # Everything with an image of its own: n8n in each role, external task runners, PostgreSQL, Redis.
    on_cluster helm3 upgrade --install n8n "$CHART" -n "$SPACE" --create-namespace --wait --timeout 15m \
      --set fullnameOverride=n8n --set executions.mode=queue --set database.type=postgresql --set webhook.enabled=true \
      --set taskRunners.mode=external --set worker.replicas=1 --set webhook.replicas=1 --set monitoring.enabled=true \
      --set main.resources.requests.memory=256Mi --set worker.resources.requests.memory=256Mi --set webhook.resources.requests.memory=256Mi
    ;;
  test) on_cluster helm3 test n8n -n "$SPACE" --logs --timeout 10m ;;
  patches)
    # A patch that does not know the code of this image says so. Each of them is asked, whether or not it had work to do.
    found=0
    for pod in $(pods main,worker,webhook); do
      if on_cluster kubectl -n "$SPACE" logs "$pod" --all-containers | grep 'left as it is'; then
        echo "$pod: a patch does not know this n8n" >&2
        found=1
      fi
    done
    exit "$found"
    ;;
  images)
    # Task runners are sidecars, which Kubernetes counts among the init containers.
    for pod in $(pods main,worker,webhook,postgresql,redis); do
      on_cluster kubectl -n "$SPACE" get "$pod" -o jsonpath='{range .status.initContainerStatuses[*]}{.image}{" "}{.imageID}{"\n"}{end}{range .status.containerStatuses[*]}{.image}{" "}{.imageID}{"\n"}{end}'
    done | sort -u
    ;;
  remove) on_cluster kubectl delete namespace "$SPACE" --wait=false ;;
  *) mistake "real-images.sh install, test, patches, images or remove" ;;
esac
