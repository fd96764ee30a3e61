import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Control } from './cgroup';

/** A group that allocates at all is at its limit after a few of these. */
const STEP_MS = 50;

/** A file that limits a group, and what it said. */
interface LimitFile {
  file: string;
  before: string;
}

/**
 * Keeps the memory limit of a group at what it uses, so that the kernel ends a process of it as soon as one asks for
 * more; until `isOver`, or the signal. The limits are as before then. The kernel decides which process it ends, and
 * takes the largest; control groups of version 2 end all of the group.
 */
export async function runOutOfMemory(
  control: Control,
  group: string,
  isOver: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { used, limits } = filesOf(control, group);
  try {
    while (!isOver() && !signal.aborted) {
      const bytes = readFileSync(used, 'utf8').trim();
      for (const { file } of limits) write(file, bytes);
      await sleep(STEP_MS);
    }
  } finally {
    // With swap is never below without.
    for (const { file, before } of [...limits].reverse()) write(file, before);
  }
}

function filesOf(control: Control, group: string): { used: string; limits: LimitFile[] } {
  if (control.kind === 'none') throw new Error('there are no control groups');
  const [folder, used, ...names] =
    control.kind === 'v1'
      ? [
          ...([join(control.memory, group), 'memory.usage_in_bytes'] as const),
          ...['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
        ]
      : ([join(control.root, group), 'memory.current', 'memory.max'] as const);
  const limits = names
    .map((name) => join(folder, name))
    .filter((file) => existsSync(file))
    .map((file) => ({ file, before: readFileSync(file, 'utf8').trim() }));
  return { used: join(folder, used), limits };
}

/** Version 1 refuses a limit below what cannot be taken back; the next step has a newer figure. */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EBUSY') throw error;
  }
}
