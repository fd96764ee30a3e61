// What every template does, so that no file depends on the order in which Helm renders them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chart, loadChart, attempt, paths } from './support/helm.ts';

const templates = join(chart, 'templates');
const files = readdirSync(templates, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.(yaml|txt)$/.test(file),
);

test.each(files)('%s prepares the values first', (file) => {
  const [first] = readFileSync(join(templates, file), 'utf8').split('\n');
  expect(first).toBe('{{- include "n8n-tuned.prepare" . -}}');
});

test("the README's links lead somewhere from a registry's page too", () => {
  const links = [...readFileSync(join(chart, 'README.md'), 'utf8').matchAll(/\]\(([^)]+)\)/g)];
  expect(links.length).toBeGreaterThan(5);
  expect(links.map(([, to]) => to).filter((to) => !/^(https:|#)/.test(to ?? ''))).toEqual([]);
});

// The suites under charts/n8n-tuned/tests, a file a behaviour.
test.each([
  ['n8n-tuned', chart, 500],
  ['n8n-load', loadChart, 40],
])(
  'every behaviour of the chart %s holds',
  async (_, source, min) => {
    const { code, output } = await attempt(paths.helmUnittest, [
      '--strict',
      '-f',
      'tests/*_test.yaml',
      source,
    ]);
    const ran = Number(/^Tests:.*?(\d+) total/m.exec(output)?.[1] ?? 0);
    expect({ code, failures: output.match(/^\s+- .*$/gm) ?? [] }).toEqual({
      code: 0,
      failures: [],
    });
    expect(ran).toBeGreaterThan(min);
  },
  900_000,
);
