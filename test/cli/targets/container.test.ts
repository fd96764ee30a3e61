import { createArguments, envFile } from '../../../cli/src/targets/container/create';
import { Containers, groupIn, signalOf } from '../../../cli/src/targets/container/containers';
import {
  Engine,
  factsIn,
  runtimeArguments,
  ulimitsIn,
  whyNoLimits,
  type EngineFacts,
} from '../../../cli/src/targets/container/engine';
import { idOf, isArchive, versionInTag } from '../../../cli/src/targets/container/images';
import { ContainerJournal, removeLeft } from '../../../cli/src/targets/container/journal';
import { withRunners } from '../../../cli/src/targets/container/runners';
import type { ProcessRunning } from '../../../cli/src/targets/process/process-running';
import { upOrDown } from '../../../cli/src/targets/process/process-target';
import type { ProcessSpec } from '../../../cli/src/targets/process/supervisor';
import { Workspace } from '../../../cli/src/targets/process/workspace';
import { thisProcess } from '../../../cli/src/linux/proc';
import { LeftBehind } from '../../../cli/src/ui/exit';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const spec: ProcessSpec = {
  ...{ role: 'worker', instance: 'worker-1', command: ['/opt/n8n', 'worker', '--concurrency=10'] },
  ...{ env: {}, folder: '/tmp/made/worker-1', log: '/tmp/made/logs/worker-1.log' },
  ...{ limits: { cpuMillicores: 1500, memoryMiB: 1024 }, stopSignal: 'TERM', kind: 'service' },
};

const rooted: EngineFacts = {
  ...{ kind: 'podman', version: '4.3.1', isRootless: false },
  ...{ cgroupVersion: 'v2', controllers: ['cpu', 'memory'], runtime: 'crun' },
};

const created = (isOwnProgram: boolean, facts: EngineFacts = rooted): string =>
  createArguments(facts, {
    ...{ name: 'n8n-tuned-1-worker-1', call: '1', image: 'sha256:aa', isOwnProgram, spec },
    ...{ envFile: '/tmp/made/engine/worker-1.env', user: { id: 60700, group: 60701 } },
    mounts: [{ path: '/tmp/made' }, { path: '/kit/preload', isReadOnly: true }],
    ulimits: ['--ulimit', 'nofile=1:2'],
  }).join(' ');

test("a container has the call's label, the limits of its role, its folder, and patches that it cannot change", () => {
  const words = created(true);
  expect(words).toContain('--name n8n-tuned-1-worker-1 --label n8n-tuned.call=1');
  expect(words).toContain('--cpus 1.5 --memory 1024m --memory-swap 1024m');
  expect(words).toContain('--volume /tmp/made:/tmp/made --volume /kit/preload:/kit/preload:ro');
  expect(words).toContain('--user 60700:60701');
  expect(words).toContain('--env-file /tmp/made/engine/worker-1.env');
});

test('an image of n8n starts by its own program, and that of a store by the one that is named', () => {
  expect(created(true)).toMatch(/ sha256:aa worker --concurrency=10$/);
  expect(created(false)).toMatch(/ --entrypoint \/opt\/n8n sha256:aa worker --concurrency=10$/);
});

test('rootless podman keeps the id of its user, so that the container may read the folder', () => {
  expect(created(true, { ...rooted, isRootless: true })).toContain('--userns keep-id');
  expect(created(true)).not.toContain('--userns');
});

test('the environment is a file with a line for each variable; one of several lines is left', () => {
  expect(envFile({ A: '1', B: 'x=y z', C: 'two\nlines' })).toEqual({
    text: 'A=1\nB=x=y z\n',
    left: ['C'],
  });
});

test.each([
  [{ ...rooted, isRootless: true, cgroupVersion: 'v1' } as const, 'control groups v1'],
  [{ ...rooted, isRootless: true, controllers: ['memory'] }, 'lacks the cpu controller'],
])('a rootless engine that cannot set limits says why (%#)', (facts, words) => {
  expect(whyNoLimits(facts, [{ memoryMiB: 512 }])).toContain(words);
  expect(whyNoLimits(facts, [{}])).toBeNull();
});

