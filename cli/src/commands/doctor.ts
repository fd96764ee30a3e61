import { Option, type Command } from 'commander';
import { diagnose, isReady, type DoctorCheck, type Purpose } from '../lab/doctor';
import { gatherFacts } from '../lab/facts';
import { Cluster } from '../targets/kubernetes/api/api';
import { examinationLines, examine } from '../targets/kubernetes/api/examine';
import { EXIT, Mistake } from '../ui/exit';
import { printJson, printLines } from '../ui/print';
import type { ClusterFlags } from '../options/kubernetes';
import type { CommandHelp } from '../options/help';
import { wrapCutting } from '../ui/wrap';

// The doctor's checks as text for a terminal.

const TITLES: Record<Purpose, string> = {
  load: 'load-testing a running n8n instance (target url)',
  process: 'n8n on this machine (target process)',
  queue: 'queue mode on this machine',
  kubernetes: 'Kubernetes (target kubernetes)',
  tests: 'tests',
  installing: 'installing what is missing',
};
const STATE_WIDTH = 8;
const NAME_WIDTH = 12;

export function renderChecks(checks: readonly DoctorCheck[], width: number): string[] {
  return Object.entries(TITLES).flatMap(([purpose, title]) => {
    const group = checks.filter((check) => check.purpose === purpose);
    return group.length === 0 ? [] : [title, ...group.flatMap((check) => row(check, width)), ''];
  });
}

function row({ state, name, found, advice }: DoctorCheck, width: number): string[] {
  const head = `  ${state.padEnd(STATE_WIDTH)}${name.padEnd(NAME_WIDTH)}`;
  const text = advice === null ? found : `${found}: ${advice}`;
  return wrapCutting(text, width - head.length).map(
    (line, index) => (index === 0 ? head : ' '.repeat(head.length)) + line,
  );
}

const WIDTH = 80;

export const help: CommandHelp = {
  summary: 'check the environment, and show how to install what is missing',
  examples: [
    'n8n-tuned doctor',
    'n8n-tuned doctor --target kubernetes --namespace load',
    'n8n-tuned doctor --target kubernetes --namespace n8n --existing',
  ],
  notes: [
    'With --target process, doctor checks this machine. With --target kubernetes, it checks each permission that the context needs to deploy and load-test n8n. --target url needs only k6.',
    'Exit code 1 means that something required by the target is missing.',
  ],
};

export function register(program: Command): Command {
  return program
    .command('doctor')
    .description('Check the environment, and show how to install what is missing')
    .addOption(
      new Option('--target <kind>', 'target to check')
        .choices(['process', 'kubernetes'])
        .default('process'),
    )
    .option(
      '--kubeconfig <file>',
      'path of the kubeconfig (default: $KUBECONFIG, or ~/.kube/config)',
    )
    .option('--context <name>', 'kubeconfig context (default: the current context)')
    .option('--namespace <name>', 'namespace to check (default: a new namespace)')
    .option(
      '--existing',
      'check only the permissions that are needed to load-test an existing release',
    )
    .option('--json', 'print the results as JSON')
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
    throw new Mistake('--existing requires --namespace, the namespace of the release.');
  }
  const found = await examine(await Cluster.of(kubeconfig, context), how, namespace);
  if (json) printJson(found);
  else printLines(examinationLines(found, how));
  return found.isReady ? EXIT.fine : EXIT.notMet;
}

function conclusion(ready: boolean): string {
  return ready
    ? 'n8n can be started and loaded on this machine.'
    : 'n8n cannot be started on this machine yet: see what is missing above. To load an n8n instance that runs elsewhere (--url), you need only k6.';
}
