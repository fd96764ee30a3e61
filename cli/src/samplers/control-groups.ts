import { findControl, readGroup, readLimits } from '../linux/cgroup';
import type { ProcessRoot } from '../targets/target';
import { GroupWriter } from './control-group-figures';
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
