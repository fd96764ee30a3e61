/** What somebody reads whose address, certificate, request or key is wrong: one sentence that says what to do. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ownRequest } from '../../../loadtests/lib/own-request';
import { ask } from '../../../cli/src/prometheus/address';
import { awaitExpectedResponse } from '../../../cli/src/targets/process/ready';
import { addressOf, baseUrlFrom } from '../../../cli/src/targets/url/address';
import { N8nApi } from '../../../cli/src/targets/url/api';
import { whyNoMetrics } from '../../../cli/src/targets/url/metrics';
import { urlTarget } from '../../../cli/src/targets/url/url-target';
import { Failure, messageOf, Mistake } from '../../../cli/src/ui/exit';
import { startServers, type Servers } from '../../support/tls-servers';

const never = new AbortController().signal;
const request = ownRequest({ request: 'POST /webhook/order', headers: [], body: '{}' });

async function told(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return messageOf(error);
  }
  return 'nothing';
}

let servers: Servers;
beforeAll(async () => {
  servers = await startServers();
});
afterAll(() => servers.end());

/** Words of libraries, which help nobody. */
const FOREIGN =
  /openssl|ssl routines|ECONN|EPROTO|ENOTFOUND|EAI_|getaddrinfo|UND_ERR|HPE_|ERR_|SELF_SIGNED|fetch failed|aborted|undefined|\n/i;

type Place = (port: Servers['port']) => string;

const ADDRESSES: [string, Place, RegExp][] = [
  [
    'a self-signed certificate',
    ({ selfSigned }) => `https://127.0.0.1:${String(selfSigned)}`,
    /certificate of 127\.0\.0\.1:\d+ comes from no known authority: .*NODE_EXTRA_CA_CERTS .* SSL_CERT_FILE for k6/,
  ],
  [
    'an expired certificate',
    ({ expired }) => `https://127.0.0.1:${String(expired)}`,
    /certificate of 127\.0\.0\.1:\d+ has expired: renew it on the server/,
  ],
  [
    'https on a port of http',
    ({ plain }) => `https://127.0.0.1:${String(plain)}`,
    /speaks HTTP without TLS: use http:\/\/ instead of https:\/\//,
  ],
  [
    'http on a port of https',
    ({ selfSigned }) => `http://127.0.0.1:${String(selfSigned)}`,
    /if it is an HTTPS port, use https:\/\/ instead of http:\/\//,
  ],
  [
    'what is not HTTP',
    ({ noHttp }) => `http://127.0.0.1:${String(noHttp)}`,
    /the response from 127\.0\.0\.1:\d+ is not HTTP: is this n8n's port/,
  ],
  [
    'a port that closes',
    ({ closing }) => `https://127.0.0.1:${String(closing)}`,
    /closes the connection during the TLS handshake/,
  ],
  [
    'a port where nobody listens',
    ({ nobody }) => `http://127.0.0.1:${String(nobody)}`,
    /nothing listens at 127\.0\.0\.1:\d+: is n8n running, and are the address and port correct/,
  ],
  [
    'a name that nobody has',
    () => 'http://n8n.invalid',
    /the name n8n\.invalid is not known to DNS: is it spelled correctly/,
  ],
];

const ASKERS: [string, (url: string) => Promise<unknown>][] = [
  ["n8n's API", (url) => new N8nApi(url, 'a-key').ask('GET', '/workflows')],
  ['Prometheus', (url) => ask({ url, headers: {} }, '/x')],
  ['metrics', async (url) => Promise.reject(new Error(await whyNoMetrics(url, never)))],
];

/** What the request before the load tells: it asks again and again until then, so it asks all at once. */
const GIVEN_UP_MS = 4_000;
const beforeLoad = new Map<string, Promise<string>>();
beforeAll(() => {
  for (const [name, place] of ADDRESSES) {
    const within = AbortSignal.timeout(GIVEN_UP_MS);
    beforeLoad.set(name, told(awaitExpectedResponse(place(servers.port), request, within)));
  }
});

