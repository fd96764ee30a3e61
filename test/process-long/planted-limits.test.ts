import { limitName } from '../../cli/src/analysis/limits/table';
import { expectNotCompleted, loadedWell, SLOTS } from '../process/answered-at-once';
import { diagnose, type Diagnosis } from '../process/planted-limits/diagnose';
import { STAGES, type Planted } from '../process/planted-limits/planted';
import { bringUp, quiet, workload } from '../process/stage';

jest.setTimeout(480_000);

/** The quick ones; studies/planted-limits/measure.ts plants all of them. */
test.each(['main CPU limit', 'main database pool', 'worker slots'])(
  'a planted limit is named: %s',
  async (limit) => {
    const isAsked = (planted: Planted): boolean => limitName(planted.limit) === limit;
    const stage = STAGES.find(({ cases }) => cases.some(isAsked));
    if (stage === undefined) throw new Error(`nothing plants ${limit}`);
    const found: Diagnosis[] = [];
    await diagnose(stage, (diagnosis) => found.push(diagnosis), stage.cases.filter(isAsked));
    // Another file of tests uses the same cores: a host that is busy with that is a limit as well.
    const ofN8n = (found[0]?.limitedBy.ranked ?? []).filter(({ role }) => role !== 'host');
    expect(found).toHaveLength(1);
    expect(limitName(ofN8n[0] ?? null)).toBe(limit);
    expect(ofN8n[0]?.utilisation).toBeGreaterThan(0.9);
    expect(found[0]?.limitedBy.evidence).toMatch(/\d/);
    expect(found[0]?.limitedBy.runnerUp).not.toBeNull();
  },
);

/** Queue mode is in test/process. */
test('regular mode on SQLite serves many at once', async () => {
  const chosen = workload('async');
  // A limit of executions would delay the answers: the slots are those of the task runner.
  const env = { N8N_RUNNERS_MAX_CONCURRENCY: String(SLOTS), N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '1' };
  const running = await bringUp({ tuning: 'throughput', env }, chosen);
  try {
    expectNotCompleted(await loadedWell(running, chosen, 'p95<1s'));
  } finally {
    await running.down(quiet);
  }
});
