/** Requests that differ from each other, as k6 sends them. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownRequest } from '../../loadtests/lib/own-request';
import { runPlainK6 } from '../support/k6';

jest.setTimeout(120_000);

const folder = mkdtempSync(join(tmpdir(), 'bodies-'));
let seen: { path: string; id: string; key: string; body: string }[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const { 'x-load-id': id, 'x-key': key } = request.headers;
    seen.push({ path: request.url ?? '', id: String(id), key: String(key), body });
    response.end('{}');
  });
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const rows = ['{"id":"a"}', '{"id":"b"}', '{"id":"c"}'];

test.each([
  ['load', { RATE: 30, DURATION: '1s', WARMUP: 0 }],
  ['closed', { VUS: 3, DURATION: '1s' }],
] as const)(
  'each request of %s has a number of its own, its id and its row',
  async (profile, size) => {
    seen = [];
    const own = ownRequest({ request: 'POST /{{n}}/{{row.id}}', headers: ['x-key: {{id}}'], rows });
    const file = join(folder, `${profile}.json`);
    writeFileSync(file, JSON.stringify([own]));
    const BASE_URL = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const { summary } = await runPlainK6(profile, {
      ...size,
      BASE_URL,
      WORKLOAD_FILE: file,
      READY: 0,
    });
    expect(summary).toMatchObject({ errors: {} });
    expect(seen.length).toBeGreaterThanOrEqual(10);
    expect(new Set(seen.map(({ path }) => path)).size).toBe(seen.length);
    for (const { path, id, key, body } of seen) {
      const [, n = '', row = ''] = path.split('/');
      expect([key, body]).toEqual([id, rows[(Number(n) - 1) % 3]]);
      expect(body).toBe(`{"id":"${row}"}`);
    }
  },
);
