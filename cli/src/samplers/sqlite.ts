import { statSync } from 'node:fs';
import type { Sampler } from './sampler';
import { sampler } from './ticker';

const MEBI = 1024 * 1024;

/** The files of n8n's SQLite: the database, and the log that is written before it. */
export function sqliteSampler(): Sampler {
  return sampler('sqlite', ({ sqlite }, sink) => {
    if (!sqlite) throw new Error('the target has no SQLite');
    return {
      tick: () => {
        sink.sample('sqlite', 'sqlite', 'dbSizeMiB', sizeMiB(sqlite.file));
        sink.sample('sqlite', 'sqlite', 'dbWalMiB', sizeMiB(`${sqlite.file}-wal`));
      },
    };
  });
}

/** 0 of a log that the last checkpoint has removed. */
const sizeMiB = (file: string): number =>
  (statSync(file, { throwIfNoEntry: false })?.size ?? 0) / MEBI;
