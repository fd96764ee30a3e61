import {
  type GroupFigures,
  type Limits,
  findControl,
  readGroup,
  readLimits,
} from '../linux/cgroup';
import type { SampledRole } from '../plan/roles';
import type { SampleSink, Sampler } from './sampler';
import type { ProcessRoot } from '../targets/target';
import { sampler } from './ticker';

/** Writes what is known of control groups, with what they used since the look before. */
export class GroupWriter {
  private readonly before = new Map<string, { atMs: number; figures: GroupFigures }>();

  constructor(private readonly sink: SampleSink) {}

  /** `atMs`: on any clock that runs evenly. */
  write(
    { role, instance }: { role: SampledRole; instance: string },
    now: GroupFigures,
    { cpuMillicores, memoryMiB }: Limits,
    atMs: number,
  ): void {
    const { sink, before } = this;
    const key = `${role} ${instance}`;
    const earlier = before.get(key);
    before.set(key, { atMs, figures: now });
    sink.sample(role, instance, 'groupMemoryMiB', now.memoryMiB);
    sink.sample(role, instance, 'groupWorkingSetMiB', now.workingSetMiB);
    sink.sample(role, instance, 'groupMemoryPeakMiB', now.memoryPeakMiB);
    sink.sample(role, instance, 'oomKills', now.oomKills);
    if (cpuMillicores !== undefined) {
      sink.sample(role, instance, 'groupCpuLimitCores', cpuMillicores / 1000);
    }
    if (memoryMiB !== undefined) sink.sample(role, instance, 'groupMemoryLimitMiB', memoryMiB);
    if (earlier === undefined) return;
    const last = earlier.figures;
    // A group that was made anew, around a restarted process, begins at 0.
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
        text: `the kernel killed ${String(kills)} process(es) of ${instance}, because the memory limit was reached`,
      });
    }
  }
}

/** What the kernel keeps of every control group: CPU, throttling, memory, kills, and the limits in force. */
export function controlGroupsSampler(): Sampler {
  return sampler('control groups', (running, sink) => {
    const control = findControl();
    const grouped = (): (ProcessRoot & { cgroup: string })[] =>
      running
        .processes()
        .filter((root): root is ProcessRoot & { cgroup: string } => root.cgroup !== undefined);
    if (grouped().length === 0) throw new Error('no process has a control group of its own');
    const groups = new GroupWriter(sink);
    return {
      tick: () => {
        for (const { role, instance, cgroup } of grouped()) {
          const now = readGroup(control, cgroup);
          if (now === null) continue;
          const limits = readLimits(control, cgroup);
          groups.write({ role, instance }, now, limits, performance.now());
        }
      },
    };
  });
}
