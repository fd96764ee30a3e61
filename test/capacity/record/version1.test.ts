import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRun } from '../../../capacity/src/record/read';
import { readSearch } from '../../../capacity/src/record/read-find';
import { SweepFolder } from '../../../capacity/src/sweep/folder';

const folder = mkdtempSync(join(tmpdir(), 'version1-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const studies = join(__dirname, '../../../studies');
const recorded = (file: string): string[] =>
  readdirSync(studies, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(`/${file}`))
    .map((path) => join(studies, path));
const versionOf = (file: string): unknown =>
  (JSON.parse(readFileSync(file, 'utf8')) as { schemaVersion: unknown }).schemaVersion;

const RUN = ['sustained', 'not sustained', 'inconclusive', 'invalid', 'aborted'];

describe('records of schema version 1 speak the words of version 2', () => {
  test('a run', () => {
    const older = {
      schemaVersion: 1,
      profile: { name: 'load', loop: 'open' },
      summary: { generator: { cpuCores: 0.3, droppedIterations: 4, saturated: false } },
      verdict: {
        outcome: 'failed',
        sentence:
          'Wait did not hold 3 requests a second: p95 was 24.9 s, wanted p95<8s; what limited it: worker slots (x).',
      },
    };
    writeFileSync(join(folder, 'run.json'), JSON.stringify(older));
    const { schemaVersion, verdict, summary, profile } = readRun(folder);
    expect(schemaVersion).toBe(3);
    expect(profile.arrivals).toBe('even');
    expect(summary.generator).toMatchObject({ notSent: 4, latenessMs: null, coresAvailable: null });
    expect(verdict).toEqual({
      outcome: 'not sustained',
      sentence:
        'Wait did not sustain 3 req/s: p95 was 24.9 s, wanted p95<8s; limited by worker slots (x).',
      undecided: [],
    });
  });

  test('a sentence whose subject was the title of the workload', () => {
    const older = {
      schemaVersion: 1,
      kind: 'find',
      verdict: 'found',
      workload: { name: 'last-node', title: 'The cheapest full execution' },
      probes: [],
      sentence:
        'The cheapest full execution holds 63.5 requests a second with p95<300ms (between 61.7 and 66.7).',
    };
    writeFileSync(join(folder, 'find.json'), JSON.stringify(older));
    expect(readSearch(folder).sentence).toBe(
      'n8n sustains 63.5 req/s of last-node with p95<300ms (between 61.7 and 66.7).',
    );
  });

  test('one that 0.1.0 wrote', () => {
    const older = join(__dirname, 'version1');
    expect(versionOf(join(older, 'run.json'))).toBe(1);
    const { schemaVersion, verdict } = readRun(older);
    expect(schemaVersion).toBe(3);
    expect(verdict.outcome).toBe('sustained');
    expect(verdict.sentence).toContain('sustained 8 clients');
  });

  test('every recorded run, search and cell can still be read', () => {
    const runs = recorded('run.json').map((file) => readRun(join(file, '..')));
    const searches = recorded('find.json').map((file) => readSearch(join(file, '..')));
    const cells = recorded('sweep.json').flatMap((file) => {
      const sweeps = new SweepFolder(join(file, '..'));
      const sweep = sweeps.sweep();
      return sweep === null ? [] : sweeps.records(sweep);
    });
    expect(runs.length + searches.length + cells.length).toBeGreaterThan(50);
    expect(runs.filter(({ verdict }) => !RUN.includes(verdict.outcome))).toEqual([]);
    const probes = searches.flatMap((search) => search.probes);
    expect(probes.filter(({ result }) => !RUN.includes(result))).toEqual([]);
    expect(searches.filter(({ verdict }) => (verdict as string) === 'nothing held')).toEqual([]);
    expect(cells.filter(({ outcome }) => ![...RUN, 'crashed'].includes(outcome))).toEqual([]);
  });
});
