import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { paths, render, type Manifest } from '../../chart/support/helm.ts';
import type { Rule } from './promtool';

/** An installation that has all that any alert needs. Its namespace and release are both n8n. */
const everything = {
  executions: { mode: 'queue' },
  multiMain: { enabled: true },
  database: { type: 'postgresql' },
  webhook: { enabled: true },
  recovery: { enabled: true, apiKey: { existingSecret: 'n8n-api-key' } },
  monitoring: {
    enabled: true,
    podMonitor: { enabled: true },
    sources: {
      workflowIdLabel: true,
      redisExporter: { enabled: true, selector: 'job="redis-exporter"' },
      postgresExporter: { enabled: true, selector: 'job="postgres-exporter"' },
    },
    exporter: { enabled: true },
    capacity: { executionsPerSecond: 10 },
    prometheusRule: { enabled: true },
  },
};

export interface Rendered {
  rulesFile: string;
  rules: Rule[];
  /** What the chart tells n8n of its metrics, of all roles together. */
  env: Record<string, string>;
}

export async function renderEverything(folder: string): Promise<Rendered> {
  const values = join(folder, 'values.yaml');
  writeFileSync(values, stringify(everything));
  const { manifests } = await render(paths.helm3, ['-n', 'n8n', '-f', values]);
  const spec = manifests.find(({ kind }) => kind === 'PrometheusRule')?.['spec'] as {
    groups: { rules: Rule[] }[];
  };
  const rulesFile = join(folder, 'rules.yaml');
  writeFileSync(rulesFile, stringify(spec));
  return {
    rulesFile,
    rules: spec.groups.flatMap(({ rules }) => rules),
    env: metricsEnv(manifests),
  };
}

interface Pods {
  template: { spec: { containers: { env?: { name: string; value?: string }[] }[] } };
}

function metricsEnv(manifests: Manifest[]): Record<string, string> {
  const env = manifests
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap((manifest) => (manifest['spec'] as Pods).template.spec.containers)
    .flatMap((container) => container.env ?? []);
  return Object.fromEntries(
    env
      .filter(({ name }) => name.startsWith('N8N_METRICS'))
      .map(({ name, value }) => [name, value ?? '']),
  );
}
