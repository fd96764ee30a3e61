import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { ExportedWorkflow } from '../../cli/src/catalogue/exported-workflow';
import type { SeedWorkflow } from '../../cli/src/catalogue/seeding';
import { cacheFolder, findProgram, pinned, readVersions } from '../../cli/src/lab/paths';
import { findControl, readLimits } from '../../cli/src/linux/cgroup';
import {
  containerTarget,
  type ContainerTargetOptions,
} from '../../cli/src/targets/container/container-target';
import { CALL } from '../../cli/src/targets/container/create';
import { removeLeft } from '../../cli/src/targets/container/journal';
import { taskRunnersOf } from '../../cli/src/linux/process-tree';
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
  runners: null,
  engine: 'podman',
  isVersionNamed: false,
  workflows: chosen.workflows,
  readyTimeoutMs: 240_000,
});

const bringUp = (given: Record<string, unknown>): Promise<Running> =>
  containerTarget(ofImage(given)).up(quiet, AbortSignal.timeout(bringUpMs));

/** The containers of all calls, by their label. */
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

/** With n8n's launcher and its runner for Python, where the lab could make it; else that for JavaScript alone. */
function runnersImage(): { image: string; languages: string[] } {
  const plain = archive('runners', 'N8N_VERSION');
  const image = plain.replace(/\.tar$/, '-python.tar');
  return existsSync(image)
    ? { image, languages: ['javascript', 'python'] }
    : { image: plain, languages: ['javascript'] };
}

/** The workload cpu, with another text of its Code node. */
function codeWorkflow(folder: string, language: string): SeedWorkflow {
  const text = readFileSync(join(__dirname, '../../workflows/cpu.json'), 'utf8');
  const workflow = JSON.parse(text) as ExportedWorkflow;
  const code = {
    javascript: { jsCode: "return [{ json: { sum: 45, of: 'JavaScript' } }];" },
    python: {
      ...{ language: 'pythonNative' },
      pythonCode: 'return [{"json": {"sum": sum(range(10)), "of": "Python"}}]',
    },
  }[language];
  const nodes = workflow.nodes.map((node) =>
    node.type === 'n8n-nodes-base.code'
      ? { ...node, parameters: code }
      : node.type === 'n8n-nodes-base.webhook'
        ? {
            ...node,
            parameters: { ...(node['parameters'] as object), path: `code-${language}` },
            webhookId: `code-${language}`,
          }
        : node,
  );
  const file = join(folder, `${language}.json`);
  const name = `Code in ${language}`;
  writeFileSync(file, JSON.stringify({ ...workflow, id: `code-${language}`, name, nodes }));
  return { name, file };
}

