import { parseSlos } from '../../loadtests/lib/slo';
import type { MetricSample, RequestSample, RunRecord } from '../../cli/src/record/run-record';
import { RunFolder } from '../../cli/src/record/folder';
import { topologySchema } from '../../cli/src/plan/topology';
import { RequestsSeen } from '../../cli/src/analysis/requests/seen';
import type { RunData } from '../../cli/src/run/report/data';

const PROFILE = {
  name: 'load',
  loop: 'open',
  durationSeconds: 60,
  warmupSeconds: 10,
  ratePerSecond: 40,
} as const;

/** 40 a second, some of them errors. */
export const sampleRequests = (): RequestSample[] =>
  Array.from({ length: 40 * 70 }, (_, i) => {
    const bad = i % 25 === 7;
    return {
      tMs: i * 25,
      durationMs: 60 + ((i * 7919) % 97) + (i % 100 === 0 ? 900 : 0),
      status: bad ? 500 : 200,
      ok: !bad,
      errorKind: bad ? 'status 500' : '',
      id: `sample-${i}`,
      workload: 'last-node',
      ranBy: bad ? '' : `host/${i % 3 === 0 ? 101 : 102}/worker`,
    };
  });

/** A made-up run of 60 s after 10 s of warm-up: 40 requests a second, some errors, a queue that grows. */
export function sampleRun(requests: readonly RequestSample[] = sampleRequests()): RunData {
  const seen = new RequestsSeen(PROFILE, 0);
  for (const request of requests) seen.add(request);
  const samples: MetricSample[] = [];
  for (let second = 0; second < 70; second += 1)
    for (const [role, instance, rss] of [
      ['main', 'main', 420],
      ['worker', 'worker-1', 310],
      ['worker', 'worker-2', 330],
    ] as const) {
      const at = { tMs: second * 1000, role, instance };
      samples.push({ ...at, metric: 'rssMiB', value: rss + second });
      samples.push({ ...at, metric: 'cpuCores', value: 0.4 + (second % 5) / 20 });
      samples.push({ ...at, metric: 'processes', value: 1 });
      samples.push({ ...at, metric: 'eventLoopLagMs', value: 12 + (second % 7) });
      if (role === 'main')
        samples.push({ ...at, metric: 'queueWaiting', value: Math.max(0, second - 20) });
    }
  return {
    requests: seen.timeline,
    samples,
    record: {
      schemaVersion: 3,
      id: '20261120T100000Z-last-node-load-abcd',
      startedAt: '2026-11-20T10:00:00.000Z',
      endedAt: '2026-11-20T10:01:15.000Z',
      command: ['run', '--workload', 'last-node', '--slo', 'p95<300ms'],
      workload: {
        name: 'last-node',
        title: 'Webhook to last node',
        variant: 'native',
        method: 'GET',
        path: '/webhook/last-node',
        parameters: {},
        answers: 'when-done',
        latencyFloorMs: 0,
      },
      profile: { ...PROFILE },
      target: { kind: 'process', url: 'http://127.0.0.1:5678' },
      topology: topologySchema.parse({ name: 'two workers', mode: 'queue', workers: { count: 2 } }),
      versions: { n8n: '2.41.1', k6: '1.8.1' },
      machine: { cpu: 'Test CPU', cores: 2, memoryMiB: 24000, os: 'Debian 12', node: '24.21.0' },
      slo: parseSlos('p95<300ms,errors<1%'),
      summary: {
        offered: { requests: 2400, ratePerSecond: 40 },
        achieved: { requests: 2304, ratePerSecond: 38.4, shareOfOffered: 0.96 },
        latencyMs: {
          count: 2304,
          mean: 117,
          min: 60,
          p50: 108,
          p90: 147,
          p95: 152,
          p99: 1011,
          p999: 1055,
          max: 1056,
        },
        errors: { requests: 96, share: 0.04, byKind: { 'status 500': 96 } },
        unanswered: { requests: 1, oldestAgeMs: 4200 },
        executions: { succeeded: 2304, failed: 96, unfinished: 0, source: 'database' },
        backlog: { atEnd: 49, slopePerSecond: 0.82, drainedAfterSeconds: 6 },
        littlesLaw: { predicted: 4.5, observed: 4.7, ratio: 1.04 },
        cpuMillisecondsPerRequest: 27.5,
        roles: [
          {
            role: 'main',
            instances: 1,
            rssPeakMiB: 489,
            rssMedianMiB: 455,
            cpuCoresMean: 0.5,
            processesPeak: 1,
            restarts: 0,
            oomKills: 0,
            throttledShare: null,
          },
          {
            role: 'worker',
            instances: 2,
            rssPeakMiB: 778,
            rssMedianMiB: 710,
            cpuCoresMean: 0.9,
            processesPeak: 2,
            restarts: 0,
            oomKills: 0,
            throttledShare: 0.12,
          },
        ],
        spread: [
          { host: 'host', pid: 102, role: 'worker', requests: 1536 },
          { host: 'host', pid: 101, role: 'worker', requests: 768 },
        ],
        generator: {
          cpuCores: 0.2,
          coresAvailable: 2,
          notSent: 0,
          latenessMs: { p50: 0.6, p99: 2.4, max: 9 },
          newConnections: 12,
          faults: [],
          saturated: false,
        },
      },
      verdict: {
        outcome: 'not sustained',
        sentence: 'n8n did not sustain 40 req/s of last-node: errors 4%, limit 1%.',
        breaches: [{ slo: 'errors<1%', measured: 0.04, text: 'errors 4%, limit 1%' }],
        slos: [
          {
            ...{ slo: 'p95<300ms', state: 'met', measured: 152, seemsMet: true, pressure: 0.507 },
            ...{ text: 'p95 152 ms, limit 300 ms', requestsNeeded: null },
          },
          {
            ...{ slo: 'errors<1%', state: 'missed', measured: 0.04, seemsMet: false, pressure: 4 },
            ...{ text: 'errors 4%, limit 1%', requestsNeeded: null },
          },
          {
            ...{ slo: 'throughput>=95%', state: 'met', measured: 0.96, seemsMet: true },
            text: '38.4 of 40 req/s got the expected response, limit 95%',
            ...{ pressure: 0.99, requestsNeeded: null },
          },
        ],
        limitedBy: {
          limit: { role: 'worker', resource: 'slots' },
          evidence: 'all 20 slots were busy while 49 jobs waited',
          utilisation: 1,
          runnerUp: {
            role: 'worker',
            resource: 'event loop',
            utilisation: 0.84,
            isUsedUp: false,
            evidence: 'worker-1 used 0.84 of its one thread',
          },
          ranked: [
            {
              role: 'worker',
              resource: 'slots',
              utilisation: 1,
              isUsedUp: true,
              evidence: 'all 20 slots were busy while 49 jobs waited',
            },
            {
              role: 'worker',
              resource: 'event loop',
              utilisation: 0.84,
              isUsedUp: false,
              evidence: 'worker-1 used 0.84 of its one thread',
            },
          ],
        },
        doubts: [{ kind: 'short', text: 'The run was shorter than a minute after the warm-up.' }],
      },
      events: [{ tMs: 31_000, kind: 'restart', text: 'worker-2 was started again' }],
      files: { logs: ['logs/main.log'] },
    },
  };
}

/** The same run, of which one of two load generators was lost halfway. */
export function withLostGenerator(record: RunRecord): RunRecord {
  const part = {
    ...{ node: 'node-1', requests: 1200, notSent: 0, cpuCores: 0.2, coresAvailable: 2 },
    ...{ latenessMs: null, clock: { aheadMs: 0, uncertainMs: 1 } },
  };
  const parts = [
    { ...part, name: 'generator-1', lost: null },
    { ...part, name: 'generator-2', lost: { tMs: 35_000, why: 'it was evicted', inFlight: 3 } },
  ];
  const { summary } = record;
  return { ...record, summary: { ...summary, generator: { ...summary.generator, parts } } };
}

/** The path of a folder that holds the sample as the command writes it. */
export async function sampleRunIn(parent: string): Promise<string> {
  const data = sampleRun();
  const folder = new RunFolder(parent, data.record);
  for (const request of sampleRequests()) folder.request(request);
  for (const sample of data.samples) folder.sample(sample);
  await folder.closeTables(data.samples);
  folder.complete(data.record);
  return folder.path;
}
