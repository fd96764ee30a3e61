import { table } from '../../cli/src/plan/environment';
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

/** Patches whose code n8n loads with the first expression; and in main, with the first job of its queue. */
const AT_FIRST_EXPRESSION = table()
  .patches.filter(({ code }) => code === 'sandbox')
  .map(({ name }) => name.replace('.cjs', ''))
  .join('|');
const AT_FIRST_JOB = 'keep-stalled|requeue-lost';

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
        'n8n executions were lost within the last 15 minutes: their worker died or was blocked.',
      meaning:
        'A worker regularly renews the lock for each job that it runs. If a lock expires, the worker has died or lost its connection to Redis, or its event loop was blocked for too long. n8n then marks the execution as crashed and does not rerun it, and the caller receives an error. n8n 2.41 counts a stalled job in the process that started the execution. n8n has no other metric for crashed executions.',
      tellWhy: [
        'In the editor, filter the list of executions by the statuses Crashed and Error.',
        'If a worker died, see [N8nOutOfMemoryKill](N8nOutOfMemoryKill.md) and [N8nRestarting](N8nRestarting.md), or check whether a node was lost.',
        'If the alert fires during a rolling update, check that `terminationGracePeriodSeconds` is greater than `shutdown.timeoutSeconds`.',
        'If all workers are alive, one of them was probably blocked: see [N8nEventLoopLag](N8nEventLoopLag.md) and [N8nCpuThrottled](N8nCpuThrottled.md).',
      ],
      whatToDo: [
        'In the editor, open the lost executions, and retry those that you still need. A retry uses the original trigger data.',
        'If a workflow kills its worker every time, deactivate the workflow before you retry any executions.',
        'If a worker was blocked, give it fewer slots or more CPU. Alternatively, move long computations to a Code node, which runs in the task runner.',
      ],
      drill:
        'Start the `wait-5s` workload, then run `kubectl exec WORKER -c n8n -- sh -c "kill -9 -1"`.',
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
      summary: '{{ $value | humanizePercentage }} of executions fail, which is more than usual.',
      meaning: `In the last half hour, the share of failed executions was above \`failingShare\`, and more than \`failingFactor\` times the share of the previous day.`,
      tellWhy: [
        'In the editor, filter the list of executions by the status Error. Check whether only one workflow or node type fails.',
        'If all failing workflows call the same service, check whether the service is down or its credential has expired.',
        'If different kinds of workflows fail, check the database, Redis and the task runners.',
      ],
      whatToDo: [
        'If a credential has expired, renew it, then retry the failed executions in the editor.',
        'After an n8n upgrade, read about the breaking changes of the new version, and roll back if necessary.',
      ],
      drill:
        'Publish a workflow with a Stop and Error node, and send half of the requests to this workflow.',
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
      summary: `Workflow {{ $labels.workflow_id }} succeeded within the last week, but not within the last ${threshold('workflowSilentHours')} hours.`,
      meaning:
        'A workflow that used to run successfully no longer does. No other alert detects a trigger that starts no executions, such as a schedule that is no longer registered, a webhook that nobody calls, or a polling trigger that returns nothing.',
      tellWhy: [
        'In the list of executions, check whether the workflow runs but fails, or does not run at all.',
        'If the workflow does not run, check that it is active and that its trigger works. For a schedule, see [N8nNoLeader](N8nNoLeader.md). For a webhook, check that the external service still calls it. For a polling trigger, check that its credential is valid.',
        'If the workflow runs once a week or less, this alert is not suitable for it. Silence the alert for the `workflow_id` of this workflow.',
      ],
      whatToDo: [
        'Deactivate and reactivate the workflow to register its trigger again.',
        'Configure the external service with the address that the Webhook node shows.',
      ],
      drill:
        'Deactivate a scheduled workflow that has succeeded within the last week, and wait `workflowSilentHours` hours.',
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
        'n8n evaluates the expressions of each execution in a separate sandbox, and keeps a few sandboxes ready. If no sandbox is ready, n8n has to build one first, which blocks its event loop for 6 to 36 ms.',
      tellWhy: [
        'Check whether the number of executions that run at the same time exceeds `tuning.readySandboxes`. The share of cold starts is `rate(n8n_expression_pool_cold_start_sync_total[5m]) / rate(n8n_expression_pool_acquired_total[5m])`.',
      ],
      whatToDo: [
        'Raise `tuning.readySandboxes`. Each ready sandbox uses memory outside the heap.',
        'Turn on `tuning.lazyCharacterMap`, which makes it cheaper to build a sandbox: see docs/chart/patches.md.',
      ],
      drill: 'Run the `expressions` workload with more clients than the pool has sandboxes.',
    },
    {
      name: 'N8nLoadNearCapacity',
      severity: 'warning',
      forMinutes: 10,
      needs: ['recordedCapacity'],
      expr: `${perRelease('sum', `rate(${ended}[5m])`)} / <<capacity>> > ${threshold('loadShare')}`,
      summary: 'The load is {{ $value | humanizePercentage }} of the measured capacity.',
      meaning:
        '`monitoring.capacity.executionsPerSecond` is the rate that this installation sustains, as measured by `n8n-tuned find`. If the load exceeds this rate times `loadShare`, little capacity is left for a peak, an upgrade or the loss of a pod.',
      tellWhy: [
        'Compare the load with the load at the same hours in previous weeks, to see whether the load keeps growing or has only a short peak.',
        'Check whether the measured capacity is still valid. The capacity applies only to the workload, the n8n version and the size that were measured.',
      ],
      whatToDo: [
        'Run `n8n-tuned recommend --rate R` to get the values for a higher rate.',
        'After each change of size or n8n version, measure the capacity again, and update `monitoring.capacity.executionsPerSecond`.',
      ],
      drill: 'Run `n8n-tuned run --profile load --rate R`, where R is 90% of the capacity.',
    },
    {
      name: 'N8nPatchNotInForce',
      severity: 'warning',
      forMinutes: 10,
      needs: [],
      expr: [
        'min by (namespace, release, patch, state) (',
        `  ${n8n('n8n_tuned_patch_in_force', 'state=~"unknown|failed"')}`,
        `  or (${n8n('n8n_tuned_patch_in_force', 'state="waiting"', `patch!~"${AT_FIRST_EXPRESSION}"`)}`,
        `  unless ${n8n('n8n_tuned_patch_in_force', 'role="main"', `patch=~"${AT_FIRST_JOB}"`)})`,
        ') == 0',
      ].join('\n'),
      summary: 'The patch {{ $labels.patch }} is not active; its state is {{ $labels.state }}.',
      meaning:
        'A patch is loaded, but has not changed n8n. The usual reason is that n8n was upgraded, and the patch does not recognise the new code. In the state `waiting`, n8n has not loaded the code at all, for example because it was renamed. n8n runs without the patch, so it may be slower or lose more executions. For the meaning of each state, see docs/chart/patches.md.',
      tellWhy: [
        'In the n8n log, find the line that states why the patch is not active. For the state `waiting`, there is no such line.',
        'Check whether the patch supports your n8n version: see docs/chart/patches.md.',
      ],
      whatToDo: [
        'Go back to an n8n release that the patch supports, or upgrade to a chart that supports your n8n version.',
        'If you do not need the patch, turn it off in the values, so that the alert resolves.',
      ],
      drill:
        "Set n8n's variable `N8N_TUNED_PATCHES` to `known`, and set `image.tag` to a release whose expression bundle is not in `known.json`.",
    },
  ],
};
