// What takes long of the errors that a user can make on a real cluster: volumes that nothing makes, and helm ended in the
// middle of an install.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { buildCli } from '../support/cli';
import {
  createNamespace,
  FRONT_DOOR,
  until,
  type Namespace,
  type Outcome,
} from '../support/cluster';
import {
  CLI,
  n8nTuned,
  OURS,
  ourNamespaces,
  resultsFolder,
  sentenceOf,
} from '../support/cluster-command';
import { CHART, helm } from '../support/release';
import { pause } from '../support/wait';

jest.setTimeout(900_000);

const { path: out, written, remove } = resultsFolder();
let space: Namespace;
beforeAll(async () => {
  buildCli();
  space = await createNamespace('trouble');
});
afterAll(async () => {
  remove();
  await space?.remove();
});
afterEach(async () => {
  expect(await ourNamespaces()).toBe('');
});

const COMMON = ['run', '--target', 'kubernetes', '--workload', 'last-node', '--out', out];
const run = (...args: string[]): Promise<Outcome> => n8nTuned(...COMMON, ...args);

const KINDS =
  'jobs,pods,deployments,statefulsets,persistentvolumeclaims,secrets,configmaps,services,networkpolicies,serviceaccounts,roles,rolebindings';
/** What Kubernetes itself puts into every namespace. */
const ALWAYS = ['', 'serviceaccount/default', 'configmap/kube-root-ca.crt'];

async function inSpace(one = space): Promise<string[]> {
  const names = await one.kubectl('get', KINDS, '-o', 'name');
  return names.split('\n').filter((name) => !ALWAYS.includes(name));
}

/** A pod that was told to end takes its time. */
const emptied = (): Promise<unknown> =>
  until('a namespace without what the command made', async () => {
    const left = await inSpace();
    if (left.length > 0) throw new Error(`there is ${left.join(', ')}`);
    return true;
  });

test.each([
  ['of its own', (): string[] => []],
  ['that was there', () => ['--namespace', space.name]],
])('a storage class that does not exist is named, in a namespace %s', async (_, where) => {
  const values = written('absent.yaml', 'persistence: { storageClass: absent }\n');
  const refused = await run('--values', values, '--deploy-timeout', '60s', ...where());
  expect(sentenceOf(refused)).toMatch(
    /^the release n8n-[0-9a-f]{8} was not ready within 60 s \(--deploy-timeout\): n8n-[0-9a-f]{8}-n8n-tuned-data: the claim uses the storage class absent, which does not exist in the cluster: choose one from kubectl get storageclass\.$/,
  );
  expect(refused.code).toBe(3);
  await emptied();
});

test.each(['of its own', 'that was there'])(
  'its own helm killed in the middle is told, and leaves nothing in a namespace %s',
  async (which) => {
    const there = which === 'of its own' ? [] : ['--namespace', space.name];
    const child = spawn(FRONT_DOOR, ['exec', 'node', CLI, ...COMMON, ...there], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const own = async (): Promise<string> =>
      there.length > 0 ? space.name : (await ourNamespaces()).replace('namespace/', '');
    await until('a release that is being installed', async () => {
      const names = ['list', '--pending', '--short', '-n', await own()];
      return /^n8n-[0-9a-f]{8}$/.test((await helm(names)).trim());
    });
    process.kill(installingOf(child.pid), 'SIGKILL');
    expect(await ended).toBe(3);
    expect(sentenceOf({ stderr })).toMatch(
      /^helm was killed by SIGKILL while installing the release 'n8n-[0-9a-f]{8}' in the namespace \S+: .*run the command again\.$/,
    );
    await emptied();
  },
);

describe('of a release whose helm was killed in the middle of its install', () => {
  let half: Namespace;
  let before: string[];
  beforeAll(async () => {
    half = await createNamespace('half');
    const install = ['helm3', '-n', half.name, 'install', 'n8n', CHART, '--wait'];
    // The front door becomes helm itself.
    const installing = spawn(FRONT_DOOR, ['exec', ...install], { stdio: 'ignore' });
    const ended = new Promise((resolve) => installing.once('exit', resolve));
    await until('helm at work', async () => (await status()) === 'pending-install');
    installing.kill('SIGKILL');
    await ended;
    expect(await status()).toBe('pending-install');
    // That has nothing to do with the command.
    await pause(10_000, 'what helm had ordered by then may still come');
    before = await inSpace(half);
  });

  afterAll(() => half?.remove());

  const status = async (): Promise<string> => {
    const text = await helm(['status', 'n8n', '-n', half.name, '--output', 'json']);
    return (JSON.parse(text) as { info: { status: string } }).info.status;
  };

  test.each([
    ['deploys nothing over it', ['--release', 'n8n']],
    ['loads nothing of it with --existing', ['--existing', '--release', 'n8n']],
  ])('the command %s, and says how to remove it', async (_, how) => {
    const refused = await run('--namespace', half.name, ...how);
    expect(sentenceOf(refused)).toBe(
      `helm is still installing the release 'n8n' in the namespace ${half.name}, or was interrupted (pending-install): wait until helm has finished; if helm is no longer running, run helm uninstall n8n --namespace ${half.name} to remove what is left of the release.`,
    );
    expect(refused.code).toBe(2);
    expect(await status()).toBe('pending-install');
    expect(await half.kubectl('get', 'jobs,configmaps', '-l', OURS, '-o', 'name')).toBe('');
    expect(before.length).toBeGreaterThan(0);
    expect(await inSpace(half)).toEqual(expect.arrayContaining(before));
  });

  test('what it says to do helps', async () => {
    await helm(['uninstall', 'n8n', '-n', half.name]);
    const releases = await helm(['list', '--all', '--short', '-n', half.name]);
    expect(releases.trim()).toBe('');
  });
});

/** The helm that this process has started. */
function installingOf(pid = 0): number {
  const children = readFileSync(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8');
  const helms = children
    .split(' ')
    .filter((child) => child !== '' && commandOf(child).includes('install'));
  expect(helms).toHaveLength(1);
  return Number(helms[0]);
}

const commandOf = (pid: string): string[] =>
  readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
