import { indexBackends } from '../../lab/cluster/ingress/backends.ts';
import { durationMs, gatewayRoutes, sharedHosts } from '../../lab/cluster/ingress/gateway.ts';
import { ingressRoutes } from '../../lab/cluster/ingress/ingress.ts';
import { renderNginx } from '../../lab/cluster/ingress/nginx.ts';
import type {
  EndpointSlice,
  Gateway,
  HttpRoute,
  Ingress,
  Service,
} from '../../lab/cluster/ingress/objects.ts';
import { chooseRoute, type RequestLine, type Route } from '../../lab/cluster/ingress/route.ts';
import { statusPatches } from '../../lab/cluster/ingress/status.ts';

/** Services s0, s1, ... whose only pod has the address 10.0.0.N:80; `empty` has none. */
const names = ['s0', 's1', 's2', 's3', 's4', 's5', 's6'];
const services: Service[] = [...names, 'empty'].map((name) => ({
  metadata: { name, namespace: 'ns' },
  spec: { ports: [{ name: 'http', port: 80 }] },
}));
const slices: EndpointSlice[] = names.map((name, index) => ({
  metadata: { name, namespace: 'ns', labels: { 'kubernetes.io/service-name': name } },
  ports: [{ name: 'http', port: 80 }],
  endpoints: [
    { addresses: [`10.0.0.${index}`], conditions: { ready: true } },
    { addresses: [`10.9.9.${index}`], conditions: { ready: false } },
  ],
}));
const backends = indexBackends(services, slices);

/** The Service that gets a request, the status that is answered instead, or 404. */
function receiver(routes: Route[], request: Partial<RequestLine>): string {
  const index = chooseRoute(routes, { host: 'a.test', path: '/', method: 'GET', ...request });
  const addresses = routes[index]?.target.backends[0]?.addresses;
  if (addresses === undefined) return '404';
  return Array.isArray(addresses)
    ? `s${/10\.0\.0\.(\d+):80/.exec(addresses.join())?.[1]}`
    : String(addresses);
}

interface Rule {
  host?: string;
  path: string;
  type?: 'Exact' | 'Prefix';
  to: string;
}

function ingress(
  rules: Rule[],
  extra: Partial<Ingress['spec']> = {},
  metadata: Partial<Ingress['metadata']> = {},
): Ingress {
  return {
    metadata: { name: 'i', namespace: 'ns', ...metadata },
    spec: {
      ingressClassName: 'nginx',
      rules: rules.map(({ host, path, type, to }) => ({
        ...(host !== undefined && { host }),
        http: {
          paths: [
            {
              path,
              pathType: type ?? 'Prefix',
              backend: { service: { name: to, port: { number: 80 } } },
            },
          ],
        },
      })),
      ...extra,
    },
  };
}

