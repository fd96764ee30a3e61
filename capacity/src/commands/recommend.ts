import { join } from 'node:path';
import type { Command } from 'commander';
import type { FindRecord } from '../record/find-record';
import { writeWhole } from '../record/folder';
import { readRun } from '../record/read';
import { findSearches, readSearch } from '../record/read-find';
import { evidenceOf, type Evidence } from '../recommend/evidence';
import { DEFAULT_PRICES, recommend } from '../recommend/recommend';
import { PLANNED_SHARE } from '../recommend/sizing';
import { valuesYaml } from '../recommend/values';
import { renderSearches } from '../report/searches-terminal';
import { EXIT, UserError } from '../ui/exit';
import { printJson, warn } from '../ui/print';

interface RecommendOptions {
  from: string[];
  workload?: string;
  rate?: string;
  cpuPrice?: string;
  memoryPrice?: string;
  out: string;
  json?: boolean;
}

export function register(program: Command): void {
  program
    .command('recommend')
    .description('Write the values.yaml for a wanted rate, from recorded searches')
    .requiredOption('--from <folder...>', 'folders with what n8n-tuned find recorded')
    .option('--workload <name>', 'of which workload the searches are (the only one recorded)')
    .option('--rate <per-second>', 'the rate to hold (80 % of the best recorded capacity)')
    .option('--cpu-price <amount>', 'of a core, in whatever you count', String(DEFAULT_PRICES.cpu))
    .option('--memory-price <amount>', 'of a GiB', String(DEFAULT_PRICES.memory))
    .option('--out <file>', 'the values file', 'values.yaml')
    .option('--json', 'print the recommendation, for machines')
    .addHelpText(
      'after',
      `
Examples:
  n8n-tuned recommend --from results --rate 40
  n8n-tuned recommend --from results --workload last-node --out my-values.yaml`,
    )
    .action((options: RecommendOptions) => {
      process.exitCode = run(options);
    });
}

function run(options: RecommendOptions): number {
  const searches = options.from
    .flatMap((path) => findSearches(path))
    .map((folder) => ({ folder, record: readSearch(folder) }));
  const evidence = searches.flatMap(({ folder, record }): Evidence[] => {
    const found = evidenceOf(record, (name) => readRun(join(folder, name)).record);
    return found === null ? [] : [found];
  });
  const chosen = ofWorkload(evidence, options);
  const most = Math.max(...chosen.map(({ capacityPerSecond }) => capacityPerSecond));
  const rate = options.rate === undefined ? PLANNED_SHARE * most : positive('--rate', options.rate);
  const recommendation = recommend(chosen, rate, {
    cpu: positive('--cpu-price', options.cpuPrice ?? ''),
    memory: positive('--memory-price', options.memoryPrice ?? ''),
  });
  if (recommendation === null) {
    warn(
      `nothing recorded holds ${rate.toFixed(1)}/s: the best is ${most.toFixed(1)}/s, of which ${String(100 * PLANNED_SHARE)} % are planned with. Search a larger topology, for example n8n-tuned find --workers 2.`,
    );
    return EXIT.notHeld;
  }
  writeWhole(options.out, valuesYaml(recommendation));
  if (options.json === true) printJson({ ...recommendation, values: options.out });
  else
    show(
      searches.map(({ record }) => record),
      rate,
      options.out,
    );
  return EXIT.fine;
}

function ofWorkload(
  evidence: readonly Evidence[],
  { workload, from }: RecommendOptions,
): Evidence[] {
  const names = [...new Set(evidence.map((each) => each.workload))];
  if (names.length === 0) {
    throw new UserError(
      `there is no search with a capacity in ${from.join(', ')}: record one with n8n-tuned find.`,
    );
  }
  if (workload === undefined && names.length > 1) {
    throw new UserError(`--from holds searches of ${names.join(', ')}: say which with --workload.`);
  }
  const chosen = evidence.filter((each) => each.workload === (workload ?? names[0]));
  if (chosen.length === 0) {
    throw new UserError(
      `there is no search of '${workload ?? ''}' in ${from.join(', ')}: it has ${names.join(', ')}.`,
    );
  }
  return chosen;
}

function show(searches: FindRecord[], rate: number, out: string): void {
  process.stdout.write(
    `${renderSearches(searches)}\n\nFor ${rate.toFixed(1)}/s: helm install n8n-tuned charts/n8n-tuned --values ${out}\n`,
  );
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new UserError(`${option} is '${text}': it is a number above 0.`);
  return value;
}
