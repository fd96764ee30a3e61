import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isChartFile, readChartFile } from '../../../cli/src/plan/chart-file';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-chart-file-'));
  mkdirSync(join(folder, 'values'));
  writeFileSync(join(folder, 'values/one.yaml'), 'replicas: 2\n');
  writeFileSync(join(folder, 'stores.yaml'), 'kind: Service\nmetadata: { name: redis }\n');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const written = (text: string): string => {
  const file = join(folder, 'chart.yaml');
  writeFileSync(file, text);
  return file;
};

test('its files lie beside it, and so does a chart that is a folder', () => {
  const chart = readChartFile(
    written(
      'chart: ./peer\nvalues: [values/one.yaml]\nmanifests: [stores.yaml]\nservice: { name: n8n-main, port: 5678 }\nroles: { redis: { app: redis } }\n',
    ),
  );
  expect(chart).toEqual({
    chart: join(folder, 'peer'),
    values: [{ name: 'values/one.yaml', text: 'replicas: 2\n' }],
    manifests: [{ name: 'stores.yaml', text: 'kind: Service\nmetadata: { name: redis }\n' }],
    service: { name: 'n8n-main', port: 5678 },
    roles: { redis: { app: 'redis' } },
  });
});

test.each(['n8n', 'oci://registry.example.com/charts/n8n'])('%s is left to Helm', (name) => {
  const text = `chart: ${name}\nrepository: https://charts.example.com\nversion: 1.2.3\n`;
  expect(readChartFile(written(text))).toMatchObject({
    ...{ chart: name, repository: 'https://charts.example.com', version: '1.2.3' },
    ...{ values: [], manifests: [], roles: {} },
  });
});

test.each([
  ['chart: ./peer\nvalues: [none.yaml]\n', /none\.yaml cannot be read/],
  [
    'chart: ./peer\nvalue: []\n',
    /chart\.yaml:2: 'value' \(did you mean values\?\) is not known in a chart file: expected one of chart, /,
  ],
  [
    'chart: ./peer\nroles: { proxy: { app: x } }\n',
    /roles.*main, worker, webhook, redis, postgresql/s,
  ],
  ['chart: ./peer\nservice: { port: 80 }\n', /service\.name: expected a text/],
  ['values: []\n', /chart: expected a text/],
  ['chart: --post-renderer=x\n', /chart is .*: expected a value that does not begin with a dash/],
  [
    'chart: n8n\nrepository: -r\n',
    /repository is .*: expected a value that does not begin with a dash/,
  ],
  [
    'chart: n8n\nversion: --set=a\n',
    /version is .*: expected a value that does not begin with a dash/,
  ],
  ['chart: n8n\nrelease: --debug\n', /release is .*: expected lower-case letters/],
])('%j is told with its line and what was expected', (text, said) => {
  expect(() => readChartFile(written(text))).toThrow(said);
});

test('neither a topology nor values nor a server is taken for one', () => {
  expect(isChartFile(written('chart: ./peer\n'))).toBe(true);
  for (const text of [
    'mode: queue\n',
    'executions: { mode: queue }\n',
    'command: x\n',
    '',
    '- a\n',
    '{',
  ])
    expect(isChartFile(written(text))).toBe(false);
  expect(isChartFile(join(folder, 'none.yaml'))).toBe(false);
});
