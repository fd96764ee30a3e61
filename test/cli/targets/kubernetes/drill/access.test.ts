// What a drill does to a release, with a stand-in for the API of the cluster that keeps what it was asked.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ExecOptions, Place } from '../../../../../cli/src/targets/kubernetes/api/api';
import type { V1Deployment, V1Pod } from '../../../../../cli/src/targets/kubernetes/api/api-types';
import {
  drillAccessOf,
  FILL_SCRIPT,
  FREE_SCRIPT,
  type DrillPlace,
} from '../../../../../cli/src/targets/kubernetes/drill/access';
import { RUNNER_SCRIPT } from '../../../../../cli/src/targets/kubernetes/drill/in-container';
import { isRolledOut } from '../../../../../cli/src/targets/kubernetes/release/rollout';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyNoMount } from '../../../../../cli/src/linux/small-disk';

const COMPONENT = 'app.kubernetes.io/component';
const NEVER = new AbortController().signal;

interface Patch {
  op: string;
  path: string;
  value: unknown;
}

function podOf(component: string, name: string, node = 'node-1'): V1Pod {
  const isStore = ['redis', 'postgresql'].includes(component);
  return {
    metadata: {
      name,
      uid: `uid of ${name}`,
      labels: { [COMPONENT]: component },
      annotations: { 'checksum/secrets': 'a' },
      ownerReferences: [
        {
          ...{ apiVersion: 'apps/v1', uid: '1' },
          kind: isStore ? 'StatefulSet' : 'ReplicaSet',
          name: isStore ? `n8n-${component}` : `n8n-${component}-5d8f`,
        },
      ],
    },
    spec: { nodeName: node, containers: [{ name: 'n8n' }], terminationGracePeriodSeconds: 1 },
    status: {
      containerStatuses: [
        {
          ...{ name: 'n8n', image: '', imageID: '', ready: true, restartCount: 0 },
          ...{ containerID: name, state: { running: {} } },
        },
      ],
    },
  };
}

const deploymentOf = (component: string, replicas: number): V1Deployment => ({
  metadata: { name: `n8n-${component}`, generation: 1 },
  spec: {
    replicas,
    selector: {},
    template: { metadata: { labels: { [COMPONENT]: component }, annotations: { a: 'b' } } },
  },
  status: {
    ...{ observedGeneration: 1, replicas, updatedReplicas: replicas, readyReplicas: replicas },
  },
});

/** A release with a main, a webhook processor, two workers on two nodes, and both stores. */
class FakeCluster {
  readonly asked: string[] = [];
  /** The pods that the cluster lists. */
  pods = [
    podOf('main', 'main-1'),
    podOf('webhook', 'webhook-1'),
    podOf('worker', 'worker-1'),
    podOf('worker', 'worker-2', 'node-2'),
    podOf('redis', 'redis-0'),
    podOf('postgresql', 'postgresql-0'),
  ];
  deployments = [deploymentOf('main', 1), deploymentOf('webhook', 1), deploymentOf('worker', 2)];
  /** What the shell in a container ends with. */
  shell: { code: number | null; stderr: string } = { code: 0, stderr: '' };
  /** What it writes before that. */
  written = '';
  /** What happens in the container meanwhile. */
  meanwhile: () => void = () => undefined;
  /** How often an eviction is refused. */
  refusals = 0;
  /** What a command that is waited for has written. */
  output: (command: readonly string[]) => Promise<string> = () => Promise.resolve('');
  /** What is known of a command that goes on: what it writes at first, and how it ends. */
  goesOn: {
    begins: string;
    told: string[];
    ends: Promise<{ code: number | null; stderr: string }>;
  } | null = null;

  remove(name: string): void {
    this.pods = this.pods.filter(({ metadata }) => metadata?.name !== name);
  }

  private patched(name: string, body: unknown): void {
    for (const { path, value } of body as Patch[]) {
      this.asked.push(`${name} ${path} = ${String(value)}`);
      if (path !== '/spec/replicas') continue;
      if (value === 0) this.remove(`${name.replace('n8n-', '')}-0`);
      if (name === 'n8n-worker' && value === 1) this.remove('worker-1');
      if (name === 'n8n-main' && value === 0) this.remove('main-1');
    }
  }

