import { type Command, Option } from 'commander';
import { removeLeft, type Left } from '../targets/container/journal';
import { Cluster } from '../targets/kubernetes/api/api';
import {
  findLeftovers,
  leftoverText,
  removeLeftover,
  type Leftover,
} from '../targets/kubernetes/objects/leftovers';
import { LeftBehind, Mistake } from '../ui/exit';
import { printJson, printLines } from '../ui/print';
import { startProgress } from '../ui/progress';
import { cleanUrl } from './clean-url';
import type { CommandHelp } from '../options/help';

interface CleanOptions {
  target: 'kubernetes' | 'container';
  url?: string;
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  elsewhere?: boolean;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'remove what earlier commands left behind in a cluster or in n8n',
  examples: [
    'n8n-tuned clean --target kubernetes --context kind-kind',
    'n8n-tuned clean --target container',
    'N8N_API_KEY=... n8n-tuned clean --url https://n8n.example.com',
  ],
};

export function register(program: Command): Command {
  return program
    .command('clean')
    .description(
      'Remove objects that earlier commands left in a cluster, in n8n or as local containers, and nothing else',
    )
    .addOption(
      new Option('--target <kind>', 'where to look for leftovers')
        .choices(['kubernetes', 'container'])
        .default('kubernetes'),
    )
    .option(
      '--kubeconfig <file>',
      'path of the kubeconfig (default: $KUBECONFIG, or ~/.kube/config)',
    )
    .option('--context <name>', 'kubeconfig context (default: the current context)')
    .option(
      '--namespace <name>',
      'look only in this namespace, if you have no permission to list namespaces',
    )
    .option(
      '--url <url>',
      'look in the n8n instance at this address instead of in a cluster, using the API key in N8N_API_KEY',
    )
    .option(
      '--elsewhere',
      'also remove objects created from other machines, where the commands may still be running',
    )
    .option('--json', 'print the result as JSON')
    .action(clean);
}

async function clean(options: CleanOptions): Promise<void> {
  const { url } = options;
  if (url !== undefined) {
    await cleanUrl({ ...options, url });
    return;
  }
  if (options.target === 'container') {
    tellLeft(await removeLeft(), options.json === true);
    return;
  }
  const cluster = await Cluster.of(options.kubeconfig ?? null, options.context ?? null);
  await cluster.version();
  const found = await findLeftovers(cluster, options.namespace ?? null);
  if (found === null) {
    const what =
      options.namespace === undefined
        ? 'namespaces and their ConfigMaps, which clean needs to find leftovers: specify a namespace with --namespace, or use a context with this permission'
        : `the ConfigMaps of the namespace ${options.namespace}, which clean needs to find leftovers: use a context with this permission`;
    throw new Mistake(`context ${cluster.context} has no permission to list ${what}.`);
  }
  const chosen = found.filter(({ state }) => state === 'ended' || mayGo(state, options));
  const removed: Leftover[] = [];
  const stays: string[] = [];
  const progress = startProgress();
  try {
    for (const each of chosen) {
      const { isGone, leftAlone } = await removeLeftover(cluster, each, progress.tell);
      if (isGone) removed.push(each);
      stays.push(...leftAlone);
    }
  } finally {
    progress.end();
  }
  const kept = found.filter((each) => !chosen.includes(each));
  if (options.json === true) {
    printJson({ removed: removed.map(shown), kept: kept.map(shown), leftAlone: stays });
  } else printLines(lines(removed, kept, stays));
}

function tellLeft(all: readonly Left[], json: boolean): void {
  const lines = all.flatMap(({ call, removed, isRunning, failed }) => {
    if (isRunning) {
      return [
        `not removed, because the command that created them is still running: containers of the call ${call}`,
      ];
    }
    if (removed.length > 0) return [`removed ${removed.join(', ')} of the call ${call}`];
    return failed === undefined ? [`removed the journal of the call ${call}`] : [];
  });
  if (json) printJson(all);
  else if (lines.length > 0 || all.length === 0) {
    printLines(lines.length === 0 ? ['nothing was left behind.'] : lines);
  }
  const failed = all.filter(({ failed: why }) => why !== undefined);
  if (failed.length === 0) return;
  const each = failed.map(({ call, failed: why }) => `${call} (${why ?? ''})`).join(', ');
  throw new LeftBehind(
    `containers of the call ${each} were not removed: start the container engine, and repeat the command.`,
  );
}

const shown = ({ kind, namespace, call, release, state, madeBy }: Leftover): Leftover => ({
  ...{ kind, namespace, call, release, state, madeBy },
});

const mayGo = (state: Leftover['state'], { elsewhere }: CleanOptions): boolean =>
  state === 'elsewhere' && elsewhere === true;

function lines(
  removed: readonly Leftover[],
  kept: readonly Leftover[],
  stays: readonly string[],
): string[] {
  return [
    ...removed.map((each) => `removed ${leftoverText(each)}`),
    ...kept.map((each) =>
      each.state === 'running'
        ? `not removed, because the command that created it is still running: ${leftoverText(each)}`
        : `not removed, because it was created on another machine or before a restart (--elsewhere removes it): ${leftoverText(each)}`,
    ),
    ...stays,
    ...(removed.length + kept.length + stays.length === 0 ? ['nothing was left behind.'] : []),
  ];
}
