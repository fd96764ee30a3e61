/** Whether a cluster may be somebody's production. Pure. */

const LOCAL_CONTEXTS =
  /^(kind-|k3d-|minikube|docker-desktop|rancher-desktop|orbstack|colima|microk8s|n8n-tuned)/;

/** Hosts that only a cluster on this machine uses: loopback, and the lab's range for benchmarks (RFC 2544). */
const LOCAL_HOSTS = /^(localhost|127\.|\[?::1\]?$|198\.1[89]\.|0\.0\.0\.0)/;

export interface ClusterToLoad {
  context: string;
  server: string;
  /** Contexts that the user says are to be asked for, with * for any text. */
  protect: readonly string[];
}

export function needsConfirmation({ context, server, protect }: ClusterToLoad): boolean {
  if (protect.some((pattern) => matches(pattern, context))) return true;
  const host = URL.canParse(server) ? new URL(server).hostname : server;
  return !LOCAL_CONTEXTS.test(context) && !LOCAL_HOSTS.test(host);
}

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