  get access(): ReturnType<typeof drillAccessOf> {
    const patch = ({ name, body }: { name: string; body: unknown }): Promise<void> => {
      this.patched(name, body);
      return Promise.resolve();
    };
    const cluster = {
      doing: (_what: string, ask: () => Promise<unknown>) => ask(),
      exec: (
        { pod, container }: Place,
        command: readonly string[],
        { onOutput, onOpen }: Pick<ExecOptions, 'onOutput' | 'onOpen'>,
      ) => {
        const { goesOn } = this;
        if (goesOn !== null) {
          onOpen?.((text) => goesOn.told.push(`${pod}: ${text}`));
          onOutput(goesOn.begins);
          return goesOn.ends;
        }
        this.asked.push(`${String(command.at(-1))} in ${container} of ${pod}`);
        onOutput(this.written);
        this.meanwhile();
        return Promise.resolve(this.shell);
      },
      output: ({ pod, container }: Place, command: readonly string[]) => {
        this.asked.push(`${String(command.at(-1))} in ${container} of ${pod}`);
        return this.output(command);
      },
      core: {
        deleteNamespacedPod: ({ name, gracePeriodSeconds }: Record<string, unknown>) => {
          this.asked.push(`deletion of ${String(name)} within ${String(gracePeriodSeconds)} s`);
          return Promise.resolve();
        },
        listNamespacedPod: () => Promise.resolve({ items: this.pods }),
        patchNamespacedPod: patch,
        createNamespacedPodEviction: ({ name }: { name: string }) => {
          this.asked.push(`eviction of ${name}`);
          if (this.refusals > 0) {
            this.refusals -= 1;
            return Promise.reject(Object.assign(new Error('a budget'), { code: 429, body: '' }));
          }
          this.remove(name);
          return Promise.resolve({});
        },
      },
      apps: {
        listNamespacedDeployment: () => Promise.resolve({ items: this.deployments }),
        readNamespacedStatefulSet: () => Promise.resolve({ spec: { replicas: 1 } }),
        patchNamespacedStatefulSet: patch,
        patchNamespacedDeployment: (order: { name: string; body: unknown }) => {
          const first = (order.body as Patch[])[0];
          // The controller makes a new pod for the old one.
          if (first?.path.startsWith('/spec/template') === true) {
            for (const { metadata } of this.pods) {
              const name = metadata?.name ?? '';
              if (name.startsWith(order.name.replace('n8n-', ''))) this.remove(name);
            }
          }
          return patch(order);
        },
      },
    };
    const known = this.pods;
    return drillAccessOf({
      cluster: cluster as unknown as DrillPlace['cluster'],
      ...{ namespace: 'n', release: 'n8n', pods: () => known, standIn: null },
      program: (name) => `the program ${name}`,
    });
  }
}

test('instances are the pods that play a part', () => {
  const { access } = new FakeCluster();
  expect(access.instances?.().map(({ role, instance }) => `${role} ${instance}`)).toEqual([
    ...['main main-1', 'webhook webhook-1', 'worker worker-1', 'worker worker-2'],
    ...['redis redis-0', 'postgresql postgresql-0'],
  ]);
});

describe('a signal', () => {
  test('is sent by a shell in the container of n8n', async () => {
    const fake = new FakeCluster();
    await fake.access.signal('worker-1', 'SIGKILL');
    expect(fake.asked).toEqual(['KILL in n8n of worker-1']);
  });

  test.each([
    ['the connection is cut', null],
    ['the shell ends with its container', 137],
  ])('has worked where %s', async (_how, code) => {
    const fake = new FakeCluster();
    fake.shell = { code, stderr: '' };
    await expect(fake.access.signal('main-1', 'SIGKILL')).resolves.toBeUndefined();
  });

  test('that cannot be sent is told', async () => {
    const fake = new FakeCluster();
    fake.shell = { code: 1, stderr: 'n8n is the first process of its container\n' };
    await expect(fake.access.signal('main-1', 'SIGKILL')).rejects.toThrow(
      'SIGKILL of main-1 failed: n8n is the first process of its container',
    );
    await expect(fake.access.signal('main-9', 'SIGKILL')).rejects.toThrow('main-9 is not running');
  });
});

