import { readFileSync } from 'node:fs';
import { allowanceOf } from '../linux/available-cores';
import { coresBetween, readCpu } from '../linux/machine-cpu';
import { readDisksBusyMs, readPressureMs } from '../linux/proc';
import type { Sampler } from './sampler';
import { sampler } from './ticker';

/**
 * The machine that everything shares: CPU, what its hypervisor took away, free memory, disks, and who waits.
 * In a container, as much of its CPUs as the container may use; where the deployment is pinned to some CPUs, those.
 */
export function hostSampler(): Sampler {
  return sampler('host', (running, sink) => {
    const allowance = allowanceOf(running.processes().map(({ pid }) => pid));
    let before = readCpu(allowance);
    let waitedBefore = readWaiting();
    return {
      tick: () => {
        const now = readCpu(allowance);
        const used = coresBetween(before, now);
        if (used !== null) sink.sample('host', '', 'cpuCores', used);
        const total = now.total - before.total;
        if (total > 0) sink.sample('host', '', 'stealShare', (now.steal - before.steal) / total);
        before = now;
        sink.sample('host', '', 'memoryAvailableMiB', memoryAvailableMiB());
        const waited = readWaiting();
        const passedMs = waited.atMs - waitedBefore.atMs;
        if (passedMs > 0) {
          for (const [metric, file] of PRESSURES) {
            const [last, next] = [waitedBefore.pressureMs.get(file), waited.pressureMs.get(file)];
            if (last !== undefined && next !== undefined) {
              sink.sample('host', '', metric, Math.min(1, (next - last) / passedMs));
            }
          }
          const busy = busiestDisk(waitedBefore, waited);
          if (busy !== null) sink.sample('host', '', 'diskBusyShare', busy);
        }
        waitedBefore = waited;
      },
    };
  });
}

const PRESSURES = [
  ['cpuPressureShare', '/proc/pressure/cpu'],
  ['memoryPressureShare', '/proc/pressure/memory'],
  ['ioPressureShare', '/proc/pressure/io'],
] as const;

interface Waiting {
  atMs: number;
  /** By file; one that the kernel does not provide is left out. */
  pressureMs: Map<string, number>;
  disksMs: Map<string, number>;
}

function readWaiting(): Waiting {
  const pressureMs = new Map<string, number>();
  for (const [, file] of PRESSURES) {
    const waitedMs = readPressureMs(file);
    if (waitedMs !== null) pressureMs.set(file, waitedMs);
  }
  return { atMs: performance.now(), pressureMs, disksMs: readDisksBusyMs() };
}

/** Null without a disk that was there before. */
function busiestDisk(before: Waiting, now: Waiting): number | null {
  let max: number | null = null;
  for (const [name, busyMs] of now.disksMs) {
    const last = before.disksMs.get(name);
    if (last === undefined) continue;
    max = Math.max(max ?? 0, Math.min(1, (busyMs - last) / (now.atMs - before.atMs)));
  }
  return max;
}

function memoryAvailableMiB(): number {
  const kiB = /^MemAvailable:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'latin1'))?.[1];
  return Number(kiB) / 1024;
}
