/** Whether a cluster may be somebody's production. Pure. */
import { isIP } from 'node:net';
import { isPrivate } from '../../url/private-address';

const LOCAL_CONTEXTS =
  /^(kind-|k3d-|minikube|docker-desktop|rancher-desktop|orbstack|colima|microk8s)/;

/** Hosts that only a cluster on this machine uses: loopback, and the lab's range for benchmarks (RFC 2544). */
const LOCAL_HOSTS = /^(localhost|127(\.\d+){3}|::1|198\.1[89](\.\d+){2}|0\.0\.0\.0)$/;

/** Names that no public DNS answers for, such as kubernetes.docker.internal. */
const LOCAL_NAMES = /^[^.]+$|\.(internal|local|localhost)$/;

export interface ClusterToLoad {
  context: string;
  server: string;
  /** Contexts that the user says are to be asked for, with * for any text. */
  protect: readonly string[];
}

export function needsConfirmation({ context, server, protect }: ClusterToLoad): boolean {
  if (protect.some((pattern) => matches(pattern, context))) return true;
  const host = URL.canParse(server) ? new URL(server).hostname.replace(/^\[|\]$/g, '') : server;
  if (LOCAL_HOSTS.test(host)) return false;
  const isNear = isIP(host) === 0 ? LOCAL_NAMES.test(host) : isPrivate(host);
  return !(LOCAL_CONTEXTS.test(context) && isNear);
}

function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
