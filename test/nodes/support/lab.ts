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
