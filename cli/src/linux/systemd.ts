import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuWeight, readLimits, type Control, type Limits } from './cgroup';
import { Failure } from '../ui/exit';

/** If systemd owns the control groups, it is asked for a scope around the command. */
export function scopeCommand(
  control: Control,
  unit: string,
  spec: { command: readonly string[]; limits: Limits },
): readonly string[] {
  if (control.kind !== 'systemd' || !isLimited(spec.limits)) return spec.command;
  const { cpuMillicores, memoryMiB } = spec.limits;
  return [
    'systemd-run',
    ...(control.user ? ['--user'] : []),
    '--scope',
    '--quiet',
    '--collect',
    `--unit=${unit}`,
    `--property=CPUWeight=${String(cpuWeight)}`,
    ...(cpuMillicores === undefined ? [] : [`--property=CPUQuota=${String(cpuMillicores / 10)}%`]),
    ...(memoryMiB === undefined
      ? []
      : [`--property=MemoryMax=${String(memoryMiB)}M`, '--property=MemorySwapMax=0']),
    '--',
    ...spec.command,
  ];
}

export const isLimited = ({ cpuMillicores, memoryMiB }: Limits): boolean =>
  cpuMillicores !== undefined || memoryMiB !== undefined;

/** systemd-run says nothing when a controller was never delegated to the user: look what is in force. */
export async function confirmLimits(control: Control, wanted: Limits, pid: number): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const inForce = readLimits(control, groupOf(pid));
    const holds = (key: keyof Limits): boolean =>
      wanted[key] === undefined || Math.round(inForce[key] ?? 0) === wanted[key];
    if (holds('cpuMillicores') && holds('memoryMiB')) return;
    await sleep(100);
  }
  throw new Failure('systemd did not set the requested CPU and memory limits');
}

/** The group of a process, in the unified hierarchy. */
export function groupOf(pid: number): string {
  const lines = readFileSync(`/proc/${String(pid)}/cgroup`, 'utf8').split('\n');
  return lines.find((line) => line.startsWith('0::'))?.slice(3) ?? '/';
}
