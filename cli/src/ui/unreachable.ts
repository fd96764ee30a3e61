/** Why an address gave no response, in a person's words: what happened, where, and what to do. */
export interface Unreachable {
  /** Part of a sentence. */
  why: string;
  /** Whether asking again is of no use: it is the address or the certificate that is wrong. */
  isFinal: boolean;
}

const NOBODY = ['ECONNREFUSED'];
const UNKNOWN_NAME = ['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_NONAME'];
const NO_WAY = ['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTDOWN'];
const SILENT = [
  ...['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
  ...['TimeoutError', 'AbortError', 'ABORT_ERR'],
];
const CUT = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
const NO_AUTHORITY = [
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_UNTRUSTED'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'INVALID_CA'],
];
const NOT_TLS = [
  ...['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST'],
  ...['ERR_SSL_UNKNOWN_PROTOCOL', 'ERR_SSL_RECORD_TOO_SMALL', 'ERR_SSL_BAD_RECORD_TYPE'],
];

/** Whether the network is at fault, and not the server that was reached. */
export const isOfNetwork = (error: unknown): boolean =>
  [...NOBODY, ...UNKNOWN_NAME, ...NO_WAY, ...SILENT, ...CUT].includes(codeOf(error));

/**
 * `error`: as fetch() or a socket has thrown it, whose own words name libraries and lines of their code. `server`: what is
 * expected to listen there.
 */
export function unreachable(error: unknown, url: string, server = 'n8n'): Unreachable {
  const code = codeOf(error);
  const place = placeOf(url);
  const isTls = url.startsWith('https:');
  if (NO_AUTHORITY.includes(code)) {
    return final(
      `the certificate of ${place} comes from no known authority: set NODE_EXTRA_CA_CERTS for this command, and SSL_CERT_FILE for k6, to a file with the certificate of the authority, or with this certificate if it is self-signed`,
    );
  }
  if (code === 'CERT_HAS_EXPIRED') {
    return final(`the certificate of ${place} has expired: renew it on the server`);
  }
  if (code === 'CERT_NOT_YET_VALID') {
    return final(
      `the certificate of ${place} is not valid yet: is the clock of this machine correct`,
    );
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return final(
      `the certificate of ${place} is for another name: use the name from the certificate in the address`,
    );
  }
  if (NOT_TLS.includes(code)) {
    return final(`${place} speaks HTTP without TLS: use http:// instead of https://`);
  }
  if (/^ERR_(SSL|TLS)_|^EPROTO$/.test(code)) {
    return final(
      `${place} and this command have no TLS version in common: is this the port for HTTPS`,
    );
  }
  if (code.startsWith('HPE_')) {
    return final(
      isTls
        ? `the response from ${place} is not HTTP: is this n8n's port`
        : `the response from ${place} is not HTTP: is this n8n's port, or does the server require https://`,
    );
  }
  if (UNKNOWN_NAME.includes(code)) {
    return again(
      `the name ${hostOf(url)} is not known to DNS: is it spelled correctly, and do you need a VPN`,
    );
  }
  if (NOBODY.includes(code)) {
    return again(
      `nothing listens at ${place}: is ${server} running, and are the address and port correct`,
    );
  }
  if (NO_WAY.includes(code)) {
    return again(`there is no network route to ${place}: do you need a VPN or a proxy`);
  }
  if (CUT.includes(code)) {
    return again(
      isTls
        ? `${place} closes the connection during the TLS handshake: is this the port for HTTPS`
        : `${place} closes the connection without a response: if it is an HTTPS port, use https:// instead of http://`,
    );
  }
  if (SILENT.includes(code)) {
    return again(
      `${place} does not respond in time: does ${server} listen there, and does a firewall allow this machine`,
    );
  }
  return again(
    `${place} cannot be reached${code === '' ? '' : ` (${code})`}: is the address correct`,
  );
}

const final = (why: string): Unreachable => ({ why, isFinal: true });
const again = (why: string): Unreachable => ({ why, isFinal: false });

/** fetch() says only that it failed, and of several addresses each has an error of its own. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { cause, code, errors, message, name } = error as Record<string, unknown>;
  if (typeof cause === 'object' && cause !== null) return codeOf(cause);
  if (message === 'bad port') return 'clients refuse to use this port';
  if (typeof code === 'string') return code;
  // Node.js 24 gives it no code.
  if (name === 'HTTPParserError') return 'HPE_';
  if (Array.isArray(errors)) return codeOf(errors[0]);
  return name === 'TimeoutError' || name === 'AbortError' ? name : '';
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : url);

function placeOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`;
}
