import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { cacheFolder, labPaths, n8nProgram } from '../../../cli/src/lab/paths';

function required(path: string): string {
  if (!existsSync(path)) throw new Error(`${path} is missing: make lab`);
  return path;
}

export const node24 = (): string => required(labPaths().node24);
export const node18 = (): string => required(labPaths().node18);

/** The folder of the package n8n of that version. */
export const n8nFolder = (version: string): string =>
  dirname(dirname(required(n8nProgram(cacheFolder(), version))));

/** The same numbers from 0 to 1 for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
