import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, findProgram, pinned, readVersions } from '../../cli/src/lab/paths';
import { findControl, readLimits } from '../../cli/src/linux/cgroup';
import {
  containerTarget,
  type ContainerTargetOptions,
} from '../../cli/src/targets/container/container-target';
import { CALL } from '../../cli/src/targets/container/create';
import { removeLeft } from '../../cli/src/targets/container/journal';
import { thisProcess } from '../../cli/src/linux/proc';
import type { Running } from '../../cli/src/targets/target';
import { bringUpMs, left, never, quiet, topology, tracesOf, workload } from '../process/stage';
import type { RunRecord } from '../../cli/src/record/run-record';
import { buildCli, runCli } from '../support/cli';
import { until } from '../support/wait';

jest.setTimeout(2 * bringUpMs + 300_000);

const versions = readVersions();
const archive = (name: string, version: string): string =>
  join(cacheFolder(), 'images', `${name}-${pinned(versions, version)}.tar`);

const chosen = workload('last-node');

const ofImage = (given: Record<string, unknown>): ContainerTargetOptions => ({
  topology: topology(given),
  image: archive('n8n', 'N8N_VERSION'),
  redisImage: archive('redis', 'REDIS_IMAGE_TAG'),
  postgresqlImage: archive('postgres', 'POSTGRES_IMAGE_TAG'),
  engine: 'podman',
  isVersionNamed: false,
  workflows: chosen.workflows,
  readyTimeoutMs: 240_000,
});

const bringUp = (given: Record<string, unknown>): Promise<Running> =>
  containerTarget(ofImage(given)).up(quiet, AbortSignal.timeout(bringUpMs));

/** Of all calls, by their label. */
const containers = (): string[] =>
  execFileSync('podman', ['ps', '--all', '--filter', `label=${CALL}`, '--format', '{{.Names}}'])
    .toString()
    .split('\n')
    .filter(Boolean);

test('an image runs in queue mode with its limits, a killed worker is started again, and nothing is left', async () => {
  const before = new Set(containers());
  const running = await bringUp({
    mode: 'queue',
    main: { memoryMiB: 1536 },
    workers: { count: 1, cpuMillicores: 900, memoryMiB: 1280 },
  });
  const traces = tracesOf(running);
  try {
    await running.ready(chosen.requests, quiet, never());
    expect(running.versions).toMatchObject({
      n8n: pinned(versions, 'N8N_VERSION'),
      image: expect.stringMatching(/^sha256:/) as string,
    });
    const pidOf = (instance: string) =>
      running.processes().find((one) => one.instance === instance)?.pid;
    const worker = running.processes().find(({ role }) => role === 'worker');
    expect(readLimits(findControl(), worker?.cgroup ?? '')).toEqual({
      cpuMillicores: 900,
      memoryMiB: 1280,
    });
    const events: string[] = [];
    running.onEvent(({ text }) => events.push(text));
    await running.drillAccess?.signal('worker-1', 'SIGKILL');
    await until(
      'another worker',
      () => pidOf('worker-1') !== undefined && pidOf('worker-1') !== worker?.pid,
    );
    expect(events).toContain('worker-1 ended: signal SIGKILL');
    await running.ready(chosen.requests, quiet, never());
    expect((await running.executions())?.succeeded).toBeGreaterThan(1);
  } finally {
    await running.down(quiet);
  }
  expect(await left(traces)).toEqual([]);
  expect(containers().filter((name) => !before.has(name))).toEqual([]);
});

test('a twin is loaded, with its credential and a stand-in that the container reaches', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-twin-'));
  try {
    buildCli();
    copyFileSync(join(__dirname, '../process/twins/agent.json'), join(folder, 'agent.json'));
    expect(await runCli(['twin', 'agent.json'], {}, folder)).toMatchObject({ code: 0 });
    const images = ['--image', archive('n8n', 'N8N_VERSION'), '--container-engine', 'podman'];
    const load = ['--rate', '0.5', '--duration', '4s', '--warmup', '0s', '--timeout', '5m'];
    const patience = ['--drain', '5m', '--ready', '5m', '--json'];
    const { stdout, stderr } = await runCli(
      ['run', '--workload', 'agent.twin.json', '--target', 'container', ...images, ...load].concat(
        patience,
      ),
      {},
      folder,
    );
    if (stdout === '') throw new Error(stderr);
    const { summary } = JSON.parse(stdout) as RunRecord;
    expect(summary.executions).toMatchObject({ failed: 0, unfinished: 0, expectedResponses: 2 });
    expect(summary.matched).toMatchObject({ withoutExecution: { requests: 0 } });
    expect(summary.services?.map(({ host }) => host)).toContain('api.openai.com');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('an image of another version than the one that was named is refused', async () => {
  const order = { ...ofImage({ n8n: '2.40.0' }), isVersionNamed: true };
  await expect(containerTarget(order).up(quiet, never())).rejects.toThrow(
    `has n8n ${pinned(versions, 'N8N_VERSION')}, and the topology n8n 2.40.0`,
  );
});

test('what a killed call has left is removed by its note, and a container with another label is not', async () => {
  const made = (name: string, call: string): unknown =>
    execFileSync('podman', ['create', '--name', name, '--label', `${CALL}=${call}`, redis]);
  const redis = execFileSync('podman', [
    ...['load', '--quiet', '--input', archive('redis', 'REDIS_IMAGE_TAG')],
  ])
    .toString()
    .replace(/^Loaded image: |\n/g, '');
  const call = `test${String(process.pid)}`;
  const [ours, theirs] = [`n8n-tuned-${call}-main`, `n8n-tuned-${call}-redis`];
  const engine = findProgram('podman');
  const cache = mkdtempSync(join(tmpdir(), 'n8n-tuned-cache-'));
  const before = process.env['N8N_TUNED_CACHE'];
  process.env['N8N_TUNED_CACHE'] = cache;
  try {
    made(ours, call);
    made(theirs, 'other');
    mkdirSync(join(cache, 'containers'));
    const note = { call, engine, containers: [ours, theirs, `n8n-tuned-${call}-never`] };
    const write = (owner: object): void => {
      writeFileSync(join(cache, 'containers', `${call}.json`), JSON.stringify({ ...note, owner }));
    };
    write(thisProcess());
    expect(await removeLeft()).toEqual([{ call, removed: [], isRunning: true }]);
    expect(containers()).toEqual(expect.arrayContaining([ours, theirs]));
    write({ ...thisProcess(), startedAtMs: 1 });
    expect(await removeLeft()).toEqual([{ call, removed: [ours], isRunning: false }]);
    expect(containers()).toContain(theirs);
    expect(containers()).not.toContain(ours);
    expect(await removeLeft()).toEqual([]);
  } finally {
    if (before === undefined) delete process.env['N8N_TUNED_CACHE'];
    else process.env['N8N_TUNED_CACHE'] = before;
    execFileSync('podman', ['rm', '--force', '--ignore', ours, theirs]);
    rmSync(cache, { recursive: true });
  }
});
