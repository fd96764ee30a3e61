import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildCli, endStartedClis, runCli, runFolder } from '../../support/cli';
import { startKnownServer } from '../../support/known-server';
import { startS3Server, type S3Server } from '../../support/s3-server';
import { sampleComparison } from '../../support/sample-compare';
import { sampleSearch } from '../../support/sample-find';
import { sampleRunIn } from '../../support/sample-run';

jest.setTimeout(60_000);

let root: string;

beforeAll(buildCli);

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'records-'));
});

afterEach(() => {
  endStartedClis();
  rmSync(root, { recursive: true, force: true });
});

function a(name: string, file: string, record: object): string {
  mkdirSync(join(root, name));
  writeFileSync(join(root, name, file), JSON.stringify(record));
  return join(root, name);
}

const reportIn = (folder: string): string => readFileSync(join(folder, 'report.html'), 'utf8');

describe('n8n-tuned report', () => {
  it('makes the reports of runs, searches and comparisons, each with its parts', async () => {
    const run = await sampleRunIn(root);
    const search = a('a-search', 'find.json', sampleSearch());
    const probe = await sampleRunIn(join(search, 'probes'));
    const comparison = a('a-comparison', 'compare.json', sampleComparison());
    const { code, stdout } = await runCli(['report', root]);
    expect(code).toBe(0);
    expect(reportIn(run)).toContain('n8n did not sustain 40 req/s');
    expect(reportIn(search)).toContain('n8n sustains 40 req/s of last-node.');
    expect(reportIn(probe)).toContain('n8n did not sustain 40 req/s');
    expect(reportIn(comparison)).toContain('tuned is better than none by 2.5x');
    for (const plot of ['pairs', 'ratios'])
      expect(existsSync(join(comparison, 'plots', `${plot}.svg`))).toBe(true);
    // A probe is a part of its search, which is what is listed.
    expect(stdout.match(/report\.html/g)).toHaveLength(3);
    expect(stdout).not.toContain(probe);
    const index = readFileSync(join(root, 'index.html'), 'utf8');
    const links = [...index.matchAll(/<a href="([^"]+)">/g)].map(([, href]) => href ?? '');
    expect(links).toHaveLength(3);
    for (const link of links) expect(existsSync(join(root, decodeURIComponent(link)))).toBe(true);
  });

  it('prints what it found as JSON, and every run in one table', async () => {
    const search = a('a-search', 'find.json', sampleSearch());
    await sampleRunIn(join(search, 'probes'));
    const csv = join(root, 'runs.csv');
    const { stdout } = await runCli(['report', root, '--json', '--csv', csv]);
    expect(JSON.parse(stdout)).toEqual([sampleSearch()]);
    expect(readFileSync(csv, 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('reads a comparison that came to no interval', async () => {
    const ratio = { value: NaN, low: 0, high: Infinity };
    const record = { ...sampleComparison(), ratio, answer: 'unknown' };
    const comparison = a('a-comparison', 'compare.json', record);
    expect((await runCli(['report', comparison])).code).toBe(0);
    expect(reportIn(comparison)).toContain('not yet known');
  });

  it('says in a sentence that there is nothing', async () => {
    const { code, stderr } = await runCli(['report', root]);
    expect(code).toBe(2);
    expect(stderr).toContain('no records found in');
  });
});

describe('copies to a real S3 server', () => {
  let server: S3Server;

  beforeAll(async () => {
    server = await startS3Server();
  });

  afterAll(() => server.close());

  it('run --s3 copies the whole run beside keeping it here', async () => {
    const known = await startKnownServer({ latencyMs: 5 });
    const order = ['run', '--target', 'url', '--url', known.url, '--out', root];
    const request = ['--request', 'GET /x', '--profile', 'smoke', '--duration', '1s'];
    const { code } = await runCli([...order, ...request, '--s3', 's3://runs/n8n'], server.env);
    await known.close();
    expect(code).toBe(0);
    const folder = runFolder(root) ?? '';
    const name = folder.slice(root.length + 1);
    for (const file of ['run.json', 'samples.csv', 'report.html', 'report.md']) {
      expect(server.content(`n8n/${name}/${file}`)).toBe(readFileSync(join(folder, file), 'utf8'));
    }
    expect(server.content(`n8n/${name}/run.json`)).not.toContain(
      server.env['AWS_SECRET_ACCESS_KEY'],
    );
  });

  it('an upload that fails is said, costs nothing here, and is made up for by report --s3', async () => {
    const known = await startKnownServer({ latencyMs: 5 });
    const order = ['run', '--target', 'url', '--url', known.url, '--out', root];
    const request = ['--request', 'GET /x', '--profile', 'smoke', '--duration', '1s'];
    const run = await runCli([...order, ...request, '--s3', 's3://nowhere/n8n'], server.env);
    await known.close();
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('NoSuchBucket; the local results are complete');
    const folder = runFolder(root) ?? '';
    expect((await runCli(['report', root, '--s3', 's3://runs/again'], server.env)).code).toBe(0);
    const name = folder.slice(root.length + 1);
    expect(server.content(`again/${name}/run.json`)).toBe(
      readFileSync(join(folder, 'run.json'), 'utf8'),
    );
  });

  it('report --s3 copies a search with its probes', async () => {
    const search = a('a-search', 'find.json', sampleSearch());
    const probe = await sampleRunIn(join(search, 'probes'));
    expect((await runCli(['report', root, '--s3', 's3://runs'], server.env)).code).toBe(0);
    expect(server.content('a-search/find.json')).toContain('"kind":"find"');
    expect(server.content(`a-search/probes/${probe.split('/').at(-1) ?? ''}/run.json`)).toContain(
      '"schemaVersion"',
    );
  });
});
