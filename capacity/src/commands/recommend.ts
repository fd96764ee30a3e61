import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { findK6 } from '../load/find';
import { chooseWorkload, type ChosenWorkload } from '../plan/chosen-workload';
import { parseSlos, type Slo } from '../plan/slo';
import type { FindRecord } from '../record/find-record';
import { writeWhole } from '../record/folder';
import { readRun } from '../record/read';
import { findSearches, readSearch } from '../record/read-find';
import { withoutSecrets } from '../record/secrets';
import { evidenceOf, type Evidence } from '../recommend/evidence';
import { loadValues, readDeployed, type LoadOrder } from '../recommend/load';
import { judge, prove, type Attempt, type Proof } from '../recommend/prove';
import {
  DEFAULT_PRICES,
  recommend,
  type Prices,
  type Recommendation,
} from '../recommend/recommend';
import { PLANNED_SHARE } from '../recommend/sizing';
import { implied } from '../recommend/slo';
import { valuesYaml } from '../recommend/values';
import { renderProof } from '../report/recommend-terminal';
import { renderSearches } from '../report/searches-terminal';
import { isLegacy } from '../target/process/env';
import { askedRightly, EXIT, messageOf, UserError } from '../ui/exit';
import { onInterrupt } from '../ui/interrupt';
import { printJson, warn } from '../ui/print';
import { startProgress } from '../ui/progress';
import { milliseconds, workflowsFolder } from './options';

interface RecommendOptions {
  from: string[];
  workload?: string;
  rate?: string;
  slo?: string[];
  cpuPrice: string;
  memoryPrice: string;
  prove?: boolean;
  values?: string;
  full: string;
  attempts: string;
  timeout: string;
  drain: string;
  ready: string;
  runs: string;
  out: string;
  json?: boolean;
}

const list = (value: string, before: string[] = []): string[] => [...before, value];

export function register(program: Command): void {
  program
    .command('recommend')
    .description('Write the values.yaml for a wanted rate, from recorded searches; prove it')
    .option('--from <folder...>', 'folders with what find or sweep recorded', ['results'])
    .option('--workload <name>', 'of which workload the searches are (the only one recorded)')
    .option('--rate <per-second>', 'the rate to hold (80 % of the best recorded capacity)')
    .option('--slo <slo>', 'what must hold there; may be repeated (as in the searches)', list)
    .option('--cpu-price <amount>', 'of a core, in whatever you count', String(DEFAULT_PRICES.cpu))
    .option('--memory-price <amount>', 'of a GiB', String(DEFAULT_PRICES.memory))
    .option('--out <file>', 'the values file', 'values.yaml')
    .option('--json', 'print the recommendation, for machines')
    .optionsGroup('Proof, on this machine:')
    .option('--prove', 'deploy exactly these values, load them at the rate, say PROVEN or REFUTED')
    .option('--values <file>', 'prove this values file as it is, instead of a recommendation')
    .option('--full <time>', 'length of the proving run', '60s')
    .option('--attempts <count>', 'alternatives to try at most', '3')
    .option('--timeout <time>', 'a request is given up after this', '30s')
    .option('--drain <time>', 'for late answers after the run, and for n8n to finish', '30s')
    .option('--ready <time>', 'until the real request is answered right', '60s')
    .option('--runs <folder>', 'where the proving runs are recorded', 'results')
    .addHelpText(
      'after',
      `
Examples:
  n8n-tuned recommend --from results --rate 40
  n8n-tuned recommend --from results --rate 40 --slo 'p95<1s' --prove
  n8n-tuned recommend --values my-values.yaml --workload last-node --rate 40 --slo 'p95<1s' --prove`,
    )
    .action(async (options: RecommendOptions) => {
      process.exitCode = await run(options);
    });
}

async function run(options: RecommendOptions): Promise<number> {
  if (options.values !== undefined) return proveValues(options, options.values);
  const searches = options.from
    .flatMap((path) => findSearches(path))
    .map((folder) => ({ folder, record: readSearch(folder) }));
  const evidence = searches.flatMap(({ folder, record }): Evidence[] => {
    const found = evidenceOf(record, (name) => readRun(join(folder, name)).record);
    return found === null ? [] : [found];
  });
  const slos = slosOf(options);
  const chosen = withSlos(ofWorkload(evidence, options), slos);
  const most = Math.max(...chosen.map(({ capacityPerSecond }) => capacityPerSecond));
  const rate = options.rate === undefined ? PLANNED_SHARE * most : positive('--rate', options.rate);
  const prices = {
    cpu: positive('--cpu-price', options.cpuPrice),
    memory: positive('--memory-price', options.memoryPrice),
  };
  const first = recommend(chosen, rate, prices);
  if (first === null) {
    warn(
      `nothing recorded holds ${rate.toFixed(1)}/s: the best is ${most.toFixed(1)}/s, of which ${String(100 * PLANNED_SHARE)} % are planned with. Search a larger topology, for example n8n-tuned find --workers 2.`,
    );
    return EXIT.notHeld;
  }
  writeWhole(options.out, valuesYaml(first));
  if (options.prove === true) {
    const wanted =
      slos.length > 0 ? slos : askedRightly(() => first.best.evidence.slo.flatMap(parseSlos));
    return proveEvidence(options, { evidence: chosen, rate, prices, slos: wanted, first });
  }
  if (options.json === true) printJson({ ...first, values: options.out });
  else
    show(
      searches.map(({ record }) => record),
      rate,
      options.out,
    );
  return EXIT.fine;
}

