import { of, type CasesByAlert } from '../support/case';

const pod = { instance: 'exporter:9100', pod: 'n8n-n8n-tuned-exporter-1' };
const oldest = of('n8n_tuned_queue_oldest_job_seconds', pod);
const consumers = of('n8n_tuned_queue_consumers', pod);
const crashed = of('n8n_tuned_executions_crashed', pod);
const recovered = of('n8n_tuned_executions_recovered', pod);
const lastPass = of('n8n_tuned_recovery_last_pass_timestamp_seconds', pod);
const left = of('n8n_tuned_recovery_left_executions', pod);
const table = of('n8n_tuned_table_size_bytes', pod, { table: 'execution_data' });
const up = (store: string): string => of('n8n_tuned_exporter_up', pod, { store });

const GIB = 1024 ** 3;
/** Bytes each minute that come to so many GiB in a day. */
const growing = (gibPerDay: number): string =>
  `0+${String(Math.round((gibPerDay * GIB) / 1440))}x1600`;

export const exporter: CasesByAlert = {
  N8nOldestJobTooOld: {
    fires: [
      {
        series: { [oldest]: '0+60x20' },
        atMinute: 10,
        summary: 'The next job in the queue has waited for 10m 0s.',
      },
    ],
    silent: [
      { series: { [oldest]: '60x20' }, atMinute: 10 },
      // A burst that is worked off.
      { series: { [oldest]: '0x5 90 0x20' }, atMinute: 7 },
    ],
  },
  N8nNoWorkerConsumes: {
    fires: [
      {
        series: { [consumers]: '2x5 0x10' },
        atMinute: 12,
        summary: 'No worker has a Redis connection for taking jobs.',
      },
    ],
    silent: [
      { series: { [consumers]: '1x20' }, atMinute: 12 },
      // A rollout, and an exporter that is away: another alert's matter.
      { series: { [consumers]: '2x5 0 2x10' }, atMinute: 7 },
      { series: { [consumers]: '2x5 _x10' }, atMinute: 14 },
    ],
  },
  N8nExecutionsCrashed: {
    fires: [
      {
        series: { [crashed]: '0x5 8x10', [recovered]: '0x5 5x10' },
        atMinute: 12,
        summary: '3 executions crashed within the last hour and were not recovered.',
      },
    ],
    silent: [
      { series: { [crashed]: '0x20', [recovered]: '0x20' }, atMinute: 12 },
      { series: { [crashed]: '8x20', [recovered]: '8x20' }, atMinute: 12 },
    ],
  },
  N8nRecoveryStale: {
    fires: [
      {
        series: { [lastPass]: '0x60' },
        atMinute: 45,
        summary: 'Recovery has not completed a pass for 45m 0s.',
      },
      // Recovery that never completed a pass, as with a wrong key from the start.
      {
        series: { [up('redis')]: '1x60' },
        atMinute: 45,
        summary: 'Recovery has not completed a pass for 30m 0s.',
      },
    ],
    silent: [
      // A pass every five minutes.
      {
        series: { [lastPass]: '0x5 300x5 600x5 900x5 1200x5 1500x5 1800x5 2100x5 2400x5' },
        atMinute: 50,
      },
      // Recovery that has not run yet, and an exporter that cannot tell.
      { series: {}, atMinute: 50 },
      { series: { [up('redis')]: '1x60' }, atMinute: 35 },
      { series: { [up('redis')]: '1x40 0x20' }, atMinute: 55 },
      { series: { [up('redis')]: '1x60', [lastPass]: '0x20 1200x40' }, atMinute: 49 },
    ],
  },
  N8nExecutionsLeftLost: {
    fires: [
      {
        series: { [left]: '0x5 3x30' },
        atMinute: 25,
        summary: 'Recovery could not restore 3 lost executions.',
      },
    ],
    silent: [
      { series: { [left]: '0x40' }, atMinute: 30 },
      // The next pass has brought them back.
      { series: { [left]: '3x10 0x30' }, atMinute: 20 },
    ],
  },
  N8nTableGrows: {
    fires: [
      {
        series: { [table]: growing(8) },
        atMinute: 1560,
        labels: { table: 'execution_data' },
        summary: 'Table execution_data grew by 8GiB within a day.',
      },
    ],
    silent: [
      { series: { [table]: growing(4) }, atMinute: 1560 },
      { series: { [table]: `${String(100 * GIB)}x1600` }, atMinute: 1560 },
    ],
  },
  N8nExporterBlind: {
    fires: [
      {
        series: { [up('redis')]: '1x5 0x20', [up('postgresql')]: '1x25' },
        atMinute: 15,
        labels: { store: 'redis' },
        summary: "The chart's exporter cannot read redis, so the alerts on this store do not fire.",
      },
    ],
    silent: [
      { series: { [up('redis')]: '1x25' }, atMinute: 15 },
      { series: { [up('redis')]: '1x5 0x3 1x20' }, atMinute: 15 },
    ],
  },
};
