import { main, of, webhook, worker, type Case, type CasesByAlert } from '../support/case';

const stalled = of('n8n_queue_job_stalled_total', webhook);
const started = (of_: Record<string, string>): string => of('n8n_process_start_time_seconds', of_);
const ended = (status: string, more: Record<string, string> = {}): string =>
  of('n8n_workflow_execution_duration_seconds_count', webhook, {
    status,
    mode: 'webhook',
    ...more,
  });
const cold = of('n8n_expression_pool_cold_start_sync_total', worker);
const patch = (state: string, name: string, role = worker): string =>
  of('n8n_tuned_patch_in_force', role, { patch: name, state });

const lost =
  'n8n executions were lost within the last 15 minutes: their worker died or was blocked.';

/** What is silent for any counter that n8n makes at its first event. */
const nothingNew = (counter: string, start: string): Case[] => [
  { series: { [counter]: '3x60', [start]: '0x60' }, atMinute: 40 },
  { series: { [start]: '0x60' }, atMinute: 40 },
  // Prometheus was away a quarter of an hour ago: the counter only looks new.
  { series: { [counter]: '3x10 _x20 3x30', [start]: '0x10 _x20 0x30' }, atMinute: 40 },
];

export const executions: CasesByAlert = {
  N8nJobsStalled: {
    fires: [
      {
        series: { [stalled]: '_x30 1x30', [started(webhook)]: '0x60' },
        atMinute: 40,
        summary: lost,
      },
      {
        series: { [stalled]: '1x30 2x30', [started(webhook)]: '0x60' },
        atMinute: 40,
        summary: lost,
      },
      // A process that has just started counts its first one.
      {
        series: { [stalled]: '_x35 1x30', [started(webhook)]: '_x34 2040x30' },
        atMinute: 40,
        summary: lost,
      },
    ],
    silent: nothingNew(stalled, started(webhook)),
  },
  N8nExecutionsFailing: {
    fires: [
      {
        series: { [ended('success')]: '0+30x1600', [ended('failed')]: '0x1500 0+30x60' },
        atMinute: 1550,
        summary: '50% of executions fail, which is more than usual.',
      },
      // An installation without a yesterday has these.
      {
        series: { [ended('success')]: '0+30x60', [ended('failed')]: '0+30x60' },
        atMinute: 50,
        summary: '50% of executions fail, which is more than usual.',
      },
    ],
    silent: [
      // All is as usual.
      {
        series: { [ended('success')]: '0+30x1600', [ended('failed')]: '0+30x1600' },
        atMinute: 1550,
      },
      // More than usual, and few.
      {
        series: { [ended('success')]: '0+90x1600', [ended('failed')]: '0x1500 0+10x60' },
        atMinute: 1550,
      },
    ],
  },
  N8nWorkflowSilent: {
    fires: [
      {
        series: { [ended('success', { workflow_id: 'a' })]: '0+1x60 60x1600' },
        atMinute: 1600,
        labels: { workflow_id: 'a' },
        summary: 'Workflow a succeeded within the last week, but not within the last 24 hours.',
      },
      // It fails instead.
      {
        series: {
          [ended('success', { workflow_id: 'a' })]: '0+1x60 60x1600',
          [ended('failed', { workflow_id: 'a' })]: '0+1x1660',
        },
        atMinute: 1600,
        labels: { workflow_id: 'a' },
        summary: 'Workflow a succeeded within the last week, but not within the last 24 hours.',
      },
    ],
    silent: [
      { series: { [ended('success', { workflow_id: 'a' })]: '0+1x1660' }, atMinute: 1600 },
      { series: { [ended('failed', { workflow_id: 'a' })]: '0+1x1660' }, atMinute: 1600 },
    ],
  },
  N8nExpressionSandboxesCold: {
    fires: [
      {
        series: { [cold]: '0+120x40' },
        atMinute: 30,
        labels: worker,
        summary:
          'worker n8n-n8n-tuned-worker-1 builds 2 expression sandboxes per second while executions wait.',
      },
    ],
    silent: [{ series: { [cold]: '0+30x40' }, atMinute: 30 }],
  },
  N8nLoadNearCapacity: {
    // The capacity of the test's values is 10 per second.
    fires: [
      {
        series: { [ended('success')]: '0+480x30', [ended('failed')]: '0+60x30' },
        atMinute: 20,
        summary: 'The load is 90% of the measured capacity.',
      },
    ],
    silent: [{ series: { [ended('success')]: '0+300x30' }, atMinute: 20 }],
  },
  N8nPatchNotInForce: {
    fires: [
      {
        series: {
          [patch('known', 'read-once')]: '1x20',
          [patch('unknown', 'keep-stalled')]: '0x20',
        },
        atMinute: 15,
        labels: { patch: 'keep-stalled', state: 'unknown' },
        summary: 'The patch keep-stalled is not active; its state is unknown.',
      },
      // n8n has renamed what it changes, so that it never comes.
      {
        series: { [patch('waiting', 'session-once', main)]: '0x20' },
        atMinute: 15,
        labels: { patch: 'session-once', state: 'waiting' },
        summary: 'The patch session-once is not active; its state is waiting.',
      },
      {
        series: {
          [patch('waiting', 'keep-stalled', main)]: '0x20',
          [patch('waiting', 'keep-stalled')]: '0x20',
        },
        atMinute: 15,
        labels: { patch: 'keep-stalled', state: 'waiting' },
        summary: 'The patch keep-stalled is not active; its state is waiting.',
      },
    ],
    silent: [
      { series: { [patch('known', 'keep-stalled')]: '1x20' }, atMinute: 15 },
      // Code that n8n loads with the first expression or, in main, the first job, and a patch that somebody has turned off.
      {
        series: {
          [patch('waiting', 'zone-once')]: '0x20',
          [patch('waiting', 'requeue-lost', main)]: '0x20',
          [patch('waiting', 'keep-stalled', main)]: '0x20',
          [patch('off', 'read-once')]: '0x20',
        },
        atMinute: 15,
      },
      // It lasts as long as n8n starts.
      { series: { [patch('unknown', 'keep-stalled')]: '0x5 _x20' }, atMinute: 9 },
      { series: { [patch('waiting', 'session-once')]: '0x5 _x20' }, atMinute: 9 },
    ],
  },
};
