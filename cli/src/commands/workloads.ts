import type { Command } from 'commander';
import { join } from 'node:path';
import { findWorkload } from '../../../loadtests/lib/workload';
import { readCatalogue } from '../catalogue/read';
import type { Workload } from '../catalogue/workload';
import type { CommandHelp } from '../options/help';
import { workflowsFolder } from '../options/options';
import { printJson, printLines } from '../ui/print';
import { wrap } from '../ui/wrap';

const WIDTH = 80;

export const help: CommandHelp = {
  summary: 'list the bundled workloads, or describe a workload',
  examples: ['n8n-tuned workloads', 'n8n-tuned workloads memory', 'n8n-tuned workloads --json'],
};

export function register(program: Command): Command {
  return program
    .command('workloads')
    .description('List the bundled workloads, or describe a workload and what it stresses')
    .argument('[name]', 'name of the workload to describe')
    .option('--json', 'print the list as JSON')
    .action((name: string | undefined, { json }: { json?: boolean }) => {
      const { workloads } = readCatalogue(join(workflowsFolder(), 'catalogue.json'));
      const chosen = name === undefined ? null : findWorkload(workloads, name);
      if (json === true) printJson(chosen ?? workloads);
      else printLines(chosen === null ? workloadTable(workloads) : description(chosen));
    });
}

export function workloadTable(workloads: readonly Workload[]): string[] {
  const rows = [
    ['WORKLOAD', 'WHAT IT IS', 'PARAMETERS'],
    ...workloads.map(({ name, title, parameters }) => [
      name,
      title,
      Object.keys(parameters).join(', '),
    ]),
  ];
  const widthOf = (column: number): number =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = [widthOf(0), widthOf(1)];
  return [
    ...rows.map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
    '',
    'n8n-tuned workloads NAME describes a workload, with its variants and parameters.',
  ];
}

export function description(workload: Workload): string[] {
  const { name, title, stresses, warning, variants, parameters } = workload;
  const indented = (text: string): string[] => wrap(text, WIDTH - 2).map((line) => `  ${line}`);
  return [
    `${name}: ${title}`,
    ...indented(stresses),
    ...(warning === undefined ? [] : indented(`Warning: ${warning}`)),
    ...indented(`Variants: ${Object.keys(variants).join(', ') || 'those of its parts'}`),
    ...Object.entries(parameters).flatMap(([parameter, { title: what, default: value, unit }]) =>
      indented(
        `--param ${parameter}=${String(value)}${unit === undefined ? '' : ` (${unit})`}: ${what}`,
      ),
    ),
  ];
}
