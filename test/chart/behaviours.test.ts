// The suites under charts/n8n-tuned/tests, a file a behaviour.
import { attempt, chart, paths } from './support/helm.ts';

test('every behaviour of the chart holds', async () => {
  const { code, output } = await attempt(paths.helmUnittest, [
    '--strict',
    '-f',
    'tests/*_test.yaml',
    chart,
  ]);
  const ran = Number(/^Tests:.*?(\d+) total/m.exec(output)?.[1] ?? 0);
  expect({ code, failures: output.match(/^\s+- .*$/gm) ?? [] }).toEqual({ code: 0, failures: [] });
  expect(ran).toBeGreaterThan(150);
}, 900_000);
