// `report --prometheus` on a real Prometheus whose series are known, since this test has written them.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { RemoteWrite } from '../../cli/src/prometheus/remote-write';
import type { TimeSeries } from '../../cli/src/prometheus/series';
import { REQUESTS_HEAD } from '../../cli/src/record/csv';
import type { RecordedPanels } from '../../cli/src/record/panels';
import type { RunRecord } from '../../cli/src/record/run-record';
import { buildCli, endStartedClis, runCli } from '../support/cli';
import { freePort } from '../../cli/src/targets/process/ports';
import { sampleRun } from '../support/sample-run';
import { Prometheus } from './support/prometheus';

jest.setTimeout(120_000);

let folder: string;
let prometheus: Prometheus;
/** A minute ago: Prometheus takes no samples that are old. */
const zeroMs = Math.floor(Date.now() / 1000) * 1000 - 90_000;
const LENGTH_SECONDS = 60;

const series = (
  name: string,
  labels: Record<string, string>,
  at: (s: number) => number,
): TimeSeries => ({
  labels: { __name__: name, ...labels },
  samples: Array.from({ length: LENGTH_SECONDS + 31 }, (_, index) => {
    const second = index - 30;
    return { atMs: zeroMs + 1000 * second, value: at(second) };
  }),
});

const of = (release: string): Record<string, string> => ({
  ...{ job: 'n8n', namespace: 'shop', release, role: 'main', instance: `${release}:5678` },
});

function record(given: Partial<RunRecord>): RunRecord {
  const { record: sample } = sampleRun();
  return {
    ...sample,
    startedAt: new Date(zeroMs - 5000).toISOString(),
    loadBeganAt: new Date(zeroMs).toISOString(),
    endedAt: new Date(zeroMs + LENGTH_SECONDS * 1000).toISOString(),
    ...given,
  };
}

function folderOf(name: string, given: Partial<RunRecord> = {}): string {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, 'run.json'), JSON.stringify(record(given)));
  writeFileSync(join(path, 'requests.csv.gz'), gzipSync(REQUESTS_HEAD));
  return path;
}

beforeAll(async () => {
  buildCli();
  folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-report-'));
  mkdirSync(join(folder, 'prometheus'));
  prometheus = await Prometheus.start(join(folder, 'prometheus'), {
    flags: ['--web.enable-remote-write-receiver'],
  });
  const cpu = 'n8n_process_cpu_seconds_total';
  await RemoteWrite.at(`${prometheus.url}/api/v1/write`).write([
    ...['prod', 'test'].flatMap((release) => [
      series('n8n_process_start_time_seconds', of(release), () => 1),
      series(cpu, of(release), (second) => (release === 'prod' ? 0.5 : 0.25) * (second + 30)),
    ]),
    series('n8n_nodejs_eventloop_lag_p99_seconds', of('prod'), (second) => second / 1000),
    series(
      'container_memory_working_set_bytes',
      { namespace: 'shop', pod: 'prod-main-0', container: 'n8n' },
      () => 700 * 1024 * 1024,
    ),
  ]);
});

afterAll(async () => {
  endStartedClis();
  await prometheus.stop();
  rmSync(folder, { recursive: true });
});

const panelsIn = (path: string): RecordedPanels =>
  JSON.parse(readFileSync(join(path, 'prometheus.json'), 'utf8')) as RecordedPanels;

const panel = (path: string, title: string) =>
  panelsIn(path).panels.find((one) => one.title === title);

const report = (path: string, ...more: string[]) =>
  runCli(['report', path, '--prometheus', prometheus.url, ...more]);

