import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  clusterStatus,
  createNamespace,
  inCluster,
  request,
  serviceUrl,
  until,
  type Namespace,
} from '../support/cluster';
import { isLong } from '../support/properties';
import { ROOT } from '../support/release';
import { shellPod, webServer } from './objects';

jest.setTimeout(400_000);

let space: Namespace;
beforeAll(async () => {
  space = await createNamespace('kubernetes');
});
afterAll(() => space?.remove());

const get = (object: string, path: string): Promise<string> =>
  space.kubectl('get', object, '-o', `jsonpath={${path}}`);
const becomes = (object: string, path: string, value: string): Promise<unknown> =>
  until(`${object} ${path} = ${value}`, async () => (await get(object, path)) === value);

describe('a Service', () => {
  beforeAll(async () => {
    await space.apply(webServer('web', { '/index.html': '' }, 2));
    await space.kubectl('patch', 'service', 'web', '-p', '{"spec":{"type":"NodePort"}}');
    const script =
      'mkdir -p /tmp/www; hostname > /tmp/www/index.html; exec httpd -f -p 8080 -h /tmp/www';
    await space.kubectl(
      ...['patch', 'deployment', 'web', '--type=json', '-p'],
      JSON.stringify([
        { op: 'replace', path: '/spec/template/spec/containers/0/command/2', value: script },
      ]),
    );
    await space.kubectl('rollout', 'status', 'deploy/web', '--timeout=110s');
  });

  const podsBehind = (url: string): Promise<unknown> =>
    until(`both pods behind ${url}`, async () => {
      const replies = await Promise.all(Array.from({ length: 12 }, () => request(url)));
      return (
        new Set(replies.filter(({ status }) => status === 200).map(({ body }) => body)).size === 2
      );
    });

  test('reaches both pods by its address', async () => {
    await podsBehind(await serviceUrl(space, 'web'));
  });

  test('reaches both pods by the port of the node', async () => {
    const port = await get('service/web', '.spec.ports[0].nodePort');
    const node = (
      await inCluster([
        'kubectl',
        'get',
        'node',
        '-o',
        'jsonpath={.items[0].status.addresses[0].address}',
      ])
    ).stdout;
    await podsBehind(`http://${node}:${port}`);
  });

  test('has a name, in pods and for commands from outside', async () => {
    const url = `http://web.${space.name}.svc.cluster.local/`;
    expect(await space.kubectl('exec', 'deploy/web', '--', 'wget', '-qO-', url)).toMatch(/^web-/);
    expect(await request(url)).toEqual({ status: 200, body: expect.stringMatching(/^web-/) });
  });

  test('is forwarded to a port of this side', async () => {
    const script = `kubectl -n ${space.name} port-forward svc/web :80 > "$1" & forward=$!
      trap 'kill $forward' EXIT
      for i in $(seq 50); do port=$(sed -n 's/.*127.0.0.1:\\([0-9]*\\).*/\\1/p' "$1"); [ -n "$port" ] && break; sleep 0.1; done
      curl -s "http://127.0.0.1:$port/"`;
    const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-cluster-'));
    const { stdout } = await inCluster(['bash', '-c', script, 'bash', join(folder, 'port')]);
    rmSync(folder, { recursive: true });
    expect(stdout).toMatch(/^web-/);
  });

  test('has the command of a pod end with its own code', async () => {
    const { code } = await inCluster([
      'kubectl',
      '-n',
      space.name,
      'exec',
      'deploy/web',
      '--',
      'sh',
      '-c',
      'exit 7',
    ]);
    expect(code).toBe(7);
  });
});

