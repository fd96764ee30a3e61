import type { Command } from 'commander';
import { Cluster } from '../targets/kubernetes/api';
import { findLeftovers, leftoverText, type Leftover } from '../targets/kubernetes/leftovers';
import { removeGenerators, removeNamespace } from '../targets/kubernetes/space';
import { Mistake } from '../ui/exit';
import { printJson, printLines } from '../ui/print';
import { startProgress, type Progress } from '../ui/progress';
import { cleanUrl } from './clean-url';
import { clusterTargetOption } from './kubernetes';

interface CleanOptions {
  url?: string;
  kubeconfig?: string;
  context?: string;
  elsewhere?: boolean;
  json?: boolean;
}

export function register(program: Command): void {
  program
    .command('clean')
    .description('Remove what earlier commands left in a cluster or in an n8n, and nothing else')
    .addOption(clusterTargetOption('where to look').default('kubernetes'))
    .option('--kubeconfig <file>', 'default $KUBECONFIG, else ~/.kube/config')
    .option('--context <name>', 'a context of that kubeconfig (default: the current one)')
    .option(
      '--url <url>',
      'look in the n8n at this address instead; N8N_API_KEY in the environment is its key',
    )
    .option('--elsewhere', 'also what commands on other machines made, which may still be running')
    .option('--json', 'print what was found as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  n8n-tuned clean --target kubernetes --context kind-kind\n  N8N_API_KEY=... n8n-tuned clean --url https://n8n.example.com',
    )
    .action(clean);
}

async function clean(options: CleanOptions): Promise<void> {
  const { url } = options;
  if (url !== undefined) {
    await cleanUrl({ ...options, url });
    return;
  }
  const cluster = await Cluster.of(options.kubeconfig ?? null, options.context ?? null);
  await cluster.version();
  const found = await findLeftovers(cluster);
  if (found === null) {
    throw new Mistake(
      `context ${cluster.context} may not list namespaces, which is how leftovers are found: use one that may.`,
    );
  }
  const chosen = found.filter(({ state }) => state === 'ended' || mayGo(state, options));
  const progress = startProgress();
  try {
    for (const each of chosen) await remove(cluster, each, progress.tell);
  } finally {
    progress.end();
  }
  const kept = found.filter((each) => !chosen.includes(each));
  if (options.json === true) printJson({ removed: chosen, kept });
  else printLines(lines(chosen, kept));
}

const mayGo = (state: Leftover['state'], { elsewhere }: CleanOptions): boolean =>
  state === 'elsewhere' && elsewhere === true;

async function remove(cluster: Cluster, each: Leftover, tell: Progress): Promise<void> {
  if (each.kind === 'namespace') await removeNamespace(cluster, each.namespace, tell);
  else await removeGenerators(cluster, each.namespace, each.call);
}

function lines(removed: readonly Leftover[], kept: readonly Leftover[]): string[] {
  return [
    ...removed.map((each) => `removed ${leftoverText(each)}`),
    ...kept.map((each) =>
      each.state === 'running'
        ? `left alone, because that command is still running: ${leftoverText(each)}`
        : `left alone, because it was made on another machine (--elsewhere removes it): ${leftoverText(each)}`,
    ),
    ...(removed.length + kept.length === 0 ? ['nothing was left behind.'] : []),
  ];
}