test('report --prometheus puts the series of n8n into the report, on the time axis of the load', async () => {
  const path = folderOf('of-prod');
  const { code, stderr } = await report(path, '--prometheus-release', 'prod');
  const note = `n8n-tuned: ${path} was kept without samples.csv, so plots over time are left out.\n`;
  expect({ code, stderr }).toEqual({ code: 0, stderr: note });
  expect(panelsIn(path)).toMatchObject({ scrapeSeconds: 1, stepSeconds: 1 });
  const lag = panel(path, 'Event-loop lag, 99th percentile')?.series ?? [];
  expect(lag).toHaveLength(1);
  expect(lag[0]?.points[0]).toEqual([0, 0]);
  expect(lag[0]?.points[40]).toEqual([40, 0.04]);
  const cpu = panel(path, 'CPU of each process')?.series ?? [];
  expect(cpu.map(({ label }) => label)).toEqual(['main prod:5678']);
  expect(cpu[0]?.points[30]?.[1]).toBeCloseTo(0.5, 6);

  const html = readFileSync(join(path, 'report.html'), 'utf8');
  expect(html).toContain('<h2>From Prometheus: ');
  expect(html).toContain('Event-loop lag, 99th percentile');
  expect(existsSync(join(path, 'plots/prometheus-cpu-of-each-process.svg'))).toBe(true);
  expect(readFileSync(join(path, 'report.md'), 'utf8')).toContain(
    '](plots/prometheus-cpu-of-each-process.svg)',
  );
});

test('report --prometheus keeps them: a report that is made again has them without Prometheus', async () => {
  const path = folderOf('kept');
  await report(path);
  const before = readFileSync(join(path, 'report.html'), 'utf8');
  expect((await runCli(['report', path])).code).toBe(0);
  expect(readFileSync(join(path, 'report.html'), 'utf8')).toBe(before);
});

test('report --prometheus takes every release where none is named', async () => {
  const path = folderOf('of-all');
  await report(path);
  const labels = panel(path, 'CPU of each process')?.series.map(({ label }) => label);
  expect(labels?.sort()).toEqual(['main prod:5678', 'main test:5678']);
  expect(panel(path, 'Memory of each container')).toBeUndefined();
});

test('report --prometheus takes that of the record, with its containers, where the run was on Kubernetes', async () => {
  const deployed = {
    ...{ kubernetes: 'v1.36.3', context: 'c', namespace: 'shop', release: 'prod' },
    ...{ chart: null, values: null, manifestHash: null, nodes: {} },
  };
  const { target } = record({});
  const path = folderOf('deployed', { target: { ...target, kind: 'kubernetes', deployed } });
  expect((await report(path)).code).toBe(0);
  const memory = panel(path, 'Memory of each container');
  expect(memory?.series.map(({ label }) => label)).toEqual(['prod-main-0 n8n']);
  const cpu = panel(path, 'CPU of each process')?.series.map(({ label }) => label);
  expect(cpu).toEqual(['main prod:5678']);
});

describe('what goes wrong is one sentence', () => {
  it('no series of that time', async () => {
    const path = folderOf('nothing');
    const { code, stderr } = await report(path, '--prometheus-release', 'other');
    expect(stderr.trim()).toMatch(/has no n8n metrics for the time of .*nothing\.$/);
    expect(code).toBe(3);
    expect(existsSync(join(path, 'report.html'))).toBe(true);
  });

  it.each([
    [
      'no URL',
      () => ['--prometheus', 'prom:9090'],
      /use a form such as http:\/\/127.0.0.1:9090\.$/,
    ],
    [
      'a wrong path',
      () => ['--prometheus', `${prometheus.url}/graph`],
      /use the address of Prometheus/,
    ],
    [
      'a release without --prometheus',
      () => ['--prometheus-release', 'x'],
      /works only with --prometheus/,
    ],
  ])('%s', async (_, flags, sentence) => {
    const { code, stderr } = await runCli(['report', folder, ...flags()]);
    expect(stderr.trim()).toMatch(sentence);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(2);
  });

  it('nobody there', async () => {
    const url = `http://127.0.0.1:${String(await freePort())}`;
    const { code, stderr } = await runCli(['report', folder, '--prometheus', url]);
    expect(stderr.trim()).toMatch(
      /^n8n-tuned: --prometheus: .* does not answer \(nothing listens at .*\)\.$/,
    );
    expect(code).toBe(2);
  });
});
