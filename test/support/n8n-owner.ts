/** Sets up the owner of a fresh n8n, and returns an API key with these scopes. */
export async function newApiKey(baseUrl: string, scopes: readonly string[]): Promise<string> {
  const post = async (path: string, body: object, cookie = ''): Promise<Response> => {
    const reply = await fetch(`${baseUrl}/rest${path}`, {
      ...{ method: 'POST', body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', cookie },
    });
    if (!reply.ok) throw new Error(`${path}: ${String(reply.status)} ${await reply.text()}`);
    return reply;
  };
  const owner = await post('/owner/setup', {
    ...{ email: 'owner@example.com', firstName: 'Ada', lastName: 'Example' },
    password: 'Load-test-1',
  });
  const cookie = owner.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const key = await post(
    '/api-keys',
    { label: 'load', expiresAt: null, scopes },
    cookie.join('; '),
  );
  return ((await key.json()) as { data: { rawApiKey: string } }).data.rawApiKey;
}
