import type {
  V1ContainerStatus,
  V1Pod,
} from '../../../../../cli/src/targets/kubernetes/api/api-types';
import { PodHistory, roleOf, seatsOf } from '../../../../../cli/src/targets/kubernetes/pods/pods';
import {
  databaseSeat,
  urlOf,
  versionIn,
  webhookService,
} from '../../../../../cli/src/targets/kubernetes/release/release';

interface Made {
  component?: string;
  uid?: string;
  restarts?: number;
  lastReason?: string;
  lastExitCode?: number;
  state?: V1ContainerStatus['state'];
  container?: string;
  isLeaving?: boolean;
  env?: { name: string; value: string }[];
}

const pod = (name: string, made: Made = {}): V1Pod => ({
  metadata: {
    name,
    uid: made.uid ?? name,
    labels: { 'app.kubernetes.io/component': made.component ?? name },
    ...(made.isLeaving === true ? { deletionTimestamp: new Date(0) } : {}),
  },
  spec: {
    nodeName: 'node0',
    containers: [{ name: 'n8n', image: 'registry/n8nio/n8n:2.41.1', env: made.env ?? [] }],
  },
  status: {
    containerStatuses: [
      {
        name: made.container ?? 'n8n',
        image: '',
        imageID: '',
        ready: true,
        containerID: `c${String(made.restarts ?? 0)}`,
        restartCount: made.restarts ?? 0,
        state: made.state ?? { running: {} },
        ...(made.lastReason === undefined
          ? {}
          : {
              lastState: {
                terminated: { exitCode: made.lastExitCode ?? 137, reason: made.lastReason },
              },
            }),
      },
    ],
  },
});

test('pods play the roles that their labels name, a job none', () => {
  const roles = ['main', 'worker', 'webhook', 'redis', 'postgresql', 'smoke'].map((name) =>
    roleOf(pod(name)),
  );
  expect(roles).toEqual(['main', 'worker', 'webhook', 'redis', 'postgresql', null]);
  const job = pod('main');
  job.metadata = { ...job.metadata, ownerReferences: [{ kind: 'Job' } as never] };
  expect(roleOf(job)).toBeNull();
});

test('what runs beside n8n is not taken for main by the name of its chart', () => {
  const named = (component: string): V1Pod => {
    const one = pod(component);
    const labels = { ...one.metadata?.labels, 'app.kubernetes.io/name': 'n8n-tuned' };
    return { ...one, metadata: { ...one.metadata, labels } };
  };
  expect(['main', 'exporter', 'smoke-test'].map((name) => roleOf(named(name)))).toEqual([
    ...['main', null, null],
  ]);
});

test('a sidecar with a task runner has the role of one, another sidecar none', () => {
  const one = pod('worker');
  one.spec?.containers.push({ name: 'runners' }, { name: 'proxy' });
  const [first] = one.status?.containerStatuses ?? [];
  if (first !== undefined && one.status !== undefined) {
    one.status.containerStatuses = ['n8n', 'runners', 'proxy'].map((name) => ({ ...first, name }));
  }
  expect(seatsOf([one]).map(({ container, role }) => [container, role])).toEqual([
    ['n8n', 'worker'],
    ['runners', 'runner'],
  ]);
});

describe('what happens to pods', () => {
  it('is told once, from the second look on', () => {
    const history = new PodHistory();
    expect(history.look([pod('main', { restarts: 3, lastReason: 'OOMKilled' })])).toEqual([]);
    expect(history.look([pod('main', { restarts: 4, lastReason: 'OOMKilled' })])).toEqual([
      {
        kind: 'oom-kill',
        text: 'the container n8n of main was killed, because its memory limit was reached',
        exhausted: { role: 'main', resource: 'memory' },
      },
    ]);
    expect(history.look([pod('main', { restarts: 4, lastReason: 'OOMKilled' })])).toEqual([]);
    expect(history.look([pod('main', { restarts: 5, lastReason: 'Error' })])).toEqual([
      {
        kind: 'restart',
        text: 'the container n8n of main ended (Error, exit code 137)',
      },
    ]);
  });

  it('is told when a container ends, not when it is started again after a wait, and once', () => {
    const history = new PodHistory();
    const told = (made: Made) => history.look([pod('main', made)]).map(({ text }) => text);
    const terminated = { exitCode: 137, reason: 'OOMKilled' };
    const heldBack = {
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastReason: 'OOMKilled',
    };
    const again = { restarts: 1, lastReason: 'OOMKilled' };
    const looks: Made[] = [
      ...[{}, { state: { terminated } }, heldBack, heldBack],
      // Kubernetes counts the restart before the container runs.
      ...[{ ...again, state: { waiting: { reason: 'ContainerCreating' } } }, again],
      ...[
        { ...again, ...heldBack },
        { restarts: 2, lastReason: 'OOMKilled' },
      ],
    ];
    const killed = 'the container n8n of main was killed, because its memory limit was reached';
    expect(looks.map(told)).toEqual([[], [killed], [], [], [], [], [killed], []]);
  });

  it('says nothing of an init container that is done, or of what ends while its pod is taken down', () => {
    const history = new PodHistory();
    const texts = (made: Made) => history.look([pod('main', made)]).map(({ text }) => text);
    texts({});
    expect(texts({ state: { terminated: { exitCode: 0, reason: 'Completed' } } })).toEqual([]);
    const killed = { exitCode: 137, reason: 'Error' };
    expect(texts({ isLeaving: true, state: { terminated: killed } })).toEqual([
      'main is being deleted',
    ]);
  });

  it('says that V8 ended n8n because its heap was full', () => {
    const history = new PodHistory();
    history.look([pod('worker')]);
    expect(
      history.look([pod('worker', { restarts: 1, lastReason: 'Error', lastExitCode: 134 })]),
    ).toEqual([
      {
        kind: 'restart',
        text: 'the container n8n of worker aborted, as V8 does when its heap is full',
        exhausted: { role: 'worker', resource: 'heap' },
      },
    ]);
  });

  it('does not blame the memory of n8n when a container beside it is killed', () => {
    const history = new PodHistory();
    const exhaustedBy = (container: string) => {
      history.look([pod('main', { uid: container, container })]);
      const killed = { uid: container, container, restarts: 1, lastReason: 'OOMKilled' };
      return history.look([pod('main', killed)])[0]?.exhausted?.role;
    };
    expect(['n8n', 'task-runner', 'log-shipper'].map(exhaustedBy)).toEqual([
      ...['main', 'runner', undefined],
    ]);
  });

  it('breaks the run when a pod is taken down, and names the one that follows it', () => {
    const history = new PodHistory();
    history.look([pod('worker', { uid: 'a' })]);
    expect(
      history.look([pod('worker', { uid: 'a', isLeaving: true }), pod('worker', { uid: 'b' })]),
    ).toEqual([
      { kind: 'exit', text: 'worker is being deleted' },
      { kind: 'pod', text: 'a new pod: worker' },
    ]);
  });
});