test('an engine of root sets limits, and a rootless one to which they are delegated', () => {
  expect(whyNoLimits(rooted, [{ memoryMiB: 512 }])).toBeNull();
  expect(whyNoLimits({ ...rooted, isRootless: true }, [{ cpuMillicores: 500 }])).toBeNull();
});

test('what podman and docker say of themselves is read', () => {
  const podman = {
    host: {
      ...{ cgroupVersion: 'v1', cgroupControllers: ['cpu'], ociRuntime: { name: 'crun' } },
      security: { rootless: true },
    },
    version: { Version: '4.3.1' },
  };
  const facts = factsIn('podman', podman);
  expect(facts).toMatchObject({ version: '4.3.1', isRootless: true, controllers: ['cpu'] });
  const here = { runc: '/usr/bin/runc', hasBothVersions: true };
  expect(runtimeArguments(facts, here)).toEqual(['--runtime', '/usr/bin/runc']);
  const docker = {
    ...{ ServerVersion: '27.1.1', CgroupVersion: '2', DefaultRuntime: 'runc' },
    SecurityOptions: ['name=seccomp,profile=builtin'],
  };
  expect(factsIn('docker', docker)).toMatchObject({ cgroupVersion: 'v2', isRootless: false });
  expect(runtimeArguments(factsIn('docker', docker), here)).toEqual([]);
});

test('where crun refuses a machine, runc is asked for by its name', () => {
  const facts: EngineFacts = { ...rooted, cgroupVersion: 'v1' };
  expect(() => runtimeArguments(facts, { runc: null, hasBothVersions: true })).toThrow(
    'podman needs runc, because crun refuses this machine: install runc',
  );
  expect(runtimeArguments(facts, { runc: null, hasBothVersions: false })).toEqual([]);
  expect(runtimeArguments(rooted, { runc: null, hasBothVersions: true })).toEqual([]);
});

test('containers have the limits of files and processes that the command has, up to what podman gives', () => {
  const limits =
    'Max processes             96365                96365                processes \n' +
    'Max open files            1024                 unlimited            files     \n';
  expect(ulimitsIn(limits, 32768)).toEqual([
    ...['--ulimit', 'nofile=1024:1048576', '--ulimit', 'nproc=32768:32768'],
  ]);
});

test.each([
  ['n8nio/n8n:2.41.1', '2.41.1'],
  ['registry.example.com:5000/n8n:2.41.1@sha256:aa', '2.41.1'],
  ['registry.example.com:5000/n8n', null],
  ['n8nio/n8n:latest', null],
  ['./n8n-2.41.1.tar', null],
])('the tag of %s names the version %s', (image, version) => {
  expect(versionInTag(image)).toBe(version);
});

test('an archive is known by its name, and the image in it by its hash', () => {
  expect(['a.tar', 'b.tar.gz', 'c.tgz'].every(isArchive)).toBe(true);
  expect(isArchive('n8nio/n8n:2.41.1')).toBe(false);
  const hash = 'a'.repeat(64);
  for (const text of [hash, `${hash}.json`, `blobs/sha256/${hash}`, `sha256:${hash}`]) {
    expect(idOf(text)).toBe(`sha256:${hash}`);
  }
});

test('the control group of a container is read in both versions', () => {
  expect(groupIn('9:name=systemd:/a\n4:memory:/libpod/b\n0::/c\n')).toBe('/libpod/b');
  expect(groupIn('0::/machine.slice/libpod-b.scope\n')).toBe('/machine.slice/libpod-b.scope');
});

test('the exit code of an engine tells the signal', () => {
  expect([137, 143, 1, 0, null].map(signalOf)).toEqual(['SIGKILL', 'SIGTERM', null, null, null]);
});

