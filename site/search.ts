// What the search finds first: pages that answer before pages that list, by the words of those who ask.

import { REPOSITORY } from './pages.ts';

/** Words that readers use and a page does not: they are found in its first part. */
export const SYNONYMS: Record<string, string> = {
  'docs/get-started.md': 'install first steps quickstart tutorial guide begin start run setup',
  'docs/only-settings.md':
    'environment variables env faster speed up performance optimize compose docker terraform copy paste',
  'docs/own-workflow.md':
    'load test my workflow own webhook safe safely production credentials side effects api key',
  'docs/stand-in.md':
    'mock stub fake external services api openai anthropic language model stripe slack credentials side effects',
  'docs/find.md':
    'load take capacity throughput requests per second maximum limit benchmark stress test rps breaking point',
  'docs/read-a-report.md':
    'exit code codes inconclusive verdict result results meaning interpret bottleneck slo percentile p95 latency sustained',
  'docs/compare.md':
    'compare versions version two faster slower difference ab test sweep matrix predict process memory sample',
  'docs/ci.md': 'pipeline github actions gitlab regression continuous integration automate',
  'docs/go-live.md':
    'production checklist ready recommend values cost how many workers sizing size cpu memory needed prove launch',
  'docs/troubleshooting.md':
    'error message fails problem 401 403 404 500 502 certificate tls connection refused not working help fix debug',
  'docs/kubernetes.md':
    'cluster pods k8s rbac permissions namespace helm k6 operator load generator scale out',
  'docs/chart/migrate.md':
    'move migration switch from official community 8gears helm chart compare charts alternative other charts',
  'docs/chart/tuning.md':
    'heap memory limit oom out of memory node options profile concurrency expressions worker slots',
  'docs/chart/traffic.md': 'ingress gateway webhook url host tls public editor proxy mcp',
  'docs/chart/postgresql.md': 'database postgres connection pool cloudnativepg tls external',
  'docs/chart/redis.md': 'queue sentinel cluster valkey tls external',
  'docs/chart/encryption-key.md': 'credentials secret lost key',
  'docs/chart/data.md': 'disk space pruning delete old executions database grows retention history',
  'docs/chart/task-runners.md': 'code node python external runner javascript',
  'docs/chart/patches.md': 'change internals safe risk turn off switch preload script',
  'docs/chart/gitops.md':
    'argocd argo flux application helmrelease prune sync drift track label replicas autoscaler',
  'docs/chart/upgrade.md':
    'update new version roll back rollback downgrade uninstall remove delete rollout downtime graceful shutdown',
  'docs/drills.md':
    'crash chaos lost requests kill worker fault failure resilience redis down outage',
  'docs/recovery.md': 'lost executions retry crashed restore run again',
  'docs/monitoring.md': 'metrics prometheus grafana dashboards alerts watch live view observe',
  'docs/runbooks/README.md': 'alert alerts fires runbook on call',
  'docs/workloads.md': 'example workflows bundled sample import demand key',
};

/** Kept out: they have every word, and answer no question. */
const NOT_SEARCHED = /(^|\/)CHANGELOG\.md$|^(CONTRIBUTING|README)\.md$/;

/** What VitePress reads of a page before its text. */
export const frontMatter = (page: string): string =>
  `---\n${[
    `edit: ${REPOSITORY}/edit/main/${page}`,
    ...(NOT_SEARCHED.test(page) ? ['search: false'] : []),
    ...(SYNONYMS[page] === undefined ? [] : [`synonyms: ${SYNONYMS[page]}`]),
  ].join('\n')}\n---\n\n`;

/** HTML to index for a page: its own, with the other words below its title. */
export function rendered(
  source: string,
  env: { frontmatter?: { search?: boolean; synonyms?: string } },
  markdown: { render: (source: string, env: object) => string },
): string {
  const html = markdown.render(source, env);
  const { search, synonyms } = env.frontmatter ?? {};
  if (search === false) return '';
  return synonyms === undefined
    ? html
    : html.replace('</h1>', `</h1><p>${`${synonyms} `.repeat(3)}</p>`);
}

/**
 * A word as it is written into the index and looked for there; null leaves out what says nothing. VitePress writes this
 * function and the next one into the page as text, so that they name nothing outside themselves.
 */
const processTerm = (term: string): string | null => {
  const empty =
    ' a about an and are as at be by can do does for from get has have how i if in is it its me much many my of on or ' +
    'our should that the there this to want what when where which who why will with your n8n ';
  const word = term.toLowerCase();
  return empty.includes(` ${word} `) ? null : word;
};

/** The beginning of a page before its parts, and pages that answer before those that list. */
const boostDocument = (id: string, _term: string, { titles }: { titles: string[] }): number => {
  const isList = /\/(reference|runbooks|charts|nodes|loadtests|cli)\/|\/docs\/measured/.test(id);
  return (titles.length === 0 ? 5 : 1) * (isList ? 0.3 : 1);
};

export const search = {
  provider: 'local',
  options: {
    _render: rendered,
    miniSearch: {
      options: { processTerm },
      searchOptions: { combineWith: 'AND', boostDocument, boost: { title: 6, titles: 2, text: 1 } },
    },
  },
};
