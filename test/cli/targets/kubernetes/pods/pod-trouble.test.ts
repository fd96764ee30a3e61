import type {
  CoreV1Event,
  V1ContainerStatus,
  V1Pod,
} from '../../../../../cli/src/targets/kubernetes/api/api-types';
import {
  hasLostNode,
  isReady,
  troublesInEvents,
  troublesOfClaims,
  troublesOf,
} from '../../../../../cli/src/targets/kubernetes/pods/pod-trouble';
import { unready, worstTrouble } from '../../../../../cli/src/targets/kubernetes/release/rollout';

const status = (more: Partial<V1ContainerStatus>): V1ContainerStatus => ({
  name: 'n8n',
  image: 'n8nio/n8n:2.41.1',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...more,
});

const pod = (of: V1Pod['status']): V1Pod => ({
  metadata: { name: 'n8n-main-0' },
  status: of ?? {},
});

test.each([
  [
    'an image that cannot be pulled',
    pod({
      containerStatuses: [
        status({
          state: {
            waiting: {
              reason: 'ImagePullBackOff',
              message: 'Back-off pulling image "n8nio/n8n:9.9.9": not found',
            },
          },
        }),
      ],
    }),
    /^the image n8nio\/n8n:2.41.1 cannot be pulled \(Back-off pulling image .* not found\): correct its name, or give/,
    true,
  ],
  [
    'a first failure to pull, which a registry may get over',
    pod({ containerStatuses: [status({ state: { waiting: { reason: 'ErrImagePull' } } })] }),
    /cannot be pulled \(ErrImagePull\)/,
    false,
  ],
  [
    'an init container that keeps the pod',
    pod({
      initContainerStatuses: [
        status({ name: 'load-targets', state: { waiting: { reason: 'InvalidImageName' } } }),
      ],
    }),
    /cannot be pulled/,
    true,
  ],
  [
    'no node that can take it',
    pod({
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/1 nodes are available: 1 Insufficient memory.',
        },
      ],
    }),
    /^no node can run it: 0\/1 nodes are available: 1 Insufficient memory.; request less CPU or memory/,
    false,
  ],
  [
    'a Secret that is not there',
    pod({
      containerStatuses: [
        status({
          state: {
            waiting: { reason: 'CreateContainerConfigError', message: 'secret "x" not found' },
          },
        }),
      ],
    }),
    /^the container n8n cannot be started: secret "x" not found/,
    true,
  ],
  [
    'a container that ends again and again',
    pod({
      containerStatuses: [
        status({
          restartCount: 4,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
        }),
      ],
    }),
    /^the container n8n was started 5 times: it ended with OOMKilled \(exit code 137\)$/,
    true,
  ],
  [
    'a container whose liveness probe gives it too little time to start',
    pod({
      containerStatuses: [
        status({
          restartCount: 3,
          state: { running: {} },
          lastState: { terminated: { exitCode: 143, reason: 'Error' } },
        }),
      ],
    }),
    /^the container n8n was started 4 times: it ended with Error \(exit code 143\), which happens when a liveness probe fails: give the container more CPU or a startup probe$/,
    true,
  ],
])('%s', (_name, one, text, isFinal) => {
  const [trouble, ...others] = troublesOf([one]);
  expect(others).toEqual([]);
  expect(trouble).toEqual({
    pod: 'n8n-main-0',
    text: expect.stringMatching(text) as string,
    isFinal,
  });
});

test('a pod that only takes its time is in no trouble', () => {
  const slow = pod({ containerStatuses: [status({ state: { running: {} } })] });
  expect(troublesOf([slow, { ...slow, status: {} }])).toEqual([]);
  expect(isReady(slow)).toBe(false);
  expect(isReady(pod({ conditions: [{ type: 'Ready', status: 'True' }] }))).toBe(true);
});

const event = (reason: string, message: string, name = 'n8n-main-abc'): CoreV1Event => ({
  metadata: {},
  type: 'Warning',
  reason,
  message,
  involvedObject: { name },
});

