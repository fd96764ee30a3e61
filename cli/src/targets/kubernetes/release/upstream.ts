/** The service outside n8n that workloads call and that counts for drills, as a pod beside the release. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEffects, type Effect } from '../../../analysis/effects';
import { findBundled } from '../../../lab/kit';
import type { HostCount, StandInReport } from '../../../stand-in/analysis/counts';
import type { ServiceTrouble, StandInPlan } from '../../../stand-in/plan';
import { Failure, Mistake } from '../../../ui/exit';
import type { Progress } from '../../../ui/progress';
import { formatNumber } from '../../../ui/numbers';
import { within } from '../../../ui/within';
import type { Cluster, Place } from '../api/api';
import type {
  KubernetesObject,
  V1ConfigMap,
  V1Deployment,
  V1OwnerReference,
  V1Pod,
  V1Service,
} from '../api/api-types';
import { callSelector, COMPONENT, labelsOf, MADE_BY, thisMaker } from '../objects/labels';
import { isReady, nameOf, troublesOf } from '../pods/pod-trouble';
import type { ContainerSeat } from '../pods/pods';

const PORT = 5690;
const FOLDER = '/upstream';
const DATA = '/data';
const EFFECTS = `${DATA}/effects.log`;
const CONTAINER = 'upstream';
const PROGRAM = 'stand-in.cjs';
const PLAN = 'plan.json';
/** What a ConfigMap holds, with room for its names. */
const MAX_BYTES = 1_000_000;
const LOOK_EVERY_MS = 300;

export interface UpstreamOrder {
  call: string;
  namespace: string;
  release: string;
  /** Who made it, so that a later call knows what it has found. */
  madeBy: string;
  /** Has Node.js in it: that of n8n, which its node has already. */
  image: string;
  pullSecrets: { name?: string }[];
  files: Record<string, string>;
}

/** The same for each call, so that what is deployed is the same too. */
export const upstreamName = (release: string): string => `${release}-upstream`;
export const upstreamUrlOf = (release: string): string =>
  `http://${upstreamName(release)}:${String(PORT)}`;

const labelsIn = (order: UpstreamOrder): Record<string, string> => ({
  ...labelsOf(order.call),
  [COMPONENT]: CONTAINER,
});

/** What it has counted outlives its container. Pure. */
export function upstreamDeployment(order: UpstreamOrder): V1Deployment {
  const labels = labelsIn(order);
  const name = upstreamName(order.release);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      ...{ name, namespace: order.namespace, labels },
      annotations: { [MADE_BY]: order.madeBy },
    },
    spec: {
      replicas: 1,
      // Two would each count a part.
      strategy: { type: 'Recreate' },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          terminationGracePeriodSeconds: 1,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          imagePullSecrets: order.pullSecrets,
          securityContext: {
            ...{ runAsNonRoot: true, runAsUser: 12345, runAsGroup: 12345, fsGroup: 12345 },
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: CONTAINER,
              image: order.image,
              command: ['node', `${FOLDER}/${PROGRAM}`],
              env: Object.entries({
                ...{ HOST: '0.0.0.0', PORT: String(PORT), EFFECTS_FILE: EFFECTS },
                ...(PLAN in order.files ? { PLAN_FILE: `${FOLDER}/${PLAN}` } : {}),
              }).map(([key, value]) => ({ name: key, value })),
              ports: [{ name: 'http', containerPort: PORT }],
              readinessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 1 },
              resources: {
                requests: { cpu: '50m', memory: '64Mi' },
                limits: { memory: '256Mi' },
              },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [
                { name: 'files', mountPath: FOLDER, readOnly: true },
                { name: 'data', mountPath: DATA },
              ],
            },
          ],
          volumes: [
            { name: 'files', configMap: { name } },
            { name: 'data', emptyDir: {} },
          ],
        },
      },
    },
  };
}

/** What will be made. Pure. */
export const upstreamNames = (release: string): KubernetesObject[] =>
  (
    [
      ['apps/v1', 'Deployment'],
      ['v1', 'ConfigMap'],
      ['v1', 'Service'],
    ] as const
  ).map(([apiVersion, kind]) => ({
    ...{ apiVersion, kind },
    metadata: { name: upstreamName(release) },
  }));

/** Removed by the cluster together with the Deployment. Pure. */
export function upstreamParts(
  order: UpstreamOrder,
  owner: V1OwnerReference,
): { files: V1ConfigMap; service: V1Service } {
  const name = upstreamName(order.release);
  const labels = labelsIn(order);
  const metadata = { name, namespace: order.namespace, labels, ownerReferences: [owner] };
  return {
    files: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: order.files },
    service: {
      ...{ apiVersion: 'v1', kind: 'Service', metadata },
      spec: { selector: labels, ports: [{ name: 'http', port: PORT, targetPort: 'http' }] },
    },
  };
}

