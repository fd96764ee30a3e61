import { InvalidArgumentError } from 'commander';
import { metricsEndpoints } from '../../../cli/src/options/parsers';
import type { MetricsEndpoint } from '../../../cli/src/targets/target';

const all = (texts: string[]): MetricsEndpoint[] =>
  texts.reduce<MetricsEndpoint[]>((before, text) => metricsEndpoints(text, before), []);

test('each process of n8n has a name of its own, numbered by role', () => {
  expect(
    all([
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
  expect(() => metricsEndpoints(text)).toThrow(InvalidArgumentError);
  expect(() => metricsEndpoints(text)).toThrow(/^Write it like .*\.$/);
});
