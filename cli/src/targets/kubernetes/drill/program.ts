/** A program that runs in a pod, given to `node -e`: built beside the command, without a package. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBundled } from '../../../lab/kit';

export type PodProgram = 'pod-links' | 'pod-connections';

export const podProgram = (name: PodProgram): string =>
  readFileSync(join(findBundled('dist', `${name}.cjs`), `${name}.cjs`), 'utf8');