test('of the task runners, each that a container had is counted', async () => {
  const fake = new FakeCluster();
  fake.written = '1\n';
  expect(await fake.access.killRunner('worker-1')).toBe(1);
  expect(fake.asked).toEqual([`${RUNNER_SCRIPT} in n8n of worker-1`]);
  fake.shell = { code: 1, stderr: 'no shell' };
  await expect(fake.access.killRunner('worker-1')).rejects.toThrow(
    'the task runner of worker-1 could not be killed: no shell',
  );
});

/** In a process of its own that calls itself what n8n's runner does; the shell itself names it too. */
test('the script ends a task runner, and nothing else', async () => {
  const sleep = ['-e', 'setTimeout(() => undefined, 600_000)'];
  const runner = spawn(process.execPath, [...sleep, '/a/task-runner/start.js']);
  const other = spawn(process.execPath, sleep);
  const ended = new Promise((resolve) => runner.once('exit', (_code, signal) => resolve(signal)));
  try {
    // It may see these alone of the processes of this machine.
    const seen = [runner, other].map(({ pid }) => `/proc/${String(pid)}`).join(' ');
    const script = RUNNER_SCRIPT.replace('/proc/[0-9]*', seen);
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe('1\n');
    expect(await ended).toBe('SIGKILL');
    expect(other.exitCode ?? other.signalCode).toBeNull();
  } finally {
    runner.kill('SIGKILL');
    other.kill('SIGKILL');
  }
});

describe('want of memory', () => {
  const limited = (fake: FakeCluster): V1Pod => {
    const pod = fake.pods.find(({ metadata }) => metadata?.name === 'worker-1');
    const container = pod?.spec?.containers[0];
    if (pod === undefined || container === undefined) throw new Error('it is there');
    container.resources = { limits: { memory: '1Gi' } };
    return pod;
  };

  test('is over when the container has been started again', async () => {
    const fake = new FakeCluster();
    const [status] = limited(fake).status?.containerStatuses ?? [];
    fake.shell = { code: 137, stderr: '' };
    fake.meanwhile = () => {
      if (status !== undefined) status.restartCount = 1;
    };
    await expect(fake.access.runOutOfMemory('worker-1', NEVER)).resolves.toBeUndefined();
    expect(fake.asked).toHaveLength(1);
  });

  test('is left alone where it would be that of the node, and when the drill is broken off', async () => {
    const fake = new FakeCluster();
    await expect(fake.access.runOutOfMemory('worker-1', NEVER)).rejects.toThrow(
      'n8n of worker-1 has no memory limit: the node would run out of memory instead',
    );
    expect(fake.asked).toEqual([]);
    limited(fake);
    await fake.access.runOutOfMemory('worker-1', AbortSignal.abort());
  });
});

test('a store is set to no pod, and back to what it had', async () => {
  const fake = new FakeCluster();
  const startAgain = await fake.access.keepDown('redis-0', 1000);
  expect(fake.asked).toEqual(['n8n-redis /spec/replicas = 0']);
  await startAgain();
  expect(fake.asked.at(-1)).toBe('n8n-redis /spec/replicas = 1');
});

test('of the workers, the one that is named leaves', async () => {
  const fake = new FakeCluster();
  await fake.access.keepDown('worker-1', 1000);
  expect(fake.asked).toEqual([
    'worker-1 /metadata/annotations/controller.kubernetes.io~1pod-deletion-cost = -2147483648',
    'n8n-worker /spec/replicas = 1',
  ]);
});

