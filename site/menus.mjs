// The menus at the side: what a reader looks for, in the order in which it is needed. What is not named comes last.

const linkTo = (page) => `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;

/** A page by its path, with another text than its title where the title says too much or too little here. */
const START = [
  ['index.md', 'Overview'],
  'docs/guide.md',
  ['docs/reference.md', 'Every command'],
  'docs/glossary.md',
];
const MEASURE = [
  'docs/workloads.md',
  'docs/kubernetes.md',
  'docs/scale.md',
  'docs/drills.md',
  'docs/stand-in.md',
  'docs/recovery.md',
  ['nodes/README.md', 'The nodes'],
  ['docs/measured.md', 'What we measured'],
];
const DEPLOY = [
  ['charts/n8n-tuned/index.md', 'Chart and its values'],
  'docs/only-settings.md',
  'docs/chart/tuning.md',
  'docs/chart/memory.md',
  'docs/chart/traffic.md',
  'docs/chart/postgresql.md',
  'docs/chart/redis.md',
  'docs/chart/encryption-key.md',
  'docs/chart/task-runners.md',
  'docs/chart/patches.md',
  'docs/chart/data.md',
  'docs/chart/load-test.md',
  'docs/chart/upgrade.md',
];
const CHANGE = [
  'docs/chart/from-official.md',
  'docs/chart/from-community.md',
  'docs/chart/from-8gears.md',
  'studies/charts/peers.md',
];
const OBSERVE = [
  'docs/monitoring.md',
  'monitoring/dashboards/README.md',
  'monitoring/cluster/README.md',
  ['docs/runbooks/index.md', 'Runbooks'],
];
const PROJECT = [
  ['CHANGELOG.md', 'Changelog'],
  ['charts/n8n-tuned/CHANGELOG.md', 'Changelog of the chart'],
  ['cli/CHANGELOG.md', 'Changelog of the command'],
  ['nodes/QueueMonitor/CHANGELOG.md', 'Changelog of Queue Monitor'],
  ['nodes/LoadTarget/CHANGELOG.md', 'Changelog of Load Target'],
  'CONTRIBUTING.md',
  'docs/architecture.md',
  'docs/records/times/README.md',
  'RELEASING.md',
  'SECURITY.md',
  'CODE_OF_CONDUCT.md',
];

const pathOf = (entry) => (typeof entry === 'string' ? entry : entry[0]);
const NAMED = new Set([START, MEASURE, DEPLOY, CHANGE, OBSERVE, PROJECT].flat().map(pathOf));

/** For VitePress, from the title of each page of this version: an older one may lack some. */
export function sidebar(titles) {
  /** Those that are named, and others of a pattern by their titles. */
  const items = (named, others = /^$/) => [
    ...named
      .filter((entry) => pathOf(entry) in titles)
      .map((entry) => (typeof entry === 'string' ? item(entry) : item(...entry))),
    ...Object.keys(titles)
      .filter((page) => others.test(page) && !NAMED.has(page))
      .map((page) => item(page))
      .sort((a, b) => a.text.localeCompare(b.text)),
  ];
  const item = (page, text = titles[page]) => ({ text, link: linkTo(page) });
  const overview = items([['index.md', 'Overview']]);
  return {
    '/docs/runbooks/': [
      {
        items: [
          ...overview,
          ...items(['docs/monitoring.md', 'monitoring/dashboards/README.md', 'monitoring/cluster/README.md']),
        ],
      },
      {
        text: 'Runbooks',
        items: items([['docs/runbooks/index.md', 'All runbooks']], /^docs\/runbooks\//),
      },
    ],
    '/': [
      { text: 'Start', items: items(START) },
      { text: 'Measure', items: items(MEASURE) },
      { text: 'Deploy', items: items(DEPLOY, /^docs\/chart\//) },
      { text: 'Coming from another chart', items: items(CHANGE) },
      { text: 'Observe', items: items(OBSERVE) },
      { text: 'Project', items: items(PROJECT, /^docs\/[^/]+\.md$/) },
    ],
  };
}
