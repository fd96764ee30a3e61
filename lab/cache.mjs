// Where the lab's tools are, for scripts. cli/src/lab/paths.ts has the same for the command.
import { homedir } from 'node:os';
import { join } from 'node:path';

const { N8N_TUNED_CACHE, XDG_CACHE_HOME } = process.env;
export const cache =
  N8N_TUNED_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'n8n-tuned');
