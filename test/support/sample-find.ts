import type { FindProbe, FindRecord } from '../../cli/src/features/find/record';
import { sampleRun } from './sample-run';

/** A made-up search: a client gets 45/s; 20/s and 40/s are sustained, 60/s is not. */
export function sampleSearch(): FindRecord {
  const { record } = sampleRun();
  const probe = (
    kind: FindProbe['kind'],
    load: { ratePerSecond: number } | { clients: number },
    result: 'sustained' | 'not sustained',
  ): FindProbe => ({
    ...{ kind, ...load },
    durationSeconds: kind === 'confirm' ? 60 : 10,
    result,
    achievedPerSecond: 'clients' in load ? 45 : Math.min(load.ratePerSecond, 45),
    p95Ms: result === 'sustained' ? 120 : 2_400,
    errorShare: 0,
    ...{ stallsMs: [], missed: null, doubts: [] },
    cpuPerRequest: {
      allMs: 24.5,
      roles: [
        { role: 'main', instances: 1, ms: 16 },
        { role: 'worker', instances: 1, ms: 8.5 },
      ],
    },
    littlesLaw: 1,
    limitedBy:
      result === 'sustained'
        ? { limit: null, evidence: null, next: null }
        : {
            limit: { role: 'main', resource: 'event loop' },
            evidence: 'main used 0.97 of its one thread',
            next: { role: 'host', resource: 'CPU' },
          },
    sentence: `n8n ${result === 'sustained' ? result : 'did not sustain'} ${'clients' in load ? '1 client' : `${String(load.ratePerSecond)} req/s`} of last-node.`,
    run: `probes/${String('clients' in load ? load.clients : load.ratePerSecond)}`,
  });
  return {
    schemaVersion: 2,
    kind: 'find',
    id: '20261120T120000Z-last-node-find-abcd',
    startedAt: '2026-11-20T12:00:00.000Z',
    endedAt: '2026-11-20T12:02:00.000Z',
    command: ['find', '--workload', 'last-node'],
    workload: record.workload,
    target: record.target,
    topology: record.topology,
    versions: record.versions,
    machine: record.machine,
    slo: record.slo,
    budgetSeconds: 300,
    capacity: {
      ...{ ratePerSecond: 40, low: 38, high: 44, confirmed: true },
      at: {
        ...{ cpuMs: 16, slowestMs: 20, takenShare: 0.05, cores: 1 },
        of: { role: 'main', resource: 'event loop' },
      },
      speeds: [
        { cpuMs: 16, seconds: 60 },
        { cpuMs: 20, seconds: 60 },
      ],
      method: {
        name: 'virtual queue',
        text: 'The capacity is estimated by a simulation of each probe as a queue.',
      },
    },
    advised: { share: 0.8, ratePerSecond: 24.3, speed: 'slow' },
    limit: { role: 'main', resource: 'event loop' },
    verdict: 'found',
    sentence: 'n8n sustains 40 req/s of last-node.',
    totalSeconds: 120,
    confirmedBy: 'probes/40',
    prices: { cpu: 0.04, memory: 0.005 },
    atCapacity: {
      ...{ run: 'probes/40', ratePerSecond: 40, meanLatencyMs: 110 },
      cpuMillisecondsPerRequest: record.summary.cpuMillisecondsPerRequest,
      roles: record.summary.roles,
    },
    probes: [
      probe('ladder', { clients: 1 }, 'sustained'),
      probe('growth', { ratePerSecond: 20 }, 'sustained'),
      probe('narrow', { ratePerSecond: 60 }, 'not sustained'),
      probe('confirm', { ratePerSecond: 40 }, 'sustained'),
    ],
    doubts: [],
  };
}
