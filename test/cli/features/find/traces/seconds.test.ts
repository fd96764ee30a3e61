import { secondsSeen } from '../../../../../cli/src/features/find/traces/seconds';
import type { EndedRequest } from '../../../../../cli/src/features/find/traces/requests';
import type { MetricSample } from '../../../../../cli/src/record/run-record';

const request = (dueMs: number, latencyMs: number, isExpected = true): EndedRequest => ({
  ...{ dueMs, latencyMs, isExpected, endMs: dueMs + latencyMs },
});

const sample = (
  tMs: number,
  role: string,
  metric: string,
  value: number,
  instance = '1',
): MetricSample => ({ tMs, role, metric, value, instance });

const seen = (samples: MetricSample[], seconds = 3) =>
  secondsSeen({ requests: [], samples, others: [], seconds });

describe('the seconds of a probe', () => {
  it('count requests where they were due, responses where they came, and latencies by due time', () => {
    const requests = [
      request(100, 50),
      request(900, 400),
      request(1_100, 20, false),
      request(2_000, 5_000),
    ];
    const { due, done, p95Ms } = secondsSeen({ requests, samples: [], others: [], seconds: 3 });
    expect(due).toEqual([2, 1, 1]);
    expect(done).toEqual([1, 1, 0]);
    expect(p95Ms).toEqual([400, 20, 5_000]);
  });

  it('cut the CPU between two samples at the seconds of the load, for all instances of a role together', () => {
    const samples = [
      sample(500, 'main', 'cpuCores', 0.4),
      sample(1_500, 'main', 'cpuCores', 1),
      sample(1_500, 'main', 'cpuCores', 0.2, '2'),
      sample(2_500, 'main', 'cpuCores', 0),
    ];
    const { cpuMs } = seen(samples);
    // 0.4 of a core until 500 ms, then 1 core for half a second, and a second instance beside it.
    expect(cpuMs).toEqual({ main: [200 + 500 + 100, 500 + 100, 0] });
  });

  it('do not know the CPU of a second that no sample lies about', () => {
    const { cpuMs, hostCpuMs, stealMs, othersMs } = seen([
      sample(2_900, 'worker', 'cpuCores', 0.5),
    ]);
    expect(cpuMs.worker).toEqual([null, 50, 450]);
    expect([hostCpuMs, stealMs, othersMs]).toEqual([undefined, undefined, undefined]);
  });

  it('tell threads, the machine, stolen time and what others used apart', () => {
    const samples = [
      sample(1_000, 'main', 'loopCores', 0.9),
      sample(1_000, 'host', 'cpuCores', 1.5),
      sample(1_000, 'host', 'stealShare', 0.25),
    ];
    const others = [{ fromMs: -500, toMs: 500, cpuMs: 300 }];
    const columns = secondsSeen({ requests: [], samples, others, seconds: 1 });
    expect(columns).toMatchObject({
      threadMs: { main: [900] },
      hostCpuMs: [1_500],
      stealMs: [250],
      othersMs: [150],
    });
    expect(columns.cpuMs).toEqual({});
  });
});
