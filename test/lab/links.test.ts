// Every link and picture of every page, and every address of this repository in any file, leads to a file that is in the
// repository, and to a heading or a record that is in that file.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { readArchive } from '../../cli/src/record/archive';

const root = join(__dirname, '../..');
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
/** Reports lie beside what they link to only where they were made. */
const pages = tracked.filter(
  (file) => file.endsWith('.md') && !/(^|\/)(results?|golden)\//.test(file),
);
const folders = new Set(tracked.map((file) => dirname(file)));

const withoutCode = (text: string): string =>
  text
    .replace(/^```[^]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()#]/g, ''));

/** The links of a page, also those of pictures, in Markdown and in HTML. */
const linksOf = (text: string): string[] =>
  [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"\s]+)"/g)].map(
    ([, inMarkdown, inHtml]) => inMarkdown ?? inHtml ?? '',
  );

/** The form in which notes, manifests, values and alerts name files of this repository. */
const ADDRESS =
  'https://(github\\.com/n8n-tuned/n8n-tuned/(blob|tree|raw)|raw\\.githubusercontent\\.com/n8n-tuned/n8n-tuned)/main/';
const addressesIn = (text: string): string[] =>
  [...text.matchAll(new RegExp(`${ADDRESS}(?<path>[\\w./-]*[\\w/-](#[\\w-]+)?)`, 'g'))].map(
    ({ groups }) => groups?.['path'] ?? '',
  );

/** The anchors that GitHub makes. */
function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = text.replace(/^```[^]*?^```/gm, '').match(/^#{1,6} .*$/gm) ?? [];
  return new Set(
    headings.map((heading) => {
      const slug = heading
        .replace(/^#+ /, '')
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-');
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${String(count)}`;
    }),
  );
}

const archives = new Map<string, Set<string>>();
function idsIn(archive: string): Set<string> {
  const ids = archives.get(archive) ?? new Set(readArchive(join(root, archive)).keys());
  archives.set(archive, ids);
  return ids;
}

/** Whether a link of a page, or an address below the root, leads nowhere. */
function leadsNowhere(page: string, text: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const file = path === '' ? page : relative(root, join(root, dirname(page), path));
  const isThere = path === '' || tracked.includes(file) || folders.has(file.replace(/\/$/, ''));
  if (!isThere && !existsSync(join(root, file))) return true;
  if (anchor === undefined) return false;
  if (file.endsWith('.jsonl.gz')) return !idsIn(file).has(anchor);
  if (!file.endsWith('.md')) return false;
  const target = file === page ? text : readFileSync(join(root, file), 'utf8');
  return !anchorsOf(target).has(decodeURIComponent(anchor));
}

const brokenLinks = (page: string, text: string): string[] =>
  linksOf(text).filter((link) => !/^[a-z]+:/.test(link) && leadsNowhere(page, text, link));
const brokenAddresses = (text: string): string[] =>
  addressesIn(text).filter((path) => leadsNowhere('', text, path));

test('a link to no file, a link to no heading and a picture that is not there are found', () => {
  const text =
    '# A page\n\n[one](LICENSE) [two](none.md) [three](#a-page) [four](#b) `[five](x)` <img src="no.png">';
  expect(brokenLinks('page.md', text)).toEqual(['none.md', '#b', 'no.png']);
  const record = (id: string): string => `[record](studies/capacity/results.jsonl.gz#${id})`;
  const lost = ['studies/capacity/results.jsonl.gz#none'];
  expect(brokenLinks('page.md', record('last-node/find') + record('none'))).toEqual(lost);
});

test('an address of this repository with no file or no heading is found', () => {
  const at = (path: string): string => `https://github.com/n8n-tuned/n8n-tuned/blob/main/${path}, `;
  const text = ['LICENSE', 'docs', 'docs/no.md', 'README.md#no', 'README.md#n8n-tuned'].map(at);
  expect(brokenAddresses(text.join(''))).toEqual(['docs/no.md', 'README.md#no']);
});

test.each(pages)('no link leads nowhere in %s', (page) => {
  expect(brokenLinks(page, readFileSync(join(root, page), 'utf8'))).toEqual([]);
});

const naming = execFileSync(
  'git',
  ['grep', '-lIE', ADDRESS, '--', '.', ':!test', ':!**/results/**'],
  { cwd: root, encoding: 'utf8' },
)
  .trim()
  .split('\n');

test.each(naming)('no address of this repository leads nowhere in %s', (file) => {
  expect(brokenAddresses(readFileSync(join(root, file), 'utf8'))).toEqual([]);
});

test('notes, manifests, values, alerts and the chart name files of this repository', () => {
  const some = [
    'workflows/cpu.json',
    'nodes/LoadTarget/LoadTarget.node.json',
    'nodes/LoadTarget/README.md',
  ];
  const chart = ['Chart.yaml', 'README.md', 'values.yaml'].map(
    (name) => `charts/n8n-tuned/${name}`,
  );
  expect(naming).toEqual(
    expect.arrayContaining([
      ...some,
      ...chart,
      'monitoring/n8n.rules.yaml',
      'nodes/LoadTarget/package.json',
    ]),
  );
});