describe('task runners beside n8n', () => {
  let workspace: Workspace;
  beforeEach(() => {
    workspace = new Workspace();
  });
  afterEach(() => workspace.remove());

  const runner = {
    ...{ 'runner-type': 'javascript', workdir: '/home/runner', args: ['start.js'] },
    'allowed-env': ['PATH'],
    'env-overrides': { NODE_FUNCTION_ALLOW_BUILTIN: 'crypto', OTHER: '1' },
  };
  const order = (given = { limits: {}, env: {} }, n8n = '2.41.1') => ({
    ...{ n8n, given, token: 'a-token', brokerPort: 5679 },
    config: { 'task-runners': [runner, { ...runner, 'runner-type': 'python' }] },
    ports: { launcher: 20_000, runners: [20_001, 20_002] },
  });
  const secret = { ...spec.env, N8N_ENCRYPTION_KEY: 'k', NODE_FUNCTION_ALLOW_BUILTIN: 'zlib' };
  const worker = { ...spec, env: secret };

  test('n8n and they share a token and the port of the broker, and they get none of its secrets', () => {
    const { n8n, beside } = withRunners(worker, workspace, order());
    expect(n8n.env).toMatchObject({
      ...{ N8N_RUNNERS_MODE: 'external', N8N_RUNNERS_AUTH_TOKEN: 'a-token' },
      N8N_ENCRYPTION_KEY: 'k',
    });
    expect(n8n.env).not.toHaveProperty('N8N_RUNNERS_ENABLED');
    expect(beside).toMatchObject({
      ...{ role: 'runner', instance: 'worker-1-runners', limits: worker.limits },
      env: {
        ...{ N8N_RUNNERS_AUTH_TOKEN: 'a-token', N8N_RUNNERS_TASK_TIMEOUT: '300' },
        ...{ N8N_RUNNERS_TASK_BROKER_URI: 'http://127.0.0.1:5679' },
        ...{ NODE_OPTIONS: '--max-old-space-size=512', NODE_FUNCTION_ALLOW_BUILTIN: 'zlib' },
      },
    });
    expect(beside.env).not.toHaveProperty('N8N_ENCRYPTION_KEY');
    const [older] = [withRunners(worker, workspace, order(undefined, '1.123.81'))];
    expect(older.n8n.env).toMatchObject({ N8N_RUNNERS_ENABLED: 'true' });
  });

  test('the launcher passes on what the user sets, on ports of its own, and never the token', () => {
    const { beside } = withRunners(worker, workspace, order());
    const config = JSON.parse(
      readFileSync(beside.env['N8N_RUNNERS_CONFIG_PATH'] ?? '', 'utf8'),
    ) as ReturnType<typeof order>['config'];
    const [javascript, python] = config['task-runners'];
    expect(javascript).toMatchObject({
      ...{ workdir: beside.folder, 'health-check-server-port': '20001' },
      'env-overrides': { OTHER: '1', N8N_RUNNERS_HEALTH_CHECK_SERVER_HOST: '127.0.0.1' },
    });
    expect(javascript?.['env-overrides']).not.toHaveProperty('NODE_FUNCTION_ALLOW_BUILTIN');
    expect(python).toMatchObject({ 'health-check-server-port': '20002' });
    expect(javascript?.['allowed-env']).toEqual(
      expect.arrayContaining(['PATH', 'NODE_OPTIONS', 'NODE_FUNCTION_ALLOW_BUILTIN']),
    );
    expect(javascript?.['allowed-env'].join(' ')).not.toMatch(/TOKEN|BROKER|CONFIG_PATH/);
  });

  test('limits and settings of a Compose file go over those of n8n', () => {
    const given = { limits: { memoryMiB: 300 }, env: { N8N_RUNNERS_TASK_TIMEOUT: '9' } };
    const { beside } = withRunners(worker, workspace, order(given));
    expect(beside.limits).toEqual({ memoryMiB: 300 });
    expect(beside.env).toMatchObject({
      ...{ NODE_OPTIONS: '--max-old-space-size=150', N8N_RUNNERS_TASK_TIMEOUT: '9' },
    });
  });
});

test('why n8n did not come up is thrown, and what could not be removed is a warning', async () => {
  const written: string[] = [];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const running = {
    start: () => Promise.reject(new Error('n8n did not start')),
    down: () => Promise.reject(new LeftBehind('a container is left.')),
  } as unknown as ProcessRunning;
  await expect(upOrDown(running, () => undefined, new AbortController().signal)).rejects.toThrow(
    'n8n did not start',
  );
  jest.restoreAllMocks();
  expect(written.join('')).toContain('a container is left.');
});

