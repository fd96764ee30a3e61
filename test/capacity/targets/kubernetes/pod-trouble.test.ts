import type {
  CoreV1Event,
  V1ContainerStatus,
  V1Pod,
} from '../../../../capacity/src/targets/kubernetes/api-types';
import {
  isReady,
  troublesInEvents,
  troublesOf,
} from '../../../../capacity/src/targets/kubernetes/pod-trouble';
import { unready, worstTrouble } from '../../../../capacity/src/targets/kubernetes/rollout';

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
    /^no node can take it: 0\/1 nodes are available: 1 Insufficient memory.; ask for less CPU or memory/,
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
    /^the container n8n was started 4 times: it ended with Error \(exit code 143\), as the cluster ends one whose liveness probe fails: give it more CPU or a startup probe$/,
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
    'its pods exceed a quota of the namespace (small, requested: limits.memory=1536Mi, used: limits.memory=0, limited: limits.memory=512Mi): raise it, or ask for less with --cpu, --memory or --workers',
  ],
  [
    'pods "n8n-main-x" is forbidden: maximum memory usage per Container is 512Mi, but limit is 1536Mi',
    'its pods are refused by a LimitRange of the namespace (maximum memory usage per Container is 512Mi, but limit is 1536Mi): ask for amounts within it',
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
