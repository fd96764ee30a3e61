import type { V1Ingress } from '../../../../../cli/src/targets/kubernetes/api/api-types';
import type { Cluster } from '../../../../../cli/src/targets/kubernetes/api/api';
import { resolveEntryPoint } from '../../../../../cli/src/targets/kubernetes/release/entry-point';
import {
  routeTo,
  throughGateway,
  throughIngress,
  type HttpRoute,
} from '../../../../../cli/src/targets/kubernetes/release/ingress';

const ingress = (host: string | undefined, service: string, more: object = {}): V1Ingress =>
  ({
    spec: {
      rules: [{ host, http: { paths: [{ path: '/', backend: { service: { name: service } } }] } }],
      ...more,
    },
    status: { loadBalancer: { ingress: [{ ip: '10.0.0.9' }] } },
  }) as unknown as V1Ingress;

test('an Ingress is come through by its host, at the address that its controller has given it', () => {
  const all = [ingress('other.example.com', 'other'), ingress('n8n.example.com', 'n8n-webhook')];
  expect(throughIngress(all, 'n8n-webhook', null)).toEqual({
    ...{ baseUrl: 'http://n8n.example.com', hosts: { 'n8n.example.com': '10.0.0.9' } },
  });
  expect(throughIngress(all, 'n8n-webhook', '10.1.1.1').hosts).toEqual({
    'n8n.example.com': '10.1.1.1',
  });
  const secure = ingress('n8n.example.com', 'n8n', { tls: [{ hosts: ['n8n.example.com'] }] });
  expect(throughIngress([secure], 'n8n', null).baseUrl).toBe('https://n8n.example.com');
});

test('without an address DNS is asked, without a host the address, and a wildcard stands for a name', () => {
  const unknown = { ...ingress('n8n.example.com', 'n8n'), status: {} };
  expect(throughIngress([unknown], 'n8n', null)).toEqual({
    ...{ baseUrl: 'http://n8n.example.com', hosts: {} },
  });
  expect(throughIngress([ingress(undefined, 'n8n')], 'n8n', null)).toEqual({
    ...{ baseUrl: 'http://10.0.0.9', hosts: {} },
  });
  expect(throughIngress([ingress('*.example.com', 'n8n')], 'n8n', null).hosts).toEqual({
    'n8n-tuned.example.com': '10.0.0.9',
  });
  const neither = { ...ingress(undefined, 'n8n'), status: {} };
  expect(() => throughIngress([neither], 'n8n', null)).toThrow(/set --via-addr/);
  expect(() => throughIngress([], 'n8n', null)).toThrow(
    /^no Ingress of the release leads to the Service n8n: set ingress.enabled/,
  );
});

const route = (parent: object): HttpRoute =>
  ({
    spec: {
      hostnames: ['n8n.example.com'],
      parentRefs: [{ name: 'public', ...parent }],
      rules: [{ backendRefs: [{ name: 'n8n' }] }],
    },
  }) as HttpRoute;

test('a Gateway is come through by the listener that the route names', () => {
  const gateway = {
    spec: {
      listeners: [
        { name: 'tcp', port: 25, protocol: 'TCP' },
        { name: 'plain', port: 8080, protocol: 'HTTP' },
        { name: 'secure', port: 443, protocol: 'HTTPS' },
      ],
    },
    status: { addresses: [{ type: 'IPAddress', value: '10.0.0.7' }] },
  };
  const hosts = { 'n8n.example.com': '10.0.0.7' };
  const found = routeTo([{ spec: {} }, route({ sectionName: 'secure' })], 'n8n');
  expect(throughGateway(found, gateway, null)).toEqual({
    ...{ baseUrl: 'https://n8n.example.com', hosts },
  });
  expect(throughGateway(route({}), gateway, null)).toEqual({
    ...{ baseUrl: 'http://n8n.example.com:8080', hosts },
  });
  expect(() => throughGateway(route({}), {}, null)).toThrow(/^the Gateway public has no listener/);
  expect(() => routeTo([route({})], 'other')).toThrow(
    /^no HTTPRoute of the release leads from a Gateway to the Service other/,
  );
});

test('the address of an Ingress is asked for before it is loaded, a Service of the cluster is not', async () => {
  const cluster = {
    doing: (_: string, work: () => unknown) => work(),
    networking: {
      listNamespacedIngress: () => ({ items: [ingress('n8n.example.com', 'n8n')] }),
    },
  } as unknown as Cluster;
  const asked: string[] = [];
  const wayBy = (via: 'service' | 'ingress', viaAddress: string | null): Promise<unknown> =>
    resolveEntryPoint(
      cluster,
      {
        ...{ via, viaAddress },
        confirmAddress: ({ baseUrl, hosts }) => {
          asked.push(`${baseUrl} at ${Object.values(hosts).join()}`);
          return viaAddress === null ? Promise.resolve() : Promise.reject(new Error('refused'));
        },
      },
      ...(['n8n', 'load'] as const),
      { metadata: { name: 'n8n', namespace: 'load' }, spec: { ports: [{ port: 80 }] } },
    );
  await wayBy('service', null);
  expect(asked).toEqual([]);
  await wayBy('ingress', null);
  await expect(wayBy('ingress', '203.0.113.5')).rejects.toThrow('refused');
  expect(asked).toEqual([
    ...['http://n8n.example.com at 10.0.0.9', 'http://n8n.example.com at 203.0.113.5'],
  ]);
});
