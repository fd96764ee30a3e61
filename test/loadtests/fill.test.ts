import { filled, varies } from '../../loadtests/lib/fill';
import { ownRequest } from '../../loadtests/lib/own-request';
import { seededRandom } from '../../loadtests/lib/random';

const request = (own: Partial<Parameters<typeof ownRequest>[0]> = {}) =>
  ownRequest({ request: 'POST /webhook/order', ...own });
const as = (n: number) => ({ n, id: `run-${String(n)}`, random: seededRandom(n) });

test('a request has its number and its id in path, headers and body', () => {
  const own = filled(
    request({
      request: 'POST /webhook/order/{{n}}?of={{id}}',
      ...{ headers: ['x-key: {{ id }}'], body: '{"order":{{n}},"key":"{{uuid}}"}' },
    }),
    as(7),
  );
  expect(own).toMatchObject({ path: '/webhook/order/7?of=run-7', headers: { 'x-key': 'run-7' } });
  expect(own.body).toEqual({
    text: expect.stringMatching(
      /^\{"order":7,"key":"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f-]{21}"\}$/,
    ) as unknown,
  });
});

test('a pick is one of its texts, each of which comes', () => {
  const seen = Array.from({ length: 50 }, (_, n) =>
    filled(request({ request: 'POST /a/{{pick:red|deep-blue|green}}' }), as(n)),
  );
  expect(new Set(seen.map(({ path }) => path))).toEqual(
    new Set(['/a/red', '/a/deep-blue', '/a/green']),
  );
});

test('rows are sent in turns, and a field of the row can stand in the path', () => {
  const rows = ['{"id":"a b","n":1}', '{"id":"c","of":{"x":[1]}}', '{"id":"{{n}}"}'];
  const own = request({ request: 'PUT /a/{{row.id}}', headers: ['x: {{row.of.x}}'], rows });
  const sent = [1, 2, 3, 4].map((n) => filled(own, as(n)));
  expect(sent.map(({ body }) => body)).toEqual(
    [rows[0], rows[1], '{"id":"3"}', rows[0]].map((text) => ({ text })),
  );
  expect(sent.map(({ path }) => path).slice(0, 2)).toEqual(['/a/a%20b', '/a/c']);
  expect(sent.map(({ headers }) => headers['x']).slice(0, 2)).toEqual(['', '[1]']);
  expect(own.headers['content-type']).toBe('application/json');
  expect(filled(own, as(0)).body).toEqual({ text: '{"id":"0"}' });
});

test('what is no placeholder stays as it is, byte for byte', () => {
  const text = '{"a":"{{ $json.n }} {{nn}} {{row}}","b":"{n}"}';
  const own = request({ body: text });
  expect(varies(own)).toBe(false);
  expect(filled(own, as(1)).body).toEqual({ text });
  const bytes = request({ body: 'e3tufX0=', bodyIsBase64: true });
  expect(varies(bytes)).toBe(false);
  expect(filled(bytes, as(1)).body).toEqual({ text: 'e3tufX0=', base64: true });
});

test.each([
  ['path', { request: 'GET /a/{{n}}' }],
  ['header', { headers: ['a: {{uuid}}'] }],
  ['body', { body: '{{pick:a|b}}' }],
  ['rows', { rows: ['1'] }],
])('a request that has a placeholder in its %s differs from the next one', (_, own) => {
  expect(varies(request(own))).toBe(true);
});
