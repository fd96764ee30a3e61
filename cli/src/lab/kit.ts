import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { here } from './paths';

/**
 * A folder that belongs to the kit, such as `loadtests`: it lies above the sources, and beside the
 * bundle in the package. `holds` is a file by which it is known.
 */
export function findBundled(folder: string, holds: string, from = here): string {
  for (let above = from; above !== dirname(above); above = dirname(above)) {
    const candidate = join(above, folder);
    if (existsSync(join(candidate, holds))) return candidate;
  }
  throw new Error(`there is no folder ${folder} with ${holds} above ${from}`);
}
