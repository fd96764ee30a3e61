import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { n8nMetricsSampler } from '../../../cli/src/samplers/n8n-metrics';
import type { Running } from '../../../cli/src/targets/target';
import { Collected } from '../../process/stage';
import { until } from '../../support/wait';

/**
 * Shows what an n8n would that uses half a core and spends a quarter of its time collecting garbage. A second of its clock
 * passes with each scrape, and the sampler reads the same clock: how busy this machine is changes no figure.
 */
let server: Server;
let seconds = 0;

beforeAll(async () => {
  jest.spyOn(performance, 'now').mockImplementation(() => seconds * 1000);
  server = createServer((_, reply) => {
    seconds += 1;
    reply.end(
      [
        '# TYPE n8n_process_cpu_seconds_total counter',
        `n8n_process_cpu_seconds_total ${100 + 0.5 * seconds}`,
        `n8n_process_resident_memory_bytes ${300 * 1024 * 1024}`,
        `n8n_nodejs_gc_duration_seconds_sum{kind="major"} ${0.15 * seconds}`,
        `n8n_nodejs_gc_duration_seconds_sum{kind="minor"} ${0.1 * seconds}`,
        `n8n_db_pool_acquire_seconds_sum ${0.2 * seconds}`,
        `n8n_db_pool_acquire_seconds_count ${10 * seconds}`,
        'n8n_nodejs_eventloop_lag_p99_seconds 0.25',
        'n8n_scaling_mode_queue_jobs_waiting 7',
        'n8n_scaling_mode_queue_jobs_active 3',
        '',
      ].join('\n'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  jest.restoreAllMocks();
  server.close();
});

async function sampled(seen: boolean, redis: Running['redis'] = null): Promise<Collected> {
  const { port } = server.address() as AddressInfo;
  const running = {
    redis,
    processes: () => (seen ? [{ role: 'worker', instance: 'worker-1', pid: 1 }] : []),
    metrics: [{ role: 'worker', instance: 'worker-1', url: `http://127.0.0.1:${port}/metrics` }],
  } as unknown as Running;
  const sink = new Collected();
  const sampler = n8nMetricsSampler();
  await sampler.start(running, sink, 100);
  await until('samples', () => sink.values('eventLoopLagMs').length >= 4);
  await sampler.stop();
  expect(sink.events).toEqual([]);
  return sink;
}

test('an n8n that cannot be seen from here says its own CPU and memory', async () => {
  const sink = await sampled(false);
  const cores = sink.values('cpuCores', 'worker');
  expect(cores.length).toBeGreaterThan(1);
  for (const used of cores) expect(used).toBeCloseTo(0.5);
  expect(sink.values('rssMiB', 'worker')[0]).toBeCloseTo(300);
  for (const share of sink.values('gcShare')) expect(share).toBeCloseTo(0.25);
  expect(sink.values('dbPoolAcquireMs')[0]).toBeCloseTo(20);
  expect(sink.values('eventLoopLagMs')[0]).toBe(250);
});

test('of one that can be seen, the kernel says it', async () => {
  const sink = await sampled(true);
  expect(sink.values('cpuCores')).toEqual([]);
  expect(sink.values('rssMiB')).toEqual([]);
  expect(sink.values('gcShare').length).toBeGreaterThan(0);
});

test('the queue is as its mains show it, unless its Redis can be seen', async () => {
  const outside = await sampled(false);
  expect(new Set(outside.values('queueWaiting', 'redis'))).toEqual(new Set([7]));
  expect(new Set(outside.values('queueActive', 'redis'))).toEqual(new Set([3]));
  const beside = await sampled(true, { url: 'redis://127.0.0.1', prefix: 'bull', queue: 'jobs' });
  expect(beside.values('queueWaiting')).toEqual([]);
});
