/** A package of the n8n that is on the PATH, such as its client of a store, for a script that runs in its image. */
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { Failure } from '../ui/errors';

export function moduleOfN8n(name: string, path = process.env['PATH'] ?? ''): unknown {
  for (const folder of path.split(delimiter)) {
    try {
      return createRequire(realpathSync(join(folder, 'n8n')))(name);
    } catch {
      // Not there: the next one.
    }
  }
  throw new Failure(`n8n in this image has no package ${name}`);
}
