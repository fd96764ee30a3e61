import type { Alert, AlertGroup } from './alert';
import { conditions } from './conditions';
import { thresholds, type ThresholdName } from './thresholds';
import { filledPlainly } from './tokens';

const NOTE = '<!-- Written by npm run generate from monitoring/alerts: change it there. -->';

/** The page to which an alert's runbook_url leads. */
export function runbookPage(alert: Alert): string {
  const used = thresholdsOf(alert);
  const lasting = alert.forMinutes === 0 ? 'at once' : `after ${String(alert.forMinutes)} min`;
  return [
    `# ${alert.name}`,
    NOTE,
    `Severity ${alert.severity}; fires ${lasting}. ${needsSentence(alert)}`,
    '## What it means',
    alert.meaning,
    '## How to tell why',
    numbered(alert.tellWhy),
    '## What to do',
    bulleted(alert.whatToDo),
    '## The drill that causes it',
    alert.drill,
    '## The rule',
    `\`\`\`promql\n${filledPlainly(alert.expr)}\n\`\`\``,
    ...(used.length === 0
      ? []
      : [
          'Thresholds, under `monitoring.prometheusRule.thresholds` in the values of the chart:',
          table(
            ['name', 'default', 'meaning'],
            used.map((name) => [
              `\`${name}\``,
              String(thresholds[name].value),
              thresholds[name].meaning,
            ]),
          ),
        ]),
    '[All alerts](README.md)',
  ].join('\n\n');
}

/** The list of all pages. */
export function runbookIndex(groups: readonly AlertGroup[]): string {
  const sections = groups.flatMap(({ name, alerts }) => [
    `## ${name}`,
    table(
      ['alert', 'severity', 'it needs'],
      alerts.map((alert) => [
        `[${alert.name}](${alert.name}.md)`,
        alert.severity,
        alert.needs.map((need) => conditions[need]).join('; ') || '-',
      ]),
    ),
  ]);
  return [
    '# Runbooks',
    NOTE,
    "One page per alert: what it means, how to tell why, what to do, and the drill that causes it. How the alerts get into Prometheus, and how they are tested: [monitoring](../monitoring.md). In commands, `FULLNAME` is what the names of the release's objects begin with (`kubectl get deployments`).",
    ...sections,
  ].join('\n\n');
}

export const thresholdsOf = ({ expr, summary }: Alert): ThresholdName[] =>
  (Object.keys(thresholds) as ThresholdName[]).filter((name) =>
    `${expr}${summary}`.includes(`<<${name}>>`),
  );

function needsSentence({ needs }: Alert): string {
  if (needs.length === 0) return "It needs nothing but n8n's own metrics.";
  return `It needs ${needs.map((need) => conditions[need]).join(', and ')}.`;
}

const numbered = (items: readonly string[]): string =>
  items.map((item, index) => `${String(index + 1)}. ${item}`).join('\n');

const bulleted = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

function table(titles: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}
