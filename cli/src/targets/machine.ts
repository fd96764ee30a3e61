import { cpus, release, totalmem, type as osType } from 'node:os';
import { availableCores } from '../linux/available-cores';
import type { Machine } from '../record/run-record';

export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    // What may be used here: a container with a quota of 1 core has 1, however many its host has.
    cores: availableCores(),
    memoryMiB: Math.round(totalmem() / (1024 * 1024)),
    os: `${osType()} ${release()}`,
    node: process.version,
  };
}