test('a run whose pod loses its node is broken by that, once, and names the node', () => {
  const history = new PodHistory();
  history.look([pod('worker', { uid: 'a' })]);
  const silent = (uid: string, name: string) => ({
    metadata: { uid: `event of ${uid}`, creationTimestamp: new Date(5_000) },
    ...{ type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' },
    involvedObject: { kind: 'Pod', name, uid },
  });
  const events = [silent('a', 'worker'), silent('z', 'somebody-else')];
  expect(history.warnings(events, 0)).toEqual([
    {
      kind: 'exit',
      text: expect.stringMatching(/^worker: its node node0 no longer responds: /) as string,
    },
    { kind: 'cluster', text: 'somebody-else: NodeNotReady: Node is not ready' },
  ]);
  expect(history.warnings(events, 0)).toEqual([]);
});

test('each decision of an autoscaler is told once, also when it decides the same again', () => {
  const history = new PodHistory();
  const decided = (reason: string, count: number, atMs = 5_000) => ({
    metadata: { uid: reason, creationTimestamp: new Date(0) },
    ...{ type: 'Normal', reason, count, lastTimestamp: new Date(atMs) },
    message: 'New size: 3; reason: cpu resource utilization above target',
    involvedObject: { kind: 'HorizontalPodAutoscaler', name: 'n8n-worker' },
  });
  const told = {
    kind: 'autoscaler',
    text: 'n8n-worker: New size: 3; reason: cpu resource utilization above target',
  };
  const first = [decided('SuccessfulRescale', 1), decided('SawCompletedJob', 1)];
  expect(history.decisions(first, 5_000)).toEqual([told]);
  expect(history.decisions(first, 5_000)).toEqual([]);
  expect(history.decisions([decided('SuccessfulRescale', 2)], 5_000)).toEqual([told]);
  const before = [decided('KEDAScaleTargetActivated', 1, 4_999)];
  expect(history.decisions(before, 5_000)).toEqual([]);
});

const service = (component: string, port = 80) => ({
  metadata: {
    name: `n8n-${component}`,
    namespace: 'load',
    labels: { 'app.kubernetes.io/component': component },
  },
  spec: { clusterIP: '10.0.0.2', ports: [{ port }] },
});

test('webhooks go to their processors, if there are any', () => {
  const stores = [service('redis'), service('postgresql')];
  expect(webhookService([...stores, service('main'), service('webhook')])?.metadata?.name).toBe(
    'n8n-webhook',
  );
  expect(webhookService([...stores, service('main')])?.metadata?.name).toBe('n8n-main');
  expect(webhookService(stores)).toBeNull();
  expect(urlOf(service('main'))).toBe('http://n8n-main.load.svc');
  expect(urlOf(service('main', 5678))).toBe('http://n8n-main.load.svc:5678');
});

test('executions are counted where the database is, and nowhere else', () => {
  expect(databaseSeat([pod('main'), pod('postgresql')])?.kind).toBe('postgresql');
  expect(databaseSeat([pod('main')])?.kind).toBe('sqlite');
  const elsewhere = pod('main', { env: [{ name: 'DB_TYPE', value: 'postgresdb' }] });
  expect(databaseSeat([elsewhere])).toBeNull();
  expect(versionIn([elsewhere])).toBe('2.41.1');
});

test.each([
  ['n8nio/n8n:v2.30.8@sha256:ab', '2.30.8'],
  ['registry:5000/n8n:2.30.8', '2.30.8'],
  ['n8nio/n8n:latest', null],
  ['mine/n8n-custom:1.0.0', null],
  ['mine/flows:1.0.0', null],
])('the tag of the image %s is taken for the version %s of n8n', (image, version) => {
  const own = pod('main');
  for (const container of own.spec?.containers ?? []) container.image = image;
  expect(versionIn([own])).toBe(version);
});