export interface UpstreamPlace {
  cluster: Cluster;
  call: string;
  namespace: string;
  release: string;
  /** The main pod of n8n. */
  main: V1Pod;
  /** What it answers; null: what bundled workflows call. */
  plan: StandInPlan | null;
  timeoutMs: number;
}

/** What is asked of it while it runs. */
export interface UpstreamPod {
  /** Its CPU shows whether it was slower than what it stands for. */
  seat: ContainerSeat;
  /** What workflows have done so far. */
  effects(): Promise<Effect[]>;
  /** Calls by host so far. */
  services(): Promise<HostCount[]>;
  trouble(trouble: ServiceTrouble): Promise<void>;
}

/** By its own Node.js, since no other program is sure to be in its image. */
const READ = 'fetch(process.argv[1]).then(async(r)=>process.stdout.write(await r.text()))';
const TELL =
  "fetch(process.argv[1],{method:'PUT',body:process.argv[2]}).then((r)=>{if(!r.ok)throw new Error(r.status)})";

/** Its program and its plan. Pure. */
export function standInFiles(program: string, plan: StandInPlan | null): Record<string, string> {
  const files = { [PROGRAM]: program, ...(plan === null ? {} : { [PLAN]: JSON.stringify(plan) }) };
  const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes <= MAX_BYTES) return files;
  throw new Mistake(
    `the responses of the stand-in are ${formatNumber(bytes / 1e6)} MB, but a ConfigMap can contain at most 1 MiB: shorten the lists in the rules file of the twin.`,
  );
}

/** Returns once it answers. */
export async function startUpstream(
  place: UpstreamPlace,
  progress: Progress,
  signal: AbortSignal,
): Promise<UpstreamPod> {
  const { cluster, call, namespace, release, main, plan } = place;
  const file = join(findBundled('dist', PROGRAM), PROGRAM);
  const order: UpstreamOrder = {
    ...{ call, namespace, release, madeBy: thisMaker() },
    image: main.spec?.containers[0]?.image ?? '',
    pullSecrets: main.spec?.imagePullSecrets ?? [],
    files: standInFiles(readFileSync(file, 'utf8'), plan),
  };
  progress('starting the service that the workload calls');
  await cluster.doing('creating the service that the workload calls', async () => {
    const { metadata } = await cluster.apps.createNamespacedDeployment({
      ...{ namespace, body: upstreamDeployment(order) },
    });
    const { files, service } = upstreamParts(order, {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      ...{ name: metadata?.name ?? '', uid: metadata?.uid ?? '' },
    });
    await cluster.core.createNamespacedConfigMap({ namespace, body: files });
    await cluster.core.createNamespacedService({ namespace, body: service });
  });
  const pod = await readyPod(place, signal);
  const seat: ContainerSeat = {
    ...{ pod: nameOf(pod), container: CONTAINER, role: 'upstream', restarts: 0 },
    ...{ node: pod.spec?.nodeName ?? '', id: pod.metadata?.uid ?? '' },
  };
  const at: Place = { namespace, pod: seat.pod, container: CONTAINER };
  const address = `http://127.0.0.1:${String(PORT)}/stand-in`;
  return {
    seat,
    effects: async () => readEffects(await cluster.output(at, ['cat', EFFECTS])),
    services: async () => {
      const text = await cluster.output(at, ['node', '-e', READ, `${address}/report`]);
      return (JSON.parse(text) as StandInReport).hosts;
    },
    trouble: async (trouble) => {
      await cluster.output(at, ['node', '-e', TELL, `${address}/trouble`, JSON.stringify(trouble)]);
    },
  };
}

function readyPod(
  { cluster, call, namespace, timeoutMs }: UpstreamPlace,
  signal: AbortSignal,
): Promise<V1Pod> {
  return within(timeoutMs, signal, async (patience) => {
    for (;;) {
      const { items } = await cluster.doing('reading the service that the workload calls', () =>
        cluster.core.listNamespacedPod({
          ...{ namespace, labelSelector: `${callSelector(call)},${COMPONENT}=${CONTAINER}` },
        }),
      );
      const ready = items.find(isReady);
      if (ready !== undefined) return ready;
      const [trouble] = troublesOf(items);
      signal.throwIfAborted();
      if (trouble?.isFinal === true || patience.aborted) {
        throw new Failure(
          `the service that the workload calls did not start: ${trouble?.text ?? 'it was not ready in time'}.`,
        );
      }
      await sleep(LOOK_EVERY_MS);
    }
  });
}
