/** The load generator against servers whose behaviour is known: what it says, and when it says nothing. */
import { knownRuns } from '../../support/known-run';
import { readWholeRun } from '../../support/read-run';
import { findControl } from '../../../cli/src/linux/cgroup';

jest.setTimeout(120_000);

const known = knownRuns();

describe('the load generator', () => {
  it('counts 5% status 500 with the expected body, 2% other bodies, and nothing of the first 3 s', async () => {
    const { summary } = await known.run(
      { errorEvery: 20, wrongEvery: 50, notFoundForMs: 3000 },
      '--expect json.ok==true --rate 100 --duration 20s --warmup 2s',
    );
    const { seen } = known.server();
    expect(seen.notFound).toBeGreaterThan(5);
    expect(summary.errors.byKind['status 404']).toBeUndefined();
    // Every 100th is both, and fails.
    const truth = (seen.errors + seen.wrong) / (seen.right + seen.errors + seen.wrong);
    expect(Math.abs(truth - 0.06)).toBeLessThan(0.002);
    expect(Math.abs(summary.errors.share - truth)).toBeLessThan(0.002);
    expect(summary.generator.faults).toEqual([]);
  });

  it('is invalid when it may not open enough, and does not blame the system', async () => {
    const record = await known.run(
      { latencyMs: 2000 },
      '--rate 20 --duration 5s --warmup 0s --slo p95<3s --max-open 10',
    );
    expect(record.verdict.outcome).toBe('invalid');
    expect(record.verdict.breaches.filter(({ slo }) => slo === 'p95<3s')).toEqual([]);
    expect(record.verdict.sentence).toContain('could not be sent');
    expect(record.summary.generator.notSent).toBeGreaterThan(50);
  });

  it('sends when a request is due, and counts its latency from then', async () => {
    const { folder, summary, profile } = await known.run(
      { latencyMs: 20 },
      '--rate 100 --duration 5s --warmup 1s --arrivals random',
    );
    const { requests } = await readWholeRun(folder);
    expect(profile.arrivals).toBe('random');
    expect(profile.seed).toBeDefined();
    const times = requests.map(({ tMs }) => tMs).sort((a, b) => a - b);
    const gaps = times.slice(1).map((tMs, index) => tMs - (times[index] ?? 0));
    // Exponential ones of 10 ms in the mean: a fifth are below 2.2 ms, a twelfth above 25 ms.
    expect(gaps.filter((gap) => gap < 2.2).length).toBeGreaterThan(gaps.length / 10);
    expect(gaps.filter((gap) => gap > 25).length).toBeGreaterThan(gaps.length / 30);
    for (const { durationMs, lateMs = NaN } of requests) {
      expect(lateMs).toBeGreaterThanOrEqual(0);
      expect(durationMs - lateMs).toBeGreaterThanOrEqual(19);
    }
    expect(summary.generator.latenessMs?.p50).toBeLessThan(20);
    // One pool of connections, the one used last first: few are opened for 600 requests.
    expect(summary.generator.newConnections).toBeLessThan(60);
  });

  it('of a breakpoint stops at the breach and reports the rate there', async () => {
    const record = await known.run(
      { errorEvery: 2 },
      '--profile breakpoint --rate 100 --duration 100s --slo p95<2s --slo errors<10%',
    );
    const seconds = (Date.parse(record.endedAt) - Date.parse(record.startedAt)) / 1000;
    expect(seconds).toBeLessThan(70);
    expect(record.verdict.outcome).toBe('not sustained');
    expect(record.verdict.sentence).toMatch(/at [\d.]+ req\/s errors was/);
    expect(record.events.map(({ kind }) => kind)).toContain('breach');
  });
});

/** How many requests it may have open, and its CPU: neither depends on what else the machine does. */
const canLimit = ['v1', 'v2'].includes(findControl().kind);

describe('the load generator', () => {
  it('keeps as many requests open as a slow system needs: 10 s at 10/s is sustained', async () => {
    const record = await known.run(
      { latencyMs: 10_000 },
      '--rate 10 --duration 15s --warmup 1s --slo p95<20s',
    );
    expect(record.verdict.sentence).toContain('sustained');
    expect(record.verdict.outcome).toBe('sustained');
    expect(record.summary.generator.notSent).toBe(0);
    expect(record.summary.offered.requests).toBe(150);
  });

  (canLimit ? it : it.skip)('with too little CPU is invalid, whatever came back', async () => {
    const record = await known.run(
      { latencyMs: 5 },
      '--rate 500 --duration 6s --warmup 1s --slo p95<2s --generator-cpus 0.2',
    );
    expect(record.verdict.outcome).toBe('invalid');
    expect(record.summary.generator.coresAvailable).toBe(0.2);
    expect(JSON.stringify(record.summary.generator.faults)).toMatch(
      /of the 0.2 cores|after it was due/,
    );
  });
});
