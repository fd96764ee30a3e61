import { Failure, messageOf, Mistake } from '../../ui/errors';
import { within } from '../../ui/within';

/** What the API did not do, and said so. */
export class ApiRefusal extends Mistake {
  constructor(
    message: string,
    readonly status: number,
  ) {
    super(message);
  }
}

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
    { body, withinMs = 30_000 }: { body?: unknown; withinMs?: number } = {},
  ): Promise<T> {
    const { reply, text } = await within(withinMs, this.signal, async (signal) => {
      const response = await fetch(`${this.baseUrl}/api/v1${path}`, {
        method,
        headers: { 'x-n8n-api-key': this.key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal,
      });
      return { reply: response, text: await response.text() };
    }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      throw new Failure(
        `the API of n8n at ${this.baseUrl} did not respond to ${method} ${path}: ${messageOf(cause)}`,
      );
    });
    if (!reply.ok) {
      throw new ApiRefusal(
        `the API of n8n at ${this.baseUrl} refused ${method} ${path} with status ${String(reply.status)}: ${text.slice(0, 200)}`,
        reply.status,
      );
    }
    return JSON.parse(text) as T;
  }
}
