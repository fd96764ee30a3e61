/** Requests as k6 sends them, and what it says about each. */
import { randomBytes } from 'k6/crypto';
import { b64decode } from 'k6/encoding';
import http, { CookieJar, type RefinedParams, type RefinedResponse } from 'k6/http';
import { parseExpectation, type Expectation } from './expect.ts';
import { looksAtBody, MAX_REDIRECTS, redirectWithinHost } from './expected.ts';
import { filled, varies, type Filling } from './fill.ts';
import { judge, type Judgement } from './judge.ts';
import type { Random } from './random.ts';
import type { Settings } from './settings.ts';
import type { LoadBody, LoadRequest } from './workload.ts';

export interface Prepared extends LoadRequest {
  url: string;
  expectations: Expectation[];
  baseUrl: string;
  /** Each has something of its own. */
  varies: boolean;
  /** Only then is the response's body kept in memory. */
  readsBody: boolean;
  /** From one request of a virtual user to its next. */
  keepsCookies: boolean;
}

export function prepare(
  request: LoadRequest,
  { baseUrl, keepsCookies }: Pick<Settings, 'baseUrl' | 'keepsCookies'>,
): Prepared {
  const expectations = request.expect.map(parseExpectation);
  return {
    ...request,
    ...{ url: baseUrl + request.path, baseUrl, varies: varies(request) },
    expectations,
    keepsCookies,
    readsBody: request.requestIdAt !== null || request.ranAt !== null || looksAtBody(expectations),
  };
}

/** By weight. */
export function pick(requests: readonly Prepared[], random: Random): Prepared {
  const total = requests.reduce((sum, { weight }) => sum + weight, 0);
  let point = random() * total;
  const chosen = requests.find(({ weight }) => (point -= weight) < 0) ?? requests[0];
  if (chosen === undefined) {
    throw new Error('the workload has no request');
  }
  return chosen;
}

/** Fills in what this one request sends. */
export function asSent(request: Prepared, filling: Filling): Prepared {
  if (!request.varies) return request;
  const own = filled(request, filling);
  return { ...own, url: own.baseUrl + own.path };
}

type K6Response = RefinedResponse<'text' | 'none'>;

export function send(request: Prepared, id: string, mayTakeMs: number): K6Response {
  const redirects = new Redirects(request, id, mayTakeMs);
  for (;;) {
    const { method, url, body, params } = redirects.next;
    const response = http.request(method, url, body, params);
    if (!redirects.follow(response)) return response;
  }
}

/** Many of them are open side by side in one virtual user. */
export async function begin(request: Prepared, id: string, mayTakeMs: number): Promise<K6Response> {
  const redirects = new Redirects(request, id, mayTakeMs);
  for (;;) {
    const { method, url, body, params } = redirects.next;
    const response = await http.asyncRequest(method, url, body, params);
    if (!redirects.follow(response)) return response;
  }
}

interface Sending {
  method: string;
  url: string;
  body: string | ArrayBuffer | null;
  params: RefinedParams<'text' | 'none'>;
}

/** Followed here, because k6 follows them to any host, with the headers of the request. */
class Redirects {
  next: Sending;
  private followed = 0;

  constructor(
    request: Prepared,
    id: string,
    private leftMs: number,
  ) {
    const { method, url } = request;
    this.next = { method, url, body: bodyOf(request), params: paramsOf(request, id, leftMs) };
  }

  /** False if the response is the last one. */
  follow({ status, headers, timings }: K6Response): boolean {
    if (status < 300 || status > 399 || this.followed >= MAX_REDIRECTS) return false;
    const { method, url, body, params } = this.next;
    const redirect = redirectWithinHost(url, { status, headers });
    if (redirect === null) return false;
    this.followed += 1;
    this.leftMs = Math.max(1, this.leftMs - timings.blocked - timings.duration);
    this.next = {
      ...(redirect.keepsMethod || method === 'HEAD'
        ? { method, body }
        : { method: 'GET', body: null }),
      url: redirect.url,
      params: { ...params, timeout: timeoutText(this.leftMs) },
    };
    return true;
  }
}

const timeoutText = (milliseconds: number): string => `${String(Math.ceil(milliseconds))}ms`;

/** What k6's option --throw raises would end a lane, and the request would be missing. */
const NEVER_THROWS = { throw: false };
const FOLLOWS_NONE = { redirects: 0 };

function paramsOf(
  request: Prepared,
  id: string,
  mayTakeMs: number,
): RefinedParams<'text' | 'none'> {
  return {
    headers: { ...request.headers, 'x-load-id': id },
    timeout: timeoutText(mayTakeMs),
    tags: { name: request.workload },
    responseType: request.readsBody ? 'text' : 'none',
    // k6's own jar lasts for an iteration, which is a whole lane: an affinity cookie would hold all of it at one pod.
    ...(request.keepsCookies ? {} : { jar: new CookieJar() }),
    ...NEVER_THROWS,
    ...FOLLOWS_NONE,
  };
}

/** Per virtual user, from its first sending on: bytes cost more to make than to send. */
const bytesOf = new Map<LoadBody, ArrayBuffer>();

function bodyOf(request: Prepared): string | ArrayBuffer | null {
  const { body } = request;
  if (body === null) return null;
  if ('rows' in body)
    throw new Error('a row of the body was not filled in before the request was sent');
  if ('text' in body && body.base64 !== true) return body.text;
  let bytes = bytesOf.get(body);
  if (bytes === undefined) {
    bytes =
      'text' in body ? b64decode(body.text) : randomBytes(Math.round(body.randomMiB * 1024 * 1024));
    bytesOf.set(body, bytes);
  }
  return bytes;
}

export interface Ended extends Judgement {
  status: number;
  /** A name such as `HTTP/1.1`; empty without a response. */
  protocol: string;
  /** From the sending on, connecting included. */
  serviceMs: number;
  /** Connections that were opened for it: 0 or 1. */
  connected: number;
}

/** `waitedMs` is the service time where nothing came back; a cut at the end of the run is `unanswered`. */
export function ended(
  request: Prepared,
  response: K6Response,
  id: string,
  waitedMs: number,
  timeoutIsTheEnd: boolean,
): Ended {
  const { status, timings } = response;
  const connected = timings.connecting > 0 ? 1 : 0;
  const judgement = judge(
    request,
    {
      status,
      errorCode: response.error_code,
      error: response.error,
      reused: connected === 0,
      headers: response.headers,
      body: typeof response.body === 'string' ? response.body : '',
      requestedUrl: request.url,
      url: response.url,
    },
    id,
  );
  return {
    ...judgement,
    errorKind:
      judgement.errorKind === 'timeout' && timeoutIsTheEnd ? 'unanswered' : judgement.errorKind,
    status,
    protocol: status > 0 ? response.proto : '',
    serviceMs: status > 0 ? timings.blocked + timings.duration : waitedMs,
    connected,
  };
}
