import { buildSync } from 'esbuild';
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Call, Told } from './driver';

const ROOT = join(__dirname, '../../../..');
/** Whatever takes as long waits for something that never comes. */
const HANGS_AFTER_MS = 20_000;

/** Makes calls of the command, many in one process; one that hangs costs that process alone. */
export class Caller {
  // Beneath the checkout, whose files the command looks for above itself.
  private readonly folder = mkdtempSync(join(ROOT, 'cli', 'node_modules', '.bad-input-'));
  private readonly program = join(this.folder, 'driver.js');
  private process: ChildProcess | null = null;

  constructor() {
    buildSync({
      ...{ absWorkingDir: ROOT, bundle: true, platform: 'node', target: 'node20', format: 'cjs' },
      ...{ entryPoints: [join(__dirname, 'driver.ts')], outfile: this.program },
      ...{ packages: 'external', logLevel: 'warning' },
    });
  }

  /** Null: it hung. */
  call(call: Call): Promise<Told | null> {
    const child = (this.process ??= fork(this.program, { stdio: 'ignore', execArgv: [] }));
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.stop();
        done(null);
      }, HANGS_AFTER_MS);
      const ended = (): void => {
        this.process = null;
        done({ code: -1, stdout: '', stderr: 'the process ended without a word' });
      };
      const done = (told: Told | null): void => {
        clearTimeout(timer);
        child.off('exit', ended);
        child.removeAllListeners('message');
        resolve(told);
      };
      child.once('message', (told) => {
        done(told as Told);
      });
      child.once('exit', ended);
      child.send(call);
    });
  }

  private stop(): void {
    this.process?.removeAllListeners('exit');
    this.process?.kill('SIGKILL');
    this.process = null;
  }

  end(): void {
    this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