describe('with an engine that fails', () => {
  let folder: string;
  let program: string;
  const before = process.env['N8N_TUNED_CACHE'];
  const journal = (): string => join(folder, 'containers', 'c1.json');
  /** `failing`: the words that the engine refuses. */
  const fail = (...failing: string[]): void => {
    writeFileSync(join(folder, 'failing'), failing.map((word) => `${word}\n`).join(''));
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-engine-'));
    process.env['N8N_TUNED_CACHE'] = folder;
    program = join(folder, 'podman');
    const info = {
      host: {
        ...{ cgroupVersion: 'v2', cgroupControllers: [], ociRuntime: { name: 'runc' } },
        security: { rootless: false },
      },
      version: { Version: '4.3.1' },
    };
    // Containers are the files of a folder; a container that runs is a process that sleeps.
    const script = `#!/bin/sh
made=${folder}/made
if grep -qx -e "$1" ${folder}/failing; then echo "Error: cannot connect" >&2; exit 125; fi
for name; do :; done
case $1 in
  --version) echo 'podman version 4.3.1' ;;
  info) echo '${JSON.stringify(info)}' ;;
  create) touch "$made/$3" ;;
  start) echo $$ >"$made/$name"; exec sleep 60 ;;
  inspect) echo "{\\"Pid\\":$(cat "$made/$name" | grep . || echo 0),\\"OOMKilled\\":false}" ;;
  stop) kill "$(cat "$made/$name")" ;;
  ps) ls "$made" ;;
  rm) rm "$made/$name" ;;
esac
`;
    writeFileSync(program, script, { mode: 0o700 });
    mkdirSync(join(folder, 'made'));
    mkdirSync(join(folder, 'containers'));
    fail();
  });
  afterEach(() => {
    if (before === undefined) delete process.env['N8N_TUNED_CACHE'];
    else process.env['N8N_TUNED_CACHE'] = before;
    rmSync(folder, { recursive: true });
  });

  test.each([['ps'], ['rm']])(
    'a killed call is forgotten only once the engine has removed its containers (%s)',
    async (word) => {
      const owner = { ...thisProcess(), startedAtMs: 1 };
      const note = {
        call: 'c1',
        engine: program,
        containers: ['n8n-tuned-c1-main', 'gone'],
        owner,
      };
      writeFileSync(journal(), JSON.stringify(note));
      for (const name of ['n8n-tuned-c1-main', 'other']) {
        writeFileSync(join(folder, 'made', name), '');
      }
      fail(word);
      expect(await removeLeft()).toEqual([
        {
          ...{ call: 'c1', removed: [], isRunning: false },
          failed: `${program} ${word} failed: cannot connect`,
        },
      ]);
      expect(existsSync(journal())).toBe(true);
      fail();
      expect(await removeLeft()).toEqual([
        { call: 'c1', removed: ['n8n-tuned-c1-main'], isRunning: false },
      ]);
      expect(existsSync(journal())).toBe(false);
      expect(existsSync(join(folder, 'made', 'other'))).toBe(true);
    },
  );

  test('a container that cannot be removed is told at the end, and clean still knows it', async () => {
    const workspace = new Workspace();
    const containers = new Containers({
      ...{ id: 'c1', engine: await Engine.find(program), workspace },
      control: { kind: 'none', reason: 'a test' },
      journal: new ContainerJournal('c1', program),
      imageOf: () => ({ id: 'sha256:aa', isOwnProgram: true }),
    });
    await containers.start({ ...spec, ...workspace.place('worker-1') });
    fail('rm');
    await containers.end();
    await workspace.remove();
    const error = await containers.dismissReaper().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LeftBehind);
    expect((error as Error).message).toBe(
      'the container n8n-tuned-c1-worker-1 could not be removed (podman rm failed: cannot connect): n8n-tuned clean --target container removes it.',
    );
    expect(existsSync(journal())).toBe(true);
  });
});
