// A real Prometheus in the cluster's network, which scrapes the pods that the chart's PodMonitors choose, cAdvisor and the
// kubelet through the API server, kube-state-metrics and the exporters of the stores. Debian's has no Kubernetes discovery:
// this is its discovery, by files.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../cli/src/targets/process/ports';
import { serve } from './processes';
import { podsOf, type Monitor, type Monitors, type Pod } from './release';
import { exporterOf, programOfLab, startKubeStateMetrics, STORES } from './watchers';

const LOOK_EVERY_MS = 3_000;
/** The interval that the chart's monitors have. */
export const SCRAPE_SECONDS = 15;

/** By namespace. */
type Watched = Record<string, Monitors>;

export interface Series {
  metric: Record<string, string>;
  /** Seconds and the value as text. */
  values: [number, string][];
}

export async function startWatching(watched: Watched) {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-alerts-'));
  const ends: (() => unknown)[] = [
    () => {
      rmSync(folder, { recursive: true, force: true });
    },
  ];
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const proxyPort = String(await freePort());
    const api = `http://127.0.0.1:${proxyPort}`;
    const proxy = await serve('kubectl', ['proxy', `--port=${proxyPort}`], `${api}/version`);
    ends.push(proxy.stop);
    const namespaces = Object.keys(watched);
    const states = await startKubeStateMetrics(namespaces);
    ends.push(states.stop);
    const exporters = await Promise.all(
      namespaces.flatMap((namespace) => STORES.map((store) => exporterOf(namespace, store))),
    );
    ends.push(() => Promise.all(exporters.map(({ stop }) => stop())));
    const look = async (): Promise<void> => {
      await writeTargets(folder, api, watched);
      await Promise.all(exporters.map((exporter) => exporter.look()));
    };
    await look();
    const timer = setInterval(() => {
      // While the API server is busy, what was seen last stays.
      look().catch(() => undefined);
    }, LOOK_EVERY_MS);
    ends.push(() => {
      clearInterval(timer);
    });
    const nodes = (await (await fetch(`${api}/api/v1/nodes`)).json()) as {
      items: { metadata: { name: string } }[];
    };
    writeConfiguration(folder, {
      ...{ watched, proxyPort, exporters, statesPort: states.port },
      nodes: nodes.items.map((one) => one.metadata.name),
    });
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const flags = [
      `--config.file=${folder}/prometheus.yaml`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ];
    ends.push((await serve(programOfLab('prometheus'), flags, `${url}/-/ready`)).stop);
    const { version } = await asked<{ version: string }>(url, 'status/buildinfo');
    return { url, version, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const fileOf = (folder: string, namespace: string, monitor: Monitor): string =>
  join(folder, `${namespace}-${monitor.metadata.name}.json`);

async function writeTargets(folder: string, api: string, watched: Watched): Promise<void> {
  for (const [namespace, { pods: monitors }] of Object.entries(watched)) {
    const pods = await podsOf(api, namespace);
    for (const monitor of monitors) {
      const file = fileOf(folder, namespace, monitor);
      writeFileSync(`${file}.new`, JSON.stringify(targetsOf(monitor, pods)));
      renameSync(`${file}.new`, file);
    }
  }
}

/** The targets that the operator makes of a monitor: pods that have an address and have not ended. */
export function targetsOf({ metadata, spec }: Monitor, pods: readonly Pod[]): object[] {
  const port = spec.podMetricsEndpoints[0]?.port;
  return pods
    .filter(
      ({ status }) => status.podIP !== undefined && !['Failed', 'Succeeded'].includes(status.phase),
    )
    .filter(({ metadata: { labels } }) => isChosen(spec.selector, labels))
    .flatMap((pod) =>
      pod.spec.containers.flatMap(({ name, ports = [] }) =>
        ports
          .filter((one) => one.name === port)
          .map(({ containerPort }) => ({
            targets: [`${pod.status.podIP ?? ''}:${String(containerPort)}`],
            labels: {
              ...{ namespace: metadata.namespace, pod: pod.metadata.name, container: name },
              ...metaLabels(pod.metadata.labels),
            },
          })),
      ),
    );
}

function isChosen(
  { matchLabels = {}, matchExpressions = [] }: Monitor['spec']['selector'],
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

const metaLabels = (labels: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [
      `__meta_kubernetes_pod_label_${name.replace(/\W/g, '_')}`,
      value,
    ]),
  );

interface Configured {
  watched: Watched;
  proxyPort: string;
  statesPort: string;
  exporters: readonly { namespace: string; store: string; port: string }[];
  nodes: readonly string[];
}

function writeConfiguration(
  folder: string,
  { watched, proxyPort, statesPort, exporters, nodes }: Configured,
): void {
  const namespaces = Object.keys(watched);
  const rules = Object.entries(watched).map(([namespace, { groups }]) => {
    const file = join(folder, `${namespace}.rules.json`);
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups }));
    return file;
  });
  const pods = Object.entries(watched).flatMap(([namespace, { pods: monitors }]) =>
    monitors.map((monitor) => ({
      job_name: `${namespace}/${monitor.metadata.name}`,
      file_sd_configs: [{ files: [fileOf(folder, namespace, monitor)], refresh_interval: '1m' }],
      relabel_configs: (monitor.spec.podMetricsEndpoints[0]?.relabelings ?? []).map(asPrometheus),
    })),
  );
  const ours = { source_labels: ['namespace'], regex: namespaces.join('|'), action: 'keep' };
  const ofNode = (job: string, path: string): object => ({
    job_name: job,
    static_configs: nodes.map((node) => ({
      targets: [`127.0.0.1:${proxyPort}`],
      labels: { node, __metrics_path__: `/api/v1/nodes/${node}/proxy/${path}` },
    })),
    relabel_configs: [{ source_labels: ['node'], target_label: 'instance' }],
    metric_relabel_configs: [ours],
  });
  const local = (port: string): object[] => [{ targets: [`127.0.0.1:${port}`] }];
  const states = {
    ...{ job_name: 'kube-state-metrics', honor_labels: true },
    static_configs: local(statesPort),
  };
  const stores = exporters.map(({ namespace, store, port }) => ({
    ...{ job_name: `${namespace}/${store}`, static_configs: local(port) },
    // The target of a monitor has this label.
    metric_relabel_configs: [{ target_label: 'namespace', replacement: namespace }],
  }));
  const configuration = {
    global: {
      scrape_interval: `${String(SCRAPE_SECONDS)}s`,
      evaluation_interval: `${String(SCRAPE_SECONDS)}s`,
    },
    rule_files: rules,
    scrape_configs: [
      ...[...pods, ofNode('cadvisor', 'metrics/cadvisor'), ofNode('kubelet', 'metrics')],
      ...[states, ...stores],
    ],
  };
  writeFileSync(join(folder, 'prometheus.yaml'), JSON.stringify(configuration));
}

const asPrometheus = (relabeling: object): object =>
  Object.fromEntries(
    Object.entries(relabeling).map(([name, value]: [string, unknown]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

/** What it answers at a path of its API. */
export async function asked<Data>(
  url: string,
  path: string,
  parameters: Record<string, string> = {},
): Promise<Data> {
  const answer = await fetch(`${url}/api/v1/${path}?${String(new URLSearchParams(parameters))}`);
  const { status, data, error } = (await answer.json()) as {
    status: string;
    data: Data;
    error?: string;
  };
  if (status !== 'success') throw new Error(`${path}: ${error ?? status}`);
  return data;
}
