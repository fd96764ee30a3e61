/** What `npm run generate` writes, by path in the repository. */
import { alertGroups } from './alerts';
import { drawn, DRAWN } from './drawn';
import { chartRules, plainRules } from './rules';
import { pathOfGroup, runbookIndex, runbookPage } from './runbook';
import { watched } from './watched';
import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { boards } from './dashboards/boards';
import { dashboardOf } from './dashboards/build';

const dashboards: readonly Dashboard[] = boards.map(dashboardOf);

const CHART = 'charts/n8n-tuned/files/monitoring';

export function files(root: URL): Record<string, string> {
  const pages = alertGroups.map((group) => [pathOfGroup(group), runbookPage(group)]);
  const boards = dashboards.map((dashboard) => [
    `${CHART}/dashboards/${dashboard.uid ?? ''}.json`,
    JSON.stringify(dashboard, null, 2),
  ]);
  return {
    ...Object.fromEntries([...pages, ...boards]),
    [`${CHART}/rules.yaml`]: chartRules(alertGroups),
    'monitoring/n8n.rules.yaml': plainRules(alertGroups),
    'docs/runbooks/README.md': runbookIndex(alertGroups),
    ...drawn(root),
    ...watched(root),
  };
}

/** Folders that hold nothing else. */
export const owned = [`${CHART}/dashboards`, 'docs/runbooks', DRAWN];
