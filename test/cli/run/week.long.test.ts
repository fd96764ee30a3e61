import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readRun } from '../../../cli/src/record/read-run';
import { recordWeek, reportAgain } from './many-requests/week';
import { RequestFigures } from '../../../cli/src/analysis/requests/figures';
import { summarize, type RunFacts } from '../../../cli/src/run/analysis/summarize';

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