describe('Ingress', () => {
  // The table of examples in Kubernetes' documentation of Ingress path types.
  test.each([
    ['Prefix', '/', '/anything/at/all', true],
    ['Exact', '/foo', '/foo', true],
    ['Exact', '/foo', '/bar', false],
    ['Exact', '/foo', '/foo/', false],
    ['Exact', '/foo/', '/foo', false],
    ['Prefix', '/foo', '/foo', true],
    ['Prefix', '/foo', '/foo/', true],
    ['Prefix', '/foo/', '/foo', true],
    ['Prefix', '/foo/', '/foo/', true],
    ['Prefix', '/aaa/bb', '/aaa/bbb', false],
    ['Prefix', '/aaa/bbb', '/aaa/bbb', true],
    ['Prefix', '/aaa/bbb/', '/aaa/bbb', true],
    ['Prefix', '/aaa/bbb', '/aaa/bbb/', true],
    ['Prefix', '/aaa/bbb', '/aaa/bbb/ccc', true],
    ['Prefix', '/aaa/bbb', '/aaa/bbbxyz', false],
    ['Prefix', '/webhook', '/webhook-test/x', false],
    ['Exact', '/foo', '/foo\n', false],
    ['Prefix', '/a.b', '/aXb', false],
    ['Prefix', '/ü$ {"\\', '/ü$ {"\\/x', true],
  ] as const)('%s %s against %j: %s', (type, path, requested, matches) => {
    expect(
      receiver(ingressRoutes([ingress([{ path, type, to: 's1' }])], backends), { path: requested }),
    ).toBe(matches ? 's1' : '404');
  });

  test('the longest path wins, and of equal ones Exact, whatever the order of the rules', () => {
    const rules: Rule[] = [
      { path: '/', to: 's0' },
      { path: '/webhook', to: 's1' },
      { path: '/webhook', type: 'Exact', to: 's2' },
      { path: '/webhook/long', to: 's3' },
    ];
    for (const order of [rules, [...rules].reverse()]) {
      const routes = ingressRoutes([ingress(order)], backends);
      const got = ['/x', '/webhook/x', '/webhook', '/webhook/long/er'].map((path) =>
        receiver(routes, { path }),
      );
      expect(got).toEqual(['s0', 's1', 's2', 's3']);
    }
  });

  test('an exact host goes before a wildcard, which stands for one label only, and both before no host', () => {
    const routes = ingressRoutes(
      [
        ingress([
          { path: '/', to: 's0' },
          { host: '*.test', path: '/', to: 's1' },
          { host: '*.b.test', path: '/', to: 's2' },
          { host: 'a.test', path: '/only', to: 's3' },
        ]),
      ],
      backends,
    );
    expect(receiver(routes, { host: 'c.test' })).toBe('s1');
    expect(receiver(routes, { host: 'x.b.test' })).toBe('s2');
    expect(receiver(routes, { host: 'x.y.b.test' })).toBe('s0');
    expect(receiver(routes, { host: 'test' })).toBe('s0');
    expect(receiver(routes, { host: 'a.test', path: '/only' })).toBe('s3');
    // The host decides first: what none of its paths fits does not go to a wider host.
    expect(receiver(routes, { host: 'a.test', path: '/else' })).toBe('404');
    expect(receiver(routes, { host: 'aXtest', path: '/only' })).toBe('s0');
  });

  test('what no rule fits goes to the default backend of the oldest object that has one', () => {
    const backend = (name: string): Partial<Ingress['spec']> => ({
      defaultBackend: { service: { name, port: { number: 80 } } },
    });
    const routes = ingressRoutes(
      [
        ingress([], backend('s5'), { name: 'young', creationTimestamp: '2026-01-02T00:00:00Z' }),
        ingress([{ host: 'a.test', path: '/x', to: 's1' }], backend('s4'), {
          name: 'old',
          creationTimestamp: '2026-01-01T00:00:00Z',
        }),
      ],
      backends,
    );
    expect(['/x', '/y'].map((path) => receiver(routes, { path }))).toEqual(['s1', 's4']);
    expect(receiver(routes, { host: 'other.test' })).toBe('s4');
  });

  test('of two objects with the same path the older one has it', () => {
    const routes = ingressRoutes(
      [
        ingress(
          [{ path: '/', to: 's2' }],
          {},
          { name: 'young', creationTimestamp: '2026-01-02T00:00:00Z' },
        ),
        ingress(
          [{ path: '/', to: 's1' }],
          {},
          { name: 'old', creationTimestamp: '2026-01-01T00:00:00Z' },
        ),
      ],
      backends,
    );
    expect(receiver(routes, {})).toBe('s1');
  });

  test('a Service that is missing or has no ready pod answers 503, and another class is not ours', () => {
    const to = (name: string): string =>
      receiver(ingressRoutes([ingress([{ path: '/', to: name }])], backends), {});
    expect([to('missing'), to('empty'), to('s6')]).toEqual(['503', '503', 's6']);
    expect(
      receiver(
        ingressRoutes(
          [ingress([{ path: '/', to: 's1' }], { ingressClassName: 'other' })],
          backends,
        ),
        {},
      ),
    ).toBe('404');
  });
});

