/** A file system of our own, which can be made as small as what lies on it. */
import { execFile } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { promisify } from 'node:util';
import { Failure, messageOf } from '../ui/errors';

const run = promisify(execFile);

/** CAP_SYS_ADMIN, without which nothing is mounted (capabilities(7)). */
const MAY_MOUNT = 1n << 21n;

/** Until it is filled, as good as without a limit; only what is written takes memory. */
const SIZE_MIB = 16_384;
/** Something may be written between the look at what is used and the new size, which the kernel then refuses. */
const TRIES = 20;

/** Why nothing can be mounted, from /proc/self/status; null: it can, as far as the kernel tells beforehand. */
export function whyNoMount(status = readFileSync('/proc/self/status', 'latin1')): string | null {
  const [, mask] = /^CapEff:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  const may = mask !== undefined && (BigInt(`0x${mask}`) & MAY_MOUNT) !== 0n;
  return may ? null : 'it mounts its own file system, which requires root (CAP_SYS_ADMIN)';
}

export interface SmallDisk {
  /** Lowers its size to what is used, so that nothing more can be written (ENOSPC); MiB that are used. */
  fill(): Promise<number>;
  /** Gives it the size that it had. */
  freeUp(): Promise<void>;
  unmount(): Promise<void>;
}

/**
 * In memory (tmpfs), over an empty folder that has to be there. It belongs to `owner`, of user and group; null: to root,
 * and others may enter it, not list it.
 */
export async function mountSmallDisk(folder: string, owner: number | null): Promise<SmallDisk> {
  const whole = `size=${String(SIZE_MIB)}m`;
  const access =
    owner === null ? 'mode=0711' : `mode=0700,uid=${String(owner)},gid=${String(owner)}`;
  const options = `${whole},${access},nosuid,nodev`;
  await ask('mount', '-t', 'tmpfs', '-o', options, 'n8n-tuned', folder);
  const resize = (size: string): Promise<void> =>
    ask('mount', '-o', `remount,${size}`, '-t', 'tmpfs', 'n8n-tuned', folder);
  return {
    fill: async () => {
      for (let tries = 1; ; tries += 1) {
        const bytes = usedBytes(folder);
        try {
          await resize(`size=${String(bytes)}`);
          return bytes / 1024 ** 2;
        } catch (error) {
          if (tries === TRIES) throw error;
        }
      }
    },
    freeUp: () => resize(whole),
    unmount: () => ask('umount', '-l', folder),
  };
}

function usedBytes(folder: string): number {
  const { blocks, bfree, bsize } = statfsSync(folder);
  return (blocks - bfree) * bsize;
}

async function ask(program: string, ...args: string[]): Promise<void> {
  try {
    await run(program, args);
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Failure(
      `${program} failed: ${(stderr ?? '').trim().split('\n')[0] || messageOf(error)}`,
    );
  }
}
