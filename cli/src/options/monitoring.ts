/** Runs on the same axis as what is monitored: what a command tells Prometheus and Grafana. */
import type { Command } from 'commander';
import { Grafana, GRAFANA_FLAG, type Annotation } from '../prometheus/grafana';
import { REMOTE_WRITE_FLAG, RemoteWrite } from '../prometheus/remote-write';
import type { RunOrder } from '../run/order';
import { RemoteSeries } from '../run/remote-series';
import { messageOf } from '../ui/exit';

export interface MonitoringOptions {
  prometheusRemoteWrite?: string;
  grafana?: string;
}

export function withMonitoringOptions(command: Command): Command {
  return command
    .optionsGroup('Monitoring:')
    .option(
      `${REMOTE_WRITE_FLAG} <url>`,
      'write load metrics to this Prometheus during the run, for example to http://prometheus:9090/api/v1/write',
    )
    .option(
      `${GRAFANA_FLAG} <url>`,
      'write annotations to this Grafana, such as http://grafana:3000, with the token in GRAFANA_TOKEN',
    );
}

export const monitoringOf = ({
  prometheusRemoteWrite,
  grafana,
}: MonitoringOptions): MonitoringOptions => ({
  ...(prometheusRemoteWrite === undefined ? {} : { prometheusRemoteWrite }),
  ...(grafana === undefined ? {} : { grafana }),
});

export interface Told {
  /** For the order of a run. */
  observe: Pick<RunOrder, 'observe'>;
  /** What could not be annotated, a sentence. */
  annotate(annotations: readonly Annotation[]): Promise<string[]>;
}

/** Asks both whether they take anything, before anything is started. */
export async function chosenMonitoring(options: MonitoringOptions): Promise<Told> {
  const { prometheusRemoteWrite, grafana: grafanaUrl } = options;
  const remote = prometheusRemoteWrite === undefined ? null : RemoteWrite.at(prometheusRemoteWrite);
  const grafana = grafanaUrl === undefined ? null : Grafana.at(grafanaUrl);
  await remote?.check();
  await grafana?.check();
  return {
    observe:
      remote === null ? {} : { observe: (head, plan) => new RemoteSeries(remote, head, plan) },
    annotate: async (annotations) => {
      try {
        for (const annotation of annotations) await grafana?.annotate(annotation);
        return [];
      } catch (error) {
        return [`an annotation could not be written to Grafana: ${messageOf(error)}.`];
      }
    },
  };
}
