import * as panels from '../panels';
import { chosen, quantile, rateOf, sumOf, type DashboardSpec } from '../spec';

export const stores: DashboardSpec = {
  uid: 'n8n-database-and-redis',
  title: 'n8n / Database and Redis',
  description:
    'The stores as n8n sees them, without an exporter of theirs: the pool of each process, and what goes through the queue.',
  rows: [
    {
      title: 'Database',
      panels: [
        panels.poolWaiting,
        {
          title: 'Connections of the pools',
          kind: 'lines',
          unit: 'short',
          queries: [
            { expr: sumOf(chosen('n8n_db_pool_connections_active')), legend: 'in use' },
            { expr: sumOf(chosen('n8n_db_pool_connections_idle')), legend: 'idle' },
            { expr: sumOf(chosen('n8n_db_pool_connections_max')), legend: 'most' },
          ],
          meaning:
            'Of all processes together. "Most" must be below `max_connections` of PostgreSQL.',
          whenBad: 'Runbook N8nPostgresqlConnections.',
        },
        {
          title: 'Time to get a connection',
          kind: 'lines',
          unit: 's',
          queries: [
            { expr: quantile(0.5, 'n8n_db_pool_acquire_seconds_bucket'), legend: 'median' },
            {
              expr: quantile(0.99, 'n8n_db_pool_acquire_seconds_bucket'),
              legend: '99th percentile',
            },
          ],
          meaning: 'Of PostgreSQL only. Each execution takes a connection some dozens of times.',
          whenBad:
            'Above a few milliseconds: the pool is full, or the database is far or slow. Runbook N8nDatabasePoolWaiting.',
        },
      ],
    },
    {
      title: 'Redis',
      panels: [
        panels.queueDepth,
        {
          title: 'Jobs put into the queue and taken from it, per second',
          kind: 'lines',
          unit: 'ops',
          queries: [
            { expr: sumOf(rateOf('n8n_queue_job_enqueued_total')), legend: 'put in' },
            { expr: sumOf(rateOf('n8n_queue_job_dequeued_total')), legend: 'taken' },
          ],
          meaning: 'The two are level on a healthy system.',
          whenBad:
            'Taken below put in: runbook N8nQueueGrowing. Both stop: Redis is away, runbook N8nRedisDown.',
        },
        panels.jobsStalled,
      ],
    },
  ],
};
