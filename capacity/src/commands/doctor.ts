import type { Command } from 'commander';
import { diagnose, isReady } from '../lab/doctor';
import { gatherFacts } from '../lab/facts';
import { renderChecks } from '../lab/table';
import { EXIT } from '../ui/exit';
import { printJson, printLines } from '../ui/print';

const WIDTH = 80;

export function register(program: Command): void {
  program
    .command('doctor')
    .description('Say what is here, what is missing, and how to get it')
    .option('--json', 'print facts and checks, for machines')
    .addHelpText('after', '\nExit code 1: something that the target process needs is missing.')
    .action(async ({ json }: { json?: boolean }) => {
      const facts = await gatherFacts();
      const checks = diagnose(facts);
      const ready = isReady(checks);
      if (json === true) printJson({ ready, checks, facts });
      else printLines([...renderChecks(checks, WIDTH), conclusion(ready)]);
      process.exitCode = ready ? EXIT.fine : EXIT.notMet;
    });
}

function conclusion(ready: boolean): string {
  return ready
    ? 'n8n can be loaded on this machine.'
    : 'n8n cannot be loaded on this machine yet: see what is missing above.';
}
