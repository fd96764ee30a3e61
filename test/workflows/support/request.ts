import {
  parseExpectation,
  valueAt,
  wrongWith,
  type HttpResponse,
} from '../../../loadtests/lib/expect';
import type { LoadRequest } from '../../../loadtests/lib/workload';
import { until } from '../../support/wait';

export interface Answer extends HttpResponse {
  durationMs: number;
}

/** One request as a load test sends it. */
export async function send(
  baseUrl: string,
  request: LoadRequest,
  id: string,
  body?: Uint8Array<ArrayBuffer>,
): Promise<Answer & { bytes: Uint8Array }> {
  const began = performance.now();
  const reply = await fetch(baseUrl + request.path, {
    method: request.method,
    headers: { ...request.headers, 'x-load-id': id },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(90_000),
  });
  const bytes = new Uint8Array(await reply.arrayBuffer());
  return {
    status: reply.status,
    headers: Object.fromEntries(reply.headers),
    body: new TextDecoder().decode(bytes),
    bytes,
    durationMs: performance.now() - began,
  };
}

/** A webhook is registered a while after n8n is healthy; until then it answers 404. */
export async function registered(baseUrl: string, request: LoadRequest): Promise<void> {
  await until(`a webhook for ${request.method} ${request.path}`, async () => {
    const { status } = await send(baseUrl, request, 'ready', bodyOf(request));
    return status !== 404;
  });
}

export function bodyOf({ body }: LoadRequest): Uint8Array<ArrayBuffer> | undefined {
  if (body === null) return undefined;
  if ('text' in body) return new TextEncoder().encode(body.text);
  if ('rows' in body) return new TextEncoder().encode(body.rows[0]);
  return Uint8Array.from({ length: Math.round(body.randomMiB * 1024 * 1024) }, (_, i) => i * 31);
}

/** What is wrong with an answer: by the catalogue, and whether it is the answer to this request. */
export function faultOf(request: LoadRequest, answer: Answer, id: string): string | null {
  const wrong = wrongWith(request.expect.map(parseExpectation), answer);
  if (wrong !== null) return `${wrong}: ${String(answer.status)} ${answer.body.slice(0, 300)}`;
  if (request.requestIdAt !== null && valueAt(request.requestIdAt, answer) !== id) {
    return `the request's id is not at ${request.requestIdAt}: ${answer.body.slice(0, 300)}`;
  }
  return null;
}
