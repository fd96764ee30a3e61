/** A key of the public API for the owner of an n8n that a command has started itself. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Mistake } from '../../ui/errors';
import type { Owner } from '../target';

const WITHIN_MS = 30_000;
const ROUTES_WITHIN_MS = 60_000;

/** n8n is ready and answers webhooks before it has the routes of its editor: until then, it answers them with 404. */
export async function onceRouted<R extends { status: number }>(ask: () => Promise<R>): Promise<R> {
  const giveUpMs = performance.now() + ROUTES_WITHIN_MS;
  for (;;) {
    const reply = await ask();
    if (reply.status !== 404 || performance.now() > giveUpMs) return reply;
    await sleep(200);
  }
}

export async function newOwnersKey(
  baseUrl: string,
  { email, password }: Owner,
  scopes: readonly string[],
): Promise<string> {
  const post = async (path: string, body: object, cookie: string): Promise<Response> => {
    const reply = await onceRouted(() =>
      fetch(`${baseUrl}/rest${path}`, {
        ...{ method: 'POST', body: JSON.stringify(body) },
        headers: { 'content-type': 'application/json', cookie },
        signal: AbortSignal.timeout(WITHIN_MS),
      }),
    );
    if (!reply.ok) {
      const text = (await reply.text()).slice(0, 200);
      throw new Mistake(`n8n refused ${path} with status ${String(reply.status)}: ${text}`);
    }
    return reply;
  };
  const session = await post('/login', { emailOrLdapLoginId: email, password }, '');
  const cookie = session.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const label = { label: 'n8n-tuned', expiresAt: null, scopes };
  const key = await post('/api-keys', label, cookie.join('; '));
  return ((await key.json()) as { data: { rawApiKey: string } }).data.rawApiKey;
}
