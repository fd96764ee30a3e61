/** From what is recorded, or searched for now, to a values file or a Compose file, and to its proof. */
import { statSync } from 'node:fs';
import { readPlainFile } from '../../linux/plain-file';
import { k6For } from '../../load/k6';
import type { Prices } from '../../plan/recorded';
import { isWorkloadFile, workloadName, type ChosenWorkload } from '../../plan/chosen-workload';
import { isLegacy } from '../../plan/topology';
import { parseSlos, type Slo } from '../../../../loadtests/lib/slo';
import { refuseForeign, writeUserFile, type UserFile } from '../../record/user-file';
import type { Deployer } from '../../targets/deploy';
import { thisMachine } from '../../targets/machine';
import { messageOf, Mistake } from '../../ui/exit';
import { warn } from '../../ui/print';
import type { Progress } from '../../ui/progress';
import { ofWorkload, sureOnes, withSlos } from './analysis/choose-evidence';
import type { CapacityEvidence } from './analysis/evidence';
import { readDeployed } from '../../targets/chart/deployed';
import { loadValues, type LoadOrder } from './load';
import { cannotBeDeleted, perDay, type Keeping } from './kept-data';
import { join } from 'node:path';
import { makeFolder, runId, writeWhole } from '../../record/folder';
import { PROOF_FILE } from '../../record/find-records';
import { writeBeside } from '../../record/write-beside';
import { reportFiles } from '../../report/files';
import { correctedCompose, type CorrectedCompose } from './compose';
import { prove, proveAsIs, type Proof } from './prove';
import { proofRecord, type ProofRecord } from './record';
import { proofDocument } from './report/document';
import { plannedRate, recommend, type Recommendation } from './analysis/recommend';
import { candidates, findEach, findOne, readFinds, settingsOf, type KnownFind } from './find-each';
import { refuseTooShort } from '../find/settings';
import { awaitQuiet, type QuietChoice } from '../find/quiet/quiet';
import type { BeforeSearch } from '../find/record';
import { VALUES_BEGIN, valuesYaml } from './values';
import type { Deployed } from '../../plan/values-topology';

export interface RecommendChoice {
  /** Folders of records; undefined: searches are made now. */
  from: string[] | undefined;
  /** Undefined: the planned share of the best known capacity. */
  ratePerSecond: number | undefined;
  slos: Slo[];
  prices: Prices;
  /** How long executions are kept; null leaves that to the chart. */
  keep: { days: number; kibPerExecution: number } | null;
  /** Undefined: the rate, all day long. */
  executionsPerDay: number | undefined;
  /** The file that the values are written to. */
  write: Omit<UserFile, 'begins' | 'keeps'>;
  /** The user's Compose file, which is written with the settings in it; undefined: values of the chart are. */
  compose: string | undefined;
  prove: boolean;
  maxAttempts: number;
  findBudgetSeconds: number;
  /** What to do where something else uses this machine. */
  quiet: QuietChoice;
  /** Workload and variant as the user names them. */
  workload: string | undefined;
  request: string | undefined;
  /** What the user asks for, or this workload in its place. */
  choose(n8n: string | null, workload?: string): ChosenWorkload;
  load: Omit<LoadOrder, 'workload' | 'slos' | 'ratePerSecond' | 'k6' | 'timeoutMs' | 'drainMs'>;
  /** How long responses are waited for. */
  limits(slos: readonly Slo[]): Pick<LoadOrder, 'timeoutMs' | 'drainMs'>;
}

export interface Recommended {
  searches: KnownFind[];
  ratePerSecond: number;
  /** The planned share of the best known capacity. */
  maxPerSecond: number;
  /** Null where nothing known is enough. */
  recommendation: Recommendation | null;
  /** Null where it was not asked how long executions are kept. */
  keeping: Keeping | null;
  /** What is another in the Compose file, and what was left as it is; null where values were written. */
  compose: Omit<CorrectedCompose, 'text'> | null;
  /** Null where none was asked for. */
  proof: KeptProof | null;
}

/** The record of a proof, in its folder. */
export interface KeptProof {
  folder: string;
  record: ProofRecord;
  /** What could not be written, a sentence each. */
  problems: string[];
}

interface AnswerDeps {
  tell: Progress;
  signal: AbortSignal;
}