const gateway: Gateway = {
  metadata: { name: 'g', namespace: 'ns' },
  spec: { gatewayClassName: 'nginx', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
};
type RouteRule = NonNullable<HttpRoute['spec']['rules']>[number];

function httpRoute(
  rules: RouteRule[],
  spec: Partial<HttpRoute['spec']> = {},
  metadata: Partial<HttpRoute['metadata']> = {},
): HttpRoute {
  return {
    metadata: { name: 'r', namespace: 'ns', ...metadata },
    spec: { parentRefs: [{ name: 'g' }], rules, ...spec },
  };
}
const to = (name: string): Pick<RouteRule, 'backendRefs'> => ({
  backendRefs: [{ name, port: 80 }],
});
const prefix = (value: string): { path: { type: string; value: string } } => ({
  path: { type: 'PathPrefix', value },
});
const table = (...routes: HttpRoute[]): Route[] =>
  gatewayRoutes(routes, [gateway], backends, 'http');

describe('HTTPRoute', () => {
  test('an exact path wins, then the longest prefix, method, most headers, and the first rule', () => {
    const rules: RouteRule[] = [
      { matches: [prefix('/')], ...to('s0') },
      { matches: [prefix('/webhook')], ...to('s1') },
      { matches: [{ ...prefix('/webhook'), headers: [{ name: 'X-A', value: '1' }] }], ...to('s2') },
      {
        matches: [
          {
            ...prefix('/webhook'),
            headers: [
              { name: 'x-a', value: '1' },
              { name: 'x-b', value: '2' },
            ],
          },
        ],
        ...to('s3'),
      },
      { matches: [{ ...prefix('/webhook'), method: 'POST' }], ...to('s4') },
      { matches: [{ path: { type: 'Exact', value: '/webhook' } }], ...to('s5') },
      { matches: [prefix('/webhook')], ...to('s6') },
    ];
    const routes = table(httpRoute(rules));
    const a = { 'x-a': '1' };
    const ab = { 'x-a': '1', 'x-b': '2' };
    expect(receiver(routes, { path: '/else' })).toBe('s0');
    expect(receiver(routes, { path: '/webhook/x' })).toBe('s1');
    expect(receiver(routes, { path: '/webhook/x', headers: a })).toBe('s2');
    expect(receiver(routes, { path: '/webhook/x', headers: ab })).toBe('s3');
    expect(receiver(routes, { path: '/webhook/x', headers: ab, method: 'POST' })).toBe('s4');
    expect(receiver(routes, { path: '/webhook', headers: ab, method: 'POST' })).toBe('s5');
    expect(receiver(routes, { path: '/webhookx' })).toBe('s0');
  });

  test('a longer host goes first, a wildcard stands for any number of labels, and what does not fit falls on', () => {
    const routes = table(
      httpRoute([{ ...to('s0') }], {}, { name: 'all' }),
      httpRoute([{ ...to('s1') }], { hostnames: ['*.test'] }, { name: 'wide' }),
      httpRoute([{ ...to('s2') }], { hostnames: ['*.b.test'] }, { name: 'narrow' }),
      httpRoute(
        [{ matches: [prefix('/only')], ...to('s3') }],
        { hostnames: ['a.b.test'] },
        { name: 'exact' },
      ),
    );
    expect(receiver(routes, { host: 'other' })).toBe('s0');
    expect(receiver(routes, { host: 'x.y.test' })).toBe('s1');
    expect(receiver(routes, { host: 'x.y.b.test' })).toBe('s2');
    expect(receiver(routes, { host: 'a.b.test', path: '/only' })).toBe('s3');
    expect(receiver(routes, { host: 'a.b.test', path: '/else' })).toBe('s2');
  });

  test('only the listeners that a route may use take it', () => {
    const of = (
      listener: Partial<Gateway['spec']['listeners'][number]>,
      route: HttpRoute,
    ): Route[] => {
      const spec = {
        gatewayClassName: 'nginx',
        listeners: [{ name: 'http', port: 80, protocol: 'HTTP', ...listener }],
      };
      return gatewayRoutes([route], [{ ...gateway, spec }], backends, 'http');
    };
    const route = httpRoute([{ ...to('s1') }], { hostnames: ['a.test'] });
    expect(receiver(of({}, route), {})).toBe('s1');
    expect(receiver(of({ hostname: '*.test' }, route), {})).toBe('s1');
    expect(receiver(of({ hostname: 'b.test' }, route), {})).toBe('404');
    const elsewhere = httpRoute(
      [{ ...to('s1') }],
      { parentRefs: [{ name: 'g', namespace: 'ns' }] },
      { namespace: 'other' },
    );
    expect(of({}, elsewhere)).toEqual([]);
    expect(of({ allowedRoutes: { namespaces: { from: 'All' } } }, elsewhere)).toHaveLength(1);
    expect(of({ port: 8000 }, route)).toEqual([]);
    expect(gatewayRoutes([route], [gateway], backends, 'https')).toEqual([]);
  });

  test.each([
    [undefined, undefined, [{ kind: 'any' }]],
    ['*.a.test', ['b.test'], []],
    ['*.a.test', ['x.a.test', 'b.test'], [{ kind: 'exact', name: 'x.a.test' }]],
    ['x.a.test', ['*.a.test'], [{ kind: 'exact', name: 'x.a.test' }]],
    ['*.a.test', undefined, [{ kind: 'suffix', name: 'a.test' }]],
    ['*.a.test', ['a.test'], []],
  ])('a listener for %s and a route for %j share %j', (listener, route, shared) => {
    expect(sharedHosts(listener, route)).toEqual(shared);
  });

  test('what cannot be done is never done halfway', () => {
    expect(
      receiver(table(httpRoute([{ filters: [{ type: 'URLRewrite' }], ...to('s1') }])), {}),
    ).toBe('500');
    expect(receiver(table(httpRoute([{ ...to('missing') }])), {})).toBe('500');
    expect(receiver(table(httpRoute([{ ...to('empty') }])), {})).toBe('503');
    expect(
      receiver(
        table(httpRoute([{ backendRefs: [{ name: 's1', port: 80, namespace: 'other' }] }])),
        {},
      ),
    ).toBe('500');
    expect(table(httpRoute([{ matches: [{ queryParams: [{}] }], ...to('s1') }]))).toEqual([]);
  });

  test.each([
    ['10s', 10_000],
    ['1h30m', 5_400_000],
    ['500ms', 500],
    ['0s', 86_400_000],
  ])('the timeout %s is %d ms, and none is a day', (duration, expected) => {
    expect(durationMs(duration)).toBe(expected);
  });

  test('shares and timeouts reach the configuration of nginx', () => {
    const shares = [
      { name: 's1', port: 80, weight: 9 },
      { name: 's2', port: 80 },
      { name: 's3', port: 80, weight: 0 },
    ];
    const config = renderNginx([
      {
        name: 'g',
        httpPort: 9080,
        routes: table(httpRoute([{ backendRefs: shares, timeouts: { request: '90s' } }])),
      },
    ]);
    expect(config).toMatch(/90\.00% g0_0;\s+\* g0_1;\s+}/);
    expect(config).toContain('proxy_read_timeout 90000ms;');
    expect(config).toContain('server 10.0.0.1:80;');
    expect(config).not.toContain('10.0.0.3');
  });
});

