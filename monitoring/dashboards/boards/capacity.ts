import * as panels from '../panels';
import { chosen, PROCESS, quantile, type DashboardSpec } from '../spec';

export const capacity: DashboardSpec = {
  uid: 'n8n-capacity',
  title: 'n8n / Capacity',
  description:
    'What n8n is doing now, and how close each resource is to its limit. To measure how much load n8n can sustain, run n8n-tuned find.',
  rows: [
    {
      title: 'Load',
      panels: [
        panels.executionsPerSecond,
        {
          title: 'Time of an execution',
          kind: 'lines',
          unit: 's',
          queries: [
            {
              expr: quantile(0.5, 'n8n_workflow_execution_duration_seconds_bucket'),
              legend: 'median',
            },
            {
              expr: quantile(0.95, 'n8n_workflow_execution_duration_seconds_bucket'),
              legend: '95th percentile',
            },
          ],
          meaning: 'Time from the start to the end of an execution, without its time in the queue.',
          whenBad:
            'If the time grows with the load, a resource is used up: see the row below. If the time grows while the load stays the same, a service that workflows call has become slow.',
        },
      ],
    },
    {
      title: 'Limits: the first resource that is full limits n8n',
      panels: [
        panels.cpuCores,
        panels.eventLoopLag,
        panels.heapShare,
        {
          title: 'Database pool in use',
          kind: 'lines',
          unit: 'percentunit',
          queries: [
            {
              expr: `${chosen('n8n_db_pool_connections_active')} / ${chosen('n8n_db_pool_connections_max')}`,
              legend: PROCESS,
            },
          ],
          meaning: 'Share of the connections in the pool of a process that are in use.',
          whenBad: 'At 100%, if queries are waiting, see runbook N8nDatabasePoolWaiting.',
          bounds: [0.7, 0.9],
          max: 1,
        },
      ],
    },
  ],
};
