import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { type Fault, SURVIVED, UNNOTICED } from './fault';
import { FAULTS } from './faults';
import { describedSoak } from './faults/combined';
import { describedCustom } from './faults/custom';
import { ARRIVALS } from '../../../../loadtests/lib/profile';
import { EXIT } from '../../ui/exit';
import { printJson, printLines, terminalStyle, warn } from '../../ui/print';
import { wrap } from '../../ui/wrap';
import { drillAll } from './all';
import { DEPLOYED_TO } from '../../options/kubernetes';
import {
  codeOf,
  faultOf,
  oneDrill,
  orderOf,
  DEFAULT_WORKLOAD,
  WAIT,
  type DrillOptions,
} from './one';
import { chosenMonitoring, withMonitoringOptions } from '../../options/monitoring';
import {
  longerThan,
  outOption,
  readyOption,
  withTargetOptions,
  withWorkloadOptions,
} from '../../options/options';
import {
  collect,
  countFrom0,
  countFrom1,
  milliseconds,
  parsed,
  positive,
  seconds,
} from '../../options/parsers';
import { withPriceOptions } from '../../options/prices';
import { renderTerminal } from '../../report/text/terminal';
import { drillDocument } from './report/document';
import type { CommandHelp } from '../../options/help';

const LIST = 'list';
const ALL = 'all';

export const help: CommandHelp = {
  summary: 'break something under load, and account for every request',
  examples: [
    'n8n-tuned drill kill-worker --workers 2 --rate 3',
    "n8n-tuned drill stop-redis --workers 2 --for 30s --promise 'recover<20s'",
    'n8n-tuned drill all --workers 2 --webhooks 2 --no-control',
    'n8n-tuned drill list',
    'n8n-tuned drill kill-worker --workers 2 --recover --every 1m --for 10m',
    'n8n-tuned drill rolling-upgrade --target kubernetes --workers 2 --webhooks 2',
    'n8n-tuned drill burst --workers 2 --workload last-node --rate 5 --no-control',
    'n8n-tuned drill kill-worker+slow-postgres --workers 2 --for 30s',
    'n8n-tuned drill soak --workers 2 --for 2h --seed 7',
    'n8n-tuned drill custom --url http://n8n:5678 --begin ./down.sh --end ./up.sh',
  ],
  common: [
    '--workload',
    '--target',
    '--workers',
    '--webhooks',
    '--rate',
    '--for',
    '--recover',
    '--no-control',
    '--promise',
    '--json',
  ],
  notes: [
    'Exit codes: 0 PASS, 1 FAIL (a promise was broken), 3 INVALID (the SLO was already missed before the fault, or the load generator caused the failure). The ledger assigns every request to exactly one class; see docs/drills.md.',
  ],
};

export function register(program: Command): Command {
  const command = program
    .command('drill')
    .description('Inject a fault under load, and account for every request')
    .argument(
      '<fault>',
      `name of the fault, or several names with + between them; ${LIST} shows all faults, ${ALL} injects every fault that applies to the topology`,
    );
  withTargetOptions(withWorkloadOptions(command, DEFAULT_WORKLOAD))
    .optionsGroup('Load:')
    .addOption(
      parsed('--rate <per-second>', 'requests per second during the whole drill', positive, '3'),
    )
    .addOption(new Option('--arrivals <kind>', 'gaps between requests').choices(ARRIVALS))
    .addOption(
      parsed(
        '--retries <number>',
        'how many times a caller sends a request again, with the same id, 1s after a failure (default: 0)',
        countFrom1,
      ),
    )
    .addOption(
      parsed(
        '--warmup <time>',
        'load before the steady phase; not counted in the results',
        seconds,
        '5s',
      ),
    )
    .addOption(
      parsed(
        '--steady <time>',
        'load before the fault, during which the SLO must be met',
        seconds,
        '20s',
      ),
    )
    .addOption(
      parsed(
        '--for <time>',
        'how long the fault lasts, or with --every for how long it is repeated',
        seconds,
      ),
    )
    .addOption(
      parsed(
        '--every <time>',
        'interval at which the fault is repeated during --for, each time for its default duration',
        seconds,
      ),
    )
    .addOption(
      parsed(
        '--seed <number>',
        'soak: random seed for the order and times of the faults (default: 1)',
        countFrom0,
      ),
    )
    .option('--begin <command>', 'command that begins the custom fault, run by /bin/sh')
    .option(
      '--end <command>',
      'command that ends the custom fault after --for; also runs if --begin fails, or after Ctrl-C',
    )
    .option(
      '--proof <command>',
      'command that runs before --end, and proves with exit code 0 that the custom fault has an effect',
    )
    .addOption(
      parsed(
        '--after <time>',
        'load after the fault, during which n8n must recover',
        seconds,
        '40s',
      ),
    )
    .option(
      '--no-control',
      'skip the control, which runs the same load without the fault before the drill',
    )
    .option(
      '--recover',
      "queue mode: retry lost executions during the drill, as the chart's recovery does",
    )
    .addOption(
      parsed(
        '--recover-age <time>',
        'with --recover: retry only executions that neither started nor ended within this time (default: 60s)',
        seconds,
      ),
    )
    .optionsGroup('Requirements:')
    .option(
      '--slo <slo>',
      "an SLO that must be met before and after the fault (default: errors<1%, and p95 below the workload's floor + 1s); repeatable",
      collect,
    )
    .option(
      '--promise <promise>',
      "a promise that must be kept, such as 'lost=0', 'errors<1%' or 'recover<60s' (default: the promises of the fault); repeatable",
      collect,
    );
  withPriceOptions(command);
  return withMonitoringOptions(command)
    .optionsGroup('Limits and results:')
    .addOption(
      parsed(
        '--wait <time>',
        `how long callers wait for a response, and how long the drill waits afterwards for n8n to finish (default: ${longerThan(WAIT)})`,
        milliseconds,
      ),
    )
    .addOption(readyOption())
    .option(
      '--start-file <file>',
      'when n8n is ready, wait until this file exists, so that several drills start together',
    )
    .addOption(outOption())
    .option('--json', 'print the record as JSON')
    .action(async (fault: string, options: DrillOptions) => {
      if (fault === LIST) process.exitCode = list(options);
      else if (fault === ALL) process.exitCode = await drillAll(options);
      else process.exitCode = await run(faultOf(fault, options), options);
    });
}

