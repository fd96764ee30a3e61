import { balancerConfig } from '../../../cli/src/targets/process/balancer';

const config = balancerConfig({ own: 8080, main: 8081, webhooks: [8082, 8083] }, '/data');
const location = /location ~ (\S+) \{/.exec(config)?.[1] ?? '';

test.each(['/webhook/order', '/webhook-waiting/1', '/form/x', '/form-waiting/1', '/mcp/tool'])(
  '%s goes to the webhook processors',
  (path) => {
    expect(path).toMatch(new RegExp(location));
  },
);

test.each([
  '/',
  '/webhook-test/order',
  '/form-test/x',
  '/mcp-test/tool',
  '/rest/login',
  '/webhooks',
])('%s goes to main', (path) => {
  expect(path).not.toMatch(new RegExp(location));
});

test('one that is away gets nothing', () => {
  const ports = { own: 8080, main: 8081, webhooks: [8082, 8083] };
  const down = [
    ...balancerConfig(ports, '/data', { away: new Set([8083]) }).matchAll(/:(\d+) .*down;/g),
  ];
  expect(down.map(([, port]) => port)).toEqual(['8083']);
  expect(config).not.toContain('down');
});

test('every processor takes its share', () => {
  expect(config).toMatch(
    /upstream webhooks \{\s+server 127\.0\.0\.1:8082 .*\s+server 127\.0\.0\.1:8083 /,
  );
});