test('main that is killed is killed before its Deployment is set to none, so that it has no time to end', async () => {
  const fake = new FakeCluster();
  const startAgain = await fake.access.keepDown('main-1', 0);
  expect(fake.asked.slice(1)).toEqual([
    ...['KILL in n8n of main-1', 'n8n-main /spec/replicas = 0'],
    // The kubelet may start it again until its pod is gone.
    'KILL in n8n of main-1',
  ]);
  await startAgain();
  expect(fake.asked.at(-1)).toBe('n8n-main /spec/replicas = 1');
});

test('a store that is lost is replaced at once', async () => {
  const fake = new FakeCluster();
  await fake.access.loseStore('redis-0');
  expect(fake.asked).toEqual(['deletion of redis-0 within 0 s']);
});

describe('links', () => {
  test('are ordered in the pod of each process of n8n', async () => {
    const fake = new FakeCluster();
    fake.output = (command) => Promise.resolve(command.at(-1) === '/redis/lose' ? '3' : '');
    const ofWorker = fake.access.links.filter(({ instance }) => instance === 'worker-1');
    const [redis, postgresql] = ofWorker;
    await redis?.slow(100);
    await postgresql?.freeze();
    await postgresql?.thaw();
    expect(await redis?.lose()).toBe(3);
    expect(fake.asked).toEqual(
      ['/redis/slow/100', '/postgresql/freeze', '/postgresql/thaw', '/redis/lose'].map(
        (order) => `${order} in store-links of worker-1`,
      ),
    );
    expect(fake.access.links.map(({ instance, store }) => `${instance} ${store}`)).toEqual(
      ['main-1', 'webhook-1', 'worker-1', 'worker-2'].flatMap((pod) => [
        ...[`${pod} redis`, `${pod} postgresql`],
      ]),
    );
  });

  test('that do not obey are told', async () => {
    const fake = new FakeCluster();
    fake.output = () => Promise.reject(new Error('in main-1: no such container'));
    await expect(fake.access.links[0]?.freeze()).rejects.toThrow(
      'the store proxy of main-1 rejected /redis/freeze: in main-1: no such container',
    );
  });
});

describe('the connections of PostgreSQL', () => {
  test('are taken from the container of main until they are given back', async () => {
    const fake = new FakeCluster();
    let end: (ended: { code: number; stderr: string }) => void = () => undefined;
    const ends = new Promise<{ code: number; stderr: string }>((resolve) => (end = resolve));
    const told: string[] = [];
    fake.goesOn = { begins: '100\n', told, ends };
    const { taken, giveBack } = await fake.access.useUpConnections();
    expect([taken, told]).toEqual([100, []]);
    const back = giveBack();
    expect(told).toEqual(['main-1: \n']);
    end({ code: 0, stderr: '' });
    await back;
  });

  test('that cannot be taken are told', async () => {
    const fake = new FakeCluster();
    fake.goesOn = { begins: '', told: [], ends: Promise.resolve({ code: 1, stderr: 'no pg\n' }) };
    await expect(fake.access.useUpConnections()).rejects.toThrow(
      'the connections to PostgreSQL could not all be taken: no pg',
    );
  });

  test('of a server that is not of the release are left to others', async () => {
    const fake = new FakeCluster();
    fake.remove('postgresql-0');
    await expect(fake.access.useUpConnections()).rejects.toThrow('no postgresql runs');
  });
});

describe('the disk of PostgreSQL', () => {
  test('is filled and freed in its container', async () => {
    const fake = new FakeCluster();
    fake.output = () => Promise.resolve('62464\n');
    const filled = await fake.access.fillDisk?.();
    expect([filled?.what, filled?.usedMiB]).toEqual(['PostgreSQL', 61]);
    await filled?.freeUp();
    expect(fake.asked).toEqual(
      [FILL_SCRIPT, FREE_SCRIPT].map((script) => `${script} in n8n of postgresql-0`),
    );
  });

  test('is freed again where it could not be filled, and the reason told', async () => {
    const fake = new FakeCluster();
    fake.output = () => Promise.reject(new Error('in postgresql-0: its volume lies elsewhere'));
    await expect(fake.access.fillDisk?.()).rejects.toThrow(
      'the disk of PostgreSQL could not be filled: in postgresql-0: its volume lies elsewhere',
    );
    expect(fake.asked.at(-1)).toBe(`${FREE_SCRIPT} in n8n of postgresql-0`);
  });
});

