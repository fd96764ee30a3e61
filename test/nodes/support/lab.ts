import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cache =
  process.env['N8N_TUNED_CACHE'] ??
  join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'n8n-tuned');

function required(path: string): string {
  if (!existsSync(path)) throw new Error(`${path} is missing: make lab`);
  return path;
}

export const node24 = (): string => required(join(cache, 'bin/node24'));
export const node18 = (): string => required(join(cache, 'bin/node18'));

/** The folder of the package n8n of that version. */
export const n8nFolder = (version: string): string =>
  required(join(cache, 'n8n', version, 'node_modules/n8n'));
