import { cpus, release, totalmem, type as osType } from 'node:os';
import { allowanceOf } from '../linux/available-cores';
import type { Machine } from '../record/run-record';

/** This machine, with as many cores as the processes of a deployment may use; without any, as this process may. */
export function thisMachine(processes: readonly { pid: number }[] = []): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    // What may be used here: a container with a quota of 1 core has 1, however many its host has.
    cores: allowanceOf(processes.map(({ pid }) => pid)).cores,
    memoryMiB: Math.round(totalmem() / (1024 * 1024)),
    os: `${osType()} ${release()}`,
    node: process.version,
  };
}
