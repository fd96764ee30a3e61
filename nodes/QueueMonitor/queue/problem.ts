import { Mistake } from '../../shared/mistake';

/** What an operator can do about it, by what Redis, Node or ioredis says. */
const known: [RegExp, string][] = [
  [/WRONGPASS|invalid (username-)?password/i, 'refused the user or the password'],
  [/NOAUTH/, 'wants a password, but the credential has none'],
  [
    /NOPERM/,
    'does not give this user the rights that this node takes: the README of the package lists them',
  ],
  [/DB index is out of range/i, 'has no database of that number'],
  [/ECONNREFUSED/, 'refused the connection: it does not run there, or the port is wrong'],
  [/ENOTFOUND|EAI_AGAIN/, 'has a host name that cannot be resolved'],
  [/EHOSTUNREACH|ENETUNREACH/, 'cannot be reached over the network'],
  [
    /CERT|certificate|self[- ]signed|altname/i,
    'has a certificate that is not trusted: give the right CA, and a host name that is in the certificate',
  ],
  [/wrong version number|EPROTO|packet length/i, 'does not speak TLS on this port'],
  [
    /CLUSTERDOWN|refresh slots|startup nodes/i,
    'is not a working cluster: check the nodes, the password and TLS',
  ],
  [
    /All sentinels are unreachable/i,
    'cannot be found: no Sentinel knows the group, or none answers',
  ],
  [/^OOM | OOM /, 'has no memory left'],
  [/LOADING/, 'is still loading its data'],
  [/MOVED/, "is a cluster: choose 'Cluster' in the credential"],
  [/ETIMEDOUT|deadline/, 'did not answer in time: a firewall, or only one side speaks TLS'],
  [
    /ECONNRESET|socket hang up|Connection is closed|EPIPE/i,
    'closed the connection: it may want TLS',
  ],
];

/**
 * One sentence that never holds a secret. The error itself is not kept: ioredis puts the arguments
 * of a refused AUTH, the password among them, into it.
 */
export function redisProblem(where: string, errors: unknown[]): Mistake {
  const texts = errors.map(textOf).filter((text) => text !== '');
  // The most telling of them: the order of `known` puts causes before their consequences.
  for (const [pattern, what] of known) {
    if (texts.some((text) => pattern.test(text))) return new Mistake(`${where} ${what}`);
  }
  return new Mistake(`${where} cannot be read`, 'Check the Redis log for more information.');
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // A cluster's last node, and the commands for which a transaction was refused, know the cause.
  const node = 'lastNodeError' in error ? [error.lastNodeError] : [];
  const refused = 'previousErrors' in error ? (error.previousErrors as unknown[]) : [];
  return [code, error.message, ...[...node, ...refused].map(textOf)].join(' ').trim();
}
