import { parseRules, planWithoutRules } from '../../../cli/src/stand-in/rules';
import { Mistake } from '../../../cli/src/ui/exit';
import { destinationOf, matcherOf } from '../../../cli/src/stand-in/analysis/match';
import { limitOf } from '../../../cli/src/stand-in/analysis/published-limits';

const wrong = (text: string): string => {
  try {
    parseRules(text, 'rules.yaml');
  } catch (error) {
    if (error instanceof Mistake) return error.message;
    throw error;
  }
  return '';
};

test('a rule says what is answered, when, and how it fails', () => {
  const text = `
seed: 7
rules:
  - host: API.example.com
    method: POST
    path: /orders/{id}
    latency: { p50: 120ms, p95: 900ms }
    status: 201
    json: { id: '{{path.id}}' }
    errors:
      - { status: 503, retryAfter: 1500ms, share: 5% }
      - { hang: true, every: 100 }
      - { reset: true, burst: { good: 1m, bad: 5s } }
    limit: { calls: 60, per: 1m }
  - latency: { quantiles: { p50: 100ms, p99: 2s } }
    pages: { items: 95, size: 10, item: { id: '{{i}}' } }
model: { tokens: 20, cut: 1%, tokensPerMinute: 60000 }
`;
  const { seed, rules, model } = parseRules(text, 'rules.yaml');
  const [order, pages] = rules;
  expect(seed).toBe(7);
  expect(order).toEqual({
    ...{ host: 'api.example.com', method: 'POST', path: '/orders/{id}', token: null },
    ...{ latency: { kind: 'lognormal', p50Ms: 120, p95Ms: 900 }, status: 201, headers: {} },
    body: { kind: 'json', value: { id: '{{path.id}}' } },
    errors: [
      {
        what: { kind: 'status', status: 503, retryAfterSeconds: 2 },
        when: { kind: 'share', share: 0.05 },
      },
      { what: { kind: 'hang' }, when: { kind: 'every', calls: 100 } },
      { what: { kind: 'reset' }, when: { kind: 'burst', goodMs: 60_000, badMs: 5000 } },
    ],
    limit: { calls: 60, perMs: 60_000 },
  });
  expect(pages?.latency).toEqual({
    kind: 'quantiles',
    points: [
      { share: 0.5, ms: 100 },
      { share: 0.99, ms: 2000 },
    ],
  });
  expect(pages?.body).toMatchObject({ kind: 'pages', field: 'data' });
  expect(model).toMatchObject({
    tokens: 20,
    cutShare: 0.01,
    tokensPerMinute: 60_000,
    toolRounds: 1,
  });
});

test.each([
  [
    'rules:\n  - latncy: 5ms',
    /^rules\.yaml:2: 'latncy' \(did you mean latency\?\)|^rules\.yaml:2: 'latncy'.*latency/,
  ],
  [
    'rules:\n  - path: orders',
    /rules\.yaml:2: rules\.0\.path is "orders": expected a path that begins with \//,
  ],
  ['rules:\n  - latency: 120', /rules\.yaml:2: .*expected a time, such as 120ms or 2s/],
  ['rules:\n  - latency: { p50: 2s, p95: 1s }', /rules\.yaml:2: .*p95 that is not below the p50/],
  ['rules:\n  - status: 42', /rules\.yaml:2: rules\.0\.status is 42: expected at least 100/],
  ["rules:\n  - json: { id: '{{order}}' }", /rules\.yaml:2: .*\{\{order\}\} is not a placeholder/],
  ['rules:\n  - { json: 1, text: a }', /expected one of json, text and pages/],
  ['rules:\n  - errors: [{ status: 503 }]', /expected one of share, first, every and burst/],
  [
    'rules:\n  - errors: [{ hang: true, reset: true, every: 2 }]',
    /expected one of status, hang and reset/,
  ],
  ['rules:\n  - errors: [{ status: 503, share: 0.5 }]', /expected a percentage, such as 1%/],
  ['rules:\n  - limit: { calls: 5, per: 0s }', /expected a time above 0/],
  ['model: { tokens: 0 }', /rules\.yaml:1: model\.tokens: expected at least 1/],
  ['rules: [', /rules\.yaml:1/],
])('%j is refused in one sentence that says what was expected', (text, sentence) => {
  expect(wrong(text)).toMatch(sentence);
  expect(wrong(text)).not.toContain('\n');
});

test('without a rules file everything is answered', () => {
  expect(planWithoutRules().rules.at(-1)).toMatchObject({ host: null, method: null, path: '/*' });
});

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
