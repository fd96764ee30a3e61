// What the documentation site makes of a page; `make site` builds all of it, with every link checked.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { leftOut, sidebar } from '../../site/menus.ts';
import { converted, isPage, landing, pathOf, slugOf } from '../../site/pages.ts';
import { SYNONYMS } from '../../site/search.ts';

const root = join(__dirname, '../..');

const REPOSITORY = 'https://github.com/n8n-tuned/n8n-tuned';

interface Made {
  content: string;
  pictures: string[];
}

const FILES = [
  ...['README.md', 'Makefile', 'docs/guide.md', 'docs/chart/README.md'],
  ...['docs/a.png', 'docs/c.png', 'docs/d.png'],
];
const made = (page: string, text: string): Made =>
  converted(page, text, { files: new Set(FILES), ref: 'v1' });

test('links lead to pages where there are some, else to the repository', () => {
  const links = {
    '[a](docs/guide.md#run)': '[a](./docs/guide.md#run)',
    '[`a`](docs/chart)': '[`a`](./docs/chart/index.md)',
    '[a](Makefile)': `[a](${REPOSITORY}/blob/v1/Makefile)`,
    '[a](docs)': `[a](${REPOSITORY}/tree/v1/docs)`,
    '[a](https://n8n.io) [b](#b)': '[a](https://n8n.io) [b](#b)',
    // VitePress says of these that they lead nowhere.
    '[a](none.md)': '[a](none.md)',
  };
  const { content } = made('README.md', Object.keys(links).join('\n'));
  expect(content).toBe(Object.values(links).join('\n'));
  expect(made('docs/guide.md', '[a](../README.md)').content).toBe('[a](../overview.md)');
});

test('pictures are brought along, and code stays as it is', () => {
  const text = '<img alt="a" src="docs/a.png">\n\n`[a](Makefile)`\n\n```\n[a](Makefile)\n```\n';
  const { content, pictures } = made('README.md', text);
  expect(pictures).toEqual(['docs/a.png']);
  expect(content).toBe(text.replace('docs/a.png', './docs/a.png'));
});

test('of pictures for light and dark the site shows the one of the colours that were chosen', () => {
  const text =
    '<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="docs/b.png">\n  <img alt="a" src="docs/a.png">\n</picture>';
  const { content } = made('README.md', text);
  expect(content).toBe(
    '<img class="light-only" alt="a" src="./docs/a.png"><img class="dark-only" alt="a" src="docs/b.png">',
  );
});

test('where there are pictures for a narrow screen, each of the two has its own', () => {
  const text = `<picture>
  <source media="(max-width: 600px) and (prefers-color-scheme: dark)" srcset="docs/d.png">
  <source media="(max-width: 600px)" srcset="docs/c.png">
  <source media="(prefers-color-scheme: dark)" srcset="docs/b.png">
  <img alt="a" src="docs/a.png">
</picture>`;
  const { content, pictures } = made('README.md', text);
  expect(content).toBe(
    '<picture class="light-only"><source media="(max-width: 600px)" srcset="./docs/c.png"><img alt="a" src="./docs/a.png"></picture>' +
      '<picture class="dark-only"><source media="(max-width: 600px)" srcset="./docs/d.png"><img alt="a" src="docs/b.png"></picture>',
  );
  expect([...pictures].sort()).toEqual(['a', 'c', 'd'].map((name) => `docs/${name}.png`));
});

test('links to the repository that the site has a page for lead to the page', () => {
  const link = (path: string) => `[a](${REPOSITORY}/blob/main/${path})`;
  expect(made('docs/chart/README.md', link('docs/guide.md#run')).content).toBe(
    '[a](../guide.md#run)',
  );
  expect(made('README.md', link('Makefile')).content).toBe(`[a](${REPOSITORY}/blob/v1/Makefile)`);
});

test('pictures from the repository that the site has are shown from the site', () => {
  const picture = '![a](https://raw.githubusercontent.com/n8n-tuned/n8n-tuned/main/docs/a.png)';
  expect(made('docs/chart/README.md', picture)).toEqual({
    content: '![a](../a.png)',
    pictures: ['docs/a.png'],
  });
});

test('the menus name only pages that are there, by task, and list what is below a page beside it', () => {
  const titles = {
    'docs/get-started.md': 'Get started',
    'docs/find.md': 'Find the capacity',
    'docs/runbooks/index.md': 'Runbooks',
    'docs/runbooks/queue.md': 'Runbooks: queue',
  };
  const watch = { text: 'Runbooks', link: '/docs/runbooks/' };
  const menus: Record<string, { text: string; items: object[] }[]> = sidebar(titles);
  expect(menus['/']).toEqual([
    { text: 'Get started', items: [{ text: 'The first answer', link: '/docs/get-started' }] },
    { text: 'Load-test your workflow', items: [{ text: 'Find the capacity', link: '/docs/find' }] },
    { text: 'Watch it', items: [watch] },
  ]);
  expect(menus['/docs/runbooks/']?.at(-1)).toEqual({
    text: 'Watch it',
    items: [watch, { text: 'queue', link: '/docs/runbooks/queue' }],
  });
});

const tracked = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' });
const pages = tracked.split('\n').filter((file) => file !== '' && isPage(file));

test('no page of docs/ is left out of the menus, and each that has other words for the search is there', () => {
  expect(leftOut(Object.fromEntries(pages.map((page) => [pathOf(page), page])))).toEqual([]);
  expect(Object.keys(SYNONYMS).filter((page) => !pages.includes(page))).toEqual([]);
});

test('the site begins with the first sentence of the README, its picture and four cards', () => {
  const page: string = landing(readFileSync(join(root, 'README.md'), 'utf8'));
  expect(page).toContain('tagline: "Find out before go-live how much load your n8n sustains');
  expect(page).toContain('<picture>');
  expect(page.match(/^- \[/gm)).toHaveLength(4);
});

test('records, templates and what contributors read are no pages, and anchors are those of GitHub', () => {
  const files = [
    ...['docs/find.md', 'docs/measured.md', 'docs/architecture.md', 'docs/records/README.md'],
    ...['studies/a/README.md', 'studies/a/results/b/report.md', 'lab/README.md', 'RELEASING.md'],
    ...['.github/x.md', 'test/golden/a.md', 'charts/n8n-tuned/tools/readme-head.md'],
  ];
  expect(files.filter(isPage)).toEqual(['docs/find.md', 'docs/measured.md']);
  expect(slugOf('What `n8n` keeps, and why')).toBe('what-n8n-keeps-and-why');
});