interface Question {
  evidence: Evidence[];
  rate: number;
  prices: Prices;
  slos: Slo[];
  first: Recommendation;
}

async function proveEvidence(
  options: RecommendOptions,
  { evidence, rate, prices, slos, first }: Question,
): Promise<number> {
  const { evidence: known } = first.best;
  return withProof(options, async (tell, signal) => {
    const workload = workloadNamed(known.workload, isLegacy(known.topology.n8n));
    const order = loadOrder(options, workload, slos, rate);
    return prove(evidence, {
      recommend: (all) => recommend(all, rate, prices),
      load: (recommendation) => {
        const text = valuesYaml(recommendation);
        writeWhole(options.out, text);
        const { topology, leftOut } = readDeployed(text);
        leftOut.forEach((sentence) => {
          warn(`not part of the proof: ${sentence}`);
        });
        return loadValues(topology, order, tell, signal);
      },
      mostAttempts: positive('--attempts', options.attempts),
    });
  });
}

/** A file as it is: there is no alternative to try. */
async function proveValues(options: RecommendOptions, file: string): Promise<number> {
  const { workload: name, rate } = options;
  const slos = slosOf(options);
  if (options.prove !== true || rate === undefined || slos.length === 0) {
    throw new UserError('--values goes with --prove, --rate and --slo: say what is to be proved.');
  }
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UserError(`the values cannot be read: ${messageOf(error)}.`);
  }
  const { topology, leftOut } = askedRightly(() => readDeployed(text));
  leftOut.forEach((sentence) => {
    warn(`not part of the proof: ${sentence}`);
  });
  return withProof(options, async (tell, signal) => {
    const workload = workloadNamed(name ?? 'last-node', isLegacy(topology.n8n));
    const order = loadOrder(options, workload, slos, positive('--rate', rate));
    const loaded = await loadValues(topology, order, tell, signal);
    if (loaded === null) return { verdict: 'INVALID', attempts: [] };
    const trial = { ...loaded, ...judge(loaded.record, null) };
    const { outcome } = loaded.record.verdict;
    const invalid = outcome === 'invalid' || outcome === 'aborted';
    return {
      verdict: trial.proven ? 'PROVEN' : invalid ? 'INVALID' : 'REFUTED',
      attempts: [{ ...trial, recommendation: null }],
    };
  });
}

async function withProof(
  options: RecommendOptions,
  work: (tell: (text: string) => void, signal: AbortSignal) => Promise<Proof>,
): Promise<number> {
  const interrupt = onInterrupt();
  const progress = startProgress();
  try {
    const proof = await work(progress.tell, interrupt.signal);
    progress.end();
    const file = options.values ?? options.out;
    if (options.json === true)
      printJson({ verdict: proof.verdict, values: file, attempts: proof.attempts.map(inShort) });
    else {
      const { columns = 100, isTTY } = process.stdout;
      const style = { width: Math.min(columns, 120), colour: isTTY };
      process.stdout.write(`${renderProof(proof, file, style)}\n`);
    }
    return { PROVEN: EXIT.fine, REFUTED: EXIT.notHeld, INVALID: EXIT.invalid }[proof.verdict];
  } finally {
    progress.end();
    interrupt.end();
  }
}

const inShort = ({ run, proven, sentence, record }: Attempt) => ({
  run,
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
    durationSeconds: milliseconds('--full', options.full) / 1000,
    out: options.runs,
    k6: findK6(),
    timeoutMs: milliseconds('--timeout', options.timeout),
    drainMs: milliseconds('--drain', options.drain),
    readyTimeoutMs: milliseconds('--ready', options.ready),
    command: withoutSecrets(process.argv.slice(2)),
  };
}

const workloadNamed = (name: string, legacy: boolean): ChosenWorkload =>
  askedRightly(() => chooseWorkload({ workload: name }, workflowsFolder(), legacy));

const slosOf = ({ slo = [] }: RecommendOptions): Slo[] =>
  askedRightly(() => slo.flatMap(parseSlos));

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

/** A capacity under a looser SLO says nothing about a stricter one. */
function withSlos(evidence: Evidence[], wanted: readonly Slo[]): Evidence[] {
  const fitting = evidence.filter(({ slo }) => implied(slo.flatMap(parseSlos), wanted));
  if (fitting.length === 0) {
    const known = [...new Set(evidence.map(({ slo }) => slo.join(', ')))].join('; ');
    throw new UserError(
      `no search was made with ${wanted.map(({ text }) => text).join(', ')} or stricter, only with ${known}: search with it first.`,
    );
  }
  return fitting;
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
