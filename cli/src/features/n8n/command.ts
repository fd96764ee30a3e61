/** Which n8n can be measured here, and how another one gets here. */
import { Argument, type Command } from 'commander';
import { installedN8n, nodeFor } from '../../lab/n8n';
import { cacheFolder, pinned, readVersions, hasLab, repositoryRoot } from '../../lab/paths';
import { agrees } from '../../options/ask';
import type { CommandHelp } from '../../options/help';
import { NotInstalled } from '../../targets/process/tools';
import { EXIT, messageOf, Mistake, Failure } from '../../ui/exit';
import { supports } from '../../plan/environment';
import { interruptible } from '../../ui/interrupt';
import { printJson, printLines, warn } from '../../ui/print';
import { startProgress } from '../../ui/progress';
import { admit } from './admit';
import { reasonOf, requireFromNpm } from './packages';
import { isAdmitted } from './analysis/row';
import { isWhole } from './analysis/row';
import { admitAndWrite, admitFully } from './full';
import { admitLines, diffLines, listLines, triedLines, type N8nVersions } from './report/terminal';
import { spawn, execFile } from 'node:child_process';
import { join } from 'node:path';
import { didYouMean } from '../../../../loadtests/lib/nearest';
import { promisify } from 'node:util';
import { z } from 'zod';
import { compareVersions } from '../../ui/versions';

const RELEASE = /^\d+\.\d+\.\d+$/;

/** What the npm registry has, asked by npm itself, so that its settings and proxies hold. */

const run = promisify(execFile);

/** Lists all releases that the registry has, the oldest first, without candidates. */
async function releases(signal: AbortSignal): Promise<string[]> {
  const found = z.array(z.string()).parse(await view(['n8n', 'versions'], signal));
  return found.filter((version) => RELEASE.test(version)).sort(compareVersions);
}

/** The versions of Node.js that a release asks for; null: any. */
async function enginesOf(version: string, signal: AbortSignal): Promise<string | null> {
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
    throw new Failure(`npm view ${words.join(' ')} failed: ${reasonOf(said)}`);
  }
}

/** Installs a release of n8n beside the others, by the lab's installer. Whether it was installed now; false: it was there. */
async function install(version: string, signal: AbortSignal): Promise<boolean> {
  if (!hasLab()) {
    throw new Mistake(
      'install works only in a checkout of n8n-tuned: clone the repository and run the command there, or use --n8n-program for your own n8n installation.',
    );
  }
  if (installedN8n(cacheFolder()).includes(version)) return false;
  await lab(await toolsFor(version, signal), signal);
  return true;
}

/** Does the work, and again once each n8n that it lacks is installed, if the user wants that. */
export async function offeringInstall(work: () => Promise<unknown>): Promise<void> {
  for (const offered = new Set<string>(); ;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof NotInstalled) || offered.has(error.version)) throw error;
      const { version } = error;
      const isRelease = RELEASE.test(version) && supports(version, 'fromNpm');
      if (!isRelease || !(await agrees(`Install n8n ${version} now (about 4 minutes)?`)))
        throw error;
      offered.add(version);
      await interruptible((signal) => install(version, signal));
    }
  }
}

/** By the names of lab/install.sh. */
async function toolsFor(version: string, signal: AbortSignal): Promise<string[]> {
  const versions = readVersions();
  if (version === pinned(versions, 'N8N_VERSION')) return ['n8n'];
  if (version === pinned(versions, 'N8N_LEGACY_VERSION')) return ['n8n-legacy'];
  const all = await releases(signal);
  if (!all.includes(version)) {
    requireFromNpm(version);
    throw new Mistake(
      `the registry has no n8n ${version}${didYouMean(version, all)}: n8n-tuned n8n list shows the available releases.`,
    );
  }
  return [nodeFor(await enginesOf(version, signal)), `n8n@${version}`];
}