/** Writes the values file; null where it was stopped before there was one. */
export async function recommendValues(
  asked: RecommendChoice,
  deps: AnswerDeps,
): Promise<Recommended | null> {
  const { from, slos, prices } = asked;
  const written = valuesFile(asked);
  refuseForeign(written);
  const searches = from === undefined ? await findsNow(asked, deps) : readFinds(from);
  if (deps.signal.aborted) return null;
  const known = searches.map(({ evidence }) => evidence).filter((evidence) => evidence !== null);
  const fitting = withSlos(ofWorkload(known, askedName(asked), from), slos);
  const evidence = sureOnes(
    fitting,
    searches.map(({ record }) => record),
  );
  if (evidence.length < fitting.length) warn(leftOutText(fitting.length - evidence.length));
  const maxPerSecond = plannedRate(evidence);
  const ratePerSecond = asked.ratePerSecond ?? maxPerSecond;
  const recommendation = recommend(evidence, ratePerSecond, prices);
  const keeping = keepingAt(asked, ratePerSecond);
  const answer = {
    ...{ searches, ratePerSecond, maxPerSecond, recommendation, keeping },
    ...{ compose: null, proof: null },
  };
  if (recommendation === null) return answer;
  // n8n 0.x deletes as many as there are.
  if (!isLegacy(recommendation.best.evidence.topology.n8n)) refuseUndeletable(asked, ratePerSecond);
  if (asked.compose !== undefined) {
    const { text, ...compose } = correctedCompose(
      readText(asked.compose, 'a Compose file'),
      asked.compose,
      recommendation.best,
    );
    // The user's own secrets stay in it, for whoever could read them before.
    writeUserFile(written, Buffer.from(text), statSync(asked.compose).mode & 0o666);
    return { ...answer, compose };
  }
  writeUserFile(written, valuesYaml(recommendation, { keeping }));
  if (!asked.prove) return answer;
  return { ...answer, proof: await proofOf(asked, evidence, recommendation, ratePerSecond, deps) };
}

const valuesFile = ({ write }: RecommendChoice): UserFile => ({
  ...write,
  begins: VALUES_BEGIN,
  keeps: 'edits',
});

const leftOutText = (count: number): string =>
  `${String(count)} of the searches ${count === 1 ? 'is' : 'are'} left out: the interval of ${count === 1 ? 'its' : 'their'} capacity is wider than a factor of two.`;

const perDayAt = ({ executionsPerDay }: RecommendChoice, ratePerSecond: number): number =>
  executionsPerDay ?? perDay(ratePerSecond);

const keepingAt = (asked: RecommendChoice, ratePerSecond: number): Keeping | null =>
  asked.keep === null ? null : { ...asked.keep, executionsPerDay: perDayAt(asked, ratePerSecond) };

function refuseUndeletable(asked: RecommendChoice, ratePerSecond: number): void {
  const why = cannotBeDeleted(perDayAt(asked, ratePerSecond));
  if (why !== null) throw new Mistake(why);
}

/** Before the first measurement; null where nothing is measured on this machine. */
const lookFirst = async (
  { quiet, load }: RecommendChoice,
  deps: AnswerDeps,
): Promise<BeforeSearch | null> => (load.deployer.loadsFromHere ? awaitQuiet(quiet, deps) : null);

/** `recommend --workload W --rate R --slo ...` on a machine on which nothing was ever recorded. */
async function findsNow(asked: RecommendChoice, deps: AnswerDeps): Promise<KnownFind[]> {
  const { ratePerSecond, slos, findBudgetSeconds } = asked;
  if (ratePerSecond === undefined || slos.length === 0) {
    throw new Mistake(
      'without --from, recommend runs its own searches, which need --rate and --slo: set both, or use --from with the records of n8n-tuned find.',
    );
  }
  // Before minutes of searching.
  refuseUndeletable(asked, ratePerSecond);
  const workload = asked.choose(null);
  refuseTooShort(settingsOf({ workload, slos, budgetSeconds: findBudgetSeconds }), {
    option: '--find-budget',
  });
  const before = await lookFirst(asked, deps);
  const order = {
    ...loadOrder(asked, workload, slos, ratePerSecond),
    budgetSeconds: findBudgetSeconds,
    ...(before === null ? {} : { before }),
  };
  const { tell, signal } = deps;
  const layouts = candidates(workload.recorded.latencyFloorMs, thisMachine().cores);
  return findEach(layouts, ratePerSecond, (topology) => findOne(topology, order, tell, signal));
}

