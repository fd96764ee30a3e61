/** Which n8n can be measured here, and how another one gets here. */
import { Argument, type Command } from 'commander';
import { installedN8n } from '../../lab/n8n';
import { cacheFolder, pinned, readVersions } from '../../lab/paths';
import type { CommandHelp } from '../../options/help';
import { EXIT, messageOf, Mistake } from '../../ui/exit';
import { interruptible } from '../../ui/interrupt';
import { printJson, printLines, warn } from '../../ui/print';
import { install } from './install';
import { releases } from './registry';
import { listLines, type N8nVersions } from './report/terminal';

interface N8nOptions {
  json?: boolean;
}

const ACTIONS = ['list', 'install'] as const;
type Action = (typeof ACTIONS)[number];

export const help: CommandHelp = {
  summary: 'list releases of n8n, and install one to measure it',
  examples: [
    'n8n-tuned n8n list',
    'n8n-tuned n8n install 2.39.10',
    'n8n-tuned find --n8n 2.39.10 --workload last-node',
  ],
  notes: [
    'install puts a release of the npm registry beside the others and takes about 4 minutes and 2 GB. Packages that your registry does not have are replaced by the nearest version that it has. An install that was stopped goes on when the same command is run again.',
  ],
};

export function register(program: Command): Command {
  return program
    .command('n8n')
    .description('List the releases of n8n, and install one beside the others to measure it')
    .addArgument(
      new Argument('<action>', 'list: what is installed and released; install: VERSION').choices(
        ACTIONS,
      ),
    )
    .argument('[version]', 'a release of n8n, like 2.39.10')
    .option('--json', 'list: print all versions as JSON')
    .action(async (action: Action, version: string | undefined, options: N8nOptions) => {
      await interruptible((signal) =>
        action === 'list' ? list(version, options, signal) : add(action, version, signal),
      );
      process.exitCode = EXIT.fine;
    });
}

async function list(
  version: string | undefined,
  { json }: N8nOptions,
  signal: AbortSignal,
): Promise<void> {
  if (version !== undefined) throw new Mistake(`list takes no version: leave ${version} out.`);
  const versions: N8nVersions = {
    installed: installedN8n(cacheFolder()),
    released: await releases(signal).catch((error: unknown) => {
      warn(`the registry cannot be asked: ${messageOf(error)}`);
      return null;
    }),
    pinned: pinned(readVersions(), 'N8N_VERSION'),
  };
  if (json === true) printJson(versions);
  else printLines(listLines(versions));
}

async function add(
  action: Action,
  version: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
    throw new Mistake(`${action} needs a release of n8n, like n8n-tuned n8n ${action} 2.39.10.`);
  }
  const isNew = await install(version, signal);
  printLines([
    `n8n ${version} is ${isNew ? '' : 'already '}installed: measure it with --n8n ${version}`,
  ]);
}
