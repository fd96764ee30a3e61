import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CompareRecord } from '../../../cli/src/features/compare/record';
import type { RunRecord } from '../../../cli/src/record/run-record';
import { buildCli, endStartedClis, runCli } from '../../support/cli';
import { startKnownServer, type KnownServer } from '../../support/known-server';
import { sampleSearch } from '../../support/sample-find';
import { sampleRun } from '../../support/sample-run';

jest.setTimeout(180_000);

let out: string;
const servers: KnownServer[] = [];

beforeAll(buildCli);
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'compare-'));
});
afterEach(async () => {
  endStartedClis();
  await Promise.all(servers.splice(0).map((server) => server.close()));
  rmSync(out, { recursive: true, force: true });
});

async function serve(behaviour: Parameters<typeof startKnownServer>[0]): Promise<string> {
  const server = await startKnownServer(behaviour);
  servers.push(server);
  return server.url;
}

const loaded = (...more: string[]): string[] => [
  ...['--request', 'GET /x', '--expect', 'json.ok==true', '--out', out, '--json'],
  ...['--vus', '2', '--duration', '1s', '--pairs', '4', '--metric', 'p95', '--slo', 'errors<1%'],
  ...more,
];

describe('n8n-tuned compare', () => {
  it('compares each URL with the first: one that rejects requests quickly does not win, and fails CI', async () => {
    const a = await serve({ latencyMs: 200 });
    const rejecting = await serve({ latencyMs: 1, errorEvery: 5 });
    const faster = await serve({ latencyMs: 10 });
    const { code, stdout } = await runCli([
      ...['compare', a, rejecting, faster],
      ...loaded('--fail-on', 'worse'),
    ]);
    const records = JSON.parse(stdout) as (CompareRecord & { folder: string })[];
    expect([code, ...records.map(({ answer }) => answer)]).toEqual([1, 'worse', 'better']);
    expect(records.map(({ maxPairs, endedBy }) => [maxPairs, endedBy])).toEqual([
      [4, 'pairs'],
      [4, 'pairs'],
    ]);
    const [first, second] = records;
    expect(first?.sentence).toMatch(`${rejecting} is worse than ${a} by more than can be measured`);
    expect(first?.b).toMatchObject({ topology: null, outcomes: Array(4).fill('not sustained') });
    expect(first?.doubts.join()).toMatch(
      /B did not sustain its load in 4 of 4 rounds \(1, 2, 3, 4\)/,
    );
    expect(second?.doubts.join()).not.toContain('B did not sustain');
    expect(second?.a.values).toEqual(first?.a.values);
    for (const { folder, ...sides } of records) {
      expect(existsSync(join(folder, 'report.html'))).toBe(true);
      for (const run of [...sides.a.runs, ...sides.b.runs]) {
        expect(existsSync(join(folder, run, 'run.json'))).toBe(true);
      }
    }
  });

  it('of two sides gives one record, beside its runs', async () => {
    const url = await serve({ latencyMs: 20 });
    const { code, stdout } = await runCli([
      ...['compare', url, url, '--request', 'GET /x', '--expect', 'json.ok==true'],
      ...['--vus', '2', '--duration', '1s', '--pairs', '2', '--out', out, '--json'],
    ]);
    const { folder, a, b, sentence } = JSON.parse(stdout) as CompareRecord & { folder: string };
    expect(code).toBe(3);
    expect(sentence).toContain(`${url} again is not yet distinguishable from ${url}`);
    for (const run of [...a.runs, ...b.runs]) {
      expect(run).toMatch(/^runs\//);
      expect(existsSync(join(folder, run, 'run.json'))).toBe(true);
    }
  });

  it('measures the first round however little of the budget the warm-up leaves', async () => {
    const url = await serve({ latencyMs: 20 });
    // The warm-up alone takes longer.
    const { stdout } = await runCli(['compare', url, url, ...loaded('--budget', '1s')]);
    const { a, b } = JSON.parse(stdout) as CompareRecord;
    expect([a.values.length, b.values.length]).toEqual([2, 2]);
  });

  it('loads both sides at once with --duet, each pair in the same seconds', async () => {
    const a = await serve({ latencyMs: 20 });
    const b = await serve({ latencyMs: 40 });
    const { stdout } = await runCli(['compare', a, b, ...loaded('--duet', '--duration', '4s')]);
    const record = JSON.parse(stdout) as CompareRecord & { folder: string };
    expect(record.isDuet).toBe(true);
    expect(record.a.runs).toHaveLength(record.b.runs.length);
    const spanOf = (run: string): [string, string] => {
      const file = join(record.folder, run, 'run.json');
      const { startedAt, endedAt } = JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
      return [startedAt, endedAt];
    };
    for (const [round, run] of record.a.runs.entries()) {
      const [[beginA, endA], [beginB, endB]] = [spanOf(run), spanOf(record.b.runs[round] ?? '')];
      expect(beginA < endB && beginB < endA).toBe(true);
    }
  });

  const written = (name: string, file: string, record: object): string => {
    const folder = join(out, name);
    mkdirSync(folder);
    writeFileSync(join(folder, file), JSON.stringify(record));
    return folder;
  };

  it('puts two records side by side, without an interval, and says so', async () => {
    const { record } = sampleRun();
    const a = written('a', 'run.json', record);
    const achieved = { ...record.summary.achieved, ratePerSecond: 76.8 };
    const machine = { ...record.machine, cores: 4 };
    const b = written('b', 'run.json', {
      ...{ ...record, machine },
      summary: { ...record.summary, achieved },
    });
    const { code, stdout } = await runCli(['compare', a, b]);
    expect(code).toBe(0);
    expect(stdout).toContain('2 times as good, without an interval');
    const text = stdout.replace(/\s+/g, ' ');
    expect(text).toContain('measured on different machines');
    expect(text).toContain('With one record per side, there is no interval');
  });

  it.each([
    ['records of two kinds', 'compare two records of the same kind', []],
    ['--fail-on', '--fail-on works only with sides that are measured', ['--fail-on', 'worse']],
  ])('refuses %s with a sentence', async (_, sentence, more) => {
    const a = written('a', 'run.json', sampleRun().record);
    const b = written('b', 'find.json', sampleSearch());
    const { code, stderr } = await runCli(['compare', a, b, ...more]);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });
});
