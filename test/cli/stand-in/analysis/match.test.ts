import { destinationOf, matcherOf } from '../../../../cli/src/stand-in/analysis/match';
import { limitOf } from '../../../../cli/src/stand-in/analysis/published-limits';

test.each([
  [
    '/to/api.example.com/orders/1?page=2',
    '127.0.0.1:5690',
    'api.example.com',
    '/orders/1',
    'page=2',
  ],
  ['/to/api.example.com', '127.0.0.1:5690', 'api.example.com', '/', ''],
  ['/orders?x=1', 'API.example.com:8080', 'api.example.com', '/orders', 'x=1'],
  ['http://api.example.com:81/orders?x=1', 'other', 'api.example.com', '/orders', 'x=1'],
  ['http://api.example.com', 'other', 'api.example.com', '/', ''],
])('a call of %s at %s goes to %s%s', (target, header, host, path, query) => {
  expect(destinationOf(target, header)).toEqual({ host, path, query });
});

const rules = [
  { host: 'a.example', method: 'GET', path: '/orders/{id}/lines/{line}' },
  { host: null, method: 'POST', path: '/orders' },
  { host: 'a.example', method: null, path: '/files/*' },
  { host: null, method: null, path: '/v1.0/a+b' },
];
const match = matcherOf(rules);
const found = (method: string, host: string, path: string): unknown =>
  match(method, { host, path, query: '' });

test('the first rule for host, method and path answers, with the parts of the path', () => {
  expect(found('GET', 'a.example', '/orders/7/lines/a%20b')).toEqual({
    ...{ index: 0, path: { id: '7', line: 'a b' } },
  });
  expect(found('POST', 'b.example', '/orders')).toEqual({ index: 1, path: {} });
  expect(found('PUT', 'a.example', '/files/x/y')).toEqual({ index: 2, path: {} });
  expect(found('GET', 'a.example', '/v1.0/a+b')).toEqual({ index: 3, path: {} });
});

test('no rule answers another host, method or path', () => {
  expect(found('GET', 'b.example', '/orders/7/lines/1')).toBeNull();
  expect(found('GET', 'b.example', '/orders')).toBeNull();
  expect(found('GET', 'a.example', '/v1x0/a+b')).toBeNull();
});

test('the limit of a service is known by its host and by the hosts below it', () => {
  expect(limitOf('slack.com')?.perSecond).toBe(1);
  expect(limitOf('hooks.slack.com')?.source).toMatch(/^https:\/\//);
  expect(limitOf('notslack.com')).toBeNull();
});
