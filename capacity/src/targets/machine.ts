import { cpus, release, totalmem, type as osType } from 'node:os';
import type { Machine } from '../record/record';

export function thisMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    memoryMiB: Math.round(totalmem() / (1024 * 1024)),
    os: `${osType()} ${release()}`,
    node: process.version,
  };
}
