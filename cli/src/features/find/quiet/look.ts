/** Looks at this machine for some seconds, before there is any load. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuAllowance } from '../../../linux/available-cores';
import { coresBetween, readCpu } from '../../../linux/machine-cpu';
import { highestClockMHz, isOnBattery } from '../../../linux/power';
import { readDisksBusyMs, readPressureMs } from '../../../linux/proc';
import { addedUp, Strangers, type StrangersLook } from '../../../linux/strangers';
import { largest } from '../../../analysis/statistics/statistics';
import type { MachineLook } from './disturbances';

const LOOK_MS = 5_000;
const LOOKS = 5;
/** A core has its highest clock only while it is busy. */
const SPIN_MS = 30;

export async function lookAtMachine(signal: AbortSignal, lookMs = LOOK_MS): Promise<MachineLook> {
  const allowance = cpuAllowance();
  const strangers = new Strangers();
  strangers.look();
  const [cpu, own, periods, disk] = [
    readCpu(allowance),
    process.cpuUsage(),
    allowance.quota?.periods() ?? null,
    diskMs(),
  ];
  const beganMs = performance.now();
  const clocks: number[] = [];
  const looks: StrangersLook[] = [];
  for (let look = 0; look < LOOKS && !signal.aborted; look += 1) {
    const clock = busyClockMHz();
    if (clock !== null) clocks.push(clock);
    await sleep(lookMs / LOOKS, undefined, { signal }).catch(() => undefined);
    // A compiler's processes are there for less than five seconds.
    looks.push(strangers.look());
  }
  const passedMs = performance.now() - beganMs;
  const { user, system } = process.cpuUsage(own);
  const now = readCpu(allowance);
  const seen = addedUp(looks);
  const ownCores = (user + system) / 1_000 / passedMs;
  const total = now.total - cpu.total;
  const later = allowance.quota?.periods() ?? null;
  return {
    cores: allowance.cores,
    usedCores: Math.max(
      seen.cpuMs / Math.max(1, seen.passedMs),
      (coresBetween(cpu, now) ?? 0) - ownCores,
    ),
    busiest: seen.busiest,
    stealShare: total > 0 ? (now.steal - cpu.steal) / total : 0,
    stoppedShare: stoppedBetween(periods, later),
    diskShare: (diskMs() - disk) / passedMs,
    isOnBattery: isOnBattery(),
    clockMHz: clocks.length === 0 ? null : { low: Math.min(...clocks), high: Math.max(...clocks) },
  };
}

type Periods = { all: number; stopped: number } | null;

function stoppedBetween(before: Periods, now: Periods): number | null {
  if (before === null || now === null || now.all <= before.all) return null;
  return (now.stopped - before.stopped) / (now.all - before.all);
}

/** For how long something waited for a disk; without such a count, for how long the busiest was busy. */
const diskMs = (): number =>
  readPressureMs('/proc/pressure/io') ?? Math.max(0, largest(readDisksBusyMs().values()));

/** Null, and no work, where the machine does not tell its clock. */
function busyClockMHz(): number | null {
  if (highestClockMHz() === null) return null;
  for (const untilMs = performance.now() + SPIN_MS; performance.now() < untilMs;);
  return highestClockMHz();
}
