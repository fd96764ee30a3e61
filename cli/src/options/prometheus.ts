/** A Prometheus that is asked, under the same flags everywhere. */
import type { Command } from 'commander';
import { exactly } from '../analysis/panels';
import { PROMETHEUS_FLAG, PrometheusApi } from '../prometheus/query';

export interface PrometheusOptions {
  prometheus?: string;
  prometheusNamespace?: string;
  prometheusRelease?: string;
}

export function withPrometheusOptions(command: Command, what: string): Command {
  return command
    .option(`${PROMETHEUS_FLAG} <url>`, `${what}; the token is in PROMETHEUS_TOKEN`)
    .option('--prometheus-namespace <name>', 'namespace of the metrics (default: any)')
    .option('--prometheus-release <name>', 'release of the metrics (default: any)');
}

/** Null where none is named; else it has answered. */
export async function chosenPrometheus({
  prometheus,
}: PrometheusOptions): Promise<PrometheusApi | null> {
  if (prometheus === undefined) return null;
  const api = PrometheusApi.at(prometheus);
  await api.check();
  return api;
}

/** Regular expressions that choose what is watched. */
export const selected = ({
  prometheusNamespace,
  prometheusRelease,
}: PrometheusOptions): { namespace: string; release: string } => ({
  namespace: prometheusNamespace === undefined ? '.*' : exactly(prometheusNamespace),
  release: prometheusRelease === undefined ? '.*' : exactly(prometheusRelease),
});
