import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { findK6 } from '../../cli/src/load/k6';
import { planOf } from '../../loadtests/lib/profile';
import { measure } from '../../cli/src/run/run';
import { bringUp, never, quiet, workload } from '../process/stage';
import { unlessInvalid } from '../support/wait';

jest.setTimeout(600_000);

test('a short soak of n8n on SQLite tells what its memory, its database and the tables in it do', async () => {
  const chosen = workload('last-node');
  const limits = { cpuMillicores: 800, memoryMiB: 1200 };
  const running = await bringUp({ tuning: 'throughput', main: limits }, chosen);
  const out = mkdtempSync(join(tmpdir(), 'soak-'));
  try {
    await running.ready(chosen.requests, quiet, never());
    // Looking at the tables may take 1/25 of the time: 16 looks in its last two thirds, or six where each takes 300 ms.
    const load = { ratePerSecond: 25, durationSeconds: 72, warmupSeconds: 0 };
    const { data } = await unlessInvalid(
      () =>
        measure(
          running,
          {
            ...{ workload: chosen, plan: planOf('soak', load), slos: [], out, k6: findK6() },
            ...{ scripts: join(repositoryRoot(), 'loadtests'), command: [] },
            ...{ timeoutMs: 20_000, drainMs: 20_000 },
          },
          quiet,
          never(),
        ),
      (run) => run.data.record.verdict.outcome === 'invalid',
    );
    const { soak = [] } = data.record.summary;
    expect(data.record.events.filter(({ kind }) => kind === 'sampler')).toEqual([]);
    expect(soak.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['memory', 'latency', 'database', 'WAL', 'table execution_data']),
    );
    // What n8n does not keep stays a row for an hour.
    const table = soak.find(({ name }) => name === 'table execution_data');
    expect(table).toMatchObject({ answer: 'grows', unit: 'MiB' });
    expect(data.record.verdict.sentence).toMatch(/grew: .*execution_data by [\d.]+ MiB per hour/);
  } finally {
    await running.down(quiet);
    rmSync(out, { recursive: true, force: true });
  }
});
