import { movedUrl } from '../../../../../cli/src/features/twin/analysis/replace';

const TO = 'http://127.0.0.1:5690/to';

test.each([
  [
    'https://api.example.com/orders?x=1',
    `${TO}/api.example.com/orders?x=1`,
    'api.example.com',
    '/orders',
  ],
  ['https://api.example.com', `${TO}/api.example.com`, 'api.example.com', '/'],
  ['http://API.example.com:8080/a', `${TO}/API.example.com:8080/a`, 'api.example.com', '/a'],
  ['api.example.com/a', `${TO}/api.example.com/a`, 'api.example.com', '/a'],
  [
    '=https://api.example.com/{{ $json.id }}',
    `=${TO}/api.example.com/{{ $json.id }}`,
    'api.example.com',
    null,
  ],
])('%s leads to the stand-in, with its host', (given, url, host, path) => {
  expect(movedUrl(given)).toEqual({ url, host, path });
});

test.each([
  ['={{ $json.url }}', `=${TO}/{{ String($json.url).replace(/^https?:\\/\\//, '') }}`],
  [
    '={{ $json.base }}/orders',
    `=${TO}/{{ String($json.base).replace(/^https?:\\/\\//, '') }}/orders`,
  ],
  [
    '=https://{{ $json.host }}/x',
    `=${TO}/{{ String($json.host).replace(/^https?:\\/\\//, '') }}/x`,
  ],
])('%s, which is known only at run time, leads there too', (given, url) => {
  expect(movedUrl(given)).toEqual({ url, host: null, path: null });
});

test('no address of any kind is left as it was', () => {
  for (const given of ['', '=', '=  {{ 1 }}', '/relative', '{{ x }}']) {
    expect(movedUrl(given).url).toContain(TO);
  }
});
