import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newOwnersKey } from '../../../cli/src/targets/url/owner';

const OWNER = { email: 'owner@example.com', password: 'Load-test-1' };

/** The key that an n8n gives which answers the first requests with `statuses`. */
async function keyAfter(...statuses: number[]): Promise<{ asked: string[]; key: string }> {
  const asked: string[] = [];
  const n8n = createServer((request, response) => {
    asked.push(`${String(request.url)} as ${request.headers.cookie || 'nobody'}`);
    response.statusCode = statuses.shift() ?? 200;
    response.setHeader('set-cookie', 'n8n-auth=owner; HttpOnly');
    response.end(JSON.stringify({ data: { rawApiKey: 'the key' } }));
  });
  await once(n8n.listen(0, '127.0.0.1'), 'listening');
  const { port } = n8n.address() as AddressInfo;
  try {
    const key = await newOwnersKey(`http://127.0.0.1:${String(port)}`, OWNER, ['workflow:list']);
    return { asked, key };
  } finally {
    n8n.closeAllConnections();
    n8n.close();
  }
}

test('an n8n that has no routes for its editor yet is asked again', async () => {
  expect(await keyAfter(404, 404)).toEqual({
    asked: [...Array<string>(3).fill('/rest/login as nobody'), '/rest/api-keys as n8n-auth=owner'],
    key: 'the key',
  });
});

test('an n8n that refuses the owner is not asked again', async () => {
  await expect(keyAfter(401)).rejects.toThrow('n8n refused /login with status 401');
});
