import { container, main, of, worker, type CasesByAlert } from '../support/case';

const lag = of('n8n_nodejs_eventloop_lag_p99_seconds', main);
const used = of('n8n_nodejs_heap_size_used_bytes', worker);
const limit = of('n8n_tuned_heap_limit_bytes', worker);
const resident = of('n8n_process_resident_memory_bytes', main);
const heap = of('n8n_nodejs_heap_size_total_bytes', main);
const started = of('n8n_process_start_time_seconds', main);
const workingSet = container('container_memory_working_set_bytes');
const memoryLimit = container('kube_pod_container_resource_limits', { resource: 'memory' });
const cpuLimit = container('kube_pod_container_resource_limits', { resource: 'cpu' });
const kills = container('container_oom_events_total');
const killed = container('kube_pod_container_status_last_terminated_reason', {
  reason: 'OOMKilled',
});
const restarts = container('kube_pod_container_status_restarts_total');
const throttled = container('container_cpu_cfs_throttled_periods_total');
const periods = container('container_cpu_cfs_periods_total');

const inContainer = { pod: worker['pod'] ?? '', container: 'n8n' };
const kill =
  'The kernel ended a process in container n8n of n8n-n8n-tuned-worker-1 because it ran out of memory.';

export const memoryAndCpu: CasesByAlert = {
  N8nEventLoopLag: {
    fires: [
      {
        series: { [lag]: '0.8x10' },
        atMinute: 7,
        labels: main,
        summary: 'The event loop of main n8n-n8n-tuned-main-1 lags by 800ms.',
      },
    ],
    silent: [
      { series: { [lag]: '0.02x10' }, atMinute: 7 },
      { series: { [lag]: '0.02 0.9 0.9 0.02x10' }, atMinute: 7 },
    ],
  },
  N8nHeapNearLimit: {
    fires: [
      {
        series: { [used]: '950x10', [limit]: '1000x10' },
        atMinute: 7,
        labels: worker,
        summary: 'The heap of worker n8n-n8n-tuned-worker-1 is 95% full; at 100% the process dies.',
      },
    ],
    // A full heap that a collection empties is none near its limit.
    silent: [
      {
        series: { [used]: '950 300 950 300 950 300 950 300 950', [limit]: '1000x10' },
        atMinute: 7,
      },
    ],
  },
  N8nMemoryOutsideHeapGrows: {
    fires: [
      {
        series: {
          [resident]: '500000000x480 900000000x60',
          [heap]: '200000000x540',
          [started]: '0x540',
        },
        atMinute: 530,
        labels: main,
        summary:
          'Memory of main n8n-n8n-tuned-main-1 outside the heap grew by 381.5MiB within 6 hours.',
      },
    ],
    silent: [
      // The heap grew.
      {
        series: {
          [resident]: '500000000x480 900000000x60',
          [heap]: '200000000x480 600000000x60',
          [started]: '0x540',
        },
        atMinute: 530,
      },
      // A peak of a few minutes.
      {
        series: {
          [resident]: '500000000x520 900000000x8 500000000x20',
          [heap]: '200000000x548',
          [started]: '0x548',
        },
        atMinute: 530,
      },
      // Six hours ago it was starting.
      {
        series: {
          [resident]: '100000000x200 900000000x340',
          [heap]: '50000000x540',
          [started]: '9000x540',
        },
        atMinute: 530,
      },
    ],
  },
  N8nContainerNearMemoryLimit: {
    fires: [
      {
        series: {
          [workingSet]: '950x10',
          [memoryLimit]: '1000x10',
          [cpuLimit]: '1x10',
          // cAdvisor's sum over the pod.
          [container('container_memory_working_set_bytes', { container: '' })]: '990x10',
        },
        atMinute: 7,
        labels: inContainer,
        summary: 'Container n8n of n8n-n8n-tuned-worker-1 uses 95% of its memory limit.',
      },
    ],
    silent: [
      { series: { [workingSet]: '800x10', [memoryLimit]: '1000x10' }, atMinute: 7 },
      { series: { [workingSet]: '950x10' }, atMinute: 7 },
    ],
  },
  N8nOutOfMemoryKill: {
    fires: [
      // A child of the container.
      { series: { [kills]: '0x10 1x10' }, atMinute: 12, labels: inContainer, summary: kill },
      {
        series: { [killed]: '_x10 1x10', [restarts]: '0x10 1x10' },
        atMinute: 12,
        labels: inContainer,
        summary: kill,
      },
    ],
    silent: [
      { series: { [kills]: '1x40', [killed]: '1x40', [restarts]: '1x40' }, atMinute: 35 },
      // A restart for another reason, after a kill of long ago.
      { series: { [killed]: '1x10 0x10', [restarts]: '1x10 2x10' }, atMinute: 12 },
    ],
  },
  N8nCpuThrottled: {
    fires: [
      {
        series: { [throttled]: '0+300x30', [periods]: '0+600x30' },
        atMinute: 20,
        labels: inContainer,
        summary: 'Container n8n of n8n-n8n-tuned-worker-1 was throttled in 50% of its CPU periods.',
      },
    ],
    silent: [{ series: { [throttled]: '0+60x30', [periods]: '0+600x30' }, atMinute: 20 }],
  },
};
