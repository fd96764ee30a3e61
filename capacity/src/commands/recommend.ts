import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { figures } from '../analysis/figures';
import { PLANNED_SHARE } from '../analysis/planned-share';
import { findK6 } from '../load/find-k6';
import { isWorkloadFile, workloadName, type ChosenWorkload } from '../plan/chosen-workload';
import { parseSlos, type Slo } from '../plan/slo';
import { writeWhole } from '../record/folder';
import { withoutSecrets } from '../plan/secrets';
import { ofWorkload, withSlos } from '../recommend/choose-evidence';
import type { CapacityEvidence } from '../recommend/evidence';
import { loadValues, readDeployed, type LoadOrder } from '../recommend/load';
import { prove, proveAsIs, type Attempt, type Proof } from '../recommend/prove';
import { readSearches, type KnownSearch } from '../recommend/read';
import {
  DEFAULT_PRICES,
  plannedRate,
  recommend,
  type Prices,
  type Recommendation,
} from '../recommend/recommend';
import { candidates, searchNow, searchOne } from '../recommend/search';
import { valuesYaml } from '../recommend/values';
import { renderProof } from '../report/recommend/terminal';
import { renderSearches } from '../report/find/list-terminal';
import { thisMachine } from '../targets/machine';
import { type Progress, startProgress } from '../ui/progress';
import { isLegacy } from '../plan/limits';
import { EXIT, messageOf, Mistake } from '../ui/exit';
import { interruptible } from '../ui/interrupt';
import { printJson, warn, terminalStyle } from '../ui/print';
import {
  chosenSlos,
  chosenWorkload,
  durationOption,
  outOption,
  searchBudgetOption,
  withLimitOptions,
  withWorkloadOptions,
  type LimitOptions,
  type WorkloadOptions,
} from './options';
import { collect, countFrom1, parsed, positive, removed } from './parsers';

interface RecommendOptions extends WorkloadOptions, LimitOptions {
  from?: string[];
  rate?: number;
  slo?: string[];
  cpuPrice: number;
  memoryPrice: number;
  write: string;
  /** Seconds. */
  searchBudget: number;
  prove?: boolean;
  values?: string;
  /** Seconds. */
  duration: number;
  attempts: number;
  out: string;
  json?: boolean;
}

export function register(program: Command): void {
  const command = program
    .command('recommend')
    .description('Write the values.yaml for a wanted rate, from recorded searches; prove it');
  withWorkloadOptions(command, 'the only one recorded')
    .optionsGroup('What is wanted, and what it rests on:')
    .option('--from <folder...>', 'what find or sweep recorded; without it, searches are made now')
    .addOption(
      parsed(
        '--rate <per-second>',
        'the rate to sustain (80 % of the best recorded capacity)',
        positive,
      ),
    )
    .option('--slo <slo>', 'what must hold there; may be repeated (as in the searches)', collect)
    .addOption(
      parsed(
        '--cpu-price <amount>',
        'of a core, in whatever you count',
        positive,
        String(DEFAULT_PRICES.cpu),
      ),
    )
    .addOption(
      parsed('--memory-price <amount>', 'of a GiB', positive, String(DEFAULT_PRICES.memory)),
    )
    .option('--write <file>', 'the values file to write', 'values.yaml')
    .option('--json', 'print the recommendation, for machines')
    .optionsGroup('What is measured now, on this machine:')
    .addOption(searchBudgetOption('4m'))
    .option('--prove', 'deploy exactly these values, load them at the rate, say PROVEN or REFUTED')
    .option('--values <file>', 'prove this values file as it is, instead of a recommendation')
    .addOption(durationOption('60s'))
    .addOption(parsed('--attempts <count>', 'alternatives to try at most', countFrom1, '3'));
  withLimitOptions(command)
    .addOption(outOption())
    .addOption(removed('--budget <time>', '--search-budget'))
    .addOption(removed('--full <time>', '--duration'))
    .addOption(removed('--runs <folder>', '--out, and --write for the values file'))
    .addHelpText(
      'after',
      `
Examples:
  n8n-tuned recommend --from results --rate 40
  n8n-tuned recommend --from results --rate 40 --slo 'p95<1s' --prove
  n8n-tuned recommend --workload last-node --rate 40 --slo 'p95<1s'
  n8n-tuned recommend --values my-values.yaml --workload last-node --rate 40 --slo 'p95<1s' --prove`,
    )
    .action(async (options: RecommendOptions) => {
      process.exitCode = await run(options);
    });
}

