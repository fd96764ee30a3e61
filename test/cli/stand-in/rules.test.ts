import { parseRules, planWithoutRules } from '../../../cli/src/stand-in/rules';
import { Mistake } from '../../../cli/src/ui/exit';

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
  ['rules:\n  - latency: 120', /rules\.yaml:2: .*expected a time, like 120ms or 2s/],
  ['rules:\n  - latency: { p50: 2s, p95: 1s }', /rules\.yaml:2: .*p95 that is not below the p50/],
  ['rules:\n  - status: 42', /rules\.yaml:2: rules\.0\.status is 42: expected at least 100/],
  ["rules:\n  - json: { id: '{{order}}' }", /rules\.yaml:2: .*\{\{order\}\} is no placeholder/],
  ['rules:\n  - { json: 1, text: a }', /expected one of json, text and pages/],
  ['rules:\n  - errors: [{ status: 503 }]', /expected one of share, first, every and burst/],
  [
    'rules:\n  - errors: [{ hang: true, reset: true, every: 2 }]',
    /expected one of status, hang and reset/,
  ],
  ['rules:\n  - errors: [{ status: 503, share: 0.5 }]', /expected a share, like 1%/],
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
