// The menus: what a reader wants to do, in the order in which it is done.

const linkTo = (page: string): string =>
  `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;

/** By task: pages by their path, with another text than the title where the title says too much or too little here. */
type Entry = string | readonly [page: string, text: string];

const TASKS: Record<string, readonly Entry[]> = {
  'Get started': [
    ['docs/get-started.md', 'The first answer'],
    ['docs/only-settings.md', 'Only the settings'],
    ['docs/measured.md', 'What we measured'],
    ['docs/compatibility.md', 'n8n versions'],
  ],
  'Load-test your workflow': [
    'docs/own-workflow.md',
    'docs/stand-in.md',
    'docs/find.md',
    'docs/read-a-report.md',
    'docs/compare.md',
    'docs/container.md',
    'docs/troubleshooting.md',
  ],
  Kubernetes: [
    ['docs/kubernetes.md', 'Measure in a cluster'],
    'docs/chart/migrate.md',
    'docs/chart/tuning.md',
    'docs/chart/traffic.md',
    'docs/chart/clouds.md',
    'docs/chart/postgresql.md',
    'docs/chart/redis.md',
    'docs/chart/encryption-key.md',
    'docs/chart/data.md',
    'docs/chart/task-runners.md',
    'docs/chart/patches.md',
    'docs/chart/gitops.md',
    'docs/chart/upgrade.md',
  ],
  'In CI': ['docs/ci.md'],
  'Go live': ['docs/go-live.md'],
  'Break it': ['docs/drills.md', 'docs/recovery.md'],
  'Watch it': ['docs/monitoring.md', ['docs/runbooks/index.md', 'Runbooks']],
  // What one looks up: lab/pages.ts counts the groups above as the manual.
  Reference: [
    ['docs/reference/index.md', 'Every command'],
    ['charts/n8n-tuned/index.md', 'The chart and its values'],
    ['charts/n8n-load/index.md', 'Load-test chart'],
    'docs/workloads.md',
    ['nodes/index.md', 'Load and queue nodes'],
    ['loadtests/index.md', 'Plain k6 scripts'],
    'docs/glossary.md',
  ],
  Project: [
    ['CHANGELOG.md', 'Changelog'],
    ['CONTRIBUTING.md', 'Contributing'],
    ['SECURITY.md', 'Security'],
  ],
};

/** What is below a page of the menu, and is shown only beside pages of its folder. */
const BELOW: Record<string, string> = {
  'docs/runbooks/index.md': 'docs/runbooks/',
  'docs/reference/index.md': 'docs/reference/',
};

const pathOf = (entry: Entry): string => (typeof entry === 'string' ? entry : entry[0]);

export interface MenuItem {
  text: string;
  link: string;
}
export interface MenuGroup {
  text: string;
  items: MenuItem[];
}
/** The title of each page of a version, by its path. */
export type Titles = Readonly<Record<string, string>>;

/** For VitePress, from the title of each page of this version: an older one may lack some. */
export function sidebar(titles: Titles): Record<string, MenuGroup[]> {
  const itemOf = (page: string, text = titles[page] ?? page): MenuItem => ({
    text,
    link: linkTo(page),
  });
  const items = (entries: readonly Entry[]): MenuItem[] =>
    entries
      .filter((entry) => pathOf(entry) in titles)
      .map((entry) => (typeof entry === 'string' ? itemOf(entry) : itemOf(...entry)));
  const below = (index: string, folder: string): MenuItem[] =>
    Object.entries(titles)
      .filter(([page]) => page.startsWith(folder) && page !== index)
      .map(([page, title]) => itemOf(page, title.replace(/^n8n-tuned |^Runbooks: /, '')))
      .sort((a, b) => a.text.localeCompare(b.text));
  /** The menu of all pages; what is below `open` is listed under it. */
  const groups = (open: string | null, folder = ''): MenuGroup[] =>
    Object.entries(TASKS)
      .map(([text, entries]) => ({
        text,
        items: [
          ...items(entries),
          ...(open !== null && entries.some((entry) => pathOf(entry) === open)
            ? below(open, folder)
            : []),
        ],
      }))
      .filter((group) => group.items.length > 0);
  return {
    ...Object.fromEntries(
      Object.entries(BELOW).map(([index, folder]) => [`/${folder}`, groups(index, folder)]),
    ),
    '/': groups(null),
  };
}

/** The pages of the manual, which the menus of this version leave out. */
export const leftOut = (titles: Titles): string[] => {
  const named = new Set(Object.values(TASKS).flat().map(pathOf));
  const isBelow = (page: string): boolean =>
    Object.values(BELOW).some((folder) => page.startsWith(folder));
  return Object.keys(titles).filter(
    (page) => page.startsWith('docs/') && !named.has(page) && !isBelow(page),
  );
};