describe.each(ADDRESSES)('%s', (name, place, sentence) => {
  const isTold = (text = ''): void => {
    expect(text).toMatch(sentence);
    expect(text).not.toMatch(FOREIGN);
  };
  test('is told by the request before the load', async () => {
    isTold(await beforeLoad.get(name));
  });

  test.each(ASKERS)('is told by %s', async (_, asks) => {
    isTold(await told(asks(place(servers.port))));
  });
});

test('one that never responds is told when the time is over', async () => {
  const url = `http://127.0.0.1:${String(servers.port.silent)}`;
  const api = new N8nApi(url, 'a-key').ask('GET', '/workflows', { withinMs: 200 });
  expect(await told(api)).toMatch(
    /127\.0\.0\.1:\d+ does not respond in time: does n8n listen there/,
  );
  expect(await told(awaitExpectedResponse(url, request, AbortSignal.timeout(200)))).toBe(
    'POST /webhook/order never gave the expected response: no response arrived in time',
  );
});

test("n8n's API is asked at its own address only: a redirect would take the key to another", async () => {
  let asked = 0;
  const portOf = (server: Server): number => (server.address() as AddressInfo).port;
  const other = createServer((_, response) => {
    asked += 1;
    response.end('{}');
  });
  const redirecting = createServer((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${String(portOf(other))}/login` }).end();
  });
  await Promise.all(
    [other, redirecting].map(
      (server) => new Promise<void>((up) => server.listen(0, '127.0.0.1', up)),
    ),
  );
  try {
    const api = new N8nApi(`http://127.0.0.1:${String(portOf(redirecting))}`, 'a-key');
    expect(await told(api.ask('GET', '/workflows'))).toMatch(
      /redirected GET \/workflows to http:\/\/127\.0\.0\.1:\d+\/login: set --url to the address of n8n itself/,
    );
    expect(asked).toBe(0);
  } finally {
    other.close();
    redirecting.close();
  }
});

test('what will not get better is told at once', async () => {
  const url = `https://127.0.0.1:${String(servers.port.selfSigned)}`;
  expect(await told(awaitExpectedResponse(url, request, never))).toMatch(
    /comes from no known authority/,
  );
});

/** Answers as n8n 2.41 does, or a proxy before it. */
interface Said {
  status: number;
  body: string;
}

async function served(
  webhook: Said,
  api: Said,
  work: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((incoming, response) => {
    const { status, body } = (incoming.url ?? '').startsWith('/api/') ? api : webhook;
    response.writeHead(incoming.url === '/metrics' ? 404 : status).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await work(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

const NOT_REGISTERED = {
  code: 404,
  message: 'The requested webhook "POST order" is not registered.',
  hint: 'The workflow must be active for a production URL to run successfully.',
};
const webhook = (httpMethod: unknown, path: string, more: object = {}): object => ({
  type: 'n8n-nodes-base.webhook',
  parameters: { httpMethod, path },
  ...more,
});
const LIST = {
  data: [
    { name: 'A', nodes: [webhook('POST', 'orders'), webhook(undefined, 'stock')] },
    { name: 'B', nodes: [webhook(['GET', 'PUT'], 'item/:id', { webhookId: 'abc' })] },
    { name: 'C', nodes: [webhook('POST', 'gone', { disabled: true }), { type: 'other' }] },
    { name: 'D', nodes: ['a-long-name-1', 'a-long-name-2'].map((path) => webhook('POST', path)) },
  ],
};

async function readyAt(said: Said, api: Said | null, path = '/webhook/order'): Promise<string> {
  let text = '';
  await served(said, api ?? { status: 404, body: '' }, async (url) => {
    const target = urlTarget({
      ...{ url, readyTimeoutMs: 300, apiKey: api === null ? undefined : 'a-key' },
      confirm: () => Promise.resolve(),
      warn: () => undefined,
    });
    const running = await target.up(() => undefined, never);
    const asked = { ...request, path };
    text = await told(running.ready([asked], () => undefined, never));
    await running.down(() => undefined);
  });
  return text;
}

const json = (status: number, body: unknown): Said => ({ status, body: JSON.stringify(body) });

test.each<[string, Said, RegExp]>([
  [
    '401 with a text',
    { status: 401, body: 'Authorization is required!' },
    /status 401, and said "Authorization is required!"; add the credential that the webhook .* --header/,
  ],
  [
    '403 with a text',
    { status: 403, body: 'Authorization data is wrong!' },
    /status 403, and said "Authorization data is wrong!"; add the credential that the webhook .* --header/,
  ],
  [
    '404 with the hint of n8n',
    json(404, NOT_REGISTERED),
    /status 404, and said "The requested webhook "POST order" is not registered. The workflow must be active [^"]*"; publish \(activate\) the workflow in n8n, or correct the method and path in --request; no load was generated. Set N8N_API_KEY to see/,
  ],
  [
    '404 for another method',
    json(404, {
      message:
        'This webhook is not registered for POST requests. Did you mean to make a GET request?',
    }),
    /said "This webhook is not registered for POST requests.*"; change --request to the method that the webhook accepts/,
  ],
  [
    '500',
    json(500, { message: 'Error in workflow' }),
    /status 500, and said "Error in workflow"; open the failed execution in n8n/,
  ],
  [
    '502 with the page of a proxy',
    { status: 502, body: '<html><title>502 Bad Gateway</title></html>' },
    /answered with status 502; the proxy cannot reach n8n/,
  ],
  [
    '422 with a text that moves the cursor',
    { status: 422, body: `no\u001b[2J${'x'.repeat(900)}\nnext` },
    /said "no \[2Jx{150,200}…"; correct the request, or describe the response with --expect/,
  ],
])('%s is told with its status, its words and what to do', async (_, said, sentence) => {
  const text = await readyAt(said, null);
  expect(text).toMatch(/^POST \/webhook\/order never gave the expected response: it answered with/);
  expect(text).toMatch(sentence);
  // eslint-disable-next-line no-control-regex -- none may be left
  expect(text).not.toMatch(/no expectation names the status|[\u0000-\u001f]/);
});

test('a redirect to another host is not followed, and one within the host is', async () => {
  const asked: string[] = [];
  const server = createServer((incoming, response) => {
    asked.push(
      `${incoming.method ?? ''} ${incoming.headers.host?.split(':')[0] ?? ''}${incoming.url ?? ''}`,
    );
    const port = String((server.address() as AddressInfo).port);
    const location = { '/away': `http://127.0.0.2:${port}/x?token=abc`, '/moved': '/x' };
    const to = location[incoming.url as keyof typeof location] as string | undefined;
    response
      .writeHead(to === undefined ? 200 : 302, to === undefined ? {} : { location: to })
      .end();
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  try {
    const away = { ...request, path: '/away' };
    const text = await told(awaitExpectedResponse(url, away, AbortSignal.timeout(300)));
    expect(text).toMatch(
      /it answered with status 302; it redirects to another host, http:\/\/127\.0\.0\.2:\d+: load-test that host with --url, or expect the redirect with --expect status==302$/,
    );
    expect(asked.filter((each) => each.includes('127.0.0.2'))).toEqual([]);
    const moved = { ...request, path: '/moved' };
    expect(await told(awaitExpectedResponse(url, moved, AbortSignal.timeout(2_000)))).toBe(
      'nothing',
    );
    expect(asked.slice(-2)).toEqual(['POST 127.0.0.1/moved', 'GET 127.0.0.1/x']);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});

test('with an API key, the webhooks that are active are named, the nearest first', async () => {
  const text = await readyAt(json(404, NOT_REGISTERED), json(200, LIST));
  expect(text).toMatch(
    /Active webhooks: POST \/webhook\/orders, .*GET \/webhook\/stock.* and 1 more\.$/,
  );
  expect(text).not.toContain('gone');
  expect(await readyAt(json(404, NOT_REGISTERED), json(200, { data: [] }))).toMatch(
    /n8n has no active workflow with a webhook\.$/,
  );
  expect(await readyAt(json(404, NOT_REGISTERED), json(401, {}))).toMatch(
    /no load was generated\.$/,
  );
});

test('a part of a path that varies is named as n8n is asked for it', async () => {
  const only = { data: LIST.data.slice(1, 2) };
  expect(await readyAt(json(404, NOT_REGISTERED), json(200, only))).toContain(
    'Active webhooks: PUT /webhook/abc/item/:id, GET /webhook/abc/item/:id.',
  );
});

test('the test address of the editor is refused, and the other one named', async () => {
  expect(await readyAt(json(200, {}), null, '/webhook-test/order?a=1')).toMatch(
    /^\/webhook-test\/order is the test address of the editor, .*publish the workflow and use http:\S+\/webhook\/order\.$/,
  );
});

test.each<[string, Said, RegExp]>([
  [
    'a page',
    { status: 200, body: '<!doctype html><title>Sign in</title>' },
    /responded to GET \/workflows with a page instead of JSON: does it require a login, is the API disabled/,
  ],
  [
    'a text',
    { status: 200, body: 'pong' },
    /responded to GET \/workflows with a text instead of JSON/,
  ],
  [
    'a page that refuses',
    { status: 403, body: '<html>Forbidden</html>' },
    /with status 403: the response is a web page, not an error from n8n; the key in N8N_API_KEY lacks the required scope/,
  ],
  [
    'a key that is wrong',
    json(401, { message: 'unauthorized' }),
    /with status 401: unauthorized; set N8N_API_KEY to a valid key for this n8n instance/,
  ],
])('the API that answers with %s is a mistake of one sentence', async (_, said, sentence) => {
  await served(said, said, async (url) => {
    const asked = new N8nApi(url, 'a-key').ask('GET', '/workflows');
    await expect(asked).rejects.toThrow(Mistake);
    expect(await told(new N8nApi(url, 'a-key').ask('GET', '/workflows'))).toMatch(sentence);
  });
});

test('what we end ourselves keeps our words', async () => {
  const stopping = new AbortController();
  const url = `http://127.0.0.1:${String(servers.port.silent)}`;
  const asked = told(new N8nApi(url, 'a-key', stopping.signal).ask('GET', '/x'));
  stopping.abort(new Failure('stopped by SIGTERM'));
  expect(await asked).toContain('stopped by SIGTERM');
});

test.each<[string, string, string | null]>([
  ['http://127.0.0.1:5678', 'http://127.0.0.1:5678', null],
  ['https://n8n.example.com/', 'https://n8n.example.com', null],
  ['https://example.com/n8n/', 'https://example.com/n8n', null],
  ['https://n8n.example.com/webhook/order', 'https://n8n.example.com', '/webhook/order'],
  ['https://example.com/n8n/webhook/a/b?x=1', 'https://example.com/n8n', '/webhook/a/b?x=1'],
  ['https://example.com/form/order', 'https://example.com', '/form/order'],
])('%s is %s and %s', (text, baseUrl, path) => {
  expect(addressOf(text)).toEqual({ baseUrl, path });
});

test.each<[string, string]>([
  ['example.com', 'http:// or https:// is missing: use a form such as https://example.com.'],
  ['localhost:5678', 'http:// or https:// is missing: use a form such as http://localhost:5678.'],
  ['n8n:5678/webhook/x', 'use a form such as http://n8n:5678/webhook/x.'],
  ['ftp://example.com', 'use a form such as http://127.0.0.1:5678.'],
  ['', 'use a form such as http://127.0.0.1:5678.'],
  ['https://a:b@example.com', '--url contains a password'],
  [
    'https://example.com/workflow/12',
    'a page of n8n: use the address of n8n, https://example.com,',
  ],
  ['https://example.com/n8n/home/workflows', 'use the address of n8n, https://example.com/n8n,'],
  ['https://example.com/signin?redirect=x', 'a page of n8n'],
  ['https://example.com/?a=b', "--url has a query, '?a=b'"],
  [
    'https://example.com/n8n/webhook-test/x?y=z',
    'publish the workflow and use https://example.com/n8n/webhook/x.',
  ],
])('%s is refused: %s', (text, sentence) => {
  expect(() => addressOf(text)).toThrow(Mistake);
  expect(() => addressOf(text)).toThrow(sentence);
});

test('where only an n8n is meant, a webhook is refused with the address of its n8n', () => {
  expect(() => baseUrlFrom('https://example.com/n8n/webhook/x')).toThrow(
    '--url is the address of a webhook: use the address of n8n, https://example.com/n8n.',
  );
});
