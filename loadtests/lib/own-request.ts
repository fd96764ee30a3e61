/** The user's own request as text, for k6 alone and for the command. */
import { parseExpectation } from './expect.ts';
import { Mistake } from './mistake.ts';
import type { LoadRequest } from './workload.ts';

export interface OwnRequest {
  /** `POST /webhook/order` */
  request: string;
  /** `Name: value` */
  headers?: readonly string[];
  body?: string | undefined;
  /** The body is bytes that are no text. */
  bodyIsBase64?: boolean;
  /** In place of `body`: one for each request, in turns. */
  rows?: readonly string[];
  /** On top of what expected.ts takes for granted. */
  expect?: readonly string[];
  requestIdAt?: string | undefined;
}

export function ownRequest(own: OwnRequest): LoadRequest {
  const match = /^\s*(GET|POST|PUT|PATCH|DELETE|HEAD)\s+(\/\S*)\s*$/i.exec(own.request);
  if (match === null) {
    throw new Mistake(
      `the request '${own.request}' is not understood: use a form such as POST /webhook/order`,
    );
  }
  const { rows, body = rows?.[0] } = own;
  const method = (match[1] ?? '').toUpperCase();
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw new Mistake(`a ${method} has no body: remove the body, or use POST`);
  }
  own.expect?.forEach(parseExpectation);
  const headers = headersFrom(own.headers ?? []);
  const { bodyIsBase64: base64 = false } = own;
  const isJson = body !== undefined && !base64 && /^\s*[{[]/.test(body);
  const named = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');
  return {
    workload: 'request',
    weight: 1,
    method,
    path: match[2] ?? '',
    headers: isJson && !named ? { 'content-type': 'application/json', ...headers } : headers,
    body: ownBody(own),
    expect: [...(own.expect ?? [])],
    requestIdAt: own.requestIdAt ?? null,
    ranAt: null,
    thinkTimeMs: 0,
    latencyFloorMs: 0,
  };
}

function ownBody({ body, rows, bodyIsBase64 = false }: OwnRequest): LoadRequest['body'] {
  if (rows !== undefined) return { rows };
  return body === undefined ? null : { text: body, ...(bodyIsBase64 ? { base64: true } : {}) };
}

/** Requests of a workload with headers of the user's besides their own, such as the key of a webhook. */
export function withHeaders(requests: LoadRequest[], lines: readonly string[]): LoadRequest[] {
  const headers = headersFrom(lines);
  return requests.map((request) => ({ ...request, headers: { ...request.headers, ...headers } }));
}

/** From `Name: value`, one each. */
function headersFrom(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(lines.map(headerOf));
}

function headerOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  if (colon < 1) {
    throw new Mistake(`the header '${line}' is not understood: use a form such as Name: value`);
  }
  return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
}
