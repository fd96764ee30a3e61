import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

  it('counts effects in the order in which it was told of them, and nothing else', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'effects-'));
    const file = join(folder, 'effects.log');
    const { url, stop } = await startUpstream({ EFFECTS_FILE: file });
    const told = async (path: string, method = 'POST'): Promise<number> =>
      (await fetch(`${url}/effects/${path}`, { method })).status;
    try {
      expect(await (await fetch(`${url}/effects`)).text()).toBe('');
      expect([await told('begun?id=run-1'), await told('done?id=run-1')]).toEqual([200, 200]);
      expect(await told('done?id=run-1')).toBe(200);
      expect(await told('undone?id=run-1')).toBe(404);
      expect(await told('done?id=run-1', 'GET')).toBe(405);
      for (const id of ['', 'a b', 'a%0Adone', 'x'.repeat(121)]) {
        expect(await told(`done?id=${id}`)).toBe(400);
      }
      const lines = 'begun run-1\ndone run-1\ndone run-1\n';
      expect(await (await fetch(`${url}/effects`)).text()).toBe(lines);
      expect(readFileSync(file, 'utf8')).toBe(lines);
    } finally {
      expect(await stop()).toBe(0);
      rmSync(folder, { recursive: true });
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
