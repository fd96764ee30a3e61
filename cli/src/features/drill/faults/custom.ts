/** A fault that the user's own commands make: on a release that is there, by whatever its platform has for it. */
import { spawn } from 'node:child_process';
import { Failure } from '../../../ui/exit';
import { type OutsideFault, SURVIVED } from '../fault';
import { lasting, needsNothing } from '../make-fault';
import { CUSTOM } from '../record';

/** Command lines for a shell. */
export interface OwnCommands {
  begin: string;
  /** Left out: what was begun ends by itself. */
  end?: string;
  /** Run while the fault lasts: exit code 0 says that it has an effect. Left out: nothing proves that it has. */
  proof?: string;
}

/** For a command that ends when it is asked to. */
const GRACE_MS = 10_000;

export const describedCustom: Omit<OutsideFault, 'make'> = {
  name: CUSTOM,
  title: 'a fault that your --begin command starts and your --end command ends',
  kind: 'accident',
  defaultSeconds: 30,
  isFromOutside: true,
  promise: SURVIVED,
  lacks: needsNothing,
};

/**
 * `--end` runs whatever happened before it: also when `--begin` failed half-way, when the drill is stopped, and when a second
 * Ctrl-C ends this process at once.
 */
export const customFault = ({ begin, end, proof }: OwnCommands): OutsideFault => ({
  ...describedCustom,
  ...(proof === undefined ? {} : { hasProof: true as const }),
  make: async (scene) => {
    scene.tell(`--begin, ${programOf(begin)}`);
    const begun = started('--begin', begin, scene.signal);
    let isEnded = end === undefined;
    const endAtOnce = (): void => {
      begun.kill('SIGKILL');
      if (end === undefined || isEnded) return;
      isEnded = true;
      started('--end', end).over.catch(() => undefined);
    };
    process.once('exit', endAtOnce);
    try {
      await begun.over;
      if (end !== undefined) await lasting(scene);
      if (proof !== undefined && !scene.signal.aborted) {
        await started('--proof', proof, scene.signal).over;
        if (!scene.signal.aborted)
          scene.tell(`--proof, ${programOf(proof)}, says that it has an effect`);
      }
    } finally {
      if (end !== undefined && !isEnded) {
        isEnded = true;
        await started('--end', end).over;
        scene.tell(`--end, ${programOf(end)}, has run`);
      }
      process.off('exit', endAtOnce);
    }
  },
});

/** Arguments, and variables before the program, may hold secrets. */
function programOf(command: string): string {
  const [word = ''] = command.trim().split(/\s+/);
  return /^[\w./~+-]+$/.test(word) ? word : 'a command';
}

interface Started {
  over: Promise<void>;
  /** With all that it has started; nothing once it is over. */
  kill(name: NodeJS.Signals): void;
}

/** What it prints goes to standard error, and is not recorded. */
function started(option: string, command: string, signal?: AbortSignal): Started {
  const child = spawn('/bin/sh', ['-c', command], {
    stdio: ['ignore', 2, 2],
    // So that what it has started ends with it, and Ctrl-C does not reach it before it is asked to end.
    detached: true,
  });
  const kill = (name: NodeJS.Signals): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // It has ended.
    }
  };
  const over = new Promise<void>((resolve, reject) => {
    let forcing: NodeJS.Timeout | undefined;
    const stop = (): void => {
      kill('SIGTERM');
      forcing = setTimeout(() => {
        kill('SIGKILL');
      }, GRACE_MS);
    };
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
    child.once('error', reject);
    child.once('close', (code, by) => {
      signal?.removeEventListener('abort', stop);
      clearTimeout(forcing);
      if (code === 0 || signal?.aborted === true) resolve();
      else {
        const how = code === null ? `by ${String(by)}` : `with exit code ${String(code)}`;
        reject(new Failure(`the command in ${option} ended ${how}`));
      }
    });
  });
  return { over, kill };
}
