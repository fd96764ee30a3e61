import type { AlertGroup } from '../alert';
import { n8n, perRelease, threshold } from '../tokens';

const ENDED = 'n8n_workflow_execution_duration_seconds_count';
const ended = n8n(ENDED);
const failed = n8n(ENDED, 'status="failed"');
const succeeded = n8n(ENDED, 'status="success"');

const started = n8n('n8n_process_start_time_seconds');
const WINDOW_MINUTES = 15;

/**
 * n8n makes a counter at its first event: there is no 0 to increase from. So one that is new counts as well, unless it
 * may only look new because Prometheus scraped nothing at the beginning of the window.
 */
function happened(counter: string): string {
  const window = `${String(WINDOW_MINUTES)}m`;
  const wasSeen = `${started} offset ${window} or ${started} > time() - 60 * ${String(WINDOW_MINUTES)}`;
  const isNew = `(${counter} unless ${counter} offset ${window}) and on (namespace, release, instance) (${wasSeen})`;
  return [
    `${perRelease('sum', `increase(${counter}[${window}])`)} > 0`,
    `or ${perRelease('sum', isNew)} > 0`,
  ].join('\n');
}

const failedShare = (window: string, offset = ''): string =>
  `${perRelease('sum', `rate(${failed}[${window}]${offset})`)} / ${perRelease('sum', `rate(${ended}[${window}]${offset})`)}`;

const silentHours = `${threshold('workflowSilentHours')}h`;
const perWorkflow = (selector: string, window: string): string =>
  `sum by (namespace, release, workflow_id) (increase(${selector}[${window}]))`;

