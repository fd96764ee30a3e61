// Every alert, as the chart renders it, fires on series that show its fault and stays silent on others, by promtool.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { alertGroups } from '../../monitoring/alerts';
import { thresholdsOf } from '../../monitoring/runbook';
import { thresholds, type ThresholdName } from '../../monitoring/thresholds';
import { checkRules, testRules, writeTest, type Rule } from './support/promtool';
import { renderEverything } from './support/rendered';
import type { CasesByAlert } from './support/case';
import { availability } from './cases/availability';
import { executions } from './cases/executions';
import { exporter } from './cases/exporter';
import { memoryAndCpu } from './cases/memory-and-cpu';
import { queue } from './cases/queue';
import { stores } from './cases/stores';
import { webhooks } from './cases/webhooks';

const cases: CasesByAlert = {
  ...availability,
  ...webhooks,
  ...queue,
  ...executions,
  ...memoryAndCpu,
  ...stores,
  ...exporter,
};

const root = repositoryRoot();
const alerts = alertGroups.flatMap((group) => group.alerts);

let folder: string;
let rulesFile: string;
let rules: Rule[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-rules-'));
  ({ rulesFile, rules } = await renderEverything(folder));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

const ruleOf = (name: string): Rule => {
  const rule = rules.find(({ alert }) => alert === name);
  if (rule === undefined) throw new Error(`the chart renders no ${name}`);
  return rule;
};

test('the chart renders every alert, and fills every token', () => {
  expect(rules.map(({ alert }) => alert).sort()).toEqual(alerts.map(({ name }) => name).sort());
  expect(readFileSync(rulesFile, 'utf8')).not.toMatch(/<<\w+>>/);
});

test.each(['the chart', 'the plain file'])(
  'promtool finds no fault in the rules of %s',
  async (of_) => {
    const file = of_ === 'the chart' ? rulesFile : join(root, 'monitoring/n8n.rules.yaml');
    const { code, output } = await checkRules(file);
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(/SUCCESS/) as string,
    });
    expect(readFileSync(file, 'utf8')).not.toMatch(/<<\w+>>/);
  },
);

test('every alert has series on which it fires and series on which it is silent', () => {
  expect(Object.keys(cases).sort()).toEqual(alerts.map(({ name }) => name).sort());
  const without = Object.entries(cases).filter(
    ([, { fires, silent }]) => fires.length === 0 || silent.length === 0,
  );
  expect(without).toEqual([]);
});

describe('of all alerts', () => {
  let files: Record<string, string>;
  let all: Awaited<ReturnType<typeof testRules>>;
  beforeAll(async () => {
    files = Object.fromEntries(
      Object.entries(cases).map(([name, each]) => [name, writeTest(folder, ruleOf(name), each)]),
    );
    all = await testRules(Object.values(files));
  });

  test.each(Object.keys(cases))('%s fires and stays silent', async (name) => {
    const file = files[name] ?? '';
    expect(all.output).toContain(file);
    // One process for all that is well; what is wrong is said of each by itself.
    if (all.code === 0) return;
    const { code, output } = await testRules([file]);
    expect({ code, output }).toEqual({ code: 0, output: expect.any(String) as string });
  });
});

test('a case that is wrong fails', async () => {
  const { fires, silent } = cases['N8nMainDown'] ?? { fires: [], silent: [] };
  const neverSilent = { fires: [], silent: fires };
  const neverFires = { fires: silent.map((quiet) => ({ ...quiet, summary: 'x' })), silent: [] };
  for (const wrong of [neverSilent, neverFires]) {
    const { code, output } = await testRules([writeTest(folder, ruleOf('N8nMainDown'), wrong)]);
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringMatching(/FAILED/) as string,
    });
  }
});

test('the thresholds of the values are those of the runbooks, and each is used', () => {
  const values = parse(readFileSync(join(root, 'charts/n8n-tuned/values.yaml'), 'utf8')) as {
    monitoring: { prometheusRule: { thresholds: Record<string, number> } };
  };
  const defaults = Object.fromEntries(
    Object.entries(thresholds).map(([name, { value }]) => [name, value]),
  );
  expect(values.monitoring.prometheusRule.thresholds).toEqual(defaults);
  const used = new Set<ThresholdName>(alerts.flatMap(thresholdsOf));
  expect(Object.keys(thresholds).filter((name) => !used.has(name as ThresholdName))).toEqual([]);
});
