import { main, of, otherMain, otherWorker, worker, type CasesByAlert } from '../support/case';

const waiting = of('n8n_scaling_mode_queue_jobs_waiting', main);
const active = of('n8n_scaling_mode_queue_jobs_active', main);
const completed = of('n8n_scaling_mode_queue_jobs_completed', main);
const slots = (of_: Record<string, string>): string => of('n8n_tuned_worker_concurrency', of_);
const taken = (of_: Record<string, string>): string => of('n8n_queue_job_dequeued_total', of_);
const started = (of_: Record<string, string>): string => of('n8n_process_start_time_seconds', of_);

const bothWorkersUp = {
  [of('up', worker)]: '1x60',
  [of('up', otherWorker)]: '1x60',
  [started(worker)]: '0x60',
  [started(otherWorker)]: '0x60',
  [taken(otherWorker)]: '0+60x60',
};
const silentWorker =
  'n8n-n8n-tuned-worker-1 is up but has taken no job for 30 minutes while jobs were waiting.';

export const queue: CasesByAlert = {
  N8nQueueGrowing: {
    fires: [
      {
        // The same on each main: 400 wait, not 800.
        series: {
          [waiting]: '0+10x60',
          [of('n8n_scaling_mode_queue_jobs_waiting', otherMain)]: '0+10x60',
        },
        atMinute: 40,
        summary: '400 jobs wait in the queue, and their number is growing.',
      },
    ],
    silent: [
      { series: { [waiting]: '200x60' }, atMinute: 40 },
      { series: { [waiting]: '600-10x60' }, atMinute: 40 },
      { series: { [waiting]: '0+1x60' }, atMinute: 40 },
      // A burst that drains.
      { series: { [waiting]: '0x30 300 200 100 0x60' }, atMinute: 40 },
    ],
  },
  N8nQueueWaitLong: {
    fires: [
      {
        series: { [waiting]: '600x20', [completed]: '0+60x20' },
        atMinute: 15,
        summary: 'A new execution waits about 10m 0s for a worker.',
      },
    ],
    silent: [
      { series: { [waiting]: '30x20', [completed]: '0+60x20' }, atMinute: 15 },
      { series: { [waiting]: '600x20', [completed]: '5x20' }, atMinute: 15 },
      { series: { [waiting]: '0x20', [completed]: '5x20' }, atMinute: 15 },
    ],
  },
  N8nJobsWaitNoneActive: {
    fires: [
      {
        series: { [waiting]: '0x5 5x10', [active]: '3x5 0x10' },
        atMinute: 12,
        summary: '5 jobs or more are waiting in the queue, and no worker takes any.',
      },
    ],
    silent: [
      { series: { [waiting]: '5x15', [active]: '1x15' }, atMinute: 12 },
      { series: { [waiting]: '0x15', [active]: '0x15' }, atMinute: 12 },
      // Between two jobs.
      { series: { [waiting]: '5x15', [active]: '0 0 1 0 0 1 0 0 1 0 0 1 0 0 1' }, atMinute: 12 },
    ],
  },
  N8nWorkerSlotsFull: {
    fires: [
      {
        series: {
          [active]: '19x30',
          [waiting]: '3x30',
          [slots(worker)]: '10x30',
          [slots(otherWorker)]: '10x30',
        },
        atMinute: 15,
        summary: '95% of all worker slots are in use, and jobs are waiting.',
      },
    ],
    silent: [
      { series: { [active]: '10x30', [waiting]: '0x30', [slots(worker)]: '10x30' }, atMinute: 15 },
      { series: { [active]: '5x30', [waiting]: '3x30', [slots(worker)]: '10x30' }, atMinute: 15 },
    ],
  },
  N8nWorkerSilent: {
    fires: [
      {
        series: { ...bothWorkersUp, [waiting]: '5x60' },
        atMinute: 45,
        labels: worker,
        summary: silentWorker,
      },
      {
        series: { ...bothWorkersUp, [waiting]: '5x60', [taken(worker)]: '0+1x10 10x50' },
        atMinute: 45,
        labels: worker,
        summary: silentWorker,
      },
    ],
    silent: [
      { series: { ...bothWorkersUp, [waiting]: '5x60', [taken(worker)]: '0+1x60' }, atMinute: 45 },
      // It took its first job ten minutes ago.
      {
        series: { ...bothWorkersUp, [waiting]: '5x60', [taken(worker)]: '_x35 1x20' },
        atMinute: 45,
      },
      // Nothing waits.
      { series: { ...bothWorkersUp, [waiting]: '5x30 0 5x30' }, atMinute: 45 },
      // It has just started.
      {
        series: { ...bothWorkersUp, [waiting]: '5x60', [started(worker)]: '2100x60' },
        atMinute: 45,
      },
    ],
  },
};
