import * as panels from '../panels';
import { chosen, perProcess, PROCESS, rateOf, type DashboardSpec } from '../spec';

export const memory: DashboardSpec = {
  uid: 'n8n-memory-and-heap',
  title: 'n8n / Memory and heap',
  description:
    'How much memory each process uses inside and outside the heap, and how close it is to its limits.',
  rows: [
    {
      title: 'Memory usage and limits',
      panels: [
        panels.heapShare,
        {
          title: 'Memory in use, and the limit of the container',
          kind: 'lines',
          unit: 'bytes',
          queries: [
            { expr: chosen('n8n_process_resident_memory_bytes'), legend: PROCESS },
            {
              expr: `max by (role) (${chosen('n8n_tuned_memory_limit_bytes')})`,
              legend: 'limit of {{role}}',
            },
          ],
          meaning:
            'Resident memory of n8n, without its task runner. In internal mode, the task runner shares the limit with n8n.',
          whenBad:
            'If the memory usage reaches the limit, the kernel kills the container: see runbooks N8nContainerNearMemoryLimit and N8nOutOfMemoryKill.',
        },
      ],
    },
    {
      title: 'Where the memory is used',
      panels: [
        {
          title: 'Heap in use',
          kind: 'lines',
          unit: 'bytes',
          queries: [{ expr: chosen('n8n_nodejs_heap_size_used_bytes'), legend: PROCESS }],
          meaning: 'Memory of JavaScript objects.',
          whenBad:
            'If the low points rise, there is a leak, or more executions run at the same time: see runbook N8nHeapNearLimit.',
        },
        {
          title: 'Outside the heap',
          kind: 'lines',
          unit: 'bytes',
          queries: [
            {
              expr: `${chosen('n8n_process_resident_memory_bytes')} - ${chosen('n8n_nodejs_heap_size_total_bytes')}`,
              legend: PROCESS,
            },
          ],
          meaning:
            'Memory of buffers, expression sandboxes and native code. No heap limit applies to this memory.',
          whenBad: 'If the growth does not end, see runbook N8nMemoryOutsideHeapGrows.',
        },
        {
          title: 'Buffers',
          kind: 'lines',
          unit: 'bytes',
          queries: [{ expr: chosen('n8n_nodejs_external_memory_bytes'), legend: PROCESS }],
          meaning:
            'Memory outside the heap that belongs to JavaScript objects, such as payloads and files.',
          whenBad:
            'If large payloads cause peaks, lower `N8N_PAYLOAD_SIZE_MAX`, and keep binary data in files.',
        },
        {
          title: 'Time in the garbage collector',
          kind: 'lines',
          unit: 'percentunit',
          queries: [
            { expr: perProcess(rateOf('n8n_nodejs_gc_duration_seconds_sum')), legend: PROCESS },
          ],
          meaning: 'Share of time that V8 spends on garbage collection.',
          whenBad: 'Above 10%, the heap is too small for the work: see runbook N8nHeapNearLimit.',
          bounds: [0.1, 0.3],
        },
      ],
    },
  ],
};