test('Code nodes run in containers of task runners beside main and the worker, which get no secret and leave nothing', async () => {
  const before = new Set(containers());
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-code-'));
  const { image, languages } = runnersImage();
  const [request] = workload('cpu').requests;
  if (request === undefined) throw new Error('the workload cpu has no request');
  const order = {
    ...ofImage({
      ...{ mode: 'queue', main: { memoryMiB: 1536 }, workers: { count: 1, memoryMiB: 1280 } },
    }),
    workflows: languages.map((language) => codeWorkflow(folder, language)),
    runners: { image, limits: { memoryMiB: 400 }, env: {} },
  };
  // Twice as long: its image of a gigabyte may have to be loaded.
  const running = await containerTarget(order).up(quiet, AbortSignal.timeout(2 * bringUpMs));
  const traces = tracesOf(running);
  try {
    await running.ready(
      languages.map((language) => ({
        ...request,
        ...{ path: `/webhook/code-${language}`, requestIdAt: null },
        expect: ['status==200', 'json.sum==45'],
      })),
      quiet,
      never(),
    );
    expect(running.versions).toMatchObject({ runners: pinned(versions, 'N8N_VERSION') });
    const runners = running.processes().filter(({ role }) => role === 'runner');
    expect(runners.map(({ instance }) => instance)).toEqual(['main-runners', 'worker-1-runners']);
    const [, beside] = runners;
    expect(readLimits(findControl(), beside?.cgroup ?? '')).toMatchObject({ memoryMiB: 400 });
    expect(readFileSync(`/proc/${String(beside?.pid)}/environ`, 'utf8')).not.toMatch(
      /ENCRYPTION_KEY|PASSWORD/,
    );
    const worker = running.processes().find(({ instance }) => instance === 'worker-1');
    expect(taskRunnersOf(worker ?? { pid: 0 })).toEqual([]);
    expect(await running.drillAccess?.killRunner('worker-1')).toBeGreaterThanOrEqual(1);
    expect((await running.executions())?.succeeded).toBeGreaterThanOrEqual(languages.length);
    expect(running.logs.map((log) => basename(log))).toContain('worker-1-runners.log');
  } finally {
    await running.down(quiet);
    rmSync(folder, { recursive: true });
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

/** A file like n8n's own for queue mode, and beside it the secrets that nothing may show. */
const COMPOSE = `
x-n8n: &n8n
  image: docker.n8n.io/n8nio/n8n:\${N8N_VERSION}
  environment:
    - DB_TYPE=postgresdb
    - DB_POSTGRESDB_HOST=postgres
    - DB_POSTGRESDB_PASSWORD=\${POSTGRES_PASSWORD}
    - EXECUTIONS_MODE=queue
    - QUEUE_BULL_REDIS_HOST=redis
    - N8N_ENCRYPTION_KEY=\${ENCRYPTION_KEY}
    - N8N_RUNNERS_MODE=external
    - N8N_RUNNERS_AUTH_TOKEN=\${RUNNERS_AUTH_TOKEN}
    - OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS=true
    - EXECUTIONS_DATA_SAVE_ON_SUCCESS=none
    - N8N_SMTP_PASS=\${MAIL_PASSWORD}
  volumes: ['n8n_storage:/home/node/.n8n', './own:/files']
services:
  postgres: { image: postgres:17, volumes: ['db_storage:/var/lib/postgresql/data'] }
  redis: { image: redis:7-alpine }
  n8n: { <<: *n8n, ports: ['5678:5678'] }
  n8n-runner: { image: 'n8nio/runners:\${N8N_VERSION}' }
  n8n-worker:
    <<: *n8n
    command: worker --concurrency=7
    deploy: { resources: { limits: { cpus: '0.9', memory: 1280M } } }
`;

test('a Compose file in queue mode is measured in containers of its own, and its secrets are nowhere', async () => {
  buildCli();
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-compose-'));
  const before = containers();
  const volumes = (): string => execFileSync('podman', ['volume', 'ls', '--quiet']).toString();
  const volumesBefore = volumes();
  const secrets = ['POSTGRES_PASSWORD', 'ENCRYPTION_KEY', 'RUNNERS_AUTH_TOKEN', 'MAIL_PASSWORD'];
  try {
    writeFileSync(join(folder, 'docker-compose.yml'), COMPOSE);
    writeFileSync(
      join(folder, '.env'),
      [
        `N8N_VERSION=${pinned(versions, 'N8N_VERSION')}`,
        ...secrets.map((name) => `${name}=${name.toLowerCase()}-is-secret`),
      ].join('\n'),
    );
    const images = [
      ...['--image', archive('n8n', 'N8N_VERSION')],
      ...['--redis-image', archive('redis', 'REDIS_IMAGE_TAG')],
      ...['--postgres-image', archive('postgres', 'POSTGRES_IMAGE_TAG')],
      ...['--runners-image', runnersImage().image],
    ];
    const words = ['run', '--target', 'container', '--compose', 'docker-compose.yml', ...images];
    const load = ['--workload', 'last-node', '--rate', '1', '--duration', '4s', '--warmup', '2s'];
    const { stdout, stderr } = await runCli(
      [
        ...words,
        '--container-engine',
        'podman',
        ...load,
        '--ready',
        '5m',
        '--drain',
        '1m',
        '--json',
      ],
      {},
      folder,
    );
    if (stdout === '') throw new Error(stderr);
    const { summary, topology: laidOut, ...record } = JSON.parse(stdout) as RunRecord;
    expect(summary.executions).toMatchObject({ failed: 0, expectedResponses: 6 });
    expect(laidOut).toMatchObject({
      ...{ mode: 'queue', tuning: 'none' },
      main: { env: { EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none' } },
      workers: { count: 1, concurrency: 7, cpuMillicores: 900, memoryMiB: 1280 },
    });
    expect(stderr).toContain(
      'docker-compose.yml: n8n: main; n8n-worker: 1 worker; redis: Redis; postgres: PostgreSQL; n8n-runner: task runners',
    );
    expect(record.versions).toHaveProperty('runners');
    expect(stderr).toContain('docker-compose.yml: n8n-worker: N8N_SMTP_PASS: not passed on');
    const found = spawnSync('grep', ['-rl', '--exclude=.env', 'is-secret', '.'], { cwd: folder });
    expect(found.status).toBe(1);
    expect(stderr + JSON.stringify(record)).not.toContain('is-secret');
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(containers()).toEqual(before);
  expect(volumes()).toBe(volumesBefore);
});

test('an image of another version than the one that was named is refused', async () => {
  const order = { ...ofImage({ n8n: '2.40.0' }), isVersionNamed: true };
  await expect(containerTarget(order).up(quiet, never())).rejects.toThrow(
    `contains n8n ${pinned(versions, 'N8N_VERSION')}, but the topology asks for n8n 2.40.0`,
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
