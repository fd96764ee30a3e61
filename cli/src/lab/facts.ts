// Looks at the machine for the doctor. Nothing here changes anything or fails: what cannot be seen is not there.
import { execFile } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { availableCores } from '../linux/available-cores';
import { findControl } from '../linux/cgroup';
import { PROGRAMS, type Facts, type Program, type ProgramName } from './doctor';
import { installedN8n } from './n8n';
import {
  cacheFolder,
  findProgram,
  hasLab,
  isProgram,
  pinned,
  readVersions,
  type Environment,
} from './paths';

const run = promisify(execFile);
const ANSWER_TIMEOUT_MS = 5000;
const MEBI = 1024 * 1024;

const VERSION_ARGUMENTS: Partial<Record<ProgramName, string[]>> = {
  k6: ['version'],
  go: ['version'],
  helm3: ['version', '--short'],
  helm4: ['version', '--short'],
  kubectl: ['version', '--client'],
  nginx: ['-v'],
};

export async function gatherFacts(env: Environment = process.env): Promise<Facts> {
  const cache = cacheFolder(env);
  const versions = readVersions();
  const cluster = join(cache, 'cluster', 'bin');
  const programs = await Promise.all(
    PROGRAMS.map(async (name) => [name, await describe(name, locate(name, cluster, env))] as const),
  );
  const kubeconfig = env['N8N_TUNED_KUBECONFIG'] || null;
  return {
    platform: process.platform,
    arch: process.arch,
    cores: availableCores(),
    memoryMiB: Math.floor(totalmem() / MEBI),
    freeDiskMiB: freeDiskMiB(cache),
    cache,
    hasLab: hasLab(),
    isRoot: process.getuid?.() === 0,
    node: process.version,
    ...limits(),
    programs: Object.fromEntries(programs) as Facts['programs'],
    n8nVersions: installedN8n(cache),
    pinned: {
      n8n: pinned(versions, 'N8N_VERSION'),
      n8nLegacy: pinned(versions, 'N8N_LEGACY_VERSION'),
    },
    dockerRuns: await answers('docker', ['info']),
    kubeconfig: kubeconfig === null ? null : { path: kubeconfig, exists: existsSync(kubeconfig) },
    nativeClusterBuilt: isProgram(join(cluster, 'kube-apiserver')),
  };
}

/** The lab's own first; a helm of the PATH is asked which of the two it is. */
function locate(name: ProgramName, cluster: string, env: Environment): string | null {
  const found = findProgram(name, env);
  if (found !== null) return found;
  if (name === 'kubectl' && isProgram(join(cluster, name))) return join(cluster, name);
  return name === 'helm3' || name === 'helm4' ? findProgram('helm', env) : null;
}

async function describe(name: ProgramName, path: string | null): Promise<Program | null> {
  if (path === null) return null;
  const version = await versionOf(path, VERSION_ARGUMENTS[name] ?? ['--version']);
  const isOtherHelm = name.startsWith('helm') && version !== null && version[0] !== name.at(-1);
  return isOtherHelm ? null : { path, version };
}

async function versionOf(path: string, args: string[]): Promise<string | null> {
  try {
    const { stdout, stderr } = await run(path, args, { timeout: ANSWER_TIMEOUT_MS });
    return /\d+\.\d+(\.\d+)?/.exec(stdout + stderr)?.[0] ?? null;
  } catch {
    return null;
  }
}

async function answers(program: string, args: string[]): Promise<boolean> {
  try {
    await run(program, args, { timeout: ANSWER_TIMEOUT_MS });
    return true;
  } catch {
    return false;
  }
}

function limits(): Pick<Facts, 'limitsBy' | 'noLimitsReason'> {
  if (process.platform !== 'linux')
    return { limitsBy: null, noLimitsReason: 'only Linux has control groups' };
  const control = findControl();
  return control.kind === 'none'
    ? { limitsBy: null, noLimitsReason: control.reason }
    : { limitsBy: control.kind, noLimitsReason: null };
}

/** Free space of the folder, or of its nearest parent that exists. */
function freeDiskMiB(folder: string): number {
  if (!existsSync(folder)) return freeDiskMiB(dirname(folder));
  const { bavail, bsize } = statfsSync(folder);
  return Math.floor((bavail * bsize) / MEBI);
}
