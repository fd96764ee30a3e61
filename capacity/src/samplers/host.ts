import { readFileSync } from 'node:fs';
import type { Sampler } from './sampler';
import { sampler } from './ticker';

/** The machine that everything shares: its CPU, what its hypervisor took away, its free memory. */
export function hostSampler(): Sampler {
  return sampler('host', (_running, sink) => {
    let before = readCpu();
    return {
      tick: () => {
        const now = readCpu();
        const total = now.total - before.total;
        if (total > 0) {
          const share = (key: 'idle' | 'steal'): number => (now[key] - before[key]) / total;
          sink.sample('host', '', 'cpuCores', (1 - share('idle') - share('steal')) * now.cores);
          sink.sample('host', '', 'stealShare', share('steal'));
        }
        before = now;
        sink.sample('host', '', 'memoryAvailableMiB', memoryAvailableMiB());
      },
    };
  });
}

interface Cpu {
  total: number;
  idle: number;
  steal: number;
  cores: number;
}

function readCpu(): Cpu {
  const lines = readFileSync('/proc/stat', 'latin1').split('\n');
  // user nice system idle iowait irq softirq steal; guest time is within user and nice
  const times = (lines[0] ?? '').trim().split(/\s+/).slice(1, 9).map(Number);
  const [idle = 0, waiting = 0] = times.slice(3, 5);
  return {
    total: times.reduce((sum, time) => sum + time, 0),
    idle: idle + waiting,
    steal: times[7] ?? 0,
    cores: lines.filter((line) => /^cpu\d/.test(line)).length,
  };
}

function memoryAvailableMiB(): number {
  const kiB = /^MemAvailable:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'latin1'))?.[1];
  return Number(kiB) / 1024;
}
