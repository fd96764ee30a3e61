import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { UserError } from '../ui/exit';

/** The k6 of the lab, or else the one on the PATH. */
export function findK6(): string {
  const found = onPath('k6', [join(cacheFolder(), 'bin')]);
  if (found === null) {
    throw new UserError(
      'k6 is not here: install k6 (v1.8 or later), or run make lab, which builds it; n8n-tuned doctor shows what else is missing.',
    );
  }
  return found;
}

/** The first program of this name, with `before` looked through before the PATH. */
function onPath(name: string, before: readonly string[]): string | null {
  const path = (process.env.PATH ?? '').split(delimiter);
  const folders = [...before, ...path].filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
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

/** What the lab installs lies here. */
function cacheFolder(): string {
  const caches = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  return process.env.N8N_TUNED_CACHE ?? join(caches, 'n8n-tuned');
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
