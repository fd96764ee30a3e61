import { readGroup, findControl, readLimits } from '../../cli/src/linux/cgroup';
import { samplersFor } from '../../cli/src/samplers';
import type { Running } from '../../cli/src/targets/target';
import { ask, bringUp, Collected, killed, left, never, quiet, tracesOf, workload } from './stage';
import { isLong } from '../support/properties';
import { N8N_VERSION } from '../support/versions';
import { pause, until } from '../support/wait';

jest.setTimeout(330_000);

describe('regular mode on SQLite, limited to 800 millicores and 1200 MiB', () => {
  const chosen = workload('last-node');
  let running: Running;

  beforeAll(async () => {
    const limits = { cpuMillicores: 800, memoryMiB: 1200 };
    running = await bringUp({ tuning: 'throughput', main: limits }, chosen);
    await running.ready(chosen.requests, quiet, never());
  });

  afterAll(() => running.down(quiet));

  test('says what it consists of', () => {
    expect(running.processes().map(({ role, instance }) => `${role} ${instance}`)).toEqual([
      'main main',
    ]);
    expect(running.versions).toMatchObject({
      n8n: N8N_VERSION,
      node: expect.stringMatching(/^24\./),
    });
    expect(running.redis).toBeNull();
    expect(running.postgresql).toBeNull();
  });

  test('counts executions from the database, though successful ones are not kept', async () => {
    // The one that showed that n8n responds may be counted a moment later.
    let before = await running.executions();
    await until('no execution is counted for a second', async () => {
      const last = before?.succeeded;
      await pause(1_000, 'none may come in this time');
      before = await running.executions();
      return before?.succeeded === last && before?.unfinished === 0;
    });
    for (let n = 0; n < 7; n += 1) expect(await ask(running, chosen)).toBe(200);
    await until('seven more executions', async () => {
      const now = await running.executions();
      return now?.succeeded === (before?.succeeded ?? 0) + 7;
    });
    expect((await running.executions())?.unfinished).toBe(0);
  });

  test('samplers see main, its task runner, its event loop, its limits and the tables of a soak', async () => {
    const seen = new Collected();
    const samplers = samplersFor(running, 60);
    for (const sampler of samplers) await sampler.start(running, seen, 250);
    await Promise.all(Array.from({ length: 60 }, () => ask(running, chosen)));
    await until('a size of a table', () => seen.values('tableSizeMiB', 'sqlite').length > 0);
    for (const sampler of samplers) await sampler.stop();

    expect(seen.events).toEqual([]);
    expect(Math.max(...seen.values('dbSizeMiB', 'sqlite'))).toBeGreaterThan(0);
    expect(seen.roles('rssMiB')).toEqual(['main', 'runner']);
    expect(Math.max(...seen.values('rssMiB', 'main'))).toBeGreaterThan(200);
    expect(Math.max(...seen.values('cpuCores', 'main'))).toBeGreaterThan(0);
    expect(seen.values('pssMiB', 'main').length).toBeGreaterThan(0);
    expect(seen.values('processes', 'runner')[0]).toBe(1);
    expect(Math.max(...seen.values('eventLoopLagMs', 'main'))).toBeGreaterThan(0);
    expect(Math.max(...seen.values('heapUsedMiB', 'main'))).toBeGreaterThan(50);
    expect(seen.values('throttledShare', 'main').length).toBeGreaterThan(0);
    expect(Math.max(...seen.values('groupMemoryPeakMiB', 'main'))).toBeLessThanOrEqual(1200);
    expect(seen.values('cpuCores', 'host').length).toBeGreaterThan(0);
  });

  test('the CPU limit is in force and holds it back', () => {
    const control = findControl();
    const group = running.processes()[0]?.cgroup ?? '';
    expect(readLimits(control, group)).toEqual({ cpuMillicores: 800, memoryMiB: 1200 });
    expect(readGroup(control, group)?.throttledPeriods).toBeGreaterThan(0);
  });

  test('a workflow that comes later is seeded too', async () => {
    const later = workload('immediate');
    await running.seed([...chosen.workflows, ...later.workflows], quiet);
    await running.ready([...chosen.requests, ...later.requests], quiet, never());
  });

  test('a killed n8n comes back, and is told', async () => {
    const told: string[] = [];
    running.onEvent(({ kind, text }) => told.push(`${kind}: ${text}`));
    const pid = killed(running, 'main');
    await until('a new main', () => {
      const now = running.processes()[0]?.pid;
      return now !== undefined && now !== pid;
    });
    await running.ready(chosen.requests, quiet, never());
    expect(told).toEqual(['exit: main ended: signal SIGKILL', 'restart: main was started again']);
  });

  test('down leaves nothing', async () => {
    const traces = tracesOf(running);
    expect(traces.processes.length).toBeGreaterThan(1);
    await running.down(quiet);
    await running.down(quiet);
    expect(await left(traces)).toEqual([]);
  });
});

if (isLong) {
  test('a memory limit is enforced: n8n that does not fit is killed by the kernel, and that is said', async () => {
    const given = { main: { memoryMiB: 256, heapMiB: 'none' } };
    await expect(bringUp(given, workload('last-node'))).rejects.toThrow(
      'main did not come up: the kernel killed it for exceeding its memory limit',
    );
  });
}
