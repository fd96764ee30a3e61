import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProgram } from '../lab/paths';
import { UserError } from '../ui/exit';

/** The k6 of the lab, or else the one on the PATH. */
export function findK6(): string {
  const found = findProgram('k6');
  if (found === null) {
    throw new UserError(
      'k6 is not here: install k6 (v1.8 or later), or run make lab, which builds it; n8n-tuned doctor shows what else is missing.',
    );
  }
  return found;
}

/**
 * A folder that belongs to the kit, such as `loadtests`: it lies above the sources, and beside the
 * bundle in the package. `holds` is a file by which it is known.
 */
export function findBundled(folder: string, holds: string, from = __dirname): string {
  for (let above = from; above !== dirname(above); above = dirname(above)) {
    const candidate = join(above, folder);
    if (existsSync(join(candidate, holds))) return candidate;
  }
  throw new Error(`no folder ${folder} with ${holds} above ${from}`);
}
