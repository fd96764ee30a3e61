/** From what the API server refuses to what a person can do about it. Pure. */

/** A refusal as the client reports it. */
export interface Refusal {
  code: number;
  /** The server's own sentence. */
  message: string;
}

/** What the client throws, in whichever shape: a refusal with its sentence, or null for everything else. */
export function refusalOf(error: unknown): Refusal | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  const { code } = error;
  if (typeof code !== 'number') return null;
  const body: unknown = 'body' in error ? error.body : undefined;
  return { code, message: messageIn(body) };
}

function messageIn(body: unknown): string {
  if (typeof body === 'string') {
    try {
      return messageIn(JSON.parse(body));
    } catch {
      return body.slice(0, 300).trim();
    }
  }
  if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message);
  return '';
}

export interface ClusterTask {
  /** Name of the context in the kubeconfig. */
  context: string;
  /** The address of its API server. */
  server: string;
  /** What was to be done, such as `creating the namespace x`. */
  doing: string;
}

/** Null where the error is none that a cluster makes. */
export function causeOf(error: unknown, asked: ClusterTask): string | null {
  const refusal = refusalOf(error);
  if (refusal !== null) return refusedBecause(refusal, asked);
  const words = wordsOf(error);
  const unreachable = UNREACHABLE.find(([pattern]) => pattern.test(words));
  if (unreachable !== undefined) {
    return `no cluster responds at ${asked.server} (context ${asked.context}): ${unreachable[1]}.`;
  }
  if (CERTIFICATE.test(words)) {
    return `the certificate of ${asked.server} (context ${asked.context}) could not be verified: check certificate-authority in the kubeconfig.`;
  }
  if (LOGIN.test(words)) {
    return `the login for context ${asked.context} failed (${words}): log in again, as described by your cluster's provider.`;
  }
  return null;
}

const UNREACHABLE: readonly (readonly [RegExp, string])[] = [
  [
    /ECONNREFUSED/,
    'nothing listens there; check that the cluster is running, and that this is the right kubeconfig',
  ],
  [
    /ENOTFOUND|EAI_AGAIN/,
    'the host name cannot be resolved; check that this is the right kubeconfig, and whether you need a VPN',
  ],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|timed? ?out|aborted a request/i,
    'there was no response in time; check whether you need a VPN or a proxy',
  ],
  [/ECONNRESET|socket hang up|EPIPE/, 'the connection was cut'],
];
const CERTIFICATE = /certificate|CERT_|self[- ]signed/i;
const LOGIN = /exec(ution)? (plugin|credential)|failed to refresh|getting credentials/i;

function refusedBecause({ code, message }: Refusal, { context, doing }: ClusterTask): string {
  if (code === 401) {
    return `the cluster of context ${context} does not accept the credentials (${doing}): they are wrong or have expired; log in again.`;
  }
  const right = missingRight(message);
  if (code === 403 && right !== null) {
    return `${doing} requires a permission that the user of context ${context} does not have: ${right}; docs/kubernetes.md shows the Role that you need.`;
  }
  if (code === 403 && /exceeded quota/.test(message)) {
    return `${doing} exceeds a quota of the namespace (${quotaOf(message)}): raise the quota, or request less with --cpu, --memory or --workers.`;
  }
  if (
    code === 403 &&
    /(maximum|minimum) .* usage per|must be less than or equal to/.test(message)
  ) {
    return `${doing} is refused by a LimitRange of the namespace (${limitOf(message)}): request amounts within its limits with --cpu, --memory or --values.`;
  }
  return `${doing} failed with status ${String(code)} in the cluster of context ${context}: ${message || 'no reason given'}`;
}

/** `create jobs.batch in the namespace x`, from the sentence of the API server. */
export function missingRight(message: string): string | null {
  const match =
    /cannot (\w+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]+)"| at the cluster scope)?/.exec(
      message,
    );
  if (match === null) return null;
  const [, verb = '', resource = '', group = '', namespace] = match;
  const what = group === '' ? resource : `${resource}.${group}`;
  return `${verb} ${what} ${namespace === undefined ? 'in the whole cluster' : `in the namespace ${namespace}`}`;
}

const quotaOf = (message: string): string => /exceeded quota: (.*)$/s.exec(message)?.[1] ?? message;

const limitOf = (message: string): string =>
  /((?:maximum|minimum) .*)$/s.exec(message)?.[1] ?? message;

/** Messages of an error and of all its causes. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? `${error.code} ` : '';
  const own = `${code}${error.message}`;
  return error.cause === undefined ? own : `${own} ${wordsOf(error.cause)}`;
}