async function run(options: RecommendOptions): Promise<number> {
  const progress = startProgress();
  try {
    return await interruptible((signal) => {
      const hands = { tell: progress.tell, signal };
      return options.values === undefined
        ? recommended(options, hands, progress.end)
        : provenFile(options, options.values, hands, progress.end);
    });
  } finally {
    progress.end();
  }
}

interface Hands {
  tell: Progress;
  signal: AbortSignal;
}

async function recommended(
  options: RecommendOptions,
  hands: Hands,
  quiet: () => void,
): Promise<number> {
  const slos = chosenSlos(options);
  const prices = {
    cpu: options.cpuPrice,
    memory: options.memoryPrice,
  };
  const searches =
    options.from === undefined
      ? await searchesNow(options, slos, hands)
      : readSearches(options.from);
  if (hands.signal.aborted) return EXIT.invalid;
  const known = searches.map(({ evidence }) => evidence).filter((evidence) => evidence !== null);
  const evidence = withSlos(ofWorkload(known, askedName(options), options.from), slos);
  const most = plannedRate(evidence);
  const rate = options.rate ?? most;
  const first = recommend(evidence, rate, prices);
  if (first === null) {
    warn(
      `nothing recorded is enough for ${figures(rate)}/s: ${String(100 * PLANNED_SHARE)} % of the best capacity are ${figures(most)}/s. Search a larger topology, for example n8n-tuned find --workers 2.`,
    );
    return EXIT.notMet;
  }
  writeWhole(options.write, valuesYaml(first));
  if (options.prove === true) {
    const proof = await proofOf(options, { evidence, rate, prices, slos, first }, hands);
    quiet();
    return showProof(proof, options.write, options.json === true);
  }
  quiet();
  if (options.json === true) printJson({ ...first, values: options.write });
  else show(searches, rate, options.write);
  return EXIT.fine;
}

/** `recommend --workload W --rate R --slo ...` on a machine on which nothing was ever recorded. */
async function searchesNow(
  options: RecommendOptions,
  slos: Slo[],
  { tell, signal }: Hands,
): Promise<KnownSearch[]> {
  if (options.rate === undefined || slos.length === 0) {
    throw new Mistake(
      'without --from, say --rate and --slo, and searches are made now; or give --from what n8n-tuned find recorded.',
    );
  }
  const { rate } = options;
  const workload = chosenWorkload(options, false);
  const order = {
    ...loadOrder(options, workload, slos, rate),
    budgetSeconds: options.searchBudget,
  };
  const layouts = candidates(workload.recorded.latencyFloorMs, thisMachine().cores);
  return searchNow(layouts, rate, (topology) => searchOne(topology, order, tell, signal));
}

interface Question {
  evidence: CapacityEvidence[];
  rate: number;
  prices: Prices;
  slos: Slo[];
  first: Recommendation;
}

