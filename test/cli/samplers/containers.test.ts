import type { Inside } from '../../../cli/src/linux/container-stats';
import { parseStat } from '../../../cli/src/linux/proc';
import { LatestContainerStats } from '../../../cli/src/features/find/rest';
import { containersSampler } from '../../../cli/src/samplers/containers';
import type { SampleSink } from '../../../cli/src/samplers/sampler';
import type { Running, ContainerSample } from '../../../cli/src/targets/target';

const process = (pid: number, parent: number, command: string, cpuTicks: number) => ({
  pid,
  command,
  thread: { onCpuMs: 8 * cpuTicks, waitedMs: cpuTicks },
  stat: parseStat(
    `${String(pid)} (node) S ${String(parent)} 0 0 0 -1 0 0 0 0 0 ${String(cpuTicks)} 0 0 0 20 0 11 0 5000 0 25600 0`,
  ),
});

/** Main with its init and its runner, at a second; `ticks` of 10 ms each has used. */
const inside = (second: number, ticks: number): Inside => ({
  uptimeMs: 1000 * second,
  group: {
    cpuMs: 20 * ticks,
    periods: 10 * second,
    throttledPeriods: 5 * second,
    throttledMs: 100 * second,
    memoryMiB: 300,
    workingSetMiB: 250,
    memoryPeakMiB: 310,
    oomKills: 0,
  },
  limits: { cpuMillicores: 500, memoryMiB: 512 },
  processes: [
    process(1, 0, 'tini -- docker-entrypoint.sh', 0),
    process(7, 1, 'node /usr/local/bin/n8n', ticks),
    process(9, 7, 'node /x/@n8n/task-runner/dist/start.js', ticks),
  ],
  files: new Map([
    [
      '/proc/stat',
      [`cpu ${String(50 * second)} 0 0 ${String(150 * second)} 0 0 0 0`, 'cpu0 1', 'cpu1 1'],
    ],
    ['/proc/meminfo', ['MemAvailable:    2097152 kB']],
    ['/proc/pressure/cpu', [`avg10=0.00 total=${String(250_000 * second)}`]],
  ]),
});

const seen = (
  second: number,
  ticks: number,
  more: Partial<ContainerSample> = {},
): ContainerSample => ({
  role: 'main',
  instance: 'n8n-main-0',
  inside: inside(second, ticks),
  restarts: 1,
  node: 'node0',
  ...more,
});

async function sampled(looks: readonly ContainerSample[]): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  const sink: SampleSink = {
    sample: (role, instance, metric, value) => {
      values[`${role} ${instance} ${metric}`] = value;
    },
    event: () => undefined,
  };
  let tell: (one: ContainerSample) => void = () => undefined;
  const running = {
    containerStats: {
      watch: (listener: (one: ContainerSample) => void) => {
        tell = listener;
        looks.slice(0, -1).forEach(listener);
        return () => undefined;
      },
    },
  } as unknown as Running;
  const sampler = containersSampler();
  await sampler.start(running, sink, 60_000);
  looks.slice(-1).forEach((look) => {
    tell(look);
  });
  await sampler.stop();
  return values;
}

test('what a pod tells of itself is what a process on this machine would show', async () => {
  expect(await sampled([seen(10, 100), seen(12, 180)])).toMatchObject({
    'main n8n-main-0 groupCpuCores': 0.8,
    'main n8n-main-0 groupCpuLimitCores': 0.5,
    'main n8n-main-0 groupMemoryLimitMiB': 512,
    'main n8n-main-0 groupWorkingSetMiB': 250,
    'main n8n-main-0 throttledShare': 0.5,
    'main n8n-main-0 restarts': 1,
    'main n8n-main-0 rssMiB': 100,
    'main n8n-main-0 cpuCores': 0.4,
    'main n8n-main-0 loopCores': 0.32,
    'main n8n-main-0 loopWaitShare': 0.04,
    // Its children by their number, its task runner as a role of its own.
    'main n8n-main-0/1 cpuCores': 0,
    'runner n8n-main-0 cpuCores': 0.4,
    'runner n8n-main-0 rssMiB': 100,
    // The node, from within the pod.
    'host node0 cpuCores': 0.5,
    'host node0 memoryAvailableMiB': 2048,
    'host node0 cpuPressureShare': 0.25,
  });
});

test('a container that was started again begins at 0, and has used nothing before', async () => {
  const samples = await sampled([seen(10, 100), seen(12, 1, { node: null })]);
  expect(samples['main n8n-main-0 groupCpuCores']).toBeUndefined();
  expect(samples['host node0 cpuCores']).toBeUndefined();
});

test('at rest is what every container of n8n shows, twice at least', () => {
  let tell: (one: ContainerSample) => void = () => undefined;
  let isOpen = true;
  const watched = new LatestContainerStats({
    watch: (listener) => {
      tell = listener;
      return () => {
        isOpen = false;
      };
    },
  });
  tell(seen(10, 100));
  tell(seen(12, 110));
  expect(watched.coresOfEach).toBeCloseTo(0.1);
  tell(seen(10, 0, { instance: 'n8n-worker-0', role: 'worker' }));
  expect(watched.coresOfEach).toBeNull();
  tell(seen(12, 30, { instance: 'n8n-worker-0', role: 'worker' }));
  expect(watched.coresOfEach).toBeCloseTo(0.2);
  tell(seen(12, 900, { instance: 'n8n-redis-0', role: 'redis' }));
  expect([watched.coresOfEach, watched.memoryMiB]).toEqual([expect.closeTo(0.2), 600]);
  watched.close();
  expect(isOpen).toBe(false);
});
