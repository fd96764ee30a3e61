// A release of the chart in queue mode with all its monitoring, in a namespace of its own.
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { RunRecord } from '../../cli/src/record/run-record';
import { run } from './processes';

const chart = join(import.meta.dirname, '../../charts/n8n-tuned');
const load = join(import.meta.dirname, '../../charts/n8n-load');
export const RELEASE = 'n8n';
/** Little is reserved, so that two releases fit on a small node; limits are the chart's own. */
const SMALL = { requests: { cpu: '50m', memory: '256Mi' } };

/** What is deployed: everything that an alert of n8n itself needs. */
export const VALUES = {
  fullnameOverride: RELEASE,
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  main: { resources: SMALL },
  worker: { replicas: 2, resources: SMALL },
  webhook: { enabled: true, replicas: 1, resources: SMALL },
  // The command asks for metrics through the API server, as a proxy does.
  monitoring: { enabled: true, public: true, exporter: { enabled: true } },
};

/** The cluster has not the operator's kinds: they are rendered, and given to Prometheus by hand. */
const MONITORS = {
  ...{ ...VALUES.monitoring, podMonitor: { enabled: true } },
  prometheusRule: { enabled: true },
  sources: { redisExporter: { enabled: true }, postgresExporter: { enabled: true } },
};

/** What of a rule, a monitor and a pod is read here. */
export interface Group {
  rules: { alert: string; expr: string }[];
}
export interface Monitor {
  metadata: { name: string; namespace: string };
  spec: {
    selector: {
      matchLabels?: Record<string, string>;
      matchExpressions?: { key: string; values: string[] }[];
    };
    podMetricsEndpoints: { port: string; relabelings?: object[] }[];
  };
}
export interface Pod {
  metadata: { name: string; labels: Record<string, string> };
  spec: { containers: { name: string; ports?: { name?: string; containerPort: number }[] }[] };
  status: { phase: string; podIP?: string | undefined };
}
export interface Monitors {
  groups: Group[];
  pods: Monitor[];
}

const kubectl = (...args: string[]): Promise<string> => run('kubectl', args);

/** What a command that was killed has left of it goes first. */
export async function emptyNamespace(namespace: string): Promise<void> {
  await removeNamespace(namespace);
  await kubectl('create', 'namespace', namespace);
}

/** Its pods first: Kubernetes waits for half of the grace period of one that is still there, which is minutes. */
export async function removeNamespace(namespace: string): Promise<void> {
  await kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--wait=false');
  await kubectl('delete', 'pods', '--all', '-n', namespace, '--grace-period=1', '--wait=false');
  await kubectl('wait', '--for=delete', `namespace/${namespace}`, '--timeout=180s');
}

/** By role: its requests instead of the small ones, and its limits. */
export type More = Partial<Record<'main' | 'worker' | 'webhook', { resources: object }>>;

export async function deploy(namespace: string, more: More = {}): Promise<string> {
  const of = (role: keyof More): object => ({
    ...VALUES[role],
    resources: { ...SMALL, ...more[role]?.resources },
  });
  const values = { ...VALUES, main: of('main'), worker: of('worker'), webhook: of('webhook') };
  await run('helm3', ['upgrade', '--install', 'load', load, '-n', namespace]);
  const flags = [
    ...['upgrade', '--install', RELEASE, chart, '-n', namespace],
    ...['--values', join(load, 'n8n/with-targets.yaml'), '--values', '-'],
    ...['--wait', '--timeout', '8m'],
  ];
  return run('helm3', flags, JSON.stringify(values));
}

export const scale = (namespace: string, what: string, replicas: number): Promise<string> =>
  kubectl('-n', namespace, 'scale', what, `--replicas=${String(replicas)}`);

/** The first process of the container is n8n, or what passes the signal on to it. */
export const endN8n = (namespace: string, what: string): Promise<string> =>
  kubectl('-n', namespace, 'exec', what, '-c', 'n8n', '--', 'kill', '1');

/** Pods of the release with the labels by which the chart's PodMonitors choose and relabel. */
export async function podsOf(api: string, namespace: string): Promise<Pod[]> {
  const selector = encodeURIComponent(`app.kubernetes.io/instance=${RELEASE}`);
  const answer = await fetch(
    `${api}/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`,
  );
  if (!answer.ok) throw new Error(`the pods of ${namespace}: status ${String(answer.status)}`);
  return ((await answer.json()) as { items: Pod[] }).items;
}

/** Rules and monitors of the chart, as an operator of Prometheus gets them. */
export async function monitorsOf(namespace: string, executionsPerSecond = 0): Promise<Monitors> {
  const values = { ...VALUES, monitoring: { ...MONITORS, capacity: { executionsPerSecond } } };
  const text = await run(
    'helm3',
    ['template', RELEASE, chart, '-n', namespace, '--values', '-'],
    JSON.stringify(values),
  );
  const objects = parseAllDocuments(text).map(
    (document) => document.toJS() as { kind: string } | null,
  );
  const of = <Kind>(kind: string): Kind[] =>
    objects.filter((object) => object?.kind === kind) as Kind[];
  return {
    groups: of<{ spec: { groups: Group[] } }>('PrometheusRule').flatMap(({ spec }) => spec.groups),
    pods: of<Monitor>('PodMonitor'),
  };
}

/** Load on a release that is there, from within the cluster. */
export const existing = (namespace: string, ...more: string[]): string[] => [
  ...['run', '--target', 'kubernetes', '--existing', '--namespace', namespace],
  ...['--release', RELEASE, '--yes', '--ready', '300s', ...more],
];

/** What of a run is kept. */
export function figuresOf({ summary, verdict }: Pick<RunRecord, 'summary' | 'verdict'>) {
  const { achieved, latencyMs, errors, unanswered, offered } = summary;
  return {
    requests: offered.requests,
    ratePerSecond: achieved.ratePerSecond,
    p50Ms: latencyMs?.p50 ?? null,
    p95Ms: latencyMs?.p95 ?? null,
    wrong: errors.requests,
    unanswered: unanswered.requests,
    verdict: verdict.sentence,
  };
}
