import { join, relative } from 'node:path';
import type { Command } from 'commander';
import { quietOf, withQuietOptions, type QuietOptions } from '../find/quiet/quiet';
import { PLANNED_SHARE } from '../find/analysis/planned-share';
import { withoutSecrets } from '../../plan/secrets/command';
import {
  proveFile,
  recommendValues,
  type KeptProof,
  type RecommendChoice,
  type Recommended,
} from './answer';
import { DEFAULT_PRICES } from './analysis/recommend';
import { keptData, keptSentence } from './kept-data';
import { renderTerminal } from '../../report/text/terminal';
import { proofDocument } from './report/document';
import { renderFinds } from '../find/report/list-terminal';
import { chartFolder } from '../../plan/environment';
import { startProgress } from '../../ui/progress';
import { EXIT, messageOf, Mistake } from '../../ui/exit';
import { interruptible } from '../../ui/interrupt';
import { printJson, printLines, warn, terminalStyle } from '../../ui/print';
import {
  chosenLimits,
  chosenSlos,
  chosenWorkload,
  durationOption,
  forceOption,
  outOption,
  findBudgetOption,
  withLimitOptions,
  withWorkloadOptions,
  type LimitOptions,
  type WorkloadOptions,
} from '../../options/options';
import { withDeployerOptions, type DeployerFlags } from '../../options/kubernetes';
import { chosenDeployer } from '../../options/targets';
import { collect, countFrom1, kibibytes, parsed, positive } from '../../options/parsers';
import { percent, perSecond } from '../../ui/numbers';
import type { Slo } from '../../../../loadtests/lib/slo';
import type { CommandHelp } from '../../options/help';

const VALUES_FILE = 'values.recommended.yaml';
const COMPOSE_FILE = 'docker-compose.recommended.yaml';

export interface RecommendOptions
  extends WorkloadOptions, LimitOptions, DeployerFlags, QuietOptions {
  from?: string[];
  rate?: number;
  slo?: string[];
  cpuPrice: number;
  memoryPrice: number;
  keepDays?: number;
  /** KiB. */
  executionSize?: number;
  executionsPerDay?: number;
  write?: string;
  compose?: string;
  force?: boolean;
  /** Seconds. */
  findBudget: number;
  prove?: boolean;
  values?: string;
  /** Seconds. */
  duration: number;
  attempts: number;
  out: string;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'write a values.yaml for a target rate, based on recorded searches',
  examples: [
    'n8n-tuned recommend --from results --rate 40',
    "n8n-tuned recommend --from results --rate 40 --slo 'p95<1s' --prove",
    "n8n-tuned recommend --values my-values.yaml --workload last-node --rate 40 \\\n    --slo 'p95<1s' --prove",
    "n8n-tuned recommend --workload last-node --rate 40 --slo 'p95<1s'",
    'n8n-tuned recommend --from results --rate 40 --compose docker-compose.yml',
    'n8n-tuned recommend --from results --rate 40 --keep-days 14 \\\n    --execution-size 50Ki --executions-per-day 20000',
  ],
  common: [
    '--from',
    '--rate',
    '--slo',
    '--workload',
    '--prove',
    '--values',
    '--duration',
    '--write',
    '--target',
    '--json',
  ],
};

export function register(program: Command): Command {
  const command = program
    .command('recommend')
    .description(
      'Write a values.yaml for a target rate, based on recorded searches; with --prove, also test that n8n sustains this rate',
    );
  withWorkloadOptions(command, 'the only recorded workload')
    .optionsGroup('Goal and evidence:')
    .option(
      '--from <folder...>',
      'folders with records of find or sweep; without this option, recommend runs its own searches',
    )
    .addOption(
      parsed(
        '--rate <per-second>',
        'the rate to sustain (default: 80% of the best recorded capacity)',
        positive,
      ),
    )
    .option(
      '--slo <slo>',
      'an SLO to meet at that rate; repeatable (default: as in the searches)',
      collect,
    )
    .addOption(
      parsed(
        '--cpu-price <amount>',
        'price of a core, in any unit',
        positive,
        String(DEFAULT_PRICES.cpu),
      ),
    )
    .addOption(
      parsed(
        '--memory-price <amount>',
        'price of a GiB of memory, in the same unit',
        positive,
        String(DEFAULT_PRICES.memory),
      ),
    )
    .addOption(
      parsed(
        '--keep-days <days>',
        'number of days that executions are kept, to show the disk space that they need',
        positive,
      ),
    )
    .addOption(
      parsed(
        '--execution-size <size>',
        'data size per execution, such as 50Ki, for --keep-days',
        kibibytes,
      ),
    )
    .addOption(
      parsed(
        '--executions-per-day <count>',
        'number of executions per day, which n8n must also be able to delete (default: the target rate, all day)',
        positive,
      ),
    )
    .option(
      '--compose <file>',
      'your Compose file; a copy with the recommended settings is written instead of values',
    )
    .option(
      '--write <file>',
      `path of the file to write (default: ${VALUES_FILE}, or ${COMPOSE_FILE} with --compose)`,
    )
    .addOption(forceOption())
    .option('--json', 'print the recommendation as JSON')
    .optionsGroup('Measurements:')
    .addOption(findBudgetOption('4m'))
    .option(
      '--prove',
      'deploy the values unchanged, load-test n8n at the target rate, and report PROVEN or REFUTED',
    )
    .option('--values <file>', 'prove this values file instead of a recommendation')
    .addOption(durationOption('60s'))
    .addOption(
      parsed('--attempts <count>', 'maximum number of alternatives to try', countFrom1, '3'),
    );
  withQuietOptions(command);
  return withLimitOptions(withDeployerOptions(command).optionsGroup('Limits and results:'))
    .addOption(outOption())
    .action(async (options: RecommendOptions) => {
      process.exitCode = await run(options);
    });
}

