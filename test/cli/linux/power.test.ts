import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { highestClockMHz, isOnBattery } from '../../../cli/src/linux/power';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'power-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${text}\n`);
  }
}

describe('a battery', () => {
  it('runs this machine where it discharges, and is not that of a mouse', () => {
    write({
      ...{ 'AC/type': 'Mains', 'BAT0/type': 'Battery', 'BAT0/status': 'Charging' },
      ...{ 'hid/type': 'Battery', 'hid/scope': 'Device', 'hid/status': 'Discharging' },
    });
    expect(isOnBattery(folder)).toBe(false);
    write({ 'BAT0/status': 'Discharging' });
    expect(isOnBattery(folder)).toBe(true);
    expect(isOnBattery(join(folder, 'none'))).toBe(false);
  });
});

describe('the clock', () => {
  it('is that of the fastest core, and not known where no core tells it', () => {
    expect(highestClockMHz(folder)).toBeNull();
    write({
      ...{ 'cpu0/cpufreq/scaling_cur_freq': '800000', 'cpu1/cpufreq/scaling_cur_freq': '3400000' },
      'cpufreq/scaling_cur_freq': '9900000',
    });
    expect(highestClockMHz(folder)).toBe(3_400);
  });
});