async function proofOf(
  options: RecommendOptions,
  { evidence, rate, prices, slos, first }: Question,
  { tell, signal }: Hands,
): Promise<Proof> {
  const { workload, topology, slo } = first.best.evidence;
  const wanted = slos.length > 0 ? slos : slo.flatMap(parseSlos);
  const order = loadOrder(options, toProve(options, workload, topology.n8n), wanted, rate);
  const proof = await prove(evidence, {
    recommend: (all) => recommend(all, rate, prices),
    load: (recommendation) => {
      const text = valuesYaml(recommendation);
      writeWhole(options.write, text);
      return loadValues(deployed(text), order, tell, signal);
    },
    mostAttempts: options.attempts,
  });
  const last = proof.attempts.at(-1);
  if (last !== undefined && last.recommendation !== null) {
    writeWhole(
      options.write,
      valuesYaml(last.recommendation, `${proof.verdict} by ${last.run}: ${last.sentence}`),
    );
  }
  return proof;
}

/** A file as it is: there is no alternative to try. */
async function provenFile(
  options: RecommendOptions,
  file: string,
  { tell, signal }: Hands,
  quiet: () => void,
): Promise<number> {
  const slos = chosenSlos(options);
  if (options.prove !== true || options.rate === undefined || slos.length === 0) {
    throw new Mistake('--values goes with --prove, --rate and --slo: say what is to be proved.');
  }
  const topology = deployed(readText(file));
  const workload = chosenWorkload(options, isLegacy(topology.n8n));
  const order = loadOrder(options, workload, slos, options.rate);
  const proof = proveAsIs(await loadValues(topology, order, tell, signal));
  quiet();
  return showProof(proof, file, options.json === true);
}

function deployed(values: string): ReturnType<typeof readDeployed>['topology'] {
  const { topology, leftOut } = readDeployed(values);
  for (const sentence of leftOut) warn(`not part of the proof: ${sentence}`);
  return topology;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Mistake(`the values cannot be read: ${messageOf(error)}.`);
  }
}

function showProof(proof: Proof, file: string, json: boolean): number {
  if (json) {
    printJson({ verdict: proof.verdict, values: file, attempts: proof.attempts.map(inShort) });
  } else {
    process.stdout.write(`${renderProof(proof, file, terminalStyle())}\n`);
  }
  return { PROVEN: EXIT.fine, REFUTED: EXIT.notMet, INVALID: EXIT.invalid }[proof.verdict];
}

const inShort = ({ run: folder, proven, sentence, record }: Attempt): object => ({
  run: folder,
  proven,
  sentence,
  topology: record.topology,
  summary: record.summary,
});

function loadOrder(
  options: RecommendOptions,
  workload: ChosenWorkload,
  slos: Slo[],
  ratePerSecond: number,
): LoadOrder {
  return {
    workload,
    slos,
    ratePerSecond,
    durationSeconds: options.duration,
    out: options.out,
    k6: findK6(),
    timeoutMs: options.timeout,
    drainMs: options.drain,
    readyTimeoutMs: options.ready,
    command: withoutSecrets(process.argv.slice(2)),
  };
}

/** As the user says it, else the one that was searched with: a request of his own is not in its record. */
function toProve(options: RecommendOptions, searched: string, n8n: string): ChosenWorkload {
  const isSaid = options.request !== undefined || options.workload !== undefined;
  if (!isSaid && searched.includes(' ')) {
    throw new Mistake(
      `the searches are of ${searched}, a request of your own: give it again with --request, and its body and headers, to prove it.`,
    );
  }
  return chosenWorkload(isSaid ? options : { ...options, workload: searched }, isLegacy(n8n));
}

/** The name by which the searches of what the user says are known; undefined where he says nothing. */
function askedName(options: RecommendOptions): string | undefined {
  const { request, workload } = options;
  const isOwn = request !== undefined || (workload !== undefined && isWorkloadFile(workload));
  return isOwn ? workloadName(chosenWorkload(options, false).recorded) : workload;
}

function show(searches: readonly KnownSearch[], rate: number, out: string): void {
  const table = renderSearches(searches.map(({ record }) => record));
  process.stdout.write(
    `${table}\n\nFor ${rate.toFixed(1)}/s: helm install n8n-tuned charts/n8n-tuned --values ${out}\n`,
  );
}
