import type { Alert, AlertGroup } from './alert';
import { alertGroups } from './alerts';
import { conditions, neededN8n } from './conditions';
import { thresholds, type ThresholdName } from './thresholds';

const NOTE = '<!-- Written by npm run generate from monitoring/alerts: change it there. -->';

/** The page of a group, below the root of the repository. */
export const pathOfGroup = ({ name }: AlertGroup): string =>
  `docs/runbooks/${name.replace(/^n8n-/, '')}.md`;

/** The place of each alert's runbook, from the folder of the runbooks. */
const places = new Map(
  alertGroups.flatMap((group) =>
    group.alerts.map(({ name }) => [
      name as string,
      `${pathOfGroup(group).replace('docs/runbooks/', '')}#${name.toLowerCase()}`,
    ]),
  ),
);

export function placeOf(alert: string): string {
  const place = places.get(alert);
  if (place === undefined) throw new Error(`no alert ${alert}: see monitoring/alerts`);
  return place;
}

/** The runbooks of a group, in one page. */
export const runbookPage = (group: AlertGroup): string =>
  [
    `# Runbooks: ${group.name.replace(/^n8n-/, '').replaceAll('-', ' ').replaceAll('cpu', 'CPU')}`,
    NOTE,
    'See also the [list of all alerts](README.md). The expression for each alert is in the [rules file](../../monitoring/n8n.rules.yaml).',
    ...group.alerts.flatMap(runbook),
  ]
    .join('\n\n')
    .replace(/\]\((N8n\w+)\.md\)/g, (_, name: string) => `](${linkWithin(group, name)})`)
    .replace(/\bdocs\/([a-z/-]+\.md(?:#[a-z-]+)?)/g, (_, path: string) => linkTo(path));

/** What a link to a page of the docs is called; in an alert, the page is named by its path. */
const TITLES: Readonly<Record<string, string>> = {
  'chart/data.md': 'Execution data',
  'chart/patches.md': 'Patches',
  'chart/redis.md': 'Redis',
  'chart/tuning.md#memory': 'Memory',
};

function linkTo(path: string): string {
  const title = TITLES[path];
  if (title === undefined) throw new Error(`no title for docs/${path}: see TITLES`);
  return `[${title}](../${path})`;
}

function linkWithin(group: AlertGroup, name: string): string {
  const isHere = group.alerts.some((alert) => alert.name === name);
  return isHere ? `#${name.toLowerCase()}` : placeOf(name);
}

function runbook(alert: Alert): string[] {
  const used = thresholdsOf(alert);
  const lasting =
    alert.forMinutes === 0
      ? 'as soon as its condition is true'
      : `when its condition has been true for ${alert.forMinutes === 1 ? '1 minute' : `${String(alert.forMinutes)} minutes`}`;
  const set =
    used.length === 0
      ? ''
      : ` [Thresholds](README.md#thresholds): ${used.map((name) => `\`${name}\``).join(', ')}.`;
  return [
    `## ${alert.name}`,
    `The severity of this alert is \`${alert.severity}\`. The alert fires ${lasting}. ${needsSentence(alert)}${set}`,
    alert.meaning,
    '**Find the cause**',
    numbered(alert.tellWhy),
    '**Fix the problem**',
    bulleted(alert.whatToDo),
    `**Test the alert.** ${alert.drill}`,
  ];
}

/** The list of all alerts, and what can be set about them. */
export function runbookIndex(groups: readonly AlertGroup[]): string {
  const sections = groups.map(({ name, alerts }) =>
    [
      `## ${name}`,
      table(
        ['alert', 'severity', 'requirements'],
        alerts.map((alert) => [
          `[${alert.name}](${placeOf(alert.name)})`,
          alert.severity,
          requirements(alert).join('; ') || '-',
        ]),
      ),
    ].join('\n\n'),
  );
  const used = new Set(groups.flatMap(({ alerts }) => alerts.flatMap(thresholdsOf)));
  return [
    '# Runbooks',
    NOTE,
    "Each alert has a runbook that explains what the alert means, how to find the cause, how to fix the problem, and how to test the alert. To load the alerts into Prometheus, see [Monitoring](../monitoring.md). In the commands, replace `FULLNAME` with the prefix of your release's object names (`kubectl get deployments`).",
    ...sections,
    '## Thresholds',
    'Set thresholds under `monitoring.prometheusRule.thresholds` in the chart values:',
    table(
      ['name', 'default', 'meaning'],
      [...used].map((name) => [
        `\`${name}\``,
        String(thresholds[name].value),
        thresholds[name].meaning,
      ]),
    ),
  ].join('\n\n');
}

export const thresholdsOf = ({ expr, summary }: Alert): ThresholdName[] =>
  (Object.keys(thresholds) as ThresholdName[]).filter((name) =>
    `${expr}${summary}`.includes(`<<${name}>>`),
  );

const LIST = new Intl.ListFormat('en');

/** Two needs are told apart by a comma if one of them has a comma of its own. */
const listOf = (needs: readonly string[]): string =>
  needs.length === 2 && needs.some((need) => need.includes(','))
    ? needs.join(', and ')
    : LIST.format(needs);

function needsSentence(alert: Alert): string {
  const needs = requirements(alert);
  if (needs.length === 0) return "The alert uses only n8n's own metrics.";
  return `The alert requires ${listOf(needs)}.`;
}

function requirements({ needs, expr }: Alert): string[] {
  const n8n = neededN8n([expr]);
  return [
    ...(n8n === null ? [] : [`n8n ${n8n} or newer`]),
    ...needs.map((need) => conditions[need]),
  ];
}

const numbered = (items: readonly string[]): string =>
  items.map((item, index) => `${String(index + 1)}. ${item}`).join('\n');

const bulleted = (items: readonly string[]): string => items.map((item) => `- ${item}`).join('\n');

export function table(titles: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}
