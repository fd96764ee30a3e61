/** What is read of a request and written to a response. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The longest body that is read; what is longer is cut off and answered as it is. */
const MAX_BODY = 64 * 1024 * 1024;
export const JSON_TYPE = 'application/json';

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function readBody(request: IncomingMessage, given: (text: string) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY) chunks.push(chunk);
  });
  request.on('end', () => {
    given(Buffer.concat(chunks).toString('utf8'));
  });
}

/** At once where it takes no time: a timer costs more than the answer. */
export function later(ms: number, work: () => void): void {
  if (ms > 0) setTimeout(work, ms);
  else work();
}

export function tooMany(response: ServerResponse, waitMs: number, json: unknown): void {
  const headers = {
    'retry-after': String(Math.ceil(waitMs / 1000)),
    'retry-after-ms': String(Math.ceil(waitMs)),
  };
  send(response, 429, json, headers);
}

export function send(
  response: ServerResponse,
  status: number,
  json: unknown,
  headers: Record<string, string> = {},
): void {
  write(response, status, JSON.stringify(json), { 'content-type': JSON_TYPE, ...headers });
}

export function write(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string>,
): void {
  if (response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
