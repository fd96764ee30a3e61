# shellcheck shell=bash
# A cluster of the user's own, named by N8N_TUNED_KUBECONFIG: it is used, never started or stopped.

kubeconfig_build() { note "the cluster of N8N_TUNED_KUBECONFIG needs no build"; }
kubeconfig_running() { KUBECONFIG=$N8N_TUNED_KUBECONFIG kubectl get --raw /readyz --request-timeout=10s >/dev/null 2>&1; }
kubeconfig_up() {
  [ -r "$N8N_TUNED_KUBECONFIG" ] || mistake "N8N_TUNED_KUBECONFIG names $N8N_TUNED_KUBECONFIG, which cannot be read"
  command -v kubectl >/dev/null || mistake "kubectl is not here: install it to use the cluster of N8N_TUNED_KUBECONFIG"
  kubeconfig_running || fail "the cluster of N8N_TUNED_KUBECONFIG does not answer: check it with kubectl --kubeconfig $N8N_TUNED_KUBECONFIG get --raw /readyz"
  note "already running"
}
kubeconfig_down() { note "the cluster of N8N_TUNED_KUBECONFIG is left as it is"; }
kubeconfig_exec() { KUBECONFIG=$N8N_TUNED_KUBECONFIG PATH=$CACHE/bin:$PATH exec "$@"; }
kubeconfig_status() { echo "kubeconfig=$N8N_TUNED_KUBECONFIG"; }
