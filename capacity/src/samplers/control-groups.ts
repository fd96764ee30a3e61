import { findControl, readGroup, readLimits, type GroupFigures } from '../linux/cgroup';
import type { ProcessRoot } from '../targets/target';
import type { Sampler } from './sampler';
import { sampler } from './ticker';

/** What the kernel keeps of every control group: CPU, throttling, memory, kills, and the limits in force. */
export function controlGroupsSampler(): Sampler {
  return sampler('control groups', (running, sink) => {
    const control = findControl();
    const grouped = (): (ProcessRoot & { cgroup: string })[] =>
      running
        .processes()
        .filter((root): root is ProcessRoot & { cgroup: string } => root.cgroup !== undefined);
    if (grouped().length === 0) throw new Error('no process has a control group of its own');
    const before = new Map<string, { atMs: number; figures: GroupFigures }>();
    return {
      tick: () => {
        for (const { role, instance, cgroup } of grouped()) {
          const now = readGroup(control, cgroup);
          if (now === null) continue;
          const atMs = performance.now();
          const earlier = before.get(instance);
          const last = earlier?.figures;
          before.set(instance, { atMs, figures: now });
          sink.sample(role, instance, 'groupMemoryMiB', now.memoryMiB);
          sink.sample(role, instance, 'groupWorkingSetMiB', now.workingSetMiB);
          sink.sample(role, instance, 'groupMemoryPeakMiB', now.memoryPeakMiB);
          sink.sample(role, instance, 'oomKills', now.oomKills);
          const { cpuMillicores, memoryMiB } = readLimits(control, cgroup);
          if (cpuMillicores !== undefined) {
            sink.sample(role, instance, 'groupCpuLimitCores', cpuMillicores / 1000);
          }
          if (memoryMiB !== undefined) {
            sink.sample(role, instance, 'groupMemoryLimitMiB', memoryMiB);
          }
          if (earlier === undefined || last === undefined) continue;
          // A group that systemd made anew, around a restarted process, begins at 0.
          if (now.cpuMs !== null && last.cpuMs !== null && now.cpuMs >= last.cpuMs) {
            const cores = (now.cpuMs - last.cpuMs) / (atMs - earlier.atMs);
            sink.sample(role, instance, 'groupCpuCores', cores);
          }
          // Without a CPU limit the kernel counts no periods.
          const periods = now.periods - last.periods;
          if (periods > 0) {
            const throttled = now.throttledPeriods - last.throttledPeriods;
            sink.sample(role, instance, 'throttledShare', throttled / periods);
            sink.sample(role, instance, 'throttledMs', now.throttledMs - last.throttledMs);
          }
          const kills = now.oomKills - last.oomKills;
          if (kills > 0) {
            sink.event({
              kind: 'oom-kill',
              text: `the kernel killed ${String(kills)} process(es) of ${instance}, whose memory limit was reached`,
            });
          }
        }
      },
    };
  });
}
