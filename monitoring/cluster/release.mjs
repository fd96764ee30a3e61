// A release of the chart in queue mode with all its monitoring, in a namespace of its own.
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { run } from './processes.mjs';

const chart = fileURLToPath(new URL('../../charts/n8n-tuned', import.meta.url));
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
  loadTargets: { enabled: true },
};

/** The cluster has not the operator's kinds: they are rendered, and given to Prometheus by hand. */
const MONITORS = {
  monitoring: {
    ...{ ...VALUES.monitoring, podMonitor: { enabled: true } },
    prometheusRule: { enabled: true },
    sources: { redisExporter: { enabled: true }, postgresExporter: { enabled: true } },
  },
};

const kubectl = (...args) => run('kubectl', args);

/** What a script that was killed has left of it goes first. */
export async function emptyNamespace(namespace) {
  await removeNamespace(namespace);
  await kubectl('create', 'namespace', namespace);
}

/** Its pods first: Kubernetes waits for half of the grace period of one that is still there, which is minutes. */
export async function removeNamespace(namespace) {
  await kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--wait=false');
  await kubectl('delete', 'pods', '--all', '-n', namespace, '--grace-period=1', '--wait=false');
  await kubectl('wait', '--for=delete', `namespace/${namespace}`, '--timeout=180s');
}

export async function isDeployed(namespace) {
  const releases = JSON.parse(
    await run('helm3', ['list', '-n', namespace, '-o', 'json', '--deployed']),
  );
  return releases.some(({ name }) => name === RELEASE);
}

/** `more` by role: its requests instead of the small ones, and its limits. */
export const deploy = (namespace, more = {}) => {
  const roles = Object.entries(more).map(([role, { resources }]) => [
    role,
    { ...VALUES[role], resources: { ...SMALL, ...resources } },
  ]);
  const flags = [
    ...['upgrade', '--install', RELEASE, chart, '-n', namespace, '--values', '-'],
    ...['--wait', '--timeout', '8m'],
  ];
  return run('helm3', flags, {
    input: JSON.stringify({ ...VALUES, ...Object.fromEntries(roles) }),
  });
};

export const scale = (namespace, what, replicas) =>
  kubectl('-n', namespace, 'scale', what, `--replicas=${replicas}`);

/** The first process of the container is n8n, or what passes the signal on to it. */
export const endN8n = (namespace, what) =>
  kubectl('-n', namespace, 'exec', what, '-c', 'n8n', '--', 'kill', '1');

/** Pods of the release with the labels by which the chart's PodMonitors choose and relabel. */
export async function podsOf(api, namespace) {
  const selector = encodeURIComponent(`app.kubernetes.io/instance=${RELEASE}`);
  const answer = await fetch(
    `${api}/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`,
  );
  if (!answer.ok) throw new Error(`the pods of ${namespace}: status ${answer.status}`);
  return (await answer.json()).items;
}

/** Rules and monitors of the chart, as an operator of Prometheus gets them. */
export async function monitorsOf(namespace, executionsPerSecond = 0) {
  const { monitoring } = MONITORS;
  const values = {
    ...VALUES,
    monitoring: { ...monitoring, capacity: { executionsPerSecond } },
  };
  const text = await run('helm3', ['template', RELEASE, chart, '-n', namespace, '--values', '-'], {
    input: JSON.stringify(values),
  });
  const objects = parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
  const of = (kind) => objects.filter((object) => object.kind === kind);
  return {
    groups: of('PrometheusRule').flatMap(({ spec }) => spec.groups),
    pods: of('PodMonitor'),
  };
}
