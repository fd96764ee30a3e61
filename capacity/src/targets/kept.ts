import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../lab/paths';
import { readPlainFile } from '../linux/plain-file';
import { isAlive, type ProcessName } from '../linux/proc';
import { makeFolder, writeWhole } from '../record/folder';
import { Mistake } from '../ui/exit';
import type { MetricsEndpoint, Owner, ProcessRoot, Running } from './target';

/** A target that `up` has left up, known by its name. */
export interface KeptState {
  /** The process that keeps it, and takes it down when it is asked to end. */
  keeper: ProcessName;
  baseUrl: string;
  versions: Record<string, string>;
  topology: Running['topology'];
  /** Where samplers look. */
  processes: ProcessRoot[];
  metrics: MetricsEndpoint[];
  redis: Running['redis'];
  postgresql: Running['postgresql'];
  sqlite?: Running['sqlite'];
  owner?: Owner | undefined;
}

export class Kept {
  readonly logFile: string;
  private readonly folder: string;
  private readonly file: string;

  constructor(name: string) {
    if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
      throw new Mistake(
        `'${name}' is not a name: use at most 40 lower-case letters, digits and dashes, beginning with a letter or a digit.`,
      );
    }
    this.folder = join(cacheFolder(), 'up');
    this.file = join(this.folder, `${name}.json`);
    this.logFile = join(this.folder, `${name}.log`);
  }

  prepare(): void {
    makeFolder(this.folder);
    // Also where an older one was open: addresses and passwords of stores are in it.
    chmodSync(this.folder, 0o700);
  }

  write(state: KeptState): void {
    writeWhole(this.file, `${JSON.stringify(state, null, 2)}\n`);
    chmodSync(this.file, 0o600);
  }

  /** Null when nothing is kept under this name, or its keeper has died. */
  read(): KeptState | null {
    try {
      const state = JSON.parse(readPlainFile(this.file)) as KeptState;
      return isAlive(state.keeper) ? state : null;
    } catch {
      return null;
    }
  }

  remove(): void {
    rmSync(this.file, { force: true });
  }
}