describe('status', () => {
  const addresses = { ingress: '1.1.1.1', gateway: '2.2.2.2' };
  const objects = {
    ...{
      ingresses: [ingress([{ path: '/', to: 's1' }])],
      gateways: [gateway],
      httpRoutes: [httpRoute([{ ...to('s1') }])],
    },
    ...{ services, endpointSlices: slices, secrets: [] },
  };

  test('tells where an object is served, once', () => {
    const first = statusPatches(objects, addresses, '2026-01-01T00:00:00Z');
    expect(first.map(({ path }) => path)).toEqual([
      '/apis/networking.k8s.io/v1/namespaces/ns/ingresses/i',
      '/apis/gateway.networking.k8s.io/v1/namespaces/ns/gateways/g',
      '/apis/gateway.networking.k8s.io/v1/namespaces/ns/httproutes/r',
    ]);
    const [i, g, r] = first.map(({ status }) => status);
    const after = {
      ...objects,
      ingresses: objects.ingresses.map((o) => ({ ...o, status: i })),
      gateways: objects.gateways.map((o) => ({ ...o, status: g })),
      httpRoutes: objects.httpRoutes.map((o) => ({ ...o, status: r })),
    };
    expect(statusPatches(after, addresses, '2026-01-01T00:00:09Z')).toEqual([]);
  });
});
