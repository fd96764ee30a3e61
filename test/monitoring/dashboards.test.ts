// Grafana's dashboards, as the chart carries them, against the types of Grafana's own SDK.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { placeOf } from '../../monitoring/runbook';
import { chart } from '../chart/support/helm.ts';

const root = repositoryRoot();
const folder = join(chart, 'files/monitoring/dashboards');
const files = readdirSync(folder);
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');

interface Panel {
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { uid: string };
  targets?: { expr: string; datasource: { uid: string } }[];
  fieldConfig?: { defaults: { unit?: string } };
}
interface Board {
  uid: string;
  title: string;
  panels: Panel[];
  annotations: { list: object[] };
  templating: { list: { name: string }[] };
}
const boards = files.map((file) => [file, JSON.parse(textOf(file)) as Board] as const);
const panelsOf = ({ panels }: Board): Panel[] => panels.filter(({ type }) => type !== 'row');

/** Enums of the SDK are plain words in JSON. */
const WIRE = `
type Query = Omit<prometheus.Dataquery, '_implementsDataqueryVariant' | '_dataqueryType'>;
type Wire<T> =
  T extends string ? \`\${T}\` :
  T extends number | boolean | null | undefined ? T :
  T extends (infer E)[] ? Wire<E>[] :
  T extends { _implementsDataqueryVariant(): void } ? { [K in keyof Query]: Wire<Query[K]> } :
  T extends object ? { [K in keyof T]: Wire<T[K]> } : T;
`;

/** What TypeScript finds wrong with a program of these sources. */
function faultsOf(sources: Record<string, string>): string[] {
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    target: ts.ScriptTarget.ES2022,
    types: [],
  };
  const at = (name: string): string => join(root, 'monitoring', name);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  const inMemory = new Map(Object.entries(sources).map(([name, text]) => [at(name), text]));
  host.fileExists = (file) => inMemory.has(file) || fileExists(file);
  host.readFile = (file) => inMemory.get(file) ?? readFile(file);
  const program = ts.createProgram([...inMemory.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

function checked(json: string): string {
  const { panels } = JSON.parse(json) as { panels: { type: string; options?: unknown }[] };
  const options = panels
    .filter(({ type }) => type !== 'row')
    .map(({ type, options: of }, index) => {
      return `export const options${String(index)}: Wire<${type}.Options> = ${JSON.stringify(of)};`;
    });
  return [
    `import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';`,
    `import type * as prometheus from '@grafana/grafana-foundation-sdk/prometheus';`,
    `import type * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';`,
    `import type * as stat from '@grafana/grafana-foundation-sdk/stat';`,
    WIRE,
    `export const dashboard: Wire<Dashboard> = ${json};`,
    ...options,
  ].join('\n');
}

test("every dashboard is of the shape that Grafana's SDK declares", () => {
  const sources = files.map((file) => [`${file}.ts`, checked(textOf(file))]);
  expect(faultsOf(Object.fromEntries(sources) as Record<string, string>)).toEqual([]);
});

test('one that is not is found', () => {
  const wrong = textOf('n8n-overview.json')
    .replace('"schemaVersion"', '"schemaVersoin"')
    .replace('"type": "timeseries"', '"type": 5');
  expect(
    faultsOf({ 'wrong.ts': checked(wrong).replaceAll(/Wire<5.*$/gm, 'unknown;') }),
  ).not.toEqual([]);
});

test('there are the six dashboards, each with its own name', () => {
  expect(boards.map(([, { uid }]) => `${uid}.json`)).toEqual(files);
  expect(new Set(boards.map(([, { title }]) => title)).size).toBe(6);
});

test.each(boards)('%s asks the data source, namespace and release that one chooses', (_, board) => {
  expect(board.templating.list.map(({ name }) => name)).toEqual([
    'datasource',
    'namespace',
    'release',
  ]);
  for (const { datasource, targets = [] } of panelsOf(board)) {
    expect(datasource?.uid).toBe('${datasource}');
    expect(targets.length).toBeGreaterThan(0);
    for (const target of targets) {
      expect(target.datasource.uid).toBe('${datasource}');
      const selectors = target.expr.match(/\w+\{[^}]*\}/g) ?? [];
      expect(selectors).not.toEqual([]);
      for (const selector of selectors) {
        expect(selector).toContain('namespace=~"$namespace",release=~"$release"');
      }
    }
  }
});

test.each(boards)(
  '%s marks when an alert fired, and load tests and drills',
  (_, { annotations }) => {
    expect(annotations.list).toMatchObject([
      { enable: true, expr: expect.stringMatching(/^ALERTS\{.*alertstate="firing"\}$/) as string },
      { enable: true, expr: 'n8n_tuned_load_measuring == 1' },
      { enable: true, expr: 'n8n_tuned_drill_fault' },
    ]);
  },
);

test.each(boards)(
  '%s says on each panel what to do, and names runbooks that there are',
  (_, board) => {
    for (const { title, description = '' } of panelsOf(board)) {
      expect({ title, description }).toEqual({
        title,
        description: expect.stringMatching(
          /\S\n\n\*\*What to do when this is bad:\*\* \S.*[.?]$/s,
        ) as string,
      });
      for (const name of description.match(/N8n\w+/g) ?? []) {
        expect(() => placeOf(name)).not.toThrow();
      }
    }
  },
);

test.each(boards)('%s gives each figure the unit of its series', (_, board) => {
  for (const { title, targets = [], fieldConfig } of panelsOf(board)) {
    const unit = fieldConfig?.defaults.unit ?? '';
    for (const { expr } of targets) {
      const isShareOrRate =
        / \/ /.test(expr) || /_seconds_total|_seconds_sum|_seconds_count/.test(expr);
      if (unit === 'bytes')
        expect({ title, expr }).toEqual({ title, expr: expect.stringMatching(/_bytes/) as string });
      if (/_bytes\b/.test(expr) && !/ \/ /.test(expr))
        expect({ title, unit }).toEqual({ title, unit: 'bytes' });
      if (/_seconds(_bucket)?\{/.test(expr) && !isShareOrRate)
        expect({ title, unit }).toEqual({ title, unit: 's' });
    }
  }
});

test.each(boards)('%s has panels side by side, none over another', (_, { panels }) => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from(
      { length: w * h },
      (_unused, n) => `${String(x + (n % w))}:${String(y + Math.floor(n / w))}`,
    ),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
});
