import { samplersFor } from '../../cli/src/samplers';
import type { Running } from '../../cli/src/targets/target';
import { ask, bringUp, Collected, killed, left, never, quiet, tracesOf, workload } from './stage';
import { until } from '../support/wait';

jest.setTimeout(330_000);

describe('queue mode with a worker and two webhook processors behind the balancer', () => {
  const chosen = workload('last-node');
  let running: Running;

  beforeAll(async () => {
    const given = {
      mode: 'queue',
      tuning: 'throughput',
      workers: { count: 1 },
      webhooks: { count: 2 },
    };
    running = await bringUp(given, chosen);
    await running.ready(chosen.requests, quiet, never());
  });

  afterAll(() => running.down(quiet));

  test('webhooks go to the processors, all else to main', async () => {
    const main = running.metrics.find(({ role }) => role === 'main');
    const mainUrl = new URL(main?.url ?? '').origin;
    expect(await ask(running, chosen)).toBe(200);
    // Main itself no longer serves them, so the answer above came from a processor.
    expect((await fetch(`${mainUrl}/webhook/load-last-node`, { method: 'POST' })).status).toBe(404);
    expect(await (await fetch(`${running.baseUrl}/`)).text()).toContain('<html');
  });

  test('executions of the worker are counted', async () => {
    const before = await running.executions();
    for (let n = 0; n < 5; n += 1) expect(await ask(running, chosen)).toBe(200);
    await until('five more executions', async () => {
      const now = await running.executions();
      return now?.succeeded === (before?.succeeded ?? 0) + 5;
    });
    expect((await running.executions())?.unfinished).toBe(0);
  });

  test('samplers see every role, the queue and the database', async () => {
    const seen = new Collected();
    const samplers = samplersFor(running, 60);
    for (const sampler of samplers) await sampler.start(running, seen, 250);
    await Promise.all(Array.from({ length: 40 }, () => ask(running, chosen)));
    for (const sampler of samplers) await sampler.stop();

    expect(seen.events).toEqual([]);
    expect(seen.roles('rssMiB')).toEqual([
      'balancer',
      'main',
      'postgresql',
      'redis',
      'runner',
      'webhook',
      'worker',
    ]);
    expect(seen.roles('eventLoopLagMs')).toEqual(['main', 'webhook', 'worker']);
    expect(seen.values('queueWaiting', 'redis').length).toBeGreaterThan(1);
    expect(Math.max(...seen.values('redisMemoryMiB', 'redis'))).toBeGreaterThan(0);
    expect(Math.max(...seen.values('dbConnections', 'postgresql'))).toBeGreaterThan(0);
    expect(Math.max(...seen.values('dbSizeMiB', 'postgresql'))).toBeGreaterThan(1);
    const tables = seen.samples.filter(({ metric }) => metric === 'tableSizeMiB');
    expect(tables.map(({ instance }) => instance)).toContain('postgresql/execution_data');
    expect(Math.max(...seen.values('dbPoolMax', 'worker'))).toBeGreaterThan(0);
  });

  test('a sampler whose Redis has gone says so once and goes on', async () => {
    const seen = new Collected();
    const [queue] = samplersFor(running).filter(({ name }) => name === 'queue');
    if (queue === undefined) throw new Error('no sampler of the queue');
    await queue.start(running, seen, 100);
    killed(running, 'redis');
    await until('the sampler says so', () => seen.events.length > 0);
    const samples = seen.values('queueWaiting').length;
    await until('it samples again', () => seen.values('queueWaiting').length > samples);
    await queue.stop();
    expect(seen.events.length).toBeLessThan(5);
  });

  test('down leaves nothing', async () => {
    const traces = tracesOf(running);
    expect(traces.processes.length).toBeGreaterThan(7);
    await running.down(quiet);
    expect(await left(traces)).toEqual([]);
  });
});
