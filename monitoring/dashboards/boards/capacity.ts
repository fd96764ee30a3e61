import * as panels from '../panels';
import { chosen, PROCESS, quantile, type DashboardSpec } from '../spec';

export const capacity: DashboardSpec = {
  uid: 'n8n-capacity',
  title: 'n8n / Capacity',
  description:
    'What n8n does now, and how near each resource is to its limit. To learn what it can sustain, measure it: n8n-tuned find.',
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
          meaning: 'From its start to its end, without the time in the queue.',
          whenBad:
            'If it grows with the load, something is used up: see the row below. If it grows without, a service that workflows call has become slow.',
        },
      ],
    },
    {
      title: 'What limits: the first of these that is full',
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
          meaning: 'Connections in use, of those that the pool of a process may have.',
          whenBad: 'At 100% with queries that wait: runbook N8nDatabasePoolWaiting.',
          bounds: [0.7, 0.9],
          max: 1,
        },
      ],
    },
  ],
};
