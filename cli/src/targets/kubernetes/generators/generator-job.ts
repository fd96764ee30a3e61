/** What is made in the cluster to make load from: one pod that is told each run. Pure. */
import type { V1ConfigMap, V1Job, V1TopologySpreadConstraint } from '../api/api-types';
import { labelsOf, MADE_BY } from '../objects/labels';

/** Name of its Job and its ConfigMap; several calls may load one namespace at the same time. */
export const generatorName = (call: string): string => `n8n-tuned-generator-${call}`;
/** In the pod: what k6 is started with, and where it writes. */
export const SCRIPTS = '/k6/loadtests';
export const OUTPUT = '/out';

/** A script of k6 beside the bundled ones, which asks until every response is the expected one, and makes no load. */
export const READY_SCRIPT = `import { script } from './lib/shared.js';
const { look, options: own } = script('smoke');
export const setup = look;
// It gives up by itself, READY says when.
export const options = { vus: 1, iterations: 1, setupTimeout: '24h', hosts: own.hosts || {} };
export default () => {};
`;

export interface GeneratorJobOrder {
  call: string;
  /** For the call that finds it later. */
  madeBy: string;
  namespace: string;
  image: string;
  /** How many pods make the load together. */
  count: number;
  /** CPU limit of each; null: none. */
  cores: number | null;
  /** Files of the folder loadtests/, by their path in it. */
  scripts: Record<string, string>;
}

/** So much it asks for at least; its limits are generous, since one that is too small makes a run invalid. */
const REQUESTED = { cpu: '100m', memory: '128Mi' };
const MEMORY_LIMIT = '2Gi';
/** It ends by itself if nobody comes to take it down: longer than any soak. */
const LONGEST_SECONDS = 8 * 24 * 3600;

export const generatorScripts = (order: GeneratorJobOrder): V1ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: generatorName(order.call),
    namespace: order.namespace,
    labels: labelsOf(order.call),
  },
  data: Object.fromEntries(
    Object.entries(order.scripts).map(([path, text]) => [keyOf(path), text]),
  ),
});

/** Keys of a ConfigMap hold no slash. */
const keyOf = (path: string): string => path.replaceAll('/', '_');

export const generatorLabels = (call: string): Record<string, string> => ({
  ...labelsOf(call),
  'app.kubernetes.io/component': 'generator',
});

/** Over the nodes, where there are several with room. */
const spread = (call: string): V1TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'kubernetes.io/hostname',
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: generatorLabels(call) },
});

export function generatorJob(order: GeneratorJobOrder): V1Job {
  const labels = generatorLabels(order.call);
  const cores = order.cores === null ? undefined : `${String(Math.round(1000 * order.cores))}m`;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: generatorName(order.call),
      namespace: order.namespace,
      labels,
      annotations: { [MADE_BY]: order.madeBy },
    },
    spec: {
      completionMode: 'Indexed',
      completions: order.count,
      parallelism: order.count,
      // A second one would make its load late, and be taken for the first; the others go on without it.
      backoffLimitPerIndex: 0,
      maxFailedIndexes: order.count,
      activeDeadlineSeconds: LONGEST_SECONDS,
      ttlSecondsAfterFinished: 600,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 1,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          ...(order.count === 1 ? {} : { topologySpreadConstraints: [spread(order.call)] }),
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 12345,
            runAsGroup: 12345,
            fsGroup: 12345,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: 'k6',
              image: order.image,
              // The runs are told one by one; a shell that waits for a child answers SIGTERM at once.
              command: ['sh', '-c', "trap 'exit 0' TERM; while :; do sleep 3600 & wait $!; done"],
              env: [{ name: 'HOME', value: OUTPUT }],
              resources: {
                requests: {
                  ...REQUESTED,
                  ...(order.cores !== null && order.cores < 0.1 ? { cpu: cores ?? '' } : {}),
                },
                limits: { memory: MEMORY_LIMIT, ...(cores === undefined ? {} : { cpu: cores }) },
              },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [
                { name: 'scripts', mountPath: SCRIPTS, readOnly: true },
                { name: 'out', mountPath: OUTPUT },
                { name: 'tmp', mountPath: '/tmp' },
              ],
            },
          ],
          volumes: [
            {
              name: 'scripts',
              configMap: {
                name: generatorName(order.call),
                items: Object.keys(order.scripts).map((path) => ({ key: keyOf(path), path })),
              },
            },
            { name: 'out', emptyDir: {} },
            { name: 'tmp', emptyDir: {} },
          ],
        },
      },
    },
  };
}

/** The words that start k6 in the pod and leave it running when the connection ends: sh -c SCRIPT sh FOLDER BYTES ARGS... */
export const START_SCRIPT = `set -e
folder=$1; bytes=$2; shift 2
mkdir -p "$folder"
umask 077
# Not until its end: below Kubernetes 1.30 nobody can close standard input alone.
head -c "$bytes" > "$folder/requests.json"
{
  k6 "$@" > "$folder/lines" 2>&1 < /dev/null & k6=$!
  echo $k6 > "$folder/pid"
  code=0; wait $k6 || code=$?
  printf '\\n["x",%s]\\n' $code >> "$folder/lines"
} > /dev/null 2>&1 < /dev/null &
for wait in 1 2 3 4 5 6 7 8 9 10; do [ -s "$folder/pid" ] && exit; sleep 0.2; done
exit 1
`;

/** Everything from byte $2 on, and what is added. */
export const FOLLOW_SCRIPT = 'exec tail -c "+$2" -f "$1/lines"';

/** The time, for each line that it is asked by; a date without nanoseconds says its seconds only. */
export const CLOCK_SCRIPT = 'while read -r _; do date +%s%N; done';

export const STOP_SCRIPT = 'kill "-$2" "$(cat "$1/pid")"';

/** The line with which a run's output ends: k6's exit code. */
export function endIn(line: string): number | null {
  const match = /^\["x",(\d+)\]$/.exec(line);
  return match === null ? null : Number(match[1]);
}
