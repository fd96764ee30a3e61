import { expectNotCompleted, loadedWell, SLOTS } from '../process/answered-at-once';
import { bringUp, quiet, workload } from '../process/stage';

/** Queue mode is in test/process. */

jest.setTimeout(480_000);

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
