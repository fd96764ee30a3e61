/** What limits a load generator: how many requests it may have open, and its CPU. Neither depends on what else the machine does. */
import { findControl } from '../../../cli/src/linux/cgroup';
import { knownRuns } from '../../support/known-run';

jest.setTimeout(120_000);

const known = knownRuns();

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
    expect(record.summary.generator.faults.join()).toMatch(/of the 0.2 cores|after it was due/);
  });
});
