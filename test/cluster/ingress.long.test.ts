import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  clusterStatus,
  createNamespace,
  inCluster,
  request,
  until,
  type Namespace,
  type Reply,
} from '../support/cluster';
import { shellPod, webServer } from './objects';

jest.setTimeout(400_000);

let space: Namespace;
let status: Record<string, string>;

/** Each server answers with its name on every path that the tests ask for. */
const PATHS = ['/index.html', '/webhook/x', '/webhook', '/webhook-test/x', '/exact', '/exact/more'];
const server = (name: string): object[] =>
  webServer(
    name,
    Object.fromEntries(
      PATHS.map((path) => [
        path === '/webhook' || path === '/exact' ? `${path}/index.html` : path,
        name,
      ]),
    ),
  );

const ask = (
  address: string | undefined,
  host: string,
  path: string,
  ...curlArgs: string[]
): Promise<Reply> =>
  request(`http://${host}${path}`, '-L', '--resolve', `${host}:80:${address}`, ...curlArgs);

beforeAll(async () => {
  status = await clusterStatus();
  space = await createNamespace('ingress');
  await space.apply(['editor', 'hooks', 'tests'].flatMap(server));
  await space.kubectl('wait', '--for=condition=Available', 'deploy', '--all', '--timeout=110s');
});
afterAll(() => space?.remove());

const backend = (name: string): object => ({ service: { name, port: { name: 'http' } } });
const path = (value: string, pathType: string, name: string): object => ({
  path: value,
  pathType,
  backend: backend(name),
});
const ingress = (name: string, spec: object): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name },
  spec,
});

