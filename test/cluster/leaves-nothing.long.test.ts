import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { cluster, until } from '../support/cluster';

jest.setTimeout(400_000);

// A cluster of its own beside the one that the other tests use.
const NAME = `leaves-nothing-${process.pid}`;
const env = { N8N_TUNED_CLUSTER: NAME };
const rig = (...args: string[]) => cluster(args, { env, timeoutMs: 300_000 });

/** What of the machine a cluster could leave behind, apart from processes. */
function footprint(): Record<string, string[]> {
  const hierarchies = ['', ...readdirSync('/sys/fs/cgroup')].map((name) =>
    join('/sys/fs/cgroup', name),
  );
  return {
    mounts: readFileSync('/proc/self/mounts', 'utf8').trim().split('\n').sort(),
    networkNamespaces: execFileSync('ip', ['netns'], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .sort(),
    cgroups: hierarchies.filter((path) => existsSync(join(path, `${NAME}-cluster`))),
    mountPoints: ['/var/lib/kubelet', '/var/lib/cni'].filter((path) => existsSync(path)),
  };
}

const pids = (): string[] => readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name));
const read = <T>(take: () => T, gone: T): T => {
  try {
    return take();
  } catch {
    return gone; // the process has ended in the meantime
  }
};
const commandLine = (pid: string): string =>
  read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '');
const namespace = (pid: string, kind: string): string =>
  read(() => readlinkSync(`/proc/${pid}/ns/${kind}`), '');

/** Process 1 of the cluster, as this machine counts it. */
function init(): string | undefined {
  return pids().find(
    (pid) =>
      commandLine(pid).startsWith('bash\0') &&
      commandLine(pid).endsWith(`native/init.sh\0${stateFolder}\0`) &&
      /^NSpid:.*\s1$/m.test(read(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '')),
  );
}

/** Everything that lives in the cluster's PID or network namespace, or was started for it. */
function processes(namespaces: string[]): string[] {
  return pids().filter(
    (pid) =>
      namespaces.some((name) => name === namespace(pid, 'pid') || name === namespace(pid, 'net')) ||
      (commandLine(pid).includes(`${stateFolder}`) && pid !== String(process.pid)),
  );
}

let stateFolder = '';
let before: Record<string, string[]>;
beforeAll(async () => {
  const { stdout } = await cluster(['--help']);
  const cache = /N8N_TUNED_CACHE .*\(now (.*)\)/.exec(stdout)?.[1] ?? '';
  stateFolder = join(cache, 'cluster', 'state', NAME);
  before = footprint();
});
afterAll(() => rig('down', '--wipe'));

/** Open for as long as this file runs: the kernel gives the name of a namespace that is gone to the next one. */
const heldOpen: number[] = [];
afterAll(() => {
  heldOpen.forEach(closeSync);
});

async function namespacesOfInit(): Promise<string[]> {
  const pid = await until('process 1 of the cluster', async () => init() ?? false, 120_000);
  return ['pid', 'net'].map((kind) => {
    heldOpen.push(openSync(`/proc/${pid}/ns/${kind}`, 'r'));
    return namespace(String(pid), kind);
  });
}

async function expectNothingLeft(namespaces: string[]): Promise<void> {
  expect((await rig('down')).code).toBe(0);
  expect(footprint()).toEqual(before);
  expect(processes(namespaces)).toEqual([]);
}

test.each(['first', 'second'])('up and down leave the machine as it was: the %s time', async () => {
  expect(await rig('up')).toMatchObject({ code: 0 });
  expect((await rig('up')).stderr).toContain('already running');
  const namespaces = await namespacesOfInit();
  expect(processes(namespaces).length).toBeGreaterThan(8);
  expect((await rig('status')).stdout).toContain('running=yes');
  await expectNothingLeft(namespaces);
  expect(await rig('status')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('running=no'),
  });
});

test('down cleans up after an up that was killed in the middle', async () => {
  const up = spawn(join(__dirname, '..', '..', 'lab', 'cluster', 'cluster'), ['up'], {
    env: { ...process.env, ...env },
    detached: true,
  });
  const namespaces = await namespacesOfInit();
  process.kill(-Number(up.pid), 'SIGKILL'); // the whole process group of `up`
  await expectNothingLeft(namespaces);
});

test('down cleans up after process 1 was killed, and up starts again from there', async () => {
  expect(await rig('up')).toMatchObject({ code: 0 });
  const namespaces = await namespacesOfInit();
  process.kill(Number(init()), 'SIGKILL');
  await until('its end', async () => init() === undefined);
  expect(await rig('exec', 'true')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not running'),
  });
  expect(await rig('up')).toMatchObject({ code: 0 });
  await expectNothingLeft(namespaces);
});

test.each([
  [['bogus'], /there is no command 'bogus'/],
  [['exec'], /wants a command/],
  [['down', '--all'], /takes --wipe or nothing/],
])('a wrong call %j is told in one sentence', async (args, sentence) => {
  const { code, stderr } = await rig(...args);
  expect([code, stderr.trim().split('\n')]).toEqual([2, [expect.stringMatching(sentence)]]);
});