async function proofOf(
  asked: RecommendChoice,
  evidence: CapacityEvidence[],
  first: Recommendation,
  ratePerSecond: number,
  deps: AnswerDeps,
): Promise<KeptProof> {
  const { tell, signal } = deps;
  const { workload, topology, slo } = first.best.evidence;
  const slos = asked.slos.length > 0 ? asked.slos : slo.flatMap(parseSlos);
  const order = loadOrder(asked, toProve(asked, workload, topology.n8n), slos, ratePerSecond);
  const keeping = keepingAt(asked, ratePerSecond);
  const written = valuesFile(asked);
  const before = await lookFirst(asked, deps);
  return keptProof(asked, { values: asked.write.path, before }, order, async (runs) => {
    const proof = await prove(evidence, {
      recommend: (all) => recommend(all, ratePerSecond, asked.prices),
      load: (recommendation) => {
        const text = valuesYaml(recommendation, { keeping });
        writeUserFile(written, text);
        return loadValues(deployed(text, asked.load.deployer), runs, tell, signal);
      },
      maxAttempts: asked.maxAttempts,
    });
    const last = proof.attempts.at(-1);
    if (last !== undefined && last.recommendation !== null) {
      writeUserFile(
        written,
        valuesYaml(last.recommendation, {
          keeping,
          proof: `${proof.verdict} by ${last.run}: ${last.sentence}`,
        }),
      );
    }
    return proof;
  });
}

/** A file as it is: there is no alternative to try. */
export async function proveFile(
  file: string,
  asked: RecommendChoice,
  deps: AnswerDeps,
): Promise<KeptProof> {
  const { slos, ratePerSecond } = asked;
  if (!asked.prove || ratePerSecond === undefined || slos.length === 0) {
    throw new Mistake('--values requires --prove, --rate and --slo: set all three.');
  }
  const what = deployed(readText(file), asked.load.deployer);
  const order = loadOrder(asked, asked.choose(what.topology.n8n), slos, ratePerSecond);
  const before = await lookFirst(asked, deps);
  return keptProof(asked, { values: file, before }, order, async (runs) =>
    proveAsIs(await loadValues(what, runs, deps.tell, deps.signal)),
  );
}

/** Proves in a folder of its own, in which the runs, the record and the report then lie. */
async function keptProof(
  { prices, load }: RecommendChoice,
  { values, before }: { values: string; before: BeforeSearch | null },
  order: LoadOrder,
  proving: (order: LoadOrder) => Promise<Proof>,
): Promise<KeptProof> {
  const started = new Date();
  const id = runId(started, order.workload.recorded.name, 'proof');
  const folder = join(order.out, id);
  makeFolder(folder);
  const proof = await proving({ ...order, out: join(folder, 'runs') });
  const record = proofRecord(proof, {
    ...{ folder, id, startedAt: started.toISOString(), command: load.command },
    ...{ ratePerSecond: order.ratePerSecond, values, prices },
    ...(before === null ? {} : { disturbances: before.disturbances }),
  });
  writeWhole(join(folder, PROOF_FILE), `${JSON.stringify(record, null, 2)}\n`);
  return { folder, record, problems: writeBeside(folder, reportFiles(proofDocument(record))) };
}

function deployed(
  values: string,
  { loadsFromHere }: Deployer,
): { topology: Deployed['topology']; values: string } {
  const { topology, leftOut } = readDeployed(values);
  // The chart takes all of them.
  if (loadsFromHere) for (const sentence of leftOut) warn(`not part of the proof: ${sentence}`);
  return { topology, values };
}

function readText(file: string, as = 'values'): string {
  try {
    return readPlainFile(file);
  } catch (error) {
    throw new Mistake(`${file} cannot be read as ${as}: ${messageOf(error)}.`);
  }
}

/** k6 is looked for only where something is measured. */
const loadOrder = (
  { load, limits }: RecommendChoice,
  workload: ChosenWorkload,
  slos: Slo[],
  ratePerSecond: number,
): LoadOrder => ({
  ...load,
  ...limits(slos),
  workload,
  slos,
  ratePerSecond,
  k6: k6For(load.deployer.loadsFromHere),
});

/** The workload that the user names, else that of the search; a record does not hold a request of their own. */
function toProve(
  { request, workload, choose }: RecommendChoice,
  searched: string,
  n8n: string,
): ChosenWorkload {
  const isSaid = request !== undefined || workload !== undefined;
  if (!isSaid && searched.includes(' ')) {
    throw new Mistake(
      `the searches used your own request ${searched}: to prove the result, specify the same request again with --request, --body and --header.`,
    );
  }
  return choose(n8n, isSaid ? undefined : searched);
}

/** The name by which the searches of what the user says are known; undefined where nothing is said. */
function askedName({ request, workload, choose }: RecommendChoice): string | undefined {
  const isOwn = request !== undefined || (workload !== undefined && isWorkloadFile(workload));
  return isOwn ? workloadName(choose(null).recorded) : workload;
}
