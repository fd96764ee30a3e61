import type { AlertGroup } from '../alert';
import { n8n, pods, threshold } from '../tokens';

/** The least, or the most, that lay outside the heap in a range. */
const outsideHeap = (min: 'min' | 'max', range: string): string => {
  const max = min === 'min' ? 'max' : 'min';
  const [resident, heap] = [
    n8n('n8n_process_resident_memory_bytes'),
    n8n('n8n_nodejs_heap_size_total_bytes'),
  ];
  return `(${min}_over_time(${resident}${range}) - ${max}_over_time(${heap}${range}))`;
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
        'The event loop of {{ $labels.role }} {{ $labels.pod }} lags by {{ $value | humanizeDuration }}.',
      meaning:
        'Each n8n process does all its work on one thread. If this thread lags by half a second, every response is half a second late, probes fail, and locks in Redis expire. n8n resets the measured lag each time a program reads `/metrics`. If a second program, such as another Prometheus or `n8n-tuned run`, also reads the metrics, each program sees only the lag since the last read by either of them.',
      tellWhy: [
        'If the process uses about one core, it has too much work for one thread.',
        'If the process uses less CPU, it is probably throttled ([N8nCpuThrottled](N8nCpuThrottled.md)), or its heap is nearly full ([N8nHeapNearLimit](N8nHeapNearLimit.md)).',
        'If the lag occurs in bursts, look for a workflow with large items or a long expression.',
      ],
      whatToDo: [
        'Add workers in queue mode, or webhook processors, instead of more CPU for one process.',
        'Move computation from expressions to a Code node, which runs in the task runner.',
        'Split large data into batches, and keep binary data in files (`storage`).',
      ],
      drill: "Run the `expressions` workload at a rate above n8n's capacity.",
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
        'If V8 cannot free any more memory, it ends the process with the error "JavaScript heap out of memory". Before this error, V8 spends most of its time on garbage collection.',
      tellWhy: [
        'If the memory usage rises with the number of executions, their items are probably large. The metric `n8n_execution_data_write_size_bytes` shows the size of the items, if you have turned it on.',
        'If the memory usage rises slowly over days, there is probably a leak: see also [N8nMemoryOutsideHeapGrows](N8nMemoryOutsideHeapGrows.md).',
      ],
      whatToDo: [
        'Raise the memory limit of the role. The chart adjusts the heap to this limit: see docs/chart/tuning.md#memory.',
        'Run fewer executions at the same time (`worker.concurrency`).',
        'Process items in batches (Loop Over Items), and make sub-workflows return less data.',
      ],
      drill: 'Run the `memory-hog` workload with a size near the heap limit.',
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
        "Buffers, expression sandboxes and native code use memory outside V8's heap, where no heap limit applies. If this memory grows too large, the kernel kills the container. Earlier n8n versions had leaks outside the heap: in main in queue mode, and in the sandboxes for form requests.",
      tellWhy: [
        'If the memory stops growing, the cause was probably a peak of large payloads rather than a leak.',
        'Find out which role is affected, and with which version or workflow the growth began.',
        'If `n8n_nodejs_external_memory_bytes` grows too, buffers are the cause. Otherwise, sandboxes or native code are the cause.',
      ],
      whatToDo: [
        'Restart the process during a quiet period, before the kernel kills it.',
        'Make payloads smaller (`N8N_PAYLOAD_SIZE_MAX`), and keep binary data in files.',
        "If there is a leak, search n8n's issues for your version, and upgrade.",
      ],
      drill:
        'Send 15 MB payloads to a webhook for six hours. This test causes growth, but no real leak.',
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
        'If the memory usage reaches the limit, the kernel kills a process in the container. All memory that cannot be freed counts towards the limit, whether it is inside or outside the heap.',
      tellWhy: [
        'If the heap is full, see [N8nHeapNearLimit](N8nHeapNearLimit.md).',
        'If memory outside the heap grows, see [N8nMemoryOutsideHeapGrows](N8nMemoryOutsideHeapGrows.md).',
        'If neither is the cause, check the task runner. In internal mode, the task runner is a child process in the same container and serves no metrics.',
      ],
      whatToDo: [
        'Raise the memory limit of the role.',
        'If Code nodes return many large results, lower `heap.runnerPayload`.',
      ],
      drill: 'Run the `memory-hog` workload with a size just below the limit.',
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
        'The kernel ended a process in container {{ $labels.container }} of {{ $labels.pod }} because it ran out of memory.',
      meaning:
        'A container reached its memory limit. If the kernel killed the whole container, all its running executions are lost. If the kernel killed only the task runner, the running Code nodes failed.',
      tellWhy: [
        'Check whether an execution with large data was running when the kernel killed the process.',
        'Check whether the kernel killed the container (`kubectl describe pod` shows OOMKilled) or a child process (no restart).',
      ],
      whatToDo: [
        'For lost executions, see [N8nJobsStalled](N8nJobsStalled.md).',
        'Raise the memory limit, or reduce the payload: see docs/chart/tuning.md#memory.',
        "If you have set a heap limit close to the container's memory limit, remove your setting, so that the chart sets the heap limit (`heap.enabled`).",
      ],
      drill: "Run the `memory-hog` workload with a size above the container's limit.",
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
        'The container used up its CPU limit, and had to wait for the next 100 ms period. Latency increases long before the average CPU usage is high.',
      tellWhy: [
        'Throttling during startup is normal, because n8n needs a whole core for a few seconds.',
        'If the container is always throttled, its CPU limit is too low for the load.',
      ],
      whatToDo: [
        'Raise or remove the CPU limit. Keep the CPU request, because Kubernetes uses it to divide the CPU of a node among the pods.',
        'If a role already has a whole core, add more processes instead.',
      ],
      drill: "Under load, set a worker's CPU limit to 200m.",
    },
  ],
};
