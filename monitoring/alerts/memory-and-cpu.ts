import type { AlertGroup } from '../alert';
import { n8n, pods, threshold } from '../tokens';

/** The least, or the most, that lay outside the heap in a range. */
const outsideHeap = (least: 'min' | 'max', range: string): string => {
  const most = least === 'min' ? 'max' : 'min';
  const [resident, heap] = [
    n8n('n8n_process_resident_memory_bytes'),
    n8n('n8n_nodejs_heap_size_total_bytes'),
  ];
  return `(${least}_over_time(${resident}${range}) - ${most}_over_time(${heap}${range}))`;
};
/** cAdvisor also counts the pod as a whole, and its pause container. */
const ofContainers = 'container!~"|POD"';
const perContainer = (expression: string): string =>
  `max by (namespace, pod, container) (${expression})`;

export const memoryAndCpu: AlertGroup = {
  name: 'n8n-memory-and-cpu',
  alerts: [
    {
      name: 'N8nEventLoopLag',
      severity: 'warning',
      forMinutes: 5,
      needs: [],
      expr: `${n8n('n8n_nodejs_eventloop_lag_p99_seconds')} > ${threshold('eventLoopLagSeconds')}`,
      summary:
        'The event loop of {{ $labels.role }} {{ $labels.pod }} is late by {{ $value | humanizeDuration }}.',
      meaning:
        'One thread of a process does all work that does not wait. When it is late by half a second, every response is, probes fail and locks in Redis run out. n8n resets this figure at each read of `/metrics`: if two programs read it, such as a second Prometheus or `n8n-tuned run`, each sees only what came since the other one read.',
      tellWhy: [
        'If the process uses about one core, the work is too much for one thread.',
        'If it uses less, it is throttled ([N8nCpuThrottled](N8nCpuThrottled.md)), or its heap is nearly full ([N8nHeapNearLimit](N8nHeapNearLimit.md)).',
        'If the lag comes in bursts, look for one workflow with large items or a long expression.',
      ],
      whatToDo: [
        'Add processes rather than CPU to one: workers in queue mode, or webhook processors.',
        'Move computation out of expressions and into a Code node, which runs in the task runner.',
        'Split large data into batches, and keep binary data in files (`storage`).',
      ],
      drill: 'Load the workload `expressions` above its capacity.',
    },
    {
      name: 'N8nHeapNearLimit',
      severity: 'warning',
      forMinutes: 5,
      needs: [],
      expr: `${n8n('n8n_nodejs_heap_size_used_bytes')} / ${n8n('n8n_tuned_heap_limit_bytes')} > ${threshold('heapShare')}`,
      summary:
        'The heap of {{ $labels.role }} {{ $labels.pod }} is {{ $value | humanizePercentage }} full; at 100% the process dies.',
      meaning:
        'V8 ends the process with "JavaScript heap out of memory" when nothing more can be freed. Before that it spends most of its time on freeing memory.',
      tellWhy: [
        'If memory rises with executions, their items are large. `n8n_execution_data_write_size_bytes` shows their size where it is switched on.',
        'If it rises slowly over days, it is probably a leak. Compare with [N8nMemoryOutsideHeapGrows](N8nMemoryOutsideHeapGrows.md).',
      ],
      whatToDo: [
        'Raise the memory limit of the role: the chart fits the heap to it (docs/chart/tuning.md#memory).',
        'Run fewer executions at once (`worker.concurrency`).',
        'Work on items in batches (Loop Over Items), and let sub-workflows return little.',
      ],
      drill: 'Load the workload `memory-hog` with a size near the heap limit.',
    },
    {
      name: 'N8nMemoryOutsideHeapGrows',
      severity: 'warning',
      forMinutes: 5,
      needs: [],
      // All of the last half hour above all of an hour, six hours ago, in which it had long started.
      expr: [
        `${outsideHeap('min', '[30m]')} - ${outsideHeap('max', '[1h] offset 6h')} > ${threshold('outsideHeapGrowthMiB')} * 1024 * 1024`,
        `and time() - ${n8n('n8n_process_start_time_seconds')} > 8 * 3600`,
      ].join('\n'),
      summary:
        'Memory of {{ $labels.role }} {{ $labels.pod }} outside the heap grew by {{ $value | humanize1024 }}B within 6 hours.',
      meaning:
        "Buffers, expression sandboxes and native code lie outside V8's heap, where no heap limit stops them: the kernel ends the container instead. n8n has leaked there before (main in queue mode, sandboxes of form requests).",
      tellWhy: [
        'Does it end at a plateau? Then it is a peak of large payloads, not a leak.',
        'Which role, and since which version or workflow?',
        'If `n8n_nodejs_external_memory_bytes` grows too, the cause is buffers, and otherwise sandboxes or native code.',
      ],
      whatToDo: [
        'Restart the process at a quiet hour, before the kernel does.',
        'Make payloads smaller (`N8N_PAYLOAD_SIZE_MAX`), and keep binary data in files.',
        'If it is a leak, search the issues of n8n for your version, and upgrade.',
      ],
      drill: 'Send 15 MB payloads to a webhook for six hours; a drill of a leak needs a leak.',
    },
    {
      name: 'N8nContainerNearMemoryLimit',
      severity: 'warning',
      forMinutes: 5,
      needs: ['kubernetes'],
      expr: `${perContainer(pods('container_memory_working_set_bytes', ofContainers))} / ${perContainer(pods('kube_pod_container_resource_limits', 'resource="memory"'))} > ${threshold('containerMemoryShare')}`,
      summary:
        'Container {{ $labels.container }} of {{ $labels.pod }} uses {{ $value | humanizePercentage }} of its memory limit.',
      meaning:
        'At the limit the kernel ends a process of the container. All memory that cannot be freed counts, in the heap and outside it.',
      tellWhy: [
        'Is the heap full? See [N8nHeapNearLimit](N8nHeapNearLimit.md).',
        'Does memory outside the heap grow? See [N8nMemoryOutsideHeapGrows](N8nMemoryOutsideHeapGrows.md).',
        'If neither grows, look at the task runner, a child of the same container in internal mode, which serves no metrics.',
      ],
      whatToDo: [
        'Raise the memory limit of the role.',
        'If Code nodes return many large results, lower `heap.runnerPayload`.',
      ],
      drill: 'Load the workload `memory-hog` with a size just under the limit.',
    },
    {
      name: 'N8nOutOfMemoryKill',
      severity: 'critical',
      forMinutes: 0,
      needs: ['kubernetes'],
      expr: [
        `${perContainer(`increase(${pods('container_oom_events_total', ofContainers)}[10m])`)} > 0`,
        `or ${perContainer(pods('kube_pod_container_status_last_terminated_reason', 'reason="OOMKilled"'))} == 1`,
        `and ${perContainer(`increase(${pods('kube_pod_container_status_restarts_total')}[10m])`)} > 0`,
      ].join('\n'),
      summary:
        'The kernel ended a process in container {{ $labels.container }} of {{ $labels.pod }}: out of memory.',
      meaning:
        'A container reached its memory limit. Either the whole container was ended and all that it ran is lost, or only its task runner, and the Code nodes that ran failed.',
      tellWhy: [
        'Did an execution with large data run at that time?',
        'Was it the container (`kubectl describe pod`: OOMKilled) or a child of it (no restart)?',
      ],
      whatToDo: [
        'For lost executions see [N8nJobsStalled](N8nJobsStalled.md).',
        'Raise the memory limit, or take the payload down: docs/chart/tuning.md#memory.',
        'If you set a heap limit near that of the container, leave `heap` to the chart.',
      ],
      drill: "Load the workload `memory-hog` with a size above the container's limit.",
    },
    {
      name: 'N8nCpuThrottled',
      severity: 'warning',
      forMinutes: 10,
      needs: ['kubernetes'],
      expr: `${perContainer(`rate(${pods('container_cpu_cfs_throttled_periods_total', ofContainers)}[5m])`)} / ${perContainer(`rate(${pods('container_cpu_cfs_periods_total', ofContainers)}[5m])`)} > ${threshold('cpuThrottledShare')}`,
      summary:
        'Container {{ $labels.container }} of {{ $labels.pod }} was throttled in {{ $value | humanizePercentage }} of its CPU periods.',
      meaning:
        'The container used up its CPU limit and stood still until the next period of 100 ms. Latency grows long before the average CPU looks full.',
      tellWhy: [
        'Does this happen only at the start? n8n needs a core for some seconds to start.',
        'If it happens all the time, the limit is too low for the load.',
      ],
      whatToDo: [
        'Raise or remove the CPU limit. Keep the request, by which the node shares its CPU.',
        'If a role already has a whole core, add processes instead.',
      ],
      drill: 'Set the CPU limit of a worker to 200m under load.',
    },
  ],
};
