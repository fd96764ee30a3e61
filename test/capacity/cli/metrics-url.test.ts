import { metricsEndpoints } from '../../../capacity/src/commands/targets';
import { Mistake } from '../../../capacity/src/ui/exit';

test('each process of n8n has a name of its own, numbered by role', () => {
  expect(
    metricsEndpoints([
      'http://a:5678/metrics',
      'worker=http://b:5678/metrics',
      'worker=http://c:5678/metrics?token=x=y',
      'webhook=https://d/metrics',
    ]),
  ).toEqual([
    { role: 'main', instance: 'main-1', url: 'http://a:5678/metrics' },
    { role: 'worker', instance: 'worker-1', url: 'http://b:5678/metrics' },
    { role: 'worker', instance: 'worker-2', url: 'http://c:5678/metrics?token=x=y' },
    { role: 'webhook', instance: 'webhook-1', url: 'https://d/metrics' },
  ]);
});

test.each([
  'b:5678/metrics',
  'runner=http://b/metrics',
  'worker=',
  '',
  'worker=file:///etc/passwd',
])('what cannot be one is refused in one sentence: %s', (text) => {
  expect(() => metricsEndpoints([text])).toThrow(Mistake);
  expect(() => metricsEndpoints([text])).toThrow(/--metrics-url is '.*': write it like .*\.$/);
});