describe('a pod', () => {
  test('that takes more memory than its limit is killed', async () => {
    await space.apply([
      shellPod('oom', 'tail /dev/zero', { resources: { limits: { memory: '32Mi' } } }),
    ]);
    await becomes('pod/oom', '.status.containerStatuses[0].state.terminated.reason', 'OOMKilled');
  });

  test('that wants more CPU than its limit is throttled', async () => {
    const look = 'cat /sys/fs/cgroup/cpu.stat /sys/fs/cgroup/cpu/cpu.stat 2>/dev/null || true';
    await space.apply([
      shellPod('busy', 'while :; do :; done', {
        resources: { limits: { cpu: '100m', memory: '16Mi' } },
      }),
    ]);
    await until('throttled periods', async () => {
      const stat = await space.kubectl('exec', 'busy', '--', 'sh', '-c', look);
      return Number(/nr_throttled (\d+)/.exec(stat)?.[1]) > 20;
    });
    await space.kubectl('delete', 'pod', 'busy', '--wait=false');
  });

  test('whose liveness probe fails is started again', async () => {
    const probe = {
      exec: { command: ['cat', '/tmp/alive'] },
      periodSeconds: 1,
      failureThreshold: 1,
    };
    const script = 'touch /tmp/alive; sleep 3; rm /tmp/alive; sleep 3600';
    await space.apply([
      shellPod('live', script, { livenessProbe: probe }, { restartPolicy: 'Always' }),
    ]);
    await becomes('pod/live', '.status.containerStatuses[0].restartCount', '1');
  });

  test('whose image does not exist waits for it', async () => {
    await space.apply([shellPod('nopull', '', { image: 'quay.io/no/such:1' })]);
    await becomes(
      'pod/nopull',
      '.status.containerStatuses[0].state.waiting.reason',
      'ImagePullBackOff',
    );
  });

  test('without rights writes to a claimed volume, and its log is kept', async () => {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    const container = {
      securityContext: {
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    };
    const pod = {
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 1000,
        runAsGroup: 1000,
        fsGroup: 1000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    };
    await space.apply([
      claim,
      shellPod('claims', 'echo kept > /data/x && cat /data/x && id -u', container, pod),
    ]);
    await becomes('pod/claims', '.status.phase', 'Succeeded');
    expect(await space.kubectl('logs', 'claims')).toBe('kept\n1000');
  });

  test('is measured', async () => {
    expect(await until('metrics', () => space.kubectl('top', 'pod', '--no-headers'))).toMatch(
      /\d+m\s+\d+Mi/,
    );
  });
});

if (isLong) {
  test('an autoscaler adds pods while those there are busy', async () => {
    const [deployment] = webServer('scaled', { '/index.html': '' }) as [Record<string, unknown>];
    await space.apply([deployment]);
    await space.kubectl(
      'set',
      'resources',
      'deploy/scaled',
      '--requests=cpu=50m',
      '--limits=cpu=100m',
    );
    await space.kubectl('autoscale', 'deploy/scaled', '--cpu=50%', '--min=1', '--max=3');
    await space.kubectl('rollout', 'status', 'deploy/scaled', '--timeout=110s');
    const busy = 'end=$(($(date +%s) + 240)); while [ $(date +%s) -lt $end ]; do :; done';
    await space.kubectl('exec', 'deploy/scaled', '--', 'sh', '-c', `(${busy}) >/dev/null 2>&1 &`);
    await until(
      'a second pod',
      async () => Number(await get('hpa/scaled', '.status.desiredReplicas')) > 1,
      200_000,
    );
    await space.kubectl('delete', 'hpa/scaled', 'deploy/scaled', '--wait=false');
  });
}

test('what runs in the network of the cluster fetches packages by the network of the machine', async () => {
  const show = 'readlink /proc/self/ns/net; cat /etc/resolv.conf';
  const outside = `. ${join(ROOT, 'lab/cluster/settings.sh')}; outside sh -c '${show}'`;
  const { stdout: machine } = await promisify(execFile)('bash', ['-c', outside]);
  expect((await inCluster(['bash', '-c', outside])).stdout).toBe(machine);
  // Another provider's cluster is reached by the network of the machine.
  if ((await clusterStatus())['provider'] === 'native') {
    expect((await inCluster(['bash', '-c', show])).stdout).not.toBe(machine);
  }
});

test('Helm installs a chart, waits for it and tests it', async () => {
  const cache =
    process.env['N8N_TUNED_CACHE'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'n8n-tuned');
  const chart = mkdtempSync(join(tmpdir(), 'n8n-tuned-chart-'));
  mkdirSync(join(chart, 'templates'));
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: hello\nversion: 1.0.0\n');
  webServer('hello', { '/index.html': 'hello' }).forEach((object, index) => {
    writeFileSync(join(chart, 'templates', `${index}.yaml`), JSON.stringify(object));
  });
  const check = shellPod('hello-check', 'wget -qO- http://hello | grep -x hello');
  const hook = { metadata: { name: 'hello-check', annotations: { 'helm.sh/hook': 'test' } } };
  writeFileSync(join(chart, 'templates', 'check.yaml'), JSON.stringify({ ...check, ...hook }));
  const helm = async (...args: string[]): Promise<void> => {
    const { code, stderr } = await inCluster([
      join(cache, 'bin', 'helm3'),
      '-n',
      space.name,
      ...args,
    ]);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
  };
  try {
    await helm('install', 'hello', chart, '--wait', '--timeout', '110s');
    await helm('test', 'hello', '--timeout', '110s');
    await helm('uninstall', 'hello');
  } finally {
    rmSync(chart, { recursive: true });
  }
});