export const executions: AlertGroup = {
  name: 'n8n-executions',
  alerts: [
    {
      name: 'N8nJobsStalled',
      severity: 'critical',
      forMinutes: 0,
      needs: ['queue'],
      expr: happened(n8n('n8n_queue_job_stalled_total')),
      summary:
        'Executions of n8n were lost within the last 15 minutes: the worker that ran them died or stood still.',
      meaning:
        'A worker renews the lock of each job that it runs. A lock that ran out means a worker that died, that lost Redis, or whose event loop was blocked for longer than the lock lasts. n8n marks the execution as crashed and does not run it again; the caller gets an error. n8n 2.41 counts this in the process that started the execution, and has no other count of crashed executions.',
      tellWhy: [
        'Filter the list of executions in the editor by the statuses Crashed and Error.',
        'Did a worker die? See [N8nOutOfMemoryKill](N8nOutOfMemoryKill.md), [N8nRestarting](N8nRestarting.md), or look for a node that was lost.',
        'In a rolling update, `terminationGracePeriodSeconds` must be above `shutdown.timeoutSeconds`.',
        'If all workers live, one was blocked: see [N8nEventLoopLag](N8nEventLoopLag.md), [N8nCpuThrottled](N8nCpuThrottled.md).',
      ],
      whatToDo: [
        'Open the executions that were lost, and run again those whose work is still wanted: the editor does it with the data that the trigger had.',
        'If a workflow kills its worker each time, deactivate it before you run anything again.',
        'If a worker was blocked, give it fewer slots or more CPU, or move the long computation to a Code node, which runs in the task runner.',
      ],
      drill: '`kubectl exec WORKER -c n8n -- kill -9 1` while the workload `wait-5s` runs.',
    },
    {
      name: 'N8nExecutionsFailing',
      severity: 'warning',
      forMinutes: 10,
      needs: [],
      expr: [
        `${failedShare('30m')} > ${threshold('failingShare')}`,
        `unless ${failedShare('30m')} <= ${threshold('failingFactor')} * (${failedShare('1d', ' offset 1h')})`,
      ].join('\n'),
      summary: '{{ $value | humanizePercentage }} of executions fail, more than usual.',
      meaning: `More than \`failingShare\` of the executions of the last half hour failed, and more than \`failingFactor\` times the share of the day before.`,
      tellWhy: [
        'The list of executions in the editor, filtered by the status Error: one workflow or many, one node type or many?',
        'If many workflows that call the same service fail, the service is down, or its credential has expired.',
        'If many of all kinds fail, look at the database, Redis and the task runners.',
      ],
      whatToDo: [
        'If a credential has expired, connect it again, then run the failed executions again from the editor.',
        'After an upgrade of n8n, look at the breaking changes of the version, and roll back if needed.',
      ],
      drill: 'Publish a workflow with a Stop and Error node and send it half of the requests.',
    },
    {
      name: 'N8nWorkflowSilent',
      severity: 'warning',
      forMinutes: 0,
      needs: ['workflowIdLabel'],
      expr: [
        `${perWorkflow(succeeded, '7d')} > 0`,
        `unless ${perWorkflow(succeeded, silentHours)} > 0`,
      ].join('\n'),
      summary: `Workflow {{ $labels.workflow_id }} had no success for ${threshold('workflowSilentHours')} hours, and had one within a week.`,
      meaning:
        'A workflow that used to succeed no longer does. No other alert notices a missing trigger: a schedule that is no longer registered, a webhook that nobody calls, a poll that gets nothing.',
      tellWhy: [
        'Does it run and fail? The list of its executions says so.',
        'If it does not run, check whether it is active and its trigger works: a schedule (see [N8nNoLeader](N8nNoLeader.md)), a webhook (does the other side still call it?), a poll (is its credential valid?).',
        'Does it run once a week or less? Then this alert does not suit the workflow: silence it by the `workflow_id`.',
      ],
      whatToDo: [
        'Deactivate and activate the workflow: that registers its trigger again.',
        'Give its other side the address that the Webhook node shows.',
      ],
      drill: 'Deactivate a workflow with a schedule, and wait.',
    },
    {
      name: 'N8nExpressionSandboxesCold',
      severity: 'info',
      forMinutes: 15,
      needs: [],
      expr: `sum by (namespace, release, role, instance, pod) (rate(${n8n('n8n_expression_pool_cold_start_sync_total')}[5m])) > ${threshold('coldSandboxesPerSecond')}`,
      summary:
        '{{ $labels.role }} {{ $labels.pod }} builds {{ $value | humanize }} expression sandboxes per second while executions wait.',
      meaning:
        'n8n evaluates expressions in a sandbox of its own per execution, and keeps a few ready. When none is left it builds one on the spot, and its event loop does nothing else meanwhile: 6 to 36 ms each.',
      tellWhy: [
        'More executions may run at once than `tuning.readySandboxes`. The share of cold starts is `rate(n8n_expression_pool_cold_start_sync_total[5m]) / rate(n8n_expression_pool_acquired_total[5m])`.',
      ],
      whatToDo: [
        'Raise `tuning.readySandboxes`; each one ready costs memory outside the heap.',
        'Turn on `tuning.lazyCharacterMap`, which makes building one cheaper: docs/chart/patches.md.',
      ],
      drill: 'Load the workload `expressions` with more clients than the pool has sandboxes.',
    },
    {
      name: 'N8nLoadNearCapacity',
      severity: 'warning',
      forMinutes: 10,
      needs: ['recordedCapacity'],
      expr: `${perRelease('sum', `rate(${ended}[5m])`)} / <<capacity>> > ${threshold('loadShare')}`,
      summary: 'The load is {{ $value | humanizePercentage }} of the capacity that was measured.',
      meaning:
        '`monitoring.capacity.executionsPerSecond` says what this installation sustains, as `n8n-tuned find` measured it. Above `loadShare` of it little is left for a peak, an upgrade or the loss of a pod.',
      tellWhy: [
        'Is it growth or a peak? Look at the same hours of the weeks before.',
        'Does the measured capacity still fit? It holds for the workload, the version and the size with which it was measured.',
      ],
      whatToDo: [
        '`n8n-tuned recommend --rate R` writes the values for a higher rate.',
        'Measure again after each change of size or version, and record it in the values.',
      ],
      drill: 'Run `n8n-tuned run --profile load --rate R` with R at 90% of the capacity.',
    },
    {
      name: 'N8nPatchNotInForce',
      severity: 'warning',
      forMinutes: 10,
      needs: [],
      expr: `min by (namespace, release, patch, state) (${n8n('n8n_tuned_patch_in_force', 'state=~"unknown|failed"')}) == 0`,
      summary: 'The patch {{ $labels.patch }} is not in force, its state is {{ $labels.state }}.',
      meaning:
        'A patch is loaded and has left n8n as it is, mostly because an upgrade brought code that it does not know. The gain of the patch is missing: speed, or executions that it keeps from being lost. docs/chart/patches.md says what each state means.',
      tellWhy: [
        'One line about the patch in the log of n8n gives the reason.',
        'The page of patches says for which releases of n8n each one is known.',
      ],
      whatToDo: [
        'Go back to a release that the patch knows, or upgrade the chart to one that knows your n8n.',
        'To do without the patch, turn its value off, so that nobody takes it for granted.',
      ],
      drill:
        'Set the variable `N8N_TUNED_PATCHES` of n8n to `known`, and `image.tag` to a release whose bundle of expressions `known.json` does not have.',
    },
  ],
};
