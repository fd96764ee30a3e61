import * as panels from '../panels';
import { chosen, perProcess, PROCESS, rateOf, type DashboardSpec } from '../spec';

export const memory: DashboardSpec = {
  uid: 'n8n-memory-and-heap',
  title: 'n8n / Memory and heap',
  description:
    'What each process holds inside and outside the heap, and how far it is from its limits.',
  rows: [
    {
      title: 'Against the limits',
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
            'Resident memory of n8n, without its task runner, which shares the limit in internal mode.',
          whenBad:
            'Near the limit the kernel ends the container. Runbooks N8nContainerNearMemoryLimit and N8nOutOfMemoryKill.',
        },
      ],
    },
    {
      title: 'Where it is',
      panels: [
        {
          title: 'Heap in use',
          kind: 'lines',
          unit: 'bytes',
          queries: [{ expr: chosen('n8n_nodejs_heap_size_used_bytes'), legend: PROCESS }],
          meaning: 'Objects of JavaScript.',
          whenBad:
            'Rising low points: a leak, or more executions at once. Runbook N8nHeapNearLimit.',
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
          meaning: 'Buffers, expression sandboxes, native code. No heap limit stops it.',
          whenBad: 'Growth that does not end: runbook N8nMemoryOutsideHeapGrows.',
        },
        {
          title: 'Buffers',
          kind: 'lines',
          unit: 'bytes',
          queries: [{ expr: chosen('n8n_nodejs_external_memory_bytes'), legend: PROCESS }],
          meaning: 'Memory outside the heap that objects of JavaScript hold: payloads, files.',
          whenBad: 'Peaks of large payloads: `N8N_PAYLOAD_SIZE_MAX`, binary data in files.',
        },
        {
          title: 'Time in the garbage collector',
          kind: 'lines',
          unit: 'percentunit',
          queries: [
            { expr: perProcess(rateOf('n8n_nodejs_gc_duration_seconds_sum')), legend: PROCESS },
          ],
          meaning: 'Share of time.',
          whenBad: 'Above a tenth the heap is too small for the work: runbook N8nHeapNearLimit.',
          bounds: [0.1, 0.3],
        },
      ],
    },
  ],
};
