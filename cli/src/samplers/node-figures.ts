import type { Inside } from '../linux/container-stats';
import { nodeCounters, type NodeCounters } from '../linux/node-counters';
import type { SampleSink } from './sampler';

/** The machine that everything shares, as the host sampler writes it: one instance for each node. */
export class NodeWriter {
  private readonly before = new Map<string, NodeCounters>();

  constructor(private readonly sink: SampleSink) {}

  write(node: string, inside: Inside): void {
    const now = nodeCounters(inside.files, inside.uptimeMs);
    if (now === null) return;
    const last = this.before.get(node);
    this.before.set(node, now);
    const { sink } = this;
    if (now.memoryAvailableMiB !== null) {
      sink.sample('host', node, 'memoryAvailableMiB', now.memoryAvailableMiB);
    }
    if (last === undefined) return;
    const total = now.cpu.total - last.cpu.total;
    if (total > 0) {
      const share = (key: 'idle' | 'steal'): number => (now.cpu[key] - last.cpu[key]) / total;
      sink.sample('host', node, 'cpuCores', (1 - share('idle') - share('steal')) * now.cpu.cores);
      sink.sample('host', node, 'stealShare', share('steal'));
    }
    const passedMs = now.atMs - last.atMs;
    if (!(passedMs > 0)) return;
    for (const [metric, waitedMs] of now.pressureMs) {
      const before = last.pressureMs.get(metric);
      if (before !== undefined) {
        sink.sample('host', node, metric, Math.min(1, (waitedMs - before) / passedMs));
      }
    }
  }
}