describe('Ingress', () => {
  test('sends each path and host to the Service that the precedence says', async () => {
    const paths = [
      path('/', 'Prefix', 'editor'),
      path('/webhook', 'Prefix', 'hooks'),
      path('/webhook-test', 'Prefix', 'tests'),
      path('/exact', 'Exact', 'tests'),
    ];
    const host = `${space.name}.test`;
    await space.apply([
      ingress('split', {
        rules: [
          { host, http: { paths } },
          { host: `*.${host}`, http: { paths: [path('/', 'Prefix', 'hooks')] } },
        ],
      }),
    ]);
    const to = async (name: string, at: string): Promise<string> =>
      (await ask(status['ingress'], name, at)).body;
    await until('the route', async () => (await to(host, '/index.html')) === 'editor');
    expect(await to(host, '/webhook/x')).toBe('hooks');
    expect(await to(host, '/webhook')).toBe('hooks');
    expect(await to(host, '/webhook-test/x')).toBe('tests');
    expect(await to(host, '/exact/more')).toBe('editor');
    expect(await to(`a.${host}`, '/index.html')).toBe('hooks');
    expect((await ask(status['ingress'], `a.b.${host}`, '/index.html')).status).toBe(404);
    expect(
      await space.kubectl(
        'get',
        'ingress/split',
        '-o',
        'jsonpath={.status.loadBalancer.ingress[0].ip}',
      ),
    ).toBe(status['ingress']);
  });

  test('shows the certificate of its secret', async () => {
    const host = `tls.${space.name}.test`;
    const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-tls-'));
    try {
      execFileSync(
        'openssl',
        [
          ...[
            'req',
            '-x509',
            '-newkey',
            'rsa:2048',
            '-nodes',
            '-days',
            '1',
            '-subj',
            `/CN=${host}`,
            '-addext',
            `subjectAltName=DNS:${host}`,
          ],
          ...['-keyout', join(folder, 'key'), '-out', join(folder, 'crt')],
        ],
        { stdio: 'pipe' },
      );
      const data = Object.fromEntries(
        ['crt', 'key'].map((name) => [
          `tls.${name}`,
          readFileSync(join(folder, name)).toString('base64'),
        ]),
      );
      await space.apply([
        {
          apiVersion: 'v1',
          kind: 'Secret',
          type: 'kubernetes.io/tls',
          metadata: { name: 'cert' },
          data,
        },
        ingress('tls', {
          tls: [{ hosts: [host], secretName: 'cert' }],
          rules: [{ host, http: { paths: [path('/', 'Prefix', 'editor')] } }],
        }),
      ]);
      // Trusting that certificate alone, curl answers only if it is shown.
      const secure = (): Promise<Reply> =>
        request(
          `https://${host}/index.html`,
          '--resolve',
          `${host}:443:${status['ingress']}`,
          '--cacert',
          join(folder, 'crt'),
        );
      await until('the certificate', async () => (await secure()).body === 'editor');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('answers 503 where no pod is ready', async () => {
    const host = `none.${space.name}.test`;
    await space.apply([
      ingress('none', { rules: [{ host, http: { paths: [path('/', 'Prefix', 'missing')] } }] }),
    ]);
    await until('503', async () => (await ask(status['ingress'], host, '/')).status === 503);
  });

  test('loads new routes without dropping a request', async () => {
    const host = `reload.${space.name}.test`;
    const rule = { host, http: { paths: [path('/', 'Prefix', 'editor')] } };
    await space.apply([ingress('reload', { rules: [rule] })]);
    await until(
      'the route',
      async () => (await ask(status['ingress'], host, '/index.html')).status === 200,
    );
    const loop = `for i in $(seq 400); do curl -s -m 60 -o /dev/null -w '%{http_code}\\n' -H 'Host: ${host}' http://${status['ingress']}/index.html; sleep 0.02; done`;
    const requests = inCluster(['sh', '-c', loop]);
    for (let count = 0; count < 5; count += 1) {
      await space.apply([
        ingress('churn', { rules: [{ ...rule, host: `churn${count}.${host}` }] }),
      ]);
      await until(
        'the churn',
        async () =>
          (await ask(status['ingress'], `churn${count}.${host}`, '/index.html')).status === 200,
      );
    }
    const codes = (await requests).stdout.trim().split('\n');
    expect(codes).toHaveLength(400);
    expect(codes.filter((code) => code !== '200')).toEqual([]);
  });
});

describe('HTTPRoute', () => {
  const group = 'gateway.networking.k8s.io';
  const route = (name: string, hostnames: string[], rules: object[]): object => ({
    apiVersion: `${group}/v1`,
    kind: 'HTTPRoute',
    metadata: { name },
    spec: { parentRefs: [{ name: 'gateway' }], hostnames, rules },
  });
  const to = (name: string): object => ({ backendRefs: [{ name, port: 80 }] });
  const match = (value: string, more: object = {}): object => ({
    matches: [{ path: { type: 'PathPrefix', value }, ...more }],
  });

  beforeAll(() =>
    space.apply([
      {
        apiVersion: `${group}/v1`,
        kind: 'Gateway',
        metadata: { name: 'gateway' },
        spec: {
          gatewayClassName: 'nginx',
          listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }],
        },
      },
    ]),
  );

  test('sends path, method and header to the Service that the precedence says', async () => {
    const host = `route.${space.name}.test`;
    await space.apply([
      route(
        'split',
        [host],
        [
          { ...match('/'), ...to('editor') },
          { ...match('/webhook'), ...to('hooks') },
          {
            ...match('/webhook', { headers: [{ name: 'X-Side', value: 'test' }] }),
            ...to('tests'),
          },
        ],
      ),
    ]);
    const receiver = async (at: string, ...args: string[]): Promise<string> =>
      (await ask(status['gateway'], host, at, ...args)).body;
    // A worker of nginx that is about to end still answers as before.
    await until('the route', async () => {
      for (let n = 0; n < 10; n += 1)
        if ((await receiver('/index.html')) !== 'editor') return false;
      return true;
    });
    expect(await receiver('/webhook/x')).toBe('hooks');
    expect(await receiver('/webhook/x', '-H', 'X-Side: test')).toBe('tests');
    expect(await receiver('/webhook/x', '-H', 'X-Side: other')).toBe('hooks');
    expect(await receiver('/webhook-test/x')).toBe('editor');
    const accepted = '{.status.parents[0].conditions[?(@.type=="Accepted")].status}';
    await until(
      'status',
      async () =>
        (await space.kubectl('get', 'httproute/split', '-o', `jsonpath=${accepted}`)) === 'True',
    );
    await space.kubectl('wait', '--for=condition=Programmed', 'gateway/gateway', '--timeout=110s');
  });

  test('shares requests out by weight', async () => {
    const host = `weight.${space.name}.test`;
    const backendRefs = [
      { name: 'hooks', port: 80, weight: 3 },
      { name: 'tests', port: 80, weight: 1 },
    ];
    await space.apply([route('weight', [host], [{ backendRefs }])]);
    await until(
      'the route',
      async () => (await ask(status['gateway'], host, '/index.html')).status === 200,
    );
    const loop = `for i in $(seq 200); do curl -s -H 'Host: ${host}' http://${status['gateway']}/index.html; echo; done`;
    const bodies = (await inCluster(['sh', '-c', loop])).stdout.trim().split('\n');
    // 150 are expected, with a standard deviation of 6: five of them to either side.
    const hooks = bodies.filter((body) => body === 'hooks').length;
    expect(hooks).toBeGreaterThan(120);
    expect(hooks).toBeLessThan(180);
    expect(bodies.filter((body) => body === 'tests')).toHaveLength(200 - hooks);
  });

  test('gives up after its timeout', async () => {
    const host = `timeout.${space.name}.test`;
    // A pod that takes every connection and never answers.
    const silent = shellPod('silent', 'exec nc -ll -p 8080 -e sleep 3600');
    const labelled = { ...silent, metadata: { name: 'silent', labels: { app: 'silent' } } };
    const [, service] = webServer('silent', {}) as [object, { spec: object }];
    const spec = { ...service.spec, ports: [{ name: 'http', port: 80, targetPort: 8080 }] };
    await space.apply([
      labelled,
      { ...service, spec },
      route('timeout', [host], [{ ...to('silent'), timeouts: { request: '1s' } }]),
    ]);
    await until('504', async () => (await ask(status['gateway'], host, '/')).status === 504);
  });
});
