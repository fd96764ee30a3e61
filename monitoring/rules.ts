import { stringify } from 'yaml';
import type { Alert, AlertGroup } from './alert';
import { assumedInPlainRules, neededN8n, type Condition } from './conditions';
import { placeOf } from './runbook';
import { filledPlainly } from './tokens';

const head = (where: string): string =>
  `# Written by npm run generate from monitoring/alerts: change it there. ${where}\n`;

const runbook = (alert: Alert): string => `<<runbooks>>/${placeOf(alert.name)}`;

/** All groups for the chart: Prometheus' own form, with `needs` and `n8n` beside each rule and with tokens. */
export function chartRules(all: readonly AlertGroup[]): string {
  const groups = all.map(({ name, alerts }) => ({
    name,
    rules: alerts.map((alert) => ({
      needs: alert.needs,
      ...newer(alert),
      alert: alert.name,
      expr: alert.expr,
      ...lasting(alert),
      labels: { severity: alert.severity },
      annotations: { summary: alert.summary, runbook_url: runbook(alert) },
    })),
  }));
  return head('The chart fills the tokens in templates/monitoring/_rules.tpl.') + yaml({ groups });
}

/** All groups for a Prometheus without the chart, with the default thresholds. */
export function plainRules(
  groups: readonly AlertGroup[],
  assumed: readonly Condition[] = assumedInPlainRules,
): string {
  const filled = groups.map(({ name, alerts }) => ({
    name,
    rules: alerts
      .filter(({ needs }) => needs.every((need) => assumed.includes(need)))
      .map((alert) => ({
        alert: alert.name,
        expr: filledPlainly(alert.expr),
        ...lasting(alert),
        labels: { severity: alert.severity },
        annotations: {
          summary: filledPlainly(alert.summary),
          runbook_url: filledPlainly(runbook(alert)),
        },
      })),
  }));
  return (
    head('docs/monitoring.md says what it expects of the scrape configuration.') +
    yaml({ groups: filled.filter(({ rules }) => rules.length > 0) })
  );
}

const newer = ({ expr }: Alert): { n8n?: string } => {
  const n8n = neededN8n([expr]);
  return n8n === null ? {} : { n8n };
};

const lasting = ({ forMinutes }: Alert): { for?: string } =>
  forMinutes === 0 ? {} : { for: `${String(forMinutes)}m` };

const yaml = (content: unknown): string => stringify(content, { lineWidth: 0 });
