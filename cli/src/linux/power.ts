/** Whether this machine clocks its cores as it likes: a battery, and frequencies that move. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const POWER = '/sys/class/power_supply';
const CPUS = '/sys/devices/system/cpu';

export function isOnBattery(folder = POWER): boolean {
  return namesIn(folder).some(
    (name) =>
      read(join(folder, name, 'type')) === 'Battery' &&
      read(join(folder, name, 'scope')) !== 'Device' &&
      read(join(folder, name, 'status')) === 'Discharging',
  );
}

/** Reads the clock of the core that is clocked highest now, in MHz; null if the machine does not say. */
export function highestClockMHz(folder = CPUS): number | null {
  const clocks = namesIn(folder)
    .filter((name) => /^cpu\d+$/.test(name))
    .flatMap((name) => {
      const kHz = Number(read(join(folder, name, 'cpufreq/scaling_cur_freq')) || NaN);
      return Number.isNaN(kHz) ? [] : [kHz / 1_000];
    });
  return clocks.length === 0 ? null : Math.max(...clocks);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
