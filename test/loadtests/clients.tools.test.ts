/** Whom a request seems to come from: its cookies, its connection, its version of HTTP. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPlainK6 } from '../support/k6';

jest.setTimeout(60_000);

let server: Server | undefined;
let cookies: string[];

beforeEach(() => {
  cookies = [];
});

afterEach(() => {
  server?.close();
  server = undefined;
});

/** Answers as a load balancer does that holds a client at one pod; the redirect shows that a request keeps its own. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  cookies.push(request.headers.cookie ?? '');
  response.setHeader('set-cookie', 'pod=7; Path=/');
  response.setHeader('content-type', 'application/json');
  if (request.url === '/moved') response.writeHead(302, { location: '/x' }).end();
  else response.end('{"ok":true}');
}

async function listening(made: Server): Promise<string> {
  server = made;
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${String((made.address() as AddressInfo).port)}`;
}

const SIZES = {
  load: { RATE: 20, DURATION: '1s', WARMUP: 0 },
  closed: { VUS: 2, DURATION: '1s' },
};

describe.each(['load', 'closed'] as const)('a request of %s', (profile) => {
  const env = { ...SIZES[profile], REQUEST: 'GET /x', READY: 0 };

  it('has no cookie of another one', async () => {
    const BASE_URL = `http://${await listening(createServer(answer))}`;
    await runPlainK6(profile, { ...env, BASE_URL });
    expect(cookies.length).toBeGreaterThanOrEqual(10);
    expect(new Set(cookies)).toEqual(new Set(['']));
  });

  it('has those of its virtual user with COOKIES=keep', async () => {
    const BASE_URL = `http://${await listening(createServer(answer))}`;
    await runPlainK6(profile, { ...env, BASE_URL, COOKIES: 'keep' });
    const without = cookies.filter((cookie) => cookie === '').length;
    expect(cookies.length - without).toBeGreaterThan(5);
    expect(cookies.filter((cookie) => cookie !== '' && cookie !== 'pod=7')).toEqual([]);
  });
});

test('a caller that retries sends a failed request again with its id, until it gets its response', async () => {
  const tries = new Map<string, number>();
  const failing = createServer((request, response) => {
    const id = String(request.headers['x-load-id']);
    const count = (tries.get(id) ?? 0) + 1;
    tries.set(id, count);
    response.writeHead(count < 3 ? 503 : 200).end('{}');
  });
  const BASE_URL = `http://${await listening(failing)}`;
  const env = { ...SIZES.load, REQUEST: 'GET /x', READY: 0 };
  const { summary } = await runPlainK6('load', { ...env, BASE_URL, RETRIES: 2 });
  expect(summary).toMatchObject({ requests: 20, expected: 20 });
  expect([...tries.values()]).toEqual(Array.from({ length: 20 }, () => 3));
  expect((summary as { latencyMs: { p50: number } }).latencyMs.p50).toBeGreaterThanOrEqual(2_000);
});

test('a client has its own cookies after a redirect', async () => {
  const BASE_URL = `http://${await listening(createServer(answer))}`;
  const env = { ...SIZES.load, REQUEST: 'GET /moved', READY: 0 };
  const { summary } = await runPlainK6('load', { ...env, BASE_URL });
  expect(summary).toMatchObject({ requests: 20, expected: 20 });
  expect(cookies.filter((cookie) => cookie === '')).toHaveLength(20);
  expect(cookies.filter((cookie) => cookie === 'pod=7')).toHaveLength(20);
});

test('a redirect to another host is not followed, so that it gets neither the load nor the headers', async () => {
  let foreign = 0;
  const other = createServer((_request, response) => {
    foreign += 1;
    response.end('{}');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.2', resolve));
  const location = `http://127.0.0.2:${String((other.address() as AddressInfo).port)}/`;
  const front = createServer((_request, response) => response.writeHead(302, { location }).end());
  try {
    const BASE_URL = `http://${await listening(front)}`;
    const env = { REQUEST: 'GET /x', READY: 0, BASE_URL };
    for (const profile of ['load', 'closed'] as const) {
      const { summary } = await runPlainK6(profile, { ...SIZES[profile], ...env });
      expect(summary).toMatchObject({ expected: 0 });
    }
    const { summary } = await runPlainK6('load', { ...SIZES.load, ...env, EXPECT: 'status==302' });
    expect(summary).toMatchObject({ requests: 20, expected: 20 });
    expect(foreign).toBe(0);
  } finally {
    other.close();
  }
});

describe('over https', () => {
  let folder: string;
  let secret: { key: Buffer; cert: Buffer };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'https-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=n8n.example.com'].concat(
        ...[
          ['-keyout', key],
          ['-out', cert],
          ['-days', '2'],
        ],
      ),
      { stdio: 'ignore' },
    );
    secret = { key: readFileSync(key), cert: readFileSync(cert) };
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const run = async (
    env: Record<string, string | number>,
    environment: Record<string, string> = {},
  ): ReturnType<typeof runPlainK6> => {
    const made = createSecureServer({ ...secret, allowHTTP1: true }, (request, response) => {
      cookies.push('');
      request.resume();
      response.end('{"ok":true}');
    });
    const all = { BASE_URL: `https://${await listening(made)}`, REQUEST: 'GET /x', ...SIZES.load };
    const flags = ['--insecure-skip-tls-verify'];
    return runPlainK6('load', { ...all, ...env }, undefined, flags, environment);
  };

  it('the summary says how many responses came by HTTP/2', async () => {
    const { summary, output } = await run({});
    expect(summary?.protocols).toEqual({ 'HTTP/2.0': 20 });
    expect(output).toMatch(/^ {2}responses {5}HTTP\/2\.0 20$/m);
  });

  it.each([
    ['beside it', { GODEBUG: 'http2client=0' }, {}],
    ['in the environment of k6', {}, { GODEBUG: 'http2client=0' }],
  ])('HTTP=1.1 with GODEBUG %s sends all by HTTP/1.1', async (_where, env, environment) => {
    const { summary, exitCode } = await run({ HTTP: '1.1', ...env }, environment);
    expect(summary?.protocols).toEqual({ 'HTTP/1.1': 20 });
    expect(exitCode).toBe(0);
  });

  it('HTTP=1.1 alone is refused with what is missing, and nothing is sent', async () => {
    const { exitCode, output } = await run({ HTTP: '1.1' });
    expect(exitCode).not.toBe(0);
    expect(output).toContain('add -e GODEBUG=http2client=0');
    expect(cookies).toEqual([]);
  });

  describe('reached by a redirect from http, with HTTP=1.1', () => {
    let front: Server;
    afterEach(() => {
      front.close();
    });
    const redirected = async (
      env: Record<string, string | number>,
    ): ReturnType<typeof runPlainK6> => {
      const made = createSecureServer({ ...secret, allowHTTP1: true }, (request, response) => {
        request.resume();
        response.end('{"ok":true}');
      });
      const location = `https://${await listening(made)}/x`;
      front = createServer((_request, response) => response.writeHead(302, { location }).end());
      await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
      const { port } = front.address() as AddressInfo;
      const BASE_URL = `http://127.0.0.1:${String(port)}`;
      return runPlainK6(
        'load',
        { BASE_URL, REQUEST: 'GET /', HTTP: '1.1', ...SIZES.load, ...env },
        undefined,
        ['--insecure-skip-tls-verify'],
      );
    };

    it('is found out before the load', async () => {
      const { summary, exitCode, output } = await redirected({});
      expect(exitCode).toBe(108);
      expect(output).toContain('responds over HTTP/2.0 although HTTP=1.1 was asked for');
      expect(summary?.requests).toBe(0);
    });

    it('makes the run not valid where nobody looks beforehand', async () => {
      const { summary, exitCode } = await redirected({ READY: 0 });
      expect(exitCode).toBe(99);
      expect(summary).toMatchObject({
        passed: false,
        notValid: ['responses came over HTTP/2.0, although HTTP=1.1 was asked for'],
      });
    });
  });
});
