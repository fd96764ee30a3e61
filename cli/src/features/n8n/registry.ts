/** What the npm registry has, asked by npm itself, so that its settings and proxies hold. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import { Failure } from '../../ui/exit';
import { compareVersions } from '../../ui/versions';

const run = promisify(execFile);

/** Of all releases that the registry has, the oldest first, without candidates. */
export async function releases(signal: AbortSignal): Promise<string[]> {
  const found = z.array(z.string()).parse(await view(['n8n', 'versions'], signal));
  return found.filter((version) => /^\d+\.\d+\.\d+$/.test(version)).sort(compareVersions);
}

/** The versions of Node.js that a release asks for; null: any. */
export async function enginesOf(version: string, signal: AbortSignal): Promise<string | null> {
  const answer = await view([`n8n@${version}`, 'engines'], signal);
  return z.looseObject({ node: z.string().nullish() }).parse(answer).node ?? null;
}

async function view(words: readonly string[], signal: AbortSignal): Promise<unknown> {
  try {
    const { stdout } = await run('npm', ['view', ...words, '--json'], { signal });
    return stdout.trim() === '' ? {} : JSON.parse(stdout);
  } catch (error) {
    signal.throwIfAborted();
    const said = String((error as { stderr?: unknown }).stderr ?? error);
    const reason = /npm error (?!code)(.+)/.exec(said)?.[1] ?? said.split('\n')[0] ?? '';
    throw new Failure(`npm view ${words.join(' ')} failed: ${reason}`);
  }
}
