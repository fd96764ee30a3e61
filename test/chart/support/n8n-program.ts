// Programs that use n8n's own modules, with scripts loaded before them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { n8nFolder, node24 } from '../../nodes/support/lab';
import { N8N_VERSION } from '../../support/versions';

/** Runs a program that is given n8n's package.json and reads what it does: what it wrote, and what it said. */
export async function withN8n<T>(
  program: string,
  scripts: readonly string[],
  given: object,
): Promise<{ wrote: T; said: string }> {
  const manifest = join(n8nFolder(N8N_VERSION), 'package.json');
  const required = scripts.flatMap((path) => ['--require', path]);
  // TypeORM's use of its driver is deprecated.
  const child = spawn(node24(), ['--no-deprecation', ...required, program, manifest]);
  let out = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  child.stdin.end(JSON.stringify(given));
  await once(child, 'close');
  return { wrote: JSON.parse(out) as T, said };
}
