import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './support/paths';
import { startUpstream } from './support/upstream';

const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

describe('the upstream server', () => {
  it('answers to the right token alone, and says that it is there to anyone', async () => {
    const { url, stop } = await startUpstream({ TOKEN: 'right', LATENCY_MS: '0' });
    try {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect((await fetch(`${url}/orders`)).status).toBe(401);
      expect((await fetch(`${url}/orders`, bearer('wrong'))).status).toBe(401);
      expect((await fetch(`${url}/nothing`, bearer('right'))).status).toBe(404);
      for (const service of ['customer', 'orders', 'stock']) {
        const reply = await fetch(`${url}/${service}`, bearer('right'));
        expect(reply.status).toBe(200);
        expect(await reply.json()).toMatchObject({ service });
      }
    } finally {
      expect(await stop()).toBe(0);
    }
  });

  it('refuses a port that is none in one sentence, with exit code 2', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(root, 'lab/upstream/server.mjs')],
      { env: { PORT: 'http' }, encoding: 'utf8' },
    );
    expect(stderr).toBe("PORT is 'http': it must be a whole number from 0 to 65535\n");
    expect(status).toBe(2);
  });
});
