import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { attempt, paths } from '../../chart/support/helm.ts';
import { whose, type AlertCases, type Case } from './case';

const promtool = join(paths.bin, 'promtool');

interface Result {
  code: number;
  output: string;
}

export const checkRules = (file: string): Promise<Result> =>
  attempt(promtool, ['check', 'rules', file]);

export interface Rule {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** What promtool says of files that `writeTest` wrote. */
export const testRules = (files: readonly string[]): Promise<Result> =>
  attempt(promtool, ['test', 'rules', ...files]);

/** A rule and its cases in a file for promtool. */
export function writeTest(folder: string, rule: Rule, { fires, silent }: AlertCases): string {
  const expected = [
    ...fires.map((firing) => ({
      ...firing,
      alerts: [
        {
          exp_labels: { ...firing.labels, ...whose, severity: rule.labels['severity'] },
          exp_annotations: { ...rule.annotations, summary: firing.summary },
        },
      ],
    })),
    ...silent.map((quiet: Case) => ({ ...quiet, alerts: [] })),
  ];
  const tests = expected.map(({ series, atMinute, alerts }) => ({
    interval: '1m',
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      { eval_time: `${String(atMinute)}m`, alertname: rule.alert, exp_alerts: alerts },
    ],
  }));
  // Alone: promtool evaluates all rules of a file at each minute.
  const rulesFile = `${rule.alert}.yaml`;
  writeFileSync(
    join(folder, rulesFile),
    stringify({ groups: [{ name: rule.alert, rules: [rule] }] }),
  );
  const file = join(folder, `${rule.alert}.test.yaml`);
  writeFileSync(file, stringify({ rule_files: [rulesFile], evaluation_interval: '1m', tests }));
  return file;
}
