import { isTaskRunner } from '../linux/process-tree';
import type { ProcessRoot, Running } from '../targets/target';
import {
  openFiles,
  openFilesMax,
  pssMiB,
  readMainThread,
  uptimeMs,
  type ThreadTimes,
} from '../linux/proc';
import { ProcessTree, type Member } from '../linux/process-tree';
import { ONE_THREADED } from '../plan/roles';
import type { SampledRole } from '../record/run-record';
import type { Sampler, SampleSink } from './sampler';
import { sampler } from './ticker';

/**
 * The proportional memory takes some milliseconds for each process, in which the kernel also holds up its page faults; and
 * it moves slowly, as does the limit of open files.
 */
const SLOW_EVERY_TICKS = 60;

/**
 * Memory, CPU, threads and files of every process of every role. A root's samples carry the name of
 * its instance, a child's also its pid (`main/4711`); task runners are a role of their own.
 */
export function processesSampler(): Sampler {
  return sampler('processes', (running, sink) => {
    if (running.processes().length === 0)
      throw new Error('no process of the target is visible from this machine');
    const restarts = restartCounter(running);
    const tree = new ProcessTree<ProcessRoot>();
    const runners = new Map<number, boolean>();
    const threads = new MainThreads();
    let ticks = 0;
    return {
      tick: () => {
        const members = tree.look(running.processes(), uptimeMs());
        const isSlowTick = ticks % SLOW_EVERY_TICKS === 0;
        ticks += 1;
        const count = new Map<SampledRole, number>();
        for (const member of members) {
          const { role, instance } = placeOf(member, runners);
          count.set(role, (count.get(role) ?? 0) + 1);
          write(sink, role, instance, member, isSlowTick);
          threads.write(sink, role, instance, member);
        }
        for (const [role, processes] of count) sink.sample(role, '', 'processes', processes);
        forgetEnded(runners, members);
        threads.forgetEnded(members);
        restarts.write(sink);
      },
    };
  });
}

function write(
  sink: SampleSink,
  role: SampledRole,
  instance: string,
  { pid, stat, cpuCores }: Member<ProcessRoot>,
  isSlowTick: boolean,
): void {
  sink.sample(role, instance, 'rssMiB', stat.rssMiB);
  if (cpuCores !== null) sink.sample(role, instance, 'cpuCores', cpuCores);
  sink.sample(role, instance, 'threads', stat.threads);
  const files = openFiles(pid);
  if (files !== null) sink.sample(role, instance, 'openFiles', files);
  const max = isSlowTick ? openFilesMax(pid) : null;
  if (max !== null) sink.sample(role, instance, 'openFilesMax', max);
  const pss = isSlowTick ? pssMiB(pid) : null;
  if (pss !== null) sink.sample(role, instance, 'pssMiB', pss);
}

function placeOf(
  { pid, root, isRoot }: Member<ProcessRoot>,
  runners: Map<number, boolean>,
): { role: SampledRole; instance: string } {
  if (isRoot) return root;
  if (root.role === 'main' || root.role === 'worker') {
    let isRunner = runners.get(pid);
    if (isRunner === undefined) {
      isRunner = isTaskRunner(pid);
      runners.set(pid, isRunner);
    }
    if (isRunner) return { role: 'runner', instance: root.instance };
  }
  return { role: root.role, instance: `${root.instance}/${String(pid)}` };
}

const ONE_THREAD: ReadonlySet<SampledRole> = new Set(ONE_THREADED);

/** A server may be a parent that only distributes, as Node.js's cluster module is. */
const OF_EACH_PROCESS: ReadonlySet<SampledRole> = new Set(['runner', 'server']);

class MainThreads {
  private readonly before = new Map<number, ThreadTimes & { atMs: number; startedAtMs: number }>();

  write(
    sink: SampleSink,
    role: SampledRole,
    instance: string,
    { pid, isRoot, stat }: Member<ProcessRoot>,
  ): void {
    if (!ONE_THREAD.has(role) || !(isRoot || OF_EACH_PROCESS.has(role))) return;
    const times = readMainThread(pid);
    if (times === null) return;
    const now = { ...times, atMs: performance.now(), startedAtMs: stat.startedAtMs };
    const last = this.before.get(pid);
    this.before.set(pid, now);
    if (last?.startedAtMs !== now.startedAtMs || now.atMs <= last.atMs) return;
    const passedMs = now.atMs - last.atMs;
    sink.sample(role, instance, 'loopCores', Math.min(1, (now.onCpuMs - last.onCpuMs) / passedMs));
    const waited = (now.waitedMs - last.waitedMs) / passedMs;
    sink.sample(role, instance, 'loopWaitShare', Math.min(1, waited));
  }

  forgetEnded(members: readonly Member<ProcessRoot>[]): void {
    const alive = new Set(members.map(({ pid }) => pid));
    for (const pid of this.before.keys()) if (!alive.has(pid)) this.before.delete(pid);
  }
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
