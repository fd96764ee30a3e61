import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './support/n8n';
import { startUpstream } from './support/upstream';

const bearer = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });

describe('the stand-in as a process', () => {
  it('answers to the right token alone, and says that it is there to anyone', async () => {
    const { url, stop } = await startUpstream();
    try {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect((await fetch(`${url}/orders`)).status).toBe(401);
      expect((await fetch(`${url}/orders`, bearer('wrong'))).status).toBe(401);
      expect((await fetch(`${url}/nothing`, bearer('load-test-token'))).status).toBe(404);
      for (const service of ['customer', 'orders', 'stock']) {
        const reply = await fetch(`${url}/${service}`, bearer('load-test-token'));
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
      const lines = await (await fetch(`${url}/effects`)).text();
      expect(lines.replaceAll(/ \d{13}$/gm, '')).toBe('begun run-1\ndone run-1\ndone run-1\n');
      expect(readFileSync(file, 'utf8')).toBe(lines);
    } finally {
      expect(await stop()).toBe(0);
      rmSync(folder, { recursive: true });
    }
  });

  it('says in one sentence that its port is taken, and leaves nothing behind', async () => {
    const { url, stop } = await startUpstream();
    const temporary = mkdtempSync(join(tmpdir(), 'taken-'));
    try {
      const { port } = new URL(url);
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(root, 'cli/dist/stand-in.cjs')],
        { env: { PORT: port, TMPDIR: temporary }, encoding: 'utf8' },
      );
      expect(stderr).toBe(
        `The stand-in cannot listen on 127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
      );
      expect(status).toBe(1);
      expect(readdirSync(temporary)).toEqual([]);
    } finally {
      await stop();
      rmSync(temporary, { recursive: true });
    }
  });
});
