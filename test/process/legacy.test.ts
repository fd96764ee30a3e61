import { samplersFor } from '../../cli/src/samplers';
import { isLong } from '../support/properties';
import { N8N_LEGACY_VERSION } from '../support/versions';
import { ask, bringUp, Collected, left, never, quiet, tracesOf, workload } from './stage';
import { until } from '../support/wait';

jest.setTimeout(330_000);

/** How many processes 0.221.2 takes for three executions at once of a function of 5 s. */
async function processesAtOnce(mode: 'own' | 'main'): Promise<number> {
  const chosen = workload('wait-5s', N8N_LEGACY_VERSION);
  const running = await bringUp(
    { n8n: N8N_LEGACY_VERSION, process: mode, tuning: 'throughput' },
    chosen,
  );
  const traces = tracesOf(running);
  try {
    await running.ready(chosen.requests, quiet, never());
    const before = (await running.executions())?.succeeded ?? 0;
    const seen = new Collected();
    const [processes] = samplersFor(running).filter(({ name }) => name === 'processes');
    await processes?.start(running, seen, 250);
    const statuses = await Promise.all(Array.from({ length: 3 }, () => ask(running, chosen)));
    await processes?.stop();
    expect(statuses).toEqual([200, 200, 200]);
    // The request that found n8n ready may be counted late, and then they are four.
    await until('three more executions', async () => {
      return ((await running.executions())?.succeeded ?? 0) >= before + 3;
    });
    expect((await running.executions())?.unfinished).toBe(0);
    return Math.max(...seen.values('processes', 'main'));
  } finally {
    await running.down(quiet);
    expect(await left(traces)).toEqual([]);
  }
}

test('own takes a process an execution, all seen, all gone afterwards', async () => {
  expect(await processesAtOnce('own')).toBeGreaterThanOrEqual(4);
});

if (isLong) {
  test('main takes one process for all', async () => {
    expect(await processesAtOnce('main')).toBe(1);
  });
}
