import { withoutSecretParts } from '../../plan/secrets/address';
import { Failure, Interrupted, messageOf, Mistake } from '../../ui/errors';
import { wordsIn } from '../../ui/said';
import { unreachable } from '../../ui/unreachable';
import { within } from '../../ui/within';

/** What the API did not do, and said so. */
export class ApiRefusal extends Mistake {
  constructor(
    message: string,
    readonly status: number,
    /** Its words are n8n's own, not those of a proxy, or of an n8n whose API has no routes yet. */
    readonly isOfN8n: boolean,
  ) {
    super(message);
  }
}

/** A response that is larger than its reader may take. */
export class TooLarge extends Failure {}

/** Whatever asks n8n's public API, from here or from inside a pod. */
export interface N8nRequests {
  ask<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    options?: { body?: unknown; withinMs?: number },
  ): Promise<T>;
}

/** What is needed of the public API of an n8n. */
export class N8nApi implements N8nRequests {
  constructor(
    readonly baseUrl: string,
    private readonly key: string,
    /** Breaks off what n8n is being asked; what it has accepted, it goes on with. */
    private readonly signal: AbortSignal = new AbortController().signal,
  ) {}

  /** How far the clock of n8n's machine is ahead of this one, to a second, as of its last response; null: it has not said. */
  clockAheadMs: number | null = null;

  /** Id of the newest execution that the key may see; 0 without one. */
  async newestExecution(): Promise<number> {
    const { data } = await this.ask<{ data: { id: number | string }[] }>(
      'GET',
      '/executions?limit=1',
    );
    return Number(data[0]?.id ?? 0);
  }

  async ask<T>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    {
      body,
      withinMs = 30_000,
      maxBytes = Infinity,
    }: { body?: unknown; withinMs?: number; maxBytes?: number } = {},
  ): Promise<T> {
    const url = `${this.baseUrl}/api/v1${path}`;
    const { reply, text } = await within(withinMs, this.signal, async (signal) => {
      const response = await fetch(url, {
        method,
        headers: { 'x-n8n-api-key': this.key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // The key must not reach another address.
        redirect: 'manual',
        signal,
      });
      const atMs = Date.parse(response.headers.get('date') ?? '');
      this.clockAheadMs = Number.isNaN(atMs) ? null : atMs - Date.now();
      return { reply: response, text: await textOf(response, maxBytes) };
    }).catch((error: unknown) => {
      if (error instanceof TooLarge) throw error;
      throw new Failure(
        `the n8n API at ${this.baseUrl} did not respond to ${method} ${path}: ${whyIn(error, this)}`,
      );
    });
    const location = reply.headers.get('location');
    if (reply.status >= 300 && reply.status < 400 && location !== null) {
      throw new Mistake(
        `the n8n API at ${this.baseUrl} redirected ${method} ${path} to ${withoutSecretParts(location)}: set --url to the address of n8n itself.`,
      );
    }
    if (!reply.ok) {
      const { status } = reply;
      const words = wordsIn(text);
      const isOfN8n = isRefusal(text);
      throw new ApiRefusal(
        `the n8n API at ${this.baseUrl} refused ${method} ${path} with status ${String(status)}: ${words === '' ? 'the response is a web page, not an error from n8n' : words}${adviceOn(status, isOfN8n)}`,
        status,
        isOfN8n,
      );
    }
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new Mistake(
        `the n8n API at ${this.baseUrl} responded to ${method} ${path} with ${/^\s*</.test(text) ? 'a page' : 'a text'} instead of JSON: does it require a login, is the API disabled (N8N_PUBLIC_API_DISABLED), or is this not the address of n8n?`,
      );
    }
  }
}

/** Stops reading as soon as it is too large. */
async function textOf(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes)
      throw new TooLarge(`the response is larger than ${String(maxBytes)} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** What was ended by us has words of ours. */
function whyIn(error: unknown, { baseUrl }: { baseUrl: string }): string {
  const isOurs = error instanceof Failure || error instanceof Interrupted;
  return isOurs ? messageOf(error) : unreachable(error, baseUrl).why;
}

/** n8n refuses with a message in JSON. Read by hand: this goes into each release of the chart, for which zod is too large. */
function isRefusal(text: string): boolean {
  try {
    const { message } = (JSON.parse(text) ?? {}) as { message?: unknown };
    return typeof message === 'string';
  } catch {
    return false;
  }
}

function adviceOn(status: number, isOfN8n: boolean): string {
  if (status === 401) return '; set N8N_API_KEY to a valid key for this n8n instance';
  if (status === 403) return '; the key in N8N_API_KEY lacks the required scope';
  if (status === 404 && !isOfN8n) return '; is n8n still starting, or is this not its address?';
  return '';
}
