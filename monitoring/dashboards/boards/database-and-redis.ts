import * as panels from '../panels';
import { chosen, quantile, rateOf, sumOf, type DashboardSpec } from '../spec';

export const stores: DashboardSpec = {
  uid: 'n8n-database-and-redis',
  title: 'n8n / Database and Redis',
  description:
    "The stores as n8n's own metrics show them, without an exporter: the connection pool of each process, and the jobs in the queue.",
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
            'Number of connections of all processes together. The line "most" must be below `max_connections` of PostgreSQL.',
          whenBad: 'See runbook N8nPostgresqlConnections.',
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
          meaning:
            'Time that a query waits for a connection; only with PostgreSQL. Each execution needs dozens of queries.',
          whenBad:
            'If the time exceeds a few milliseconds, the pool is full, or the database is slow or far away: see runbook N8nDatabasePoolWaiting.',
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
          meaning: 'In a healthy system, both rates are the same.',
          whenBad:
            'If workers take fewer jobs than n8n puts in, see runbook N8nQueueGrowing. If both rates fall to 0, Redis may be down: see runbook N8nRedisDown.',
        },
        panels.jobsStalled,
      ],
    },
  ],
};
