/** The server itself, over real sockets. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { bundledRules } from '../../../cli/src/stand-in/bundled';
import { parseRules, planWithoutRules } from '../../../cli/src/stand-in/rules';
import { isFromHere, startStandIn, type StandIn } from '../../../cli/src/stand-in/server';
import { until } from '../../support/wait';

const RULES = `
rules:
  - { host: api.shop.example, method: GET, path: '/orders/{id}', latency: 0, json: { id: '{{path.id}}' } }
  - { host: slack.com, latency: 0, limit: { calls: 2, per: 1h }, json: { text: '{{body.text}}' } }
  - { path: /pages, latency: 0, pages: { items: 5, size: 2, item: { id: '{{i}}' } } }
  - { path: /flaky, latency: 0, json: { ok: true }, errors: [{ status: 503, retryAfter: 2s, first: 2 }] }
  - { path: /reset, latency: 0, errors: [{ reset: true, every: 1 }] }
  - { path: /hang, latency: 0, errors: [{ hang: true, every: 1 }] }
  - { path: /secret, latency: 0, token: right, text: 'call {{n}}' }
  - { path: '/tagged/{id}', latency: 0, json: {}, headers: { etag: '{{path.id}}-{{n}}', x-plain: a } }
model: { firstToken: 0, betweenTokens: 0, tokens: 6, tokensPerMinute: 100000 }
`;
let server: StandIn;

beforeAll(async () => {
  server = await startStandIn({
    ...{ plan: parseRules(RULES, 'rules.yaml'), host: '127.0.0.1', port: 0 },
  });
});
afterAll(() => server.end());

const called = (path: string, init?: RequestInit): Promise<Response> =>
  fetch(server.url + path, init);
const json = async (path: string, init?: RequestInit): Promise<unknown> =>
  (await called(path, init)).json();
const post = (body: unknown): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });

test('the host in the path, in the header and of a proxied address is the same', async () => {
  expect(await json('/to/api.shop.example/orders/42')).toEqual({ id: '42' });
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    'GET http://api.shop.example/orders/43 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(socket, 'end');
  expect(text).toContain('{"id":"43"}');
});

test('calls beyond the limit get 429 with Retry-After', async () => {
  const replies = [1, 2, 3].map(() =>
    called('/to/slack.com/api/chat.postMessage', post({ text: 'hi' })),
  );
  const answers = await Promise.all(replies);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(1000);
  expect(await answers.find(({ status }) => status === 200)?.json()).toEqual({ text: 'hi' });
});

test('each page leads to the next, by its number and by a cursor', async () => {
  const ids = [];
  let cursor: string | null = '0';
  while (cursor !== null) {
    const page = (await json(`/pages?cursor=${cursor}`)) as {
      data: { id: number }[];
      nextCursor: string | null;
    };
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(ids).toEqual([1, 2, 3, 4, 5]);
  expect(await json('/pages?page=2')).toMatchObject({ page: 2, pages: 3, next: '/pages?page=3' });
});

test('a header is a template as well', async () => {
  const tags = [];
  for (let call = 0; call < 2; call += 1) {
    const { headers } = await called('/tagged/7');
    tags.push([headers.get('etag'), headers.get('x-plain')]);
  }
  expect(tags).toEqual([...[['7-1', 'a']], ['7-2', 'a']]);
});

test('the first attempts of a request fail, and the next succeeds', async () => {
  const statuses = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const reply = await called('/flaky?order=1');
    statuses.push([reply.status, reply.headers.get('retry-after')]);
  }
  expect(statuses).toEqual([
    [503, '2'],
    [503, '2'],
    [200, null],
  ]);
});

test('a connection is reset, and another one hangs until the caller gives up', async () => {
  await expect(called('/reset')).rejects.toThrow('fetch failed');
  const signal = AbortSignal.timeout(200);
  await expect(called('/hang', { signal })).rejects.toThrow('aborted due to timeout');
});

test('the right token is asked for', async () => {
  expect((await called('/secret')).status).toBe(401);
  const reply = await called('/secret', { headers: { authorization: 'Bearer right' } });
  expect(await reply.text()).toBe('call 2');
});

test('what no rule answers gets 404 with a sentence', async () => {
  const reply = await called('/to/api.other.example/x');
  expect(reply.status).toBe(404);
  expect(await reply.json()).toEqual({
    error: 'the stand-in has no rule for GET /x of api.other.example',
  });
});

test('the report counts by host, with what a service is known to allow', async () => {
  await until('the calls that failed are counted', async () => {
    const { hosts } = (await json('/stand-in/report')) as ReturnType<StandIn['report']>;
    return (hosts.find(({ host }) => host === 'slack.com')?.failed ?? 0) > 0;
  });
  const { hosts, unmatched, cpuCores, requests } = server.report();
  expect(hosts.find(({ host }) => host === 'slack.com')).toMatchObject({
    ...{ calls: 3, failed: 1, published: { perSecond: 1 } },
  });
  expect(unmatched).toBe(1);
  expect(cpuCores).toBeGreaterThan(0);
  expect(requests).toBe(hosts.reduce((sum, { calls }) => sum + calls, 0));
});

test('trouble of every service begins and ends while it runs, and counts no effect that failed', async () => {
  const trouble = (given: object): Promise<Response> =>
    called('/stand-in/trouble', { method: 'PUT', body: JSON.stringify(given) });
  const effect = async (id: string): Promise<number> =>
    (await called(`/effects/done?id=${id}`, { method: 'POST' })).status;
  await trouble({ status: 503 });
  expect([await effect('one'), (await called('/to/api.shop.example/orders/1')).status]).toEqual([
    ...[503, 503],
  ]);
  await trouble({ perSecond: 1 });
  expect([await effect('two'), await effect('three')]).toEqual([200, 429]);
  await trouble({ addedMs: 300 });
  const began = performance.now();
  expect(await effect('four')).toBe(200);
  expect(performance.now() - began).toBeGreaterThanOrEqual(299);
  await trouble({ hangs: true });
  const hanging = effect('five').then(
    () => 'answered',
    () => 'cut off',
  );
  expect(await Promise.race([hanging, json('/healthz')])).toEqual({ status: 'ok' });
  await trouble({});
  expect(await hanging).toBe('cut off');
  expect(await (await called('/effects')).text()).toMatch(/^done two \d{13}\ndone four \d{13}\n$/);
  expect(await json('/to/api.shop.example/orders/1')).toEqual({ id: '1' });
});

test.each([
  ['127.0.0.1', '127.0.0.1', true],
  ['::ffff:127.0.0.1', '::ffff:127.0.0.1', true],
  ['::1', '::1', true],
  ['10.0.0.5', '10.0.0.5', true],
  ['10.0.0.9', '10.0.0.5', false],
  ['203.0.113.7', '127.0.0.1', false],
])(
  'trouble and effects asked for from %s at %s are given: %p',
  (remoteAddress, localAddress, is) => {
    expect(isFromHere({ remoteAddress, localAddress })).toBe(is);
  },
);

test('another machine may neither make trouble nor read what was done', async () => {
  const own = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  // Without a network, nobody else can ask.
  if (own === undefined) return;
  const at = (path: string, method: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(server.url);
      const place = { hostname, port, path, method, localAddress: own, agent: false };
      request(place, (reply) => void resolve(reply.resume().statusCode))
        .once('error', reject)
        .end();
    });
  expect(await at('/stand-in/trouble', 'PUT')).toBe(403);
  expect(await at('/effects', 'GET')).toBe(403);
  expect(await at('/to/api.shop.example/orders/1', 'GET')).toBe(200);
});

test('a body that is no JSON is refused by a language model, as the services do', async () => {
  const reply = await called('/v1/responses', { method: 'POST', body: '{' });
  expect([reply.status, await reply.json()]).toEqual([
    400,
    { error: { message: 'the body is not JSON', type: 'invalid_request_error' } },
  ]);
});

test('tokens per minute are limited, by the tokens of prompts and answers', async () => {
  const long = post({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(300_000) }] });
  const statuses = [];
  for (let call = 0; call < 3; call += 1)
    statuses.push((await called('/v1/chat/completions', long)).status);
  expect(statuses.slice(0, 2)).toEqual([200, 429]);
});

test('without rules it answers what bundled workloads call, and everything else with 200', async () => {
  const plan = planWithoutRules();
  const other = await startStandIn({ plan, host: '127.0.0.1', port: 0 });
  try {
    expect((await fetch(`${other.url}/orders`)).status).toBe(401);
    expect(await (await fetch(`${other.url}/anything`)).json()).toEqual({ ok: true, call: 1 });
    for (const { path, token } of bundledRules()) {
      const headers = { authorization: `Bearer ${token ?? ''}` };
      const reply = await fetch(other.url + path, { headers });
      expect(await reply.json()).toMatchObject({ service: path.slice(1) });
    }
  } finally {
    await other.end();
  }
});

test('by HTTPS it answers who trusts its certificate, and by nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stand-in-tls-'));
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', keyFile, '-out', certFile];
  execFileSync('openssl', ['req', '-x509', ...newKey, ...files, ...name], { stdio: 'ignore' });
  const tls = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  const plan = parseRules(RULES, 'rules.yaml');
  const secure = await startStandIn({ plan, host: '127.0.0.1', port: 0, tls });
  try {
    const address = `${secure.url}/to/api.shop.example/orders/42`;
    expect(address).toMatch(/^https:/);
    await expect(fetch(address)).rejects.toThrow('fetch failed');
    const asked = httpsRequest(address, { ca: tls.cert, agent: false }).end();
    const [reply] = (await once(asked, 'response')) as [IncomingMessage];
    expect(JSON.parse(await textOf(reply))).toEqual({ id: '42' });
    expect(secure.report().hosts).toMatchObject([{ host: 'api.shop.example', calls: 1 }]);
  } finally {
    await secure.end();
    rmSync(folder, { recursive: true });
  }
});
