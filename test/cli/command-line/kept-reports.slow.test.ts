/** A record whose raw samples were thrown away keeps the reports that were made of them. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../../cli/src/lab/paths';
import { programOf } from '../../../cli/src/program';
import { ledgerCsv } from '../../../cli/src/features/drill/report/ledger-csv';
import { sampleComparison } from '../../support/sample-compare';
import { sampleDrill } from '../../support/sample-drill';
import { sampleRunIn } from '../../support/sample-run';

let root: string;
let told: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kept-reports-'));
  told = '';
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    told += String(text);
    return true;
  });
});

afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = 0;
  rmSync(root, { recursive: true, force: true });
});

const KINDS: [string, () => Promise<string>][] = [
  ['run', () => sampleRunIn(root)],
  [
    'comparison',
    async () => {
      const folder = join(root, 'comparison');
      const record = sampleComparison();
      const runs = await Promise.all(
        [...record.a.runs, ...record.b.runs].map((run) =>
          sampleRunIn(join(folder, run, '..', run)),
        ),
      );
      const names = runs.map((run) => run.slice(folder.length + 1));
      const half = record.a.runs.length;
      const a = { ...record.a, runs: names.slice(0, half) };
      const b = { ...record.b, runs: names.slice(half) };
      writeFileSync(join(folder, 'compare.json'), JSON.stringify({ ...record, a, b }));
      return folder;
    },
  ],
  [
    'drill',
    async () => {
      const folder = join(root, 'drill');
      mkdirSync(folder);
      const { record, entries } = sampleDrill();
      const run = (await sampleRunIn(join(folder, 'runs'))).slice(folder.length + 1);
      writeFileSync(join(folder, 'drill.json'), JSON.stringify({ ...record, run }));
      writeFileSync(join(folder, 'ledger.csv'), ledgerCsv(entries));
      return folder;
    },
  ],
];

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile());

const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    filesIn(folder)
      .filter((name) => /\.(html|md|svg)$/.test(name))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

const report = (folder: string): Promise<unknown> =>
  programOf().parseAsync(['report', folder], { from: 'user' });

describe.each(KINDS)('of a %s', (_, make) => {
  it('keeps its plots and pages, and says that the raw samples are gone', async () => {
    const folder = await make();
    await report(folder);
    expect(told).not.toContain('was kept without');
    const before = contents(folder);
    expect(Object.keys(before)).toContain('report.md');
    expect(Object.keys(before).some((name) => name.endsWith('.svg'))).toBe(true);
    for (const name of filesIn(folder)) {
      if (/(requests\.csv\.gz|samples\.csv)$/.test(name)) rmSync(join(folder, name));
    }
    await report(folder);
    expect(contents(folder)).toEqual(before);
    expect(told).toContain('existing report files stay as they are');
    expect(process.exitCode).toBe(0);
  });

  it('gets no plot of requests that nobody knows', async () => {
    const folder = await make();
    for (const name of filesIn(folder)) {
      if (/(requests\.csv\.gz|samples\.csv)$/.test(name)) rmSync(join(folder, name));
    }
    await report(folder);
    const plots = Object.keys(contents(folder)).filter((name) => /rate|latency|slower/.test(name));
    expect(plots.filter((name) => name.endsWith('.svg'))).toEqual([]);
    expect(told).toContain('plots over time are left out');
  });
});

test('records that lack the same files are named once, with their count', async () => {
  const folders = [await sampleRunIn(join(root, 'a')), await sampleRunIn(join(root, 'b'))];
  for (const folder of folders) rmSync(join(folder, 'requests.csv.gz'));
  await report(root);
  expect(told.match(/without/g)).toHaveLength(1);
  expect(told).toContain(
    '2 records were kept without requests.csv.gz, so plots over time are left out',
  );
  expect(told).toContain('; the first is ');
});

describe('a record of an archive', () => {
  const archive = join(repositoryRoot(), 'studies/capacity/results.jsonl.gz');
  const written = (): string =>
    (process.stdout.write as jest.Mock<boolean, [string]>).mock.calls.flat().join('');
  const before = process.cwd();
  beforeEach(() => {
    process.chdir(root);
  });
  afterEach(() => {
    process.chdir(before);
  });

  it('gets the report that it would have as a folder', async () => {
    await report(`${archive}#last-node/find`);
    expect(written()).toContain('results/records/capacity/last-node/report.html');
    const pages = contents(join(root, 'results/records/capacity/last-node'));
    expect(Object.keys(pages)).toEqual(expect.arrayContaining(['report.html', 'report.md']));
  });

  it('is drawn where a part of a study holds it, and says what was not kept', async () => {
    const drills = join(repositoryRoot(), 'studies/drills/results.jsonl.gz');
    const id = 'parts/kill-worker-process-defaults-1';
    await report(`${drills}#${id}`);
    const pages = contents(join(root, 'results/records/drills', id));
    expect(Object.keys(pages)).toContain('plots/ledger.svg');
    expect(pages['report.md']).toContain('This record was kept without the run');
    expect(pages['report.md']).not.toContain('beside this file');
    expect(told).toContain('was kept without the run, so plots over time are left out');
  });

  it('is a proof with its verdict, its margin and its runs', async () => {
    const proofs = join(repositoryRoot(), 'studies/proof/results.jsonl.gz');
    await report(`${proofs}#recommended/proof`);
    const pages = contents(join(root, 'results/records/proof/recommended'));
    expect(pages['report.html']).toContain('<strong>PROVEN</strong>');
    expect(pages['report.md']).toContain('Least margin');
    expect(Object.keys(pages).filter((name) => name.endsWith('report.html'))).toHaveLength(2);
  });

  it('gets its page from the record, not one that an older command wrote', async () => {
    const comparisons = join(repositoryRoot(), 'studies/comparisons/results.jsonl.gz');
    await report(`${comparisons}#last-node-regular/compare`);
    const { 'report.md': page = '' } = contents(
      join(root, 'results/records/comparisons/last-node-regular'),
    );
    expect(page).toContain('## How sure is this?');
    expect(page).not.toMatch(/\d %/);
  });

  it('is printed as JSON where a script of the study wrote it', async () => {
    await report(`${archive}#ten-times`);
    expect(JSON.parse(written())).toHaveProperty('runs');
  });

  it('is listed by its id where the archive alone is named', async () => {
    await report(archive);
    expect(written().trim().split('\n')).toEqual(['items/find', 'last-node/find', 'ten-times']);
  });
});