/** Those that it can be made on. */
const targetsOf = ({ notOn, isFromOutside }: Listed): string[] => [
  ...DEPLOYED_TO.filter((target) => notOn?.[target] === undefined),
  ...(isFromOutside === true ? ['url'] : []),
];

type Listed = Omit<Fault, 'make'>;
export const LISTED: readonly Listed[] = [...FAULTS, describedSoak, describedCustom];

const LIST_WIDTH = 80;
const spaced = (promises: string): string => promises.replaceAll(',', ', ');

export const SAME_FOR_MOST = `The seconds are the default duration. Unless stated otherwise, every fault works with the targets ${DEPLOYED_TO.join(', ')}, and has these promises: ${spaced(SURVIVED)} for an accident, or ${spaced(UNNOTICED)} for a planned fault.`;

/** What a fault does, and whatever is not as for most faults. */
export function describedFor(fault: Listed): string {
  const { title, kind, defaultSeconds, promise } = fault;
  const targets = targetsOf(fault);
  const special = [
    ...(defaultSeconds === 0 ? [] : [`${String(defaultSeconds)} s`]),
    ...(kind === 'planned' ? ['planned'] : []),
    ...(promise === (kind === 'planned' ? UNNOTICED : SURVIVED)
      ? []
      : [`promises: ${spaced(promise)}`]),
    ...(targets.join() === DEPLOYED_TO.join() ? [] : [`targets: ${targets.join(', ')}`]),
  ];
  return `${title}${special.length === 0 ? '' : ` (${special.join('; ')})`}`;
}

function list({ json }: DrillOptions): number {
  if (json === true) {
    printJson(
      LISTED.map((fault) => {
        const { name, title, kind, defaultSeconds, promise } = fault;
        return { name, title, kind, defaultSeconds, promise, targets: targetsOf(fault) };
      }),
    );
    return EXIT.fine;
  }
  const width = Math.max(...LISTED.map(({ name }) => name.length)) + 2;
  printLines([
    ...LISTED.flatMap((fault) =>
      wrap(describedFor(fault), LIST_WIDTH - width).map(
        (line, at) => `${(at === 0 ? fault.name : '').padEnd(width)}${line}`,
      ),
    ),
    '',
    ...wrap(SAME_FOR_MOST, LIST_WIDTH),
  ]);
  return EXIT.fine;
}

async function run(fault: Fault, options: DrillOptions): Promise<number> {
  const order = orderOf(fault, options);
  const { folder, record, problems } = await oneDrill(
    order,
    options,
    await chosenMonitoring(options),
  );
  problems.forEach(warn);
  if (options.json === true) printJson({ folder, ...record });
  else {
    const text = renderTerminal(drillDocument(record), terminalStyle());
    process.stdout.write(`${text}\n${join(folder, 'report.html')}\n`);
  }
  return codeOf(record, problems);
}
