/** Installs a release of n8n beside the others, by the lab's installer. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { didYouMean } from '../../../../loadtests/lib/nearest';
import { installedN8n, nodeFor } from '../../lab/n8n';
import { cacheFolder, hasLab, pinned, readVersions, repositoryRoot } from '../../lab/paths';
import { Failure, Mistake } from '../../ui/exit';
import { enginesOf, releases } from './registry';

/** Whether it was installed now; false: it was there. */
export async function install(version: string, signal: AbortSignal): Promise<boolean> {
  if (!hasLab()) {
    throw new Mistake(
      'n8n is installed from a checkout of n8n-tuned, which this is not: clone it and run the command there, or name an n8n of your own with --n8n-program.',
    );
  }
  if (installedN8n(cacheFolder()).includes(version)) return false;
  await lab(await toolsFor(version, signal), signal);
  return true;
}

/** By the names of lab/install.sh. */
async function toolsFor(version: string, signal: AbortSignal): Promise<string[]> {
  const versions = readVersions();
  if (version === pinned(versions, 'N8N_VERSION')) return ['n8n'];
  if (version === pinned(versions, 'N8N_LEGACY_VERSION')) return ['n8n-legacy'];
  const all = await releases(signal);
  if (!all.includes(version)) {
    throw new Mistake(
      `the registry has no n8n ${version}${didYouMean(version, all)}: n8n-tuned n8n list shows what it has.`,
    );
  }
  return [nodeFor(await enginesOf(version, signal)), `n8n@${version}`];
}

/** In a process group of its own, which Ctrl-C reaches once, through us: the next install goes on from where it was. */
async function lab(tools: readonly string[], signal: AbortSignal): Promise<void> {
  const child = spawn('bash', [join(repositoryRoot(), 'lab', 'install.sh'), ...tools], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const end = (): void => {
    child.kill('SIGTERM');
  };
  signal.addEventListener('abort', end, { once: true });
  process.once('exit', end);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (code === 2) throw new Mistake('n8n was not installed; the line above says why.');
    if (code !== 0) throw new Failure('n8n could not be installed; the line above says why.');
  } finally {
    signal.removeEventListener('abort', end);
    process.off('exit', end);
  }
}
