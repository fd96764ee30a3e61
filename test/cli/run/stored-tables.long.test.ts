// A verdict rests on what was recorded: concluded from the tables on disk, it is the one that the run came to.
import { mkdtempSync, rmSync, existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSlos } from '../../../loadtests/lib/slo';
import { RequestsSeen } from '../../../cli/src/analysis/requests/seen';
import { RunFolder, type RunHead } from '../../../cli/src/record/folder';
import type { RecordedProfile, RunRecord } from '../../../cli/src/record/run-record';
import { conclude, type RunEnding } from '../../../cli/src/run/conclude';
import { readWholeRun, type WholeRun } from '../../support/read-run';
import { sampleRequests, sampleRun } from '../../support/sample-run';
import { readRun } from '../../../cli/src/record/read-run';
import { recordWeek, reportAgain } from './many-requests/week';
import { RequestFigures } from '../../../cli/src/analysis/requests/figures';
import { summarize, type RunFacts } from '../../../cli/src/run/analysis/summarize';

const root = mkdtempSync(join(tmpdir(), 'stored-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

type Tables = Omit<WholeRun, 'record'>;

async function stored(tables: Tables, record: RunRecord): Promise<Tables> {
  const folder = new RunFolder(root, record);
  for (const request of tables.requests) folder.request(request);
  for (const sample of tables.samples) folder.sample(sample);
  await folder.closeTables(tables.samples);
  folder.complete(record);
  return readWholeRun(folder.path);
}

function concluded(head: RunHead, { requests, samples }: Tables): RunRecord {
  const seen = new RequestsSeen(head.profile, 0);
  for (const request of requests) seen.add(request);
  return conclude(head, { requests: seen, kept: requests, samples }, ending());
}

const ending = (): RunEnding => ({
  endedAt: '2026-11-20T10:01:15.000Z',
  loadBeganAt: null,
  aborted: null,
  generator: { cpuCoresMean: 0.2, coresAvailable: 2, notSent: 0 },
  executions: { succeeded: 2700, failed: 3, unfinished: 0, source: 'database' },
  traced: { skipped: 'not here' },
  countedWithin: null,
  queueDrained: { seconds: 3 },
  failedSamplers: [],
  events: [{ tMs: 20_000, kind: 'exit', text: 'worker-1 ended: signal SIGKILL' }],
  files: { requests: 'requests.csv.gz', samples: 'samples.csv', logs: [] },
});

const profiles: RecordedProfile[] = [
  { name: 'load', loop: 'open', durationSeconds: 60, warmupSeconds: 10, ratePerSecond: 40 },
  { name: 'soak', loop: 'open', durationSeconds: 60, warmupSeconds: 10, ratePerSecond: 40 },
  { name: 'closed', loop: 'closed', durationSeconds: 60, warmupSeconds: 10, clients: 4 },
  // Nothing of it is measured.
  { name: 'load', loop: 'open', durationSeconds: 5, warmupSeconds: 200, ratePerSecond: 40 },
];
const slos = ['p95<300ms', 'p99.9<1s,errors<10%', 'p95<100ms,errors<1%,backlog=0', ''];

test.each(profiles.flatMap((profile) => slos.map((slo) => ({ profile, slo }))))(
  '$profile.name of $profile.warmupSeconds and $profile.durationSeconds s with $slo',
  async ({ profile, slo }) => {
    const requests = sampleRequests();
    const { record, samples } = sampleRun(requests);
    const id = `run-${profile.name}-${String(profile.warmupSeconds)}-${String(slo.length)}`;
    const head = { ...record, id, profile, slo: slo === '' ? [] : parseSlos(slo) };
    // No clock gives such times: they are exact to the nanosecond.
    const uneven = requests.map((one, i) => ({ ...one, durationMs: one.durationMs + i / 7e6 }));
    const tables = { requests: uneven, samples };
    const again = concluded(head, await stored(tables, head));
    expect(again.verdict.sentence).not.toBe('');
    expect(again).toEqual(concluded(head, tables));
  },
);

jest.setTimeout(60_000);

const out = mkdtempSync(join(tmpdir(), 'week-'));

afterAll(() => {
  rmSync(out, { recursive: true, force: true });
});

test('a soak of a week ends with a record, and its report can be made again', async () => {
  const requests = 20_000;
  const k6 = join(__dirname, 'many-requests/k6.mjs');
  const { folder, problems, ...week } = await recordWeek(out, k6, requests);
  expect(problems).toEqual([]);
  expect(week).toMatchObject({ offered: requests, errors: requests / 100 });
  for (const { measured, exact } of [week.p50, week.p95, week.p99]) {
    expect(Math.abs(measured / exact - 1)).toBeLessThan(0.01);
  }
  const { profile, summary, verdict } = readRun(folder);
  expect(profile).toMatchObject({ name: 'soak', durationSeconds: 7 * 86_400 });
  expect(summary.soak?.map(({ name }) => name)).toEqual(['latency']);
  expect(verdict.outcome).not.toBe('aborted');
  const report = join(folder, 'report.html');
  const before = readFileSync(report, 'utf8');
  rmSync(report);
  expect(await reportAgain(folder)).toEqual({ problems: [] });
  expect(readFileSync(report, 'utf8')).toBe(before);
  expect(existsSync(join(folder, 'incomplete.json'))).toBe(false);
});

test('a soak of days: more samples than a call can have arguments', () => {
  const facts: RunFacts = {
    measured: { fromMs: 5_000, toMs: 35_000 },
    loop: 'open',
    ...{ slos: [], executions: null, queueDrained: null },
    generator: { cpuCoresMean: 0.2, coresAvailable: 2, notSent: 0 },
  };
  const figures = new RequestFigures(facts);
  figures.add({
    ...{ tMs: 6_000, durationMs: 20, status: 200, ok: true, errorKind: '' },
    ...{ id: '1', workload: 'last-node', ranBy: '' },
  });
  const days = Array.from({ length: 200_000 }, (_, second) => ({
    ...{ tMs: 5_000 + second / 10, role: 'main', instance: 'main' },
    ...{ metric: 'rssMiB', value: 300 + (second % 500) },
  }));
  const { roles } = summarize(figures, days, facts);
  expect(roles[0]?.rssPeakMiB).toBe(799);
});
