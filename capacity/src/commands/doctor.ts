import type { Command } from 'commander';
import { diagnose, isReady } from '../lab/doctor';
import { gatherFacts } from '../lab/facts';
import { renderChecks } from '../lab/table';
import { Cluster } from '../targets/kubernetes/api';
import { examinationLines, examine } from '../targets/kubernetes/examine';
import { EXIT, Mistake } from '../ui/exit';
import { printJson, printLines } from '../ui/print';
import { clusterTargetOption, type ClusterFlags } from './kubernetes';

const WIDTH = 80;

export function register(program: Command): void {
  program
    .command('doctor')
    .description('Say what is here, what is missing, and how to get it')
    .addOption(
      clusterTargetOption('kubernetes: ask a cluster, right by right, whether it may be loaded'),
    )
    .option('--kubeconfig <file>', 'target kubernetes: default $KUBECONFIG, else ~/.kube/config')
    .option('--context <name>', 'target kubernetes: a context of it (default: the current one)')
    .option('--namespace <name>', 'target kubernetes: where it would run (default: one of its own)')
    .option('--existing', 'target kubernetes: only what it takes to load a release that is there')
    .option('--json', 'print facts and checks, for machines')
    .addHelpText('after', '\nExit code 1: something that the target process needs is missing.')
    .action(async ({ json, ...flags }: DoctorOptions) => {
      if (flags.target !== undefined) {
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
  target?: string;
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
    ? 'n8n can be loaded on this machine.'
    : 'n8n cannot be loaded on this machine yet: see what is missing above.';
}
