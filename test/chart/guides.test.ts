// The values that the migration guides show for this chart are valid, and every link in the documents leads somewhere.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chart, paths, render } from './support/helm.ts';

const docs = join(chart, '../../docs/chart');
const pages = readdirSync(docs).map((file) => join(docs, file));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-guides-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test.each(['from-official.md', 'from-community.md', 'from-8gears.md'])(
  '%s shows values that render',
  async (page) => {
    const [, ours] =
      /The same here:\n\n```yaml\n([^]*?)```/.exec(readFileSync(join(docs, page), 'utf8')) ?? [];
    const file = join(folder, `${page}.yaml`);
    writeFileSync(file, ours ?? 'missing: true');
    const { manifests } = await render(paths.helm3, ['-f', file]);
    expect(
      manifests
        .filter(({ kind }) => kind === 'Deployment')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(['n8n-n8n-tuned-main', 'n8n-n8n-tuned-webhook', 'n8n-n8n-tuned-worker']);
  },
);

test.each([...pages, join(chart, 'README.md')])('%s links to what is there', (page) => {
  const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#:]+)\)/g)].map(
    ([, link]) => link ?? '',
  );
  expect(links.filter((link) => !existsSync(join(dirname(page), link)))).toEqual([]);
});
