import type { ProcessRoot, Running } from '../targets/target';
import { commandLine, openFiles, pssMiB, uptimeMs } from '../linux/proc';
import { ProcessTree, type Member } from '../linux/process-tree';
import type { Sampler, SampleSink } from './sampler';
import { sampler } from './ticker';

/** Ten times as dear as all the rest together, and it moves slowly. */
const pssEveryTicks = 10;

/**
 * Memory, CPU, threads and files of every process of every role. A root's samples carry the name of
 * its instance, a child's also its pid (`main/4711`); task runners are a role of their own.
 */
export function processesSampler(): Sampler {
  return sampler('processes', (running, sink) => {
    if (running.processes().length === 0)
      throw new Error('no process of the target can be seen from here');
    const restarts = restartCounter(running);
    const tree = new ProcessTree<ProcessRoot>();
    const runners = new Map<number, boolean>();
    let ticks = 0;
    return {
      tick: () => {
        const members = tree.look(running.processes(), uptimeMs());
        const isPssTick = ticks % pssEveryTicks === 0;
        ticks += 1;
        const count = new Map<string, number>();
        for (const member of members) {
          const { role, instance } = placeOf(member, runners);
          count.set(role, (count.get(role) ?? 0) + 1);
          write(sink, role, instance, member, isPssTick);
        }
        for (const [role, processes] of count) sink.sample(role, '', 'processes', processes);
        forgetEnded(runners, members);
        restarts.write(sink);
      },
    };
  });
}

function write(
  sink: SampleSink,
  role: string,
  instance: string,
  { pid, stat, cpuCores }: Member<ProcessRoot>,
  isPssTick: boolean,
): void {
  sink.sample(role, instance, 'rssMiB', stat.rssMiB);
  if (cpuCores !== null) sink.sample(role, instance, 'cpuCores', cpuCores);
  sink.sample(role, instance, 'threads', stat.threads);
  const files = openFiles(pid);
  if (files !== null) sink.sample(role, instance, 'openFiles', files);
  const pss = isPssTick ? pssMiB(pid) : null;
  if (pss !== null) sink.sample(role, instance, 'pssMiB', pss);
}

function placeOf(
  { pid, root, isRoot }: Member<ProcessRoot>,
  runners: Map<number, boolean>,
): { role: string; instance: string } {
  if (isRoot) return root;
  if (root.role === 'main' || root.role === 'worker') {
    let isRunner = runners.get(pid);
    if (isRunner === undefined) {
      isRunner = commandLine(pid).includes('task-runner');
      runners.set(pid, isRunner);
    }
    if (isRunner) return { role: 'runner', instance: root.instance };
  }
  return { role: root.role, instance: `${root.instance}/${String(pid)}` };
}

function forgetEnded(runners: Map<number, boolean>, members: readonly Member<ProcessRoot>[]): void {
  const alive = new Set(members.map(({ pid }) => pid));
  for (const pid of runners.keys()) if (!alive.has(pid)) runners.delete(pid);
}

/** An instance whose root has a new pid was started again. */
function restartCounter(running: Running): { write(sink: SampleSink): void } {
  const seen = new Map<string, { pid: number; restarts: number }>();
  return {
    write: (sink) => {
      for (const { role, instance, pid } of running.processes()) {
        const before = seen.get(instance);
        const restarts = before === undefined ? 0 : before.restarts + (before.pid === pid ? 0 : 1);
        seen.set(instance, { pid, restarts });
        sink.sample(role, instance, 'restarts', restarts);
      }
    },
  };
}
