import type { Command } from 'commander';
import { join } from 'node:path';
import { readCatalogue } from '../catalogue/read';
import { printJson, printLines } from '../ui/print';
import { workflowsFolder } from '../options/options';

export function register(program: Command): void {
  program
    .command('workloads')
    .description('List the bundled workloads: what each puts under stress, and its parameters')
    .option('--json', 'print them as JSON')
    .addHelpText('after', '\nExample:\n  n8n-tuned workloads')
    .action(({ json }: { json?: boolean }) => {
      const { workloads } = readCatalogue(join(workflowsFolder(), 'catalogue.json'));
      if (json === true) {
        printJson(workloads);
        return;
      }
      printLines(
        workloads.flatMap((workload) => [
          `${workload.name}: ${workload.title}`,
          `  ${workload.stresses}`,
          ...(workload.warning === undefined ? [] : [`  warning: ${workload.warning}`]),
          `  variants: ${Object.keys(workload.variants).join(', ') || 'those of its parts'}`,
          ...Object.entries(workload.parameters).map(
            ([name, { title, default: value, unit }]) =>
              `  --param ${name}=${String(value)}${unit === undefined ? '' : ` (${unit})`}  ${title}`,
          ),
          '',
        ]),
      );
    });
}
