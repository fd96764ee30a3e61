import { createHash, createHmac } from 'node:crypto';

/** AWS Signature Version 4, for requests with a body that is known beforehand. */
export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  region: string;
}

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT';
  url: URL;
  /** Beside those that the signature adds. */
  headers: Record<string, string>;
  body: Uint8Array;
}

const SERVICE = 's3';

/** All headers to send, the signature among them. */
export function signed(
  request: S3Request,
  credentials: S3Credentials,
  now: Date,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const scope = [time.slice(0, 8), credentials.region, SERVICE, 'aws4_request'];
  const bodyHash = sha256(request.body);
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
    ...(credentials.sessionToken === undefined
      ? {}
      : { 'x-amz-security-token': credentials.sessionToken }),
  };
  const names = Object.keys(headers)
    .map((name) => name.toLowerCase())
    .sort();
  const valueOf = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]),
  );
  const canonical = [
    request.method,
    canonicalPath(request.url),
    canonicalQuery(request.url),
    ...names.map((name) => `${name}:${valueOf.get(name) ?? ''}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', time, scope.join('/'), sha256(canonical)].join('\n');
  const key = scope.reduce<Uint8Array | string>(hmac, `AWS4${credentials.secretAccessKey}`);
  const signature = Buffer.from(hmac(key, toSign)).toString('hex');
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope.join('/')}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

/** Every part of a key as S3 wants it: RFC 3986, slashes left alone. */
export function encodeKey(key: string): string {
  return key.split('/').map(encode).join('/');
}

function canonicalPath(url: URL): string {
  return encodeKey(decodeURIComponent(url.pathname));
}

function canonicalQuery(url: URL): string {
  return [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Uint8Array, data: string): Uint8Array {
  return createHmac('sha256', key).update(data).digest();
}
