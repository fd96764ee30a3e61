import { setTimeout as sleep } from 'node:timers/promises';
import { parseExpectation } from '../../../../loadtests/lib/expect';
import {
  locationIn,
  MAX_REDIRECTS,
  redirectWithinHost,
  unexpected,
} from '../../../../loadtests/lib/expected';
import { filled } from '../../../../loadtests/lib/fill';
import type { LoadRequest } from '../../../../loadtests/lib/workload';
import { supports } from '../../plan/environment';
import { Failure } from '../../ui/exit';
import { unreachable } from '../../ui/unreachable';
import { wordsIn } from '../../ui/said';

/** Whether n8n itself thinks so; webhooks are registered up to 0.5 s later. */
export const isReady = async (port: number, n8n: string, withinMs?: number): Promise<boolean> =>
  (await readinessOf(port, n8n, withinMs)) === 200;

/** What n8n answers where it has lost its database. */
export const NOT_READY = 503;

/** The status with which n8n says whether it is ready; null: it did not answer. */
export async function readinessOf(
  port: number,
  n8n: string,
  withinMs = 2_000,
): Promise<number | null> {
  const path = supports(n8n, 'readiness') ? '/healthz/readiness' : '/healthz';
  try {
    const reply = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
      signal: AbortSignal.timeout(withinMs),
    });
    await reply.arrayBuffer();
    return reply.status;
  } catch {
    return null;
  }
}

/** The expected response never came; its message says what came, and what to do. */
export class NotReady extends Failure {
  constructor(
    message: string,
    /** Status of the last response; null if there was none. */
    readonly status: number | null,
  ) {
    super(message);
  }
}

/** The id of a request that only looks. */
export const READY = 'ready';

interface Wrong {
  why: string;
  status: number | null;
  isFinal: boolean;
}

/** Asks until the response is right; the reason why it never was goes into the error. */
export async function awaitExpectedResponse(
  baseUrl: string,
  given: LoadRequest,
  signal: AbortSignal,
): Promise<void> {
  const request = filled(given, { n: 0, id: READY, random: Math.random });
  const expectations = request.expect.map(parseExpectation);
  const where = `${request.method} ${request.path}`;
  let wrong: Wrong = { why: 'no response arrived in time', status: null, isFinal: false };
  for (;;) {
    const now = await ask(baseUrl, request, expectations, signal);
    if (now === null) return;
    // If the last request was cut off, the one before says more.
    if (!signal.aborted) wrong = now;
    if (signal.aborted || wrong.isFinal) {
      throw new NotReady(`${where} never gave the expected response: ${wrong.why}`, wrong.status);
    }
    await sleep(100);
  }
}

async function ask(
  baseUrl: string,
  request: LoadRequest,
  expectations: ReturnType<typeof parseExpectation>[],
  signal: AbortSignal,
): Promise<Wrong | null> {
  const requestedUrl = `${baseUrl}${request.path}`;
  try {
    const received = await fetched(requestedUrl, request, signal);
    const why = unexpected(expectations, { ...received, requestedUrl })?.why;
    if (why === undefined) return null;
    return { why: responseText(received, why), status: received.status, isFinal: false };
  } catch (error) {
    return { ...unreachable(error, baseUrl), status: null };
  }
}

/** Follows redirects within the host only, as k6 does. */
async function fetched(
  requestedUrl: string,
  request: LoadRequest,
  signal: AbortSignal,
): Promise<Received> {
  let url = requestedUrl;
  let sending = { method: request.method, ...bodyOf(request) };
  for (let left = MAX_REDIRECTS; ; left -= 1) {
    const reply = await fetch(url, {
      ...sending,
      headers: { ...request.headers, 'x-load-id': READY },
      redirect: 'manual',
      signal,
    });
    const headers: Record<string, string> = {};
    reply.headers.forEach((value, name) => {
      headers[name] = value;
    });
    const received = { status: reply.status, headers, body: await reply.text(), url };
    const redirect = left === 0 ? null : redirectWithinHost(url, received);
    if (redirect === null) return received;
    url = redirect.url;
    if (!redirect.keepsMethod && sending.method !== 'HEAD') sending = { method: 'GET' };
  }
}

function bodyOf({ body }: LoadRequest): { body?: string | Uint8Array<ArrayBuffer> } {
  if (body === null) return {};
  if ('rows' in body) return {};
  if (!('text' in body)) return { body: new Uint8Array(Math.round(body.randomMiB * 1024 * 1024)) };
  return {
    body: body.base64 === true ? Uint8Array.from(Buffer.from(body.text, 'base64')) : body.text,
  };
}

interface Received {
  status: number;
  headers: Record<string, string>;
  body: string;
  /** Its address, after redirects. */
  url: string;
}

/** What to do about a response that is not the expected one. `why`: what makes it another, where its status does not say it. */
function responseText({ status, headers, body, url }: Received, why: string): string {
  if (status < 300) return why;
  const words = wordsIn(body);
  const said = words === '' ? '' : `, and said "${words.replace(/[.\s]+$/, '')}"`;
  const elsewhere = status < 400 ? hostIn(locationIn(headers), url) : null;
  const advice =
    elsewhere === null
      ? adviceOn(status, words)
      : `it redirects to another host, ${elsewhere}: load-test that host with --url, or expect the redirect with --expect status==${String(status)}`;
  return `it answered with status ${String(status)}${said}; ${advice}`;
}

/** Without the path and query, which may hold secrets; null where it is none, or the host that was asked. */
function hostIn(location: string, url: string): string | null {
  if (location === '' || !URL.canParse(location, url)) return null;
  const to = new URL(location, url);
  return to.hostname === new URL(url).hostname ? null : `${to.protocol}//${to.host}`;
}

function adviceOn(status: number, words: string): string {
  if (status === 401 || status === 403) {
    return "add the credential that the webhook or its proxy requires, such as --header 'Name: value'";
  }
  if (/did you mean to make a \w+ request/i.test(words) || status === 405) {
    return 'change --request to the method that the webhook accepts';
  }
  if (status === 404) {
    return 'publish (activate) the workflow in n8n, or correct the method and path in --request';
  }
  if (status === 413) return 'send a smaller --body, or raise the limit of the server';
  if (status === 429) return 'a rate limit rejects requests: load-test n8n without the rate limit';
  if ([502, 503, 504].includes(status)) {
    return 'the proxy cannot reach n8n, or n8n is not ready: check both';
  }
  if (status >= 500) return 'open the failed execution in n8n, or read the log of n8n';
  if (status < 400) return 'use the address to which the response redirects';
  return 'correct the request, or describe the response with --expect';
}
