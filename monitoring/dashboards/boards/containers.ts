import type { DashboardSpec } from '../spec';

/** cAdvisor gives no label of the release: the pods of a release begin with its name. */
const of = (metric: string): string =>
  `${metric}{namespace=~"$namespace",pod=~"$release.*",container!="",container!="POD"}`;

const rateOf = (metric: string): string => `rate(${of(metric)}[$__rate_interval])`;

/** For reports of runs on Kubernetes. No dashboard of ours: a default install need not have cAdvisor's series. */
export const containers: DashboardSpec = {
  uid: 'n8n-containers',
  title: 'Containers, as Kubernetes sees them',
  description: 'Metrics from cAdvisor for the containers of a release.',
  rows: [
    {
      title: 'Containers',
      panels: [
        {
          title: 'Memory of each container',
          kind: 'lines',
          unit: 'bytes',
          queries: [
            {
              expr: `sum by (pod, container) (${of('container_memory_working_set_bytes')})`,
              legend: '{{pod}} {{container}}',
            },
          ],
          meaning: 'Working set, which is the memory that counts towards the memory limit.',
          whenBad: 'See runbook N8nContainerNearMemoryLimit.',
        },
        {
          title: 'CPU of each container',
          kind: 'lines',
          unit: 'short',
          queries: [
            {
              expr: `sum by (pod, container) (${rateOf('container_cpu_usage_seconds_total')})`,
              legend: '{{pod}} {{container}}',
            },
          ],
          meaning: 'Number of cores in use, including task runners.',
          whenBad: 'See runbook N8nCpuThrottled.',
        },
        {
          title: 'Throttled',
          kind: 'lines',
          unit: 'percentunit',
          queries: [
            {
              expr: `sum by (pod, container) (${rateOf('container_cpu_cfs_throttled_periods_total')}) / sum by (pod, container) (${rateOf('container_cpu_cfs_periods_total')})`,
              legend: '{{pod}} {{container}}',
            },
          ],
          meaning: 'Share of CPU periods in which a container was throttled.',
          whenBad: 'See runbook N8nCpuThrottled.',
        },
      ],
    },
  ],
};
