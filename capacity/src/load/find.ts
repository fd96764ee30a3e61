import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { UserError } from '../ui/exit';

/** The k6 of the lab, or else the one on the PATH. */
export function findK6(labBin: string, path = process.env.PATH ?? ''): string {
  const folders = [labBin, ...path.split(delimiter)].filter((folder) => folder !== '');
  const found = folders.map((folder) => join(folder, 'k6')).find(isProgram);
  if (found === undefined) {
    throw new UserError(
      'k6 is not here: install k6 (v1.8 or later), or run make lab, which builds it; n8n-tuned doctor shows what else is missing.',
    );
  }
  return found;
}

/** The k6 scripts lie beside the sources, and beside the bundle in the package. */
export function findLoadtests(from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const candidate = join(folder, 'loadtests');
    if (existsSync(join(candidate, 'load.ts'))) return candidate;
  }
  throw new Error(`no folder loadtests/ above ${from}`);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
