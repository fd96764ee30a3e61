import type { Attempt, RateLook, RateRecord } from '../../cli/src/features/find/rate-record';
import type { RequestSample } from '../../cli/src/record/run-record';
import { sampleSearch } from './sample-find';

/** One request, as the load generator tells of it. */
export const sampleOf = ({
  tMs,
  durationMs,
  ok = true,
}: Pick<RequestSample, 'tMs' | 'durationMs'> & { ok?: boolean }): RequestSample => ({
  ...{ tMs, durationMs, ok, status: ok ? 200 : 500, errorKind: ok ? '' : 'status 500' },
  ...{ id: '', workload: '', ranBy: '' },
});

const look = (
  seconds: number,
  [share, low, high]: number[],
  answer: RateLook['answer'],
): RateLook => ({
  ...{ seconds, fromSeconds: 0, answer },
  shares: [
    {
      ...{ slo: 'p95<300ms', share: share ?? 0, low: low ?? 0, high: high ?? 1, allowed: 0.05 },
      requests: 30 * seconds,
    },
  ],
});

const attempt = (
  answer: 'yes' | 'no' | null,
  p95Ms: number,
  looks: readonly RateLook[],
): Attempt => ({
  ...{ answer, p95Ms, looks: [...looks], errorShare: 0, achievedPerSecond: 29.8 },
  ...{ achievedShare: 0.993, doubts: [] },
  seconds: 5 + (looks.at(-1)?.seconds ?? 0),
  sentence: 'n8n sustained 30 req/s of last-node.',
  cpuPerRequest: { allMs: 18.2, roles: [{ role: 'main', instances: 1, ms: 18.2 }] },
  limitedBy:
    answer === 'no'
      ? {
          limit: { role: 'main', resource: 'event loop' },
          evidence: 'main used 0.97 of its one thread',
          next: { role: 'host', resource: 'CPU' },
        }
      : { limit: null, evidence: null, next: null },
  missed: answer === 'no' ? 'p95 2.4 s, limit 300 ms' : null,
  run: 'attempts/one',
});

/** A made-up question: the first attempt missed, as the system was cold; the second did not. */
export function sampleRate(): RateRecord {
  const { workload, target, topology, versions, machine } = sampleSearch();
  return {
    ...{ schemaVersion: 1, kind: 'rate', id: '20261120T120000Z-last-node-rate-abcd' },
    startedAt: '2026-11-20T12:00:00.000Z',
    endedAt: '2026-11-20T12:01:20.000Z',
    command: ['find', '--workload', 'last-node', '--slo', 'p95<300ms', '--rate', '30'],
    ...{ workload, target, topology, versions, machine },
    slo: [{ text: 'p95<300ms', metric: 'p95', operator: '<', bound: 300 }],
    ...{ arrivals: 'random', ratePerSecond: 30, budgetSeconds: 300, totalSeconds: 80 },
    answer: 'yes',
    sentence:
      'n8n sustains 30 req/s of last-node with p95<300ms: p95 84 ms, 0% errors in 59 s of load.',
    decidesAfterSeconds: null,
    limit: { role: 'main', resource: 'event loop' },
    attempts: [
      attempt('no', 2_400, [look(10, [0.62, 0.31, 0.87], 'no')]),
      attempt('yes', 84, [
        look(10, [0.01, 0.001, 0.12], null),
        look(14, [0.012, 0.002, 0.09], null),
        look(44, [0.011, 0.004, 0.03], 'yes'),
      ]),
    ],
    doubts: [
      'The first attempt missed the SLO: the system was still warming up, or something disturbed it.',
    ],
  };
}
