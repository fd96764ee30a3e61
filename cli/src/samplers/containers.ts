import type { Inside, InsideProcess } from '../linux/container-stats';
import type { ContainerSample } from '../targets/target';
import { GroupWriter } from './control-group-figures';
import type { Sampler, SampleSink } from './sampler';
import { sampler } from './ticker';
import { nodeCounters, type NodeCounters } from '../linux/node-counters';

/**
 * What containers say of themselves about once a second: CPU, memory and throttling of the whole, and each
 * process in it. Their clock is the machine's that they run on.
 */
export function containersSampler(): Sampler {
  return sampler('pods', (running, sink) => {
    const { containerStats } = running;
    if (containerStats === undefined) throw new Error('no container reports its own figures');
    const groups = new GroupWriter(sink);
    const nodes = new NodeWriter(sink);
    const trees = new Map<string, Tree>();
    // The latest of each container since the tick before.
    const fresh = new Map<string, ContainerSample>();
    const stop = containerStats.watch(
      (seen) => {
        fresh.set(`${seen.role} ${seen.instance}`, seen);
      },
      (text) => {
        sink.event({ kind: 'sampler', text: `sampler pods: ${text}` });
      },
    );
    return {
      tick: () => {
        for (const [key, seen] of fresh) {
          const { role, instance, inside, restarts, node } = seen;
          if (node !== null) nodes.write(node, inside);
          sink.sample(role, instance, 'restarts', restarts);
          if (inside.group !== null) {
            groups.write({ role, instance }, inside.group, inside.limits, inside.uptimeMs);
          }
          const tree = trees.get(key) ?? new Tree();
          trees.set(key, tree);
          tree.write(sink, seen);
        }
        fresh.clear();
      },
      close: () => {
        stop();
      },
    };
  });
}

/** The processes of one container, from look to look. */
class Tree {
  private before = new Map<number, InsideProcess>();
  private atMs = NaN;

  write(sink: SampleSink, { role, instance, inside }: ContainerSample): void {
    const passedMs = inside.uptimeMs - this.atMs;
    const { processes } = inside;
    const root = rootOf(inside);
    for (const process of processes) {
      const isRunner = process.command.includes('task-runner');
      const place = isRunner && (role === 'main' || role === 'worker') ? 'runner' : role;
      const isOwn = process === root || isRunner;
      const name = isOwn ? instance : `${instance}/${String(process.pid)}`;
      sink.sample(place, name, 'rssMiB', process.stat.rssMiB);
      sink.sample(place, name, 'threads', process.stat.threads);
      const last = this.before.get(process.pid);
      if (last?.stat.startedAtMs !== process.stat.startedAtMs || !(passedMs > 0)) continue;
      sink.sample(place, name, 'cpuCores', (process.stat.cpuMs - last.stat.cpuMs) / passedMs);
      if (!isOwn || role === 'postgresql' || process.thread === null || last.thread === null) {
        continue;
      }
      const onCpu = (process.thread.onCpuMs - last.thread.onCpuMs) / passedMs;
      const waited = (process.thread.waitedMs - last.thread.waitedMs) / passedMs;
      sink.sample(place, name, 'loopCores', Math.min(1, onCpu));
      sink.sample(place, name, 'loopWaitShare', Math.min(1, waited));
    }
    this.before = new Map(processes.map((process) => [process.pid, process]));
    this.atMs = inside.uptimeMs;
  }
}

/** Beneath the small init of the image, the process that the container is for: the first that is none. */
function rootOf({ processes }: Inside): InsideProcess | undefined {
  const first = processes.find(({ pid }) => pid === 1);
  const isInit = /^\S*(tini|dumb-init|docker-init|catatonit)\b/.test(first?.command ?? '');
  if (!isInit) return first;
  return processes.find(({ stat }) => stat.parent === 1) ?? first;
}

/** The machine that everything shares, as the host sampler writes it: one instance for each node. */
class NodeWriter {
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
