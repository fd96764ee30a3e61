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
      `the certificate of ${place} comes from no authority that is known here: name a file with that of the authority, or with this one if it is self-signed, in NODE_EXTRA_CA_CERTS for this command and in SSL_CERT_FILE for k6`,
    );
  }
  if (code === 'CERT_HAS_EXPIRED') {
    return final(`the certificate of ${place} has expired: renew it there`);
  }
  if (code === 'CERT_NOT_YET_VALID') {
    return final(
      `the certificate of ${place} is not valid yet: is the clock of this machine right`,
    );
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return final(
      `the certificate of ${place} is for another name: use the name that it is for in the address`,
    );
  }
  if (NOT_TLS.includes(code)) {
    return final(`${place} speaks HTTP without TLS: write http:// in place of https://`);
  }
  if (/^ERR_(SSL|TLS)_|^EPROTO$/.test(code)) {
    return final(`${place} and this command agree on no version of TLS: is it a port of HTTPS`);
  }
  if (code.startsWith('HPE_')) {
    return final(
      isTls
        ? `what answers at ${place} is not HTTP: is it the port of n8n`
        : `what answers at ${place} is not HTTP: is it the port of n8n, or does it want https://`,
    );
  }
  if (UNKNOWN_NAME.includes(code)) {
    return again(
      `the name ${hostOf(url)} is not known to DNS: is it spelled right, and is a VPN needed`,
    );
  }
  if (NOBODY.includes(code)) {
    return again(
      `nothing listens at ${place}: is ${server} running, and is that its address and port`,
    );
  }
  if (NO_WAY.includes(code)) {
    return again(`no network leads to ${place}: is a VPN or a proxy needed`);
  }
  if (CUT.includes(code)) {
    return again(
      isTls
        ? `${place} ends the connection before TLS is agreed on: is it a port of HTTPS`
        : `${place} ends the connection without a response: if it is a port of HTTPS, write https:// in place of http://`,
    );
  }
  if (SILENT.includes(code)) {
    return again(
      `${place} does not respond in time: is it ${server} that listens there, and does a firewall let this machine through`,
    );
  }
  return again(`${place} cannot be asked${code === '' ? '' : ` (${code})`}: is the address right`);
}

const final = (why: string): Unreachable => ({ why, isFinal: true });
const again = (why: string): Unreachable => ({ why, isFinal: false });

/** fetch() says only that it failed, and of several addresses each has an error of its own. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { cause, code, errors, message, name } = error as Record<string, unknown>;
  if (typeof cause === 'object' && cause !== null) return codeOf(cause);
  if (message === 'bad port') return 'no client takes this port';
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