/** In a process group of its own, which Ctrl-C reaches once, through us: the next install goes on from where it was. */
async function lab(tools: readonly string[], signal: AbortSignal): Promise<void> {
  const child = spawn('bash', [join(repositoryRoot(), 'lab', 'install.sh'), ...tools], {
    detached: true,
    // What the user keeps of a command is its result alone.
    stdio: ['ignore', process.stderr, 'inherit'],
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

interface N8nOptions {
  json?: boolean;
  full?: boolean;
  write?: boolean;
}

const ACTIONS = ['list', 'install', 'admit'] as const;
type Action = (typeof ACTIONS)[number];

export const help: CommandHelp = {
  summary: 'list n8n releases, install one, or check which patches apply',
  examples: [
    'n8n-tuned n8n list',
    'n8n-tuned n8n install 2.39.10',
    'n8n-tuned n8n admit 2.39.10',
    'n8n-tuned n8n admit 2.39.10 --full',
    'n8n-tuned find --n8n 2.39.10 --workload last-node',
  ],
  notes: [
    'install downloads and installs a release from the npm registry, next to other releases. An installation takes about 4 minutes and 2 GB of disk space. If your registry does not have the required version of a package, the nearest version is used. To continue an interrupted installation, run the same command again.',
    "admit reads the packages of an installed or downloaded release. For each patch, it shows whether the code that the patch changes is known, proven by a test in two sandboxes, or unknown, and prints the difference. It also compares the release's variables with the variables that the chart sets. Exit code 1 means that a patch or variable that the chart sets for this release has no effect, or could not be checked.",
    'docs/compatibility.md shows what admit --full runs and changes.',
  ],
};

export function register(program: Command): Command {
  return program
    .command('n8n')
    .description(
      'List n8n releases, install an additional release, or show which patches and variables apply to a release',
    )
    .addArgument(
      new Argument(
        '<action>',
        'list (installed and available releases), install VERSION or admit VERSION',
      ).choices(ACTIONS),
    )
    .argument('[version]', 'an n8n release, such as 2.39.10')
    .option(
      '--full',
      'admit: also install, run and test the release, and write the result to the checkout',
    )
    .option('--write', 'admit: add the release to docs/compatibility.md')
    .option('--json', 'print the result of list or admit as JSON')
    .action(async (action: Action, version: string | undefined, options: N8nOptions) => {
      process.exitCode = await interruptible(async (signal) => {
        if (action !== 'admit') refuseOfAdmit(action, options);
        if (action === 'list') await list(version, options, signal);
        else if (action === 'install') await add(version, options, signal);
        else return fits(version, options, signal);
        return EXIT.fine;
      });
    });
}

function refuseOfAdmit(action: Action, options: N8nOptions): void {
  const given = (['full', 'write'] as const).find((name) => options[name] === true);
  if (given === undefined) return;
  throw new Mistake(`--${given} works only with admit, not with ${action}: remove --${given}.`);
}

async function list(
  version: string | undefined,
  { json }: N8nOptions,
  signal: AbortSignal,
): Promise<void> {
  if (version !== undefined)
    throw new Mistake(`list does not accept a version: remove ${version}.`);
  const versions: N8nVersions = {
    installed: installedN8n(cacheFolder()),
    released: await releases(signal).catch((error: unknown) => {
      warn(`the registry cannot be queried: ${messageOf(error)}`);
      return null;
    }),
    pinned: pinned(readVersions(), 'N8N_VERSION'),
  };
  if (json === true) printJson(versions);
  else printLines(listLines(versions));
}

function releaseFor(action: Action, version: string | undefined): string {
  if (version !== undefined && RELEASE.test(version)) return version;
  throw new Mistake(`${action} requires an n8n release, such as n8n-tuned n8n ${action} 2.39.10.`);
}

async function add(
  given: string | undefined,
  { json }: N8nOptions,
  signal: AbortSignal,
): Promise<void> {
  const version = releaseFor('install', given);
  if (json === true) throw new Mistake('--json works only with list and admit: remove --json.');
  const isNew = await install(version, signal);
  printLines([
    `n8n ${version} is ${isNew ? '' : 'already '}installed: measure it with --n8n ${version}`,
  ]);
}

/** Exit code 1: something of what the chart loads for this n8n stays away there. */
async function fits(
  given: string | undefined,
  { json, full, write }: N8nOptions,
  signal: AbortSignal,
): Promise<number> {
  const version = releaseFor('admit', given);
  if (full === true) await install(version, signal);
  const progress = startProgress();
  try {
    if (full === true) {
      const { row, diffs, tried } = await admitFully(version, progress.tell, signal);
      progress.end();
      if (json === true) printJson({ ...row, ...tried, diffs });
      else printLines([...admitLines(row, []), ...triedLines(tried), ...diffLines(diffs)]);
      return isWhole(row, tried) ? EXIT.fine : EXIT.notMet;
    }
    const { row, diffs } =
      write === true
        ? await admitAndWrite(version, progress.tell, signal)
        : await admit(version, progress.tell, signal);
    progress.end();
    if (json === true) printJson({ ...row, diffs });
    else printLines(admitLines(row, diffs));
    return isAdmitted(row) ? EXIT.fine : EXIT.notMet;
  } finally {
    progress.end();
  }
}