test.each([
  [
    'pods "n8n-main-x" is forbidden: exceeded quota: small, requested: limits.memory=1536Mi, used: limits.memory=0, limited: limits.memory=512Mi',
    'its pods exceed a quota of the namespace (small, requested: limits.memory=1536Mi, used: limits.memory=0, limited: limits.memory=512Mi): raise the quota, or request less with --cpu, --memory or --workers',
  ],
  [
    'pods "n8n-main-x" is forbidden: maximum memory usage per Container is 512Mi, but limit is 1536Mi',
    'its pods are refused by a LimitRange of the namespace (maximum memory usage per Container is 512Mi, but limit is 1536Mi): request amounts within its limits',
  ],
  [
    'pods "n8n-main-x" is forbidden: violates PodSecurity "restricted:latest"',
    'its pods are refused: pods "n8n-main-x" is forbidden: violates PodSecurity "restricted:latest"',
  ],
])('pods that are not made at all are told by events: %s', (message, text) => {
  expect(troublesInEvents([event('FailedCreate', message), event('Pulled', 'x')])).toEqual([
    { pod: 'n8n-main-abc', text, isFinal: true },
  ]);
});

test('what no waiting changes is told before what may pass, and never of somebody else', () => {
  const waiting = pod({
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'x' }],
  });
  const events = [event('FailedCreate', 'exceeded quota: q'), event('FailedCreate', 'x', 'other')];
  expect(worstTrouble([waiting], events, 'n8n')?.text).toMatch(/quota/);
  expect(worstTrouble([waiting], events, 'web')?.text).toMatch(/^no node/);
  expect(worstTrouble([], [], 'n8n')).toBeNull();
});

test('a workload is ready when its own controller has seen it and all its pods are', () => {
  const of = (
    observedGeneration: number,
    readyReplicas?: number,
  ): Parameters<typeof unready>[0][number] => ({
    metadata: { name: 'n8n-worker', generation: 2 },
    spec: { replicas: 2 } as never,
    status: {
      observedGeneration,
      ...(readyReplicas === undefined ? {} : { readyReplicas }),
    } as never,
  });
  expect(unready([of(2, 2)])).toEqual([]);
  for (const one of [of(1, 2), of(2, 1), of(2)]) expect(unready([one])).toEqual(['n8n-worker']);
});

/** What Kubernetes 1.36 says. */
const waitingFor = (claimName: string, message: string): V1Pod => ({
  metadata: { name: 'n8n-main-0' },
  spec: { containers: [], volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] },
  status: {
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
  },
});
const IMMEDIATE =
  '0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found';
const claimEvent = (reason: string, message: string, type = 'Warning'): CoreV1Event => ({
  ...{ metadata: {}, type, reason, message },
  involvedObject: { kind: 'PersistentVolumeClaim', name: 'data-n8n-postgresql-0' },
});