async function run(options: RecommendOptions): Promise<number> {
  const progress = startProgress();
  const { values, json = false } = options;
  const asked = askedBy(options);
  try {
    return await interruptible(async (signal) => {
      const deps = { tell: progress.tell, signal };
      if (values !== undefined) {
        const proof = await proveFile(values, asked, deps);
        progress.end();
        return showProof(proof, json);
      }
      const answer = await recommendValues(asked, deps);
      progress.end();
      if (answer !== null) return show(answer, writtenFile(options), json);
      const why = messageOf(signal.reason);
      warn(`${why}: no values were written; the searches are in ${options.out}.`);
      return EXIT.invalid;
    });
  } finally {
    progress.end();
  }
}

/** A name that nobody has by chance. */
export const writtenFile = ({ write, compose }: RecommendOptions): string =>
  write ?? (compose === undefined ? VALUES_FILE : COMPOSE_FILE);

/** What a recommendation is told; its workload, where one is loaded, is what `choose` returns. */
export function askedBy(options: RecommendOptions): RecommendChoice {
  if (options.compose !== undefined && (options.prove === true || options.values !== undefined)) {
    throw new Mistake(
      '--prove deploys a values file, and --compose writes a Compose file: prove the values first, and then call recommend again with --compose.',
    );
  }
  const slos = chosenSlos(options);
  const limits = (judged: readonly Slo[]) => chosenLimits(options, judged);
  // Refused before anything is measured.
  limits(slos);
  return {
    from: options.from,
    ratePerSecond: options.rate,
    slos,
    prices: { cpu: options.cpuPrice, memory: options.memoryPrice },
    keep: keepAsked(options),
    executionsPerDay: options.executionsPerDay,
    compose: options.compose,
    write: { path: writtenFile(options), option: '--write', force: options.force === true },
    prove: options.prove === true,
    maxAttempts: options.attempts,
    findBudgetSeconds: options.findBudget,
    quiet: quietOf(options),
    workload: options.workload,
    request: options.request,
    choose: (n8n, workload = options.workload) =>
      chosenWorkload({ ...options, ...(workload === undefined ? {} : { workload }) }, n8n),
    load: {
      durationSeconds: options.duration,
      out: options.out,
      readyTimeoutMs: options.ready,
      command: withoutSecrets(process.argv.slice(2)),
      deployer: chosenDeployer(options),
    },
    limits,
  };
}

function keepAsked({ keepDays, executionSize }: RecommendOptions): RecommendChoice['keep'] {
  if (keepDays === undefined && executionSize === undefined) return null;
  if (keepDays === undefined || executionSize === undefined) {
    throw new Mistake(
      '--keep-days and --execution-size require each other: specify both, such as --keep-days 14 --execution-size 50Ki (docs/chart/data.md shows how to measure the size).',
    );
  }
  return { days: keepDays, kibPerExecution: executionSize };
}

function show(answer: Recommended, file: string, json: boolean): number {
  const { searches, ratePerSecond, maxPerSecond, recommendation, keeping, compose, proof } = answer;
  if (recommendation === null) {
    warn(
      `no recorded topology is enough for ${perSecond(ratePerSecond)}: ${percent(PLANNED_SHARE)} of the best capacity is ${perSecond(maxPerSecond)}. Search a larger topology, for example with n8n-tuned find --workers 2.`,
    );
    return EXIT.notMet;
  }
  if (proof !== null) return showProof(proof, json);
  const kept = keeping === null ? {} : { kept: { ...keeping, ...keptData(keeping) } };
  if (json) {
    const written = compose === null ? { values: file } : { composeFile: file, ...compose };
    printJson({ ...recommendation, ...kept, ...written });
  } else {
    const table = renderFinds(searches.map(({ record }) => record));
    const command =
      compose === null
        ? `helm install n8n ${chartPath()} --values ${file}`
        : `docker compose --file ${file} up --detach`;
    process.stdout.write(`${table}\n\nFor ${perSecond(ratePerSecond)}: ${command}\n`);
    if (compose !== null) printLines([...compose.changes, ...compose.left]);
    if (keeping !== null) process.stdout.write(`${keptSentence(keeping)}.\n`);
  }
  return EXIT.fine;
}

/** The bundled one, which an installed package has elsewhere than a checkout. */
function chartPath(): string {
  const chart = chartFolder();
  const below = relative(process.cwd(), chart);
  return below === '' || below.startsWith('..') ? chart : below;
}

function showProof({ folder, record, problems }: KeptProof, json: boolean): number {
  problems.forEach(warn);
  if (json) printJson({ folder, ...record });
  else {
    const text = renderTerminal(proofDocument(record), terminalStyle());
    printLines([text, join(folder, 'report.html')]);
  }
  return { PROVEN: EXIT.fine, REFUTED: EXIT.notMet, INVALID: EXIT.invalid }[record.verdict];
}
