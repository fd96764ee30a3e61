import { type Command, Option } from 'commander';
import { diagnose, isReady } from '../lab/doctor';
import { gatherFacts } from '../lab/facts';
import { renderChecks } from '../lab/table';
import { Cluster } from '../targets/kubernetes/api/api';
import { examinationLines, examine } from '../targets/kubernetes/api/examine';
import { EXIT, Mistake } from '../ui/exit';
import { printJson, printLines } from '../ui/print';
import type { ClusterFlags } from '../options/kubernetes';
import type { CommandHelp } from '../options/help';

const WIDTH = 80;

export const help: CommandHelp = {
  summary: 'check the environment, and say how to get what is missing',
  examples: [
    'n8n-tuned doctor',
    'n8n-tuned doctor --target kubernetes --namespace load',
    'n8n-tuned doctor --target kubernetes --namespace n8n --existing',
  ],
  notes: [
    "With --target process, doctor checks this machine. With --target kubernetes, it checks the context's permissions to deploy and load n8n in its cluster, permission by permission. The target url needs only k6.",
    'Exit code 1: something that the target needs is missing.',
  ],
};

export function register(program: Command): Command {
  return program
    .command('doctor')
    .description('Check the environment, and say how to get what is missing')
    .addOption(
      new Option('--target <kind>', 'where n8n would be loaded')
        .choices(['process', 'kubernetes'])
        .default('process'),
    )
    .option('--kubeconfig <file>', 'default $KUBECONFIG, else ~/.kube/config')
    .option('--context <name>', 'a context of that kubeconfig (default: the current one)')
    .option('--namespace <name>', 'where n8n would run (default: a new namespace)')
    .option('--existing', 'check only what loading an existing release needs')
    .option('--json', 'print the facts and checks as JSON')
    .action(async ({ json, ...flags }: DoctorOptions) => {
      if (flags.target === 'kubernetes') {
        process.exitCode = await examineCluster(flags, json === true);
        return;
      }
      const facts = await gatherFacts();
      const checks = diagnose(facts);
      const ready = isReady(checks);
      if (json === true) printJson({ ready, checks, facts });
      else printLines([...renderChecks(checks, WIDTH), conclusion(ready)]);
      process.exitCode = ready ? EXIT.fine : EXIT.notMet;
    });
}

interface DoctorOptions extends ClusterFlags {
  target: 'process' | 'kubernetes';
  existing?: boolean;
  json?: boolean;
}

async function examineCluster(flags: DoctorOptions, json: boolean): Promise<number> {
  const { kubeconfig = null, context = null, namespace = null } = flags;
  const how = flags.existing === true ? 'existing' : 'deploy';
  if (how === 'existing' && namespace === null) {
    throw new Mistake('--existing needs --namespace, where the release is.');
  }
  const found = await examine(await Cluster.of(kubeconfig, context), how, namespace);
  if (json) printJson(found);
  else printLines(examinationLines(found, how));
  return found.isReady ? EXIT.fine : EXIT.notMet;
}

function conclusion(ready: boolean): string {
  return ready
    ? 'n8n can be started and loaded on this machine.'
    : 'n8n cannot be started on this machine yet: see what is missing above. To load one that runs elsewhere (--url), k6 is enough.';
}