test('a rollout gives every Deployment of n8n a new template, and waits for the old pods', async () => {
  const fake = new FakeCluster();
  await fake.access.rollOut?.(NEVER);
  expect(fake.asked.map((text) => text.replace(/= .*/, ''))).toEqual(
    ['main', 'webhook', 'worker'].map(
      (name) =>
        `n8n-${name} /spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt `,
    ),
  );
  expect(fake.pods.map(({ metadata }) => metadata?.name)).toEqual(['redis-0', 'postgresql-0']);
});

test('a drain evicts the pods of n8n on one node, and asks again where a budget refuses', async () => {
  const fake = new FakeCluster();
  fake.refusals = 1;
  const drained = await fake.access.drainNode?.('main-1', NEVER);
  expect(drained?.node).toBe('node-1');
  expect([...(drained?.evicted ?? [])].sort()).toEqual(['main-1', 'webhook-1', 'worker-1']);
  expect(fake.asked).toHaveLength(4);
  expect(fake.asked).not.toContain('eviction of worker-2');
});

test('a drain that is broken off returns at once with those that have left', async () => {
  const fake = new FakeCluster();
  fake.refusals = Infinity;
  const drained = await fake.access.drainNode?.('main-1', AbortSignal.timeout(50));
  expect(drained).toEqual({ node: 'node-1', evicted: [] });
});

test('nothing that counts is null, and not an empty list', async () => {
  expect(await new FakeCluster().access.effects()).toBeNull();
});

test.each([
  ['over', {}, true],
  ['not seen yet by the controller', { observedGeneration: 0 }, false],
  ['with an old pod beside', { replicas: 3 }, false],
  ['with a new pod that is not ready', { readyReplicas: 1 }, false],
  ['with one pod still of the old template', { updatedReplicas: 1 }, false],
])('a rollout is %s', (_how, status, expected) => {
  const deployment = deploymentOf('worker', 2);
  expect(isRolledOut({ ...deployment, status: { ...deployment.status, ...status } })).toBe(
    expected,
  );
});

/** The scripts that fill the volume of PostgreSQL and free it, on a file system of its own where one may be mounted. */
let volume: string;
beforeEach(() => {
  volume = mkdtempSync(join(tmpdir(), 'volume-'));
});
afterEach(() => {
  rmSync(volume, { recursive: true, force: true });
});

function sh(script: string): { status: number | null; stdout: string; stderr: string } {
  const env = { ...process.env, PGDATA: join(volume, 'pgdata') };
  mkdirSync(env.PGDATA, { recursive: true });
  return spawnSync('sh', ['-c', script], { env, encoding: 'utf8' });
}

const isMounting = whyNoMount() === null;
(isMounting ? test : test.skip)('nothing more can be written until it is freed', () => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'n8n-tuned-test', volume]);
  try {
    const more = join(volume, 'more');
    const { status, stdout } = sh(FILL_SCRIPT);
    expect([status, /^\d+\n$/.test(stdout)]).toEqual([0, true]);
    expect(() => {
      writeFileSync(more, 'x'.repeat(4096));
    }).toThrow('ENOSPC');
    expect(sh(FREE_SCRIPT).status).toBe(0);
    writeFileSync(more, 'x'.repeat(4096));
  } finally {
    execFileSync('umount', ['-l', volume]);
  }
});

test('a folder on the disk of its node is left alone', () => {
  mkdirSync(join(volume, 'etc'));
  // /etc/hosts is on that disk in a pod; here it is where this folder is.
  const { status, stderr } = sh(FILL_SCRIPT.replace('/etc/hosts', join(volume, 'etc')));
  expect([status, stderr]).toEqual([1, expect.stringContaining('the disk of its node')]);
  expect(existsSync(join(volume, 'n8n-tuned-full-disk'))).toBe(false);
});