describe('a volume that is not there', () => {
  test.each([
    [
      claimEvent(
        'ProvisioningFailed',
        'no volume plugin matched name: kubernetes.io/no-provisioner',
      ),
      /^the claim needs a volume that you create yourself, because its storage class has no provisioner: create a large enough PersistentVolume of this class, or set storageClass in the values to a class with a provisioner/,
    ],
    [
      claimEvent('ProvisioningFailed', 'storageclass.storage.k8s.io "fast" not found'),
      /^the claim uses the storage class fast, which does not exist in the cluster: choose one from kubectl get storageclass$/,
    ],
    [
      claimEvent(
        'FailedBinding',
        'no persistent volumes available for this claim and no storage class is set',
        'Normal',
      ),
      /^the claim has no storage class, and no PersistentVolume fits it .*: set storageClass in the values, or create such a volume$/,
    ],
    [
      claimEvent('ProvisioningFailed', 'failed to provision volume: rpc error: quota of disks'),
      /^the provisioner .* creates no volume for the claim \(failed to provision volume: rpc error: quota of disks\): fix this problem/,
    ],
  ])('is told by the event of its claim %#', (one, text) => {
    const pods = [waitingFor('data-n8n-postgresql-0', IMMEDIATE)];
    expect(worstTrouble(pods, [one], 'n8n')).toEqual({
      pod: 'data-n8n-postgresql-0',
      text: expect.stringMatching(text) as string,
      isFinal: false,
    });
  });

  test('is told no longer when a node has taken the pod, nor of claims that nobody waits for', () => {
    const said = claimEvent('ProvisioningFailed', 'no-provisioner');
    const waiting = waitingFor('data-n8n-postgresql-0', IMMEDIATE);
    const taken: V1Pod = {
      ...waiting,
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    };
    expect(worstTrouble([taken], [said], 'n8n')).toBeNull();
    expect(troublesOfClaims([said], [waitingFor('another', IMMEDIATE)])).toEqual([]);
    expect(
      troublesOfClaims([claimEvent('WaitForFirstConsumer', 'x', 'Normal')], [waiting]),
    ).toEqual([]);
  });

  test('is not told while the pod waits for something else, and its claim for the pod', () => {
    const said = claimEvent(
      'ProvisioningFailed',
      'no volume plugin matched name: kubernetes.io/no-provisioner',
    );
    const pods = [
      waitingFor('data-n8n-postgresql-0', '0/1 nodes are available: 1 Insufficient cpu.'),
    ];
    expect(worstTrouble(pods, [said], 'n8n')?.text).toMatch(/^no node can run it: .*request less/);
  });
});

test.each([
  [
    IMMEDIATE,
    /^it is waiting for its volume: .* not found; if the claim's storage class does not create/,
  ],
  [
    "0/1 nodes are available: 1 node(s) didn't find available persistent volumes to bind. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
    /^it is waiting for its volume: .*scheduling\.; if the claim's storage class does not create volumes/,
  ],
  [
    '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }.',
    /; request less CPU or memory, or add a node; restore the node that does not respond \(kubectl get nodes\), or add a node$/,
  ],
  [
    '0/1 nodes are available: 1 node(s) had untolerated taint {dedicated: databases}.',
    /; add a toleration to the pods in the values, or remove the taint from a node$/,
  ],
  [
    "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    /; correct nodeSelector or affinity in the values, or label a node accordingly$/,
  ],
  [
    '0/1 nodes are available: 1 node(s) were unschedulable.',
    /; uncordon a node \(kubectl uncordon\), or add/,
  ],
  ['something that no release has said yet', /^no node can run it: .*; kubectl describe pod shows/],
])('the advice is about the reason of the scheduler: %s', (message, text) => {
  const [trouble] = troublesOf([waitingFor('data', message)]);
  expect(trouble?.text).toMatch(text);
  expect(/storage ?class/.test(trouble?.text ?? '')).toBe(/olume/.test(message));
});

describe('a node that is lost', () => {
  /** A pod that the node controller has left: the containers are as the kubelet told last. */
  const silent: V1Pod = {
    metadata: { name: 'n8n-main-0' },
    spec: { containers: [], nodeName: 'node1' },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'PodScheduled', status: 'True' },
        { type: 'Ready', status: 'False' },
      ],
      containerStatuses: [status({ ready: true, state: { running: {} } })],
    },
  };
  const told = event('NodeNotReady', 'Node is not ready', 'n8n-main-0');

  test('is named, with what to do, as long as its pod is not ready', () => {
    expect(worstTrouble([silent], [told], 'n8n')?.text).toBe(
      'its node node1 no longer responds: kubectl describe node node1 shows since when; restore the node, or measure on the remaining nodes',
    );
    const back = { ...silent, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    expect(worstTrouble([back], [told], 'n8n')).toBeNull();
  });

  test('is known by its pod alone, and not taken for a container that is not ready', () => {
    expect(hasLostNode(silent)).toBe(true);
    const unready = { ...silent.status, containerStatuses: [status({ ready: false })] };
    expect(hasLostNode({ ...silent, status: unready })).toBe(false);
    expect(hasLostNode({})).toBe(false);
  });
});
