// Checks on a real n8n whether a search gives the right answer in five minutes: in turns with a staircase of another
// generator, twice in a row, beside a neighbour, with a process on n8n's core, and by the question about one rate.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, cpus, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../../cli/src/analysis/statistics/statistics';
import { wholePriceOf } from '../../cli/src/features/find/analysis/price';
import type { FindRecord } from '../../cli/src/features/find/record';
import type { RateRecord } from '../../cli/src/features/find/rate-record';
import {
  isNotMeasured,
  NotMeasured,
  type CallOptions,
  type Measuring,
  type PartMeasured,
  type Study,
} from '../../cli/src/features/study/study';
import { CORES, cpuSeconds, load, on, toolsOnCores } from '../oha';
import { withN8n, type Up } from '../up';
import {
  agree,
  asTold,
  boundaryOf,
  comparedAtPrice,
  isSure,
  movedAtPrice,
  sharesAsked,
  workToTryNext,
  type Answer,
  type Kept,
  type Neighbour,
  type Step,
} from './goals';
import {
  MODES,
  NEIGHBOUR,
  LOOK,
  MORE_STEPS,
  PAIRS,
  PARTS,
  QUICK_PARTS,
  RATE,
  SPINNER,
  STEPS,
  TWICE,
  WARM_UP,
  WORKLOADS,
  type Kind,
  type PlannedPart,
} from './parts';
import { ohaFigures } from './staircase';

const P95_MS = 300;
/** Requests a second. */
const TRIED_RATE = 20;
const SLO = ['--slo', `p95<${String(P95_MS)}ms`, '--slo', 'errors<1%'];
/** In the short form every search takes this: long enough for a closed loop, and probes at fixed rates. */
const SHORT = ['--budget', '20s', '--probe', '2s', '--full', '6s'];

type Found = FindRecord & { folder: string };

function answerOf(found: Found): Answer {
  if (found.verdict === 'invalid') throw new NotMeasured(found.sentence);
  const { verdict, sentence, capacity } = found;
  const { ratePerSecond, low, high, at } = capacity;
  return {
    ...{ verdict, sentence, ratePerSecond, low, high, cpuMs: wholePriceOf(found) },
    alonePerSecond: at === undefined ? null : ratePerSecond / (1 - at.takenShare),
  };
}

/** What others are compared with, which has to be a rate. */
function referenceOf(found: Found): Answer {
  const answer = answerOf(found);
  if (!(answer.ratePerSecond > 0)) throw new NotMeasured(answer.sentence);
  return answer;
}

const searchWords = (workload: string, budget: string, isShort: boolean): string[] => [
  ...['find', '--workload', workload, ...SLO, ...(isShort ? SHORT : ['--budget', budget])],
];

/** A search that goes on stays in its folder. */
const outOf = (more: readonly string[], scratch: string): string[] =>
  more.includes('--continue') ? [] : ['--out', scratch];

/** A search that brings up an n8n of its own, as a user's does. */
async function search(
  { workload, mode }: PlannedPart,
  budget: string,
  { call, scratch, isShort }: Measuring,
  more: readonly string[] = ['--anyway'],
  options: CallOptions = {},
): Promise<Found> {
  const words = [...searchWords(workload, budget, isShort), ...MODES[mode]];
  return (await call<Found>([...words, ...outOf(more, scratch), ...more], options)).record;
}

/**
 * The same with n8n and its stores on one core, and the generator and the command on the other: as the steps of another
 * generator have it, whose study waits meanwhile. The CPU of all of them is seen, which n8n does not tell at its URL: there,
 * four of the six pairs do not seem to use up a core.
 */
async function searchPinned(
  { mode }: PlannedPart,
  words: readonly string[],
  { call, scratch }: Measuring,
  more: readonly string[] = [],
): Promise<Found> {
  const tools = join(scratch, 'tools');
  if (!existsSync(tools)) toolsOnCores(tools);
  const env = { N8N_TUNED_CACHE: tools };
  const options: CallOptions = { through: on(CORES.generator), env };
  const all = [...words, ...MODES[mode], '--anyway', ...outOf(more, scratch), ...more];
  return (await call<Found>(all, options)).record;
}

const pinned = <Result>(
  { name, mode, workload }: PlannedPart,
  measuring: Measuring,
  use: (up: Up) => Promise<Result>,
): Promise<Result> => {
  const words = ['--workload', workload, ...MODES[mode]];
  return withN8n(measuring, { name, words, through: on(CORES.n8n) }, use);
};

const urlOf = ({ workload }: PlannedPart, { baseUrl }: Up): string =>
  `${baseUrl}/webhook/${WORKLOADS[workload]}`;

interface Stepping {
  part: PlannedPart;
  up: Up;
  measuring: Measuring;
}

/** One step of oha, with what a request cost at that moment. */
async function stepAt(
  ratePerSecond: number,
  seconds: number,
  { part, up, measuring: { signal } }: Stepping,
): Promise<Step> {
  const url = urlOf(part, up);
  const before = await cpuSeconds(up.metrics);
  const printed = await load(ratePerSecond, seconds, url, signal);
  const figures = JSON.parse(printed) as Parameters<typeof ohaFigures>[0];
  const { expected, sustained, p95Ms } = ohaFigures(figures, P95_MS);
  if (expected === 0) throw new NotMeasured('n8n answered no request of a step');
  const used = (await cpuSeconds(up.metrics)) - before;
  return { ratePerSecond, sustained, p95Ms, cpuMs: (1_000 * used) / expected };
}

const three = (rate: number): number => Number(rate.toPrecision(3));

async function pairs(part: PlannedPart, measuring: Measuring): Promise<Kept> {
  const { isShort } = measuring;
  const steps: Step[] = [];
  const words = [
    ...searchWords(part.workload, PAIRS.turnBudget, isShort),
    ...['--arrivals', 'even', ...(isShort ? [] : ['--full', `${String(PAIRS.fullSeconds)}s`])],
  ];
  let found: Found | null = null;
  for (const shares of STEPS.slice(0, isShort ? 1 : PAIRS.turns)) {
    const more = found === null ? [] : ['--continue', found.folder];
    found = await searchPinned(part, words, measuring, more);
    const answer = answerOf(asTold(found));
    await pinned(part, measuring, (up) => stepsAt(shares, answer, steps, { part, up, measuring }));
  }
  if (found === null) throw new NotMeasured('no search was made');
  const { workload, mode } = part;
  return { kind: 'pairs', workload, mode, search: answerOf(asTold(found)), steps };
}

/** Adds the steps of a turn, on an n8n that is warm. */
async function stepsAt(
  shares: (typeof STEPS)[number],
  { ratePerSecond, cpuMs }: Answer,
  steps: Step[],
  stepping: Stepping,
): Promise<void> {
  const { part, up, measuring } = stepping;
  const { isShort, signal, tell } = measuring;
  // A search without a rate is a failed one, and its staircase is tried around this.
  const around = ratePerSecond > 0 ? ratePerSecond : TRIED_RATE;
  const below = three(WARM_UP.share * around);
  const warm = (seconds: number) => load(below, isShort ? 1 : seconds, urlOf(part, up), signal);
  await warm(WARM_UP.seconds);
  const next = async (share: (typeof shares)[number]): Promise<void> => {
    await warm(LOOK.settleSeconds);
    const { cpuMs: now } = await stepAt(below, isShort ? 1 : LOOK.seconds, stepping);
    const rate =
      share === 'boundary'
        ? workToTryNext({ steps }) / now
        : (share * around * (cpuMs ?? now)) / now;
    const step = await stepAt(three(rate), isShort ? 5 : PAIRS.stepSeconds, stepping);
    steps.push(step);
    tell(
      `${String(step.ratePerSecond)}/s: p95 ${step.p95Ms.toFixed(0)} ms at ${step.cpuMs.toFixed(1)} ms of CPU, sustained: ${String(step.sustained)}`,
    );
  };
  for (const share of shares) await next(share);
  if (shares.at(-1) !== 'boundary') return;
  for (let more = 0; more < MORE_STEPS && boundaryOf({ steps }) === null; more += 1) {
    await next('boundary');
  }
}

async function twice(part: PlannedPart, measuring: Measuring): Promise<Kept> {
  const one = answerOf(await search(part, TWICE.budget, measuring));
  const other = answerOf(await search(part, TWICE.budget, measuring));
  return { kind: 'twice', searches: [one, other] };
}

/**
 * A process that uses all of a core; `words` come before it. Its priority is set, not inherited: beside a study that runs
 * with `nice -n -10`, it would get as much of the core as n8n.
 */
function busy(isNice = false, words: readonly string[] = []): ChildProcess & { pid: number } {
  const [program = '', ...args] = [...words, process.execPath, '-e', 'for (;;);'];
  const child = spawn(program, args, { stdio: 'ignore' });
  const { pid } = child;
  if (pid === undefined) throw new NotMeasured(`${program} cannot be started`);
  setPriority(pid, isNice ? constants.priority.PRIORITY_LOW : Math.max(0, getPriority()));
  return Object.assign(child, { pid });
}

async function neighbour(part: PlannedPart, measuring: Measuring): Promise<Kept> {
  const { when = 'before', isNice = false } = part;
  const { budget } = NEIGHBOUR;
  const quiet = referenceOf(await search(part, budget, measuring));
  const { pid, beside, said } =
    when === 'before'
      ? await besideFromTheStart(part, isNice, measuring)
      : await besideInTheMiddle(part, isNice, measuring);
  return { kind: 'neighbour', when, isNice, pid, quiet, beside, said };
}

type Beside = Pick<Neighbour, 'pid' | 'beside' | 'said'>;

async function besideFromTheStart(
  part: PlannedPart,
  isNice: boolean,
  measuring: Measuring,
): Promise<Beside> {
  const child = busy(isNice);
  try {
    // Heard, so that the refusal is in the record.
    const hears = (text: string): void => void process.stderr.write(text);
    const said = await search(part, NEIGHBOUR.budget, measuring, [], { hears }).then(
      () => 'it was not refused',
      (error: unknown) => {
        if (isNotMeasured(error) && !measuring.signal.aborted) return error.message;
        throw error;
      },
    );
    const beside = answerOf(await search(part, NEIGHBOUR.budget, measuring));
    return { pid: child.pid, beside, said };
  } finally {
    child.kill('SIGKILL');
  }
}

/** Counted from the start of the command, so that n8n is up and some probes are made. */
async function besideInTheMiddle(
  part: PlannedPart,
  isNice: boolean,
  measuring: Measuring,
): Promise<Beside> {
  const { fromSeconds, seconds } = NEIGHBOUR;
  const scale = measuring.isShort ? 0.3 : 1;
  const over = new AbortController();
  const wait = (s: number) =>
    sleep(1_000 * scale * s, undefined, { signal: over.signal }).catch(() => undefined);
  let child: ReturnType<typeof busy> | null = null;
  const beside = (async () => {
    await wait(fromSeconds);
    if (over.signal.aborted) return;
    child = busy(isNice);
    await wait(seconds);
    child.kill('SIGKILL');
  })();
  try {
    const found = await search(part, NEIGHBOUR.budget, measuring);
    const { pid = 0 } = (child ?? {}) as { pid?: number };
    return { pid, beside: answerOf(found), said: found.doubts.join(' ') };
  } finally {
    over.abort();
    await beside;
  }
}

async function spinner(part: PlannedPart, measuring: Measuring): Promise<Kept> {
  const words = searchWords(part.workload, SPINNER.budget, measuring.isShort);
  const quiet = referenceOf(await searchPinned(part, words, measuring));
  const over = new AbortController();
  const turns = inTurns(over.signal);
  try {
    const beside = answerOf(await searchPinned(part, words, measuring));
    return { kind: 'spinner', quiet, beside };
  } finally {
    over.abort();
    await turns;
  }
}

async function inTurns(signal: AbortSignal): Promise<void> {
  const wait = () => sleep(1_000 * SPINNER.onSeconds, undefined, { signal }).catch(() => undefined);
  for (;;) {
    // First it is quiet: what is there before the search begins does not count as a disturbance.
    await wait();
    if (signal.aborted) return;
    const child = busy(false, on(CORES.n8n));
    await wait();
    child.kill('SIGKILL');
  }
}

/** A question needs a capacity that is sure: the search goes on until it is. */
async function sureCapacity(part: PlannedPart, measuring: Measuring): Promise<Answer> {
  let found = await search(part, RATE.budget, measuring);
  for (let more = 0; more < RATE.continued && !measuring.isShort; more += 1) {
    if (isSure(answerOf(found))) break;
    const words = ['--anyway', '--continue', found.folder];
    found = await search(part, RATE.budget, measuring, words);
  }
  const answer = referenceOf(found);
  if (!isSure(answer) && !measuring.isShort) throw new NotMeasured(answer.sentence);
  return answer;
}

async function rate(part: PlannedPart, measuring: Measuring): Promise<Kept> {
  const { call, scratch, isShort, tell } = measuring;
  const capacity = await sureCapacity(part, measuring);
  const asked: Extract<Kept, { kind: 'rate' }>['asked'] = [];
  let nowMs = capacity.cpuMs;
  for (const share of RATE.shares.slice(0, isShort ? 1 : undefined)) {
    const atPrice = capacity.cpuMs === null || nowMs === null ? 1 : capacity.cpuMs / nowMs;
    const ratePerSecond = three(share * capacity.ratePerSecond * atPrice);
    const words = [
      ...['find', '--workload', part.workload, ...MODES[part.mode], ...SLO],
      ...['--rate', String(ratePerSecond), ...(isShort ? ['--budget', '30s'] : [])],
    ];
    const { record } = await call<RateRecord>([...words, '--out', scratch, '--anyway']);
    tell(record.sentence);
    const { answer, attempts } = record;
    if (answer === 'invalid') throw new NotMeasured(record.sentence);
    const seconds = attempts.reduce((sum, attempt) => sum + attempt.seconds, 0);
    const prices = attempts.flatMap(({ cpuPerRequest }) => cpuPerRequest?.allMs ?? []);
    const cpuMs = prices.length === 0 ? null : median(prices);
    asked.push({ share, ratePerSecond, cpuMs, answer, seconds });
    // Requests of an overloaded n8n are dearer.
    if (answer === 'yes') nowMs = cpuMs ?? nowMs;
  }
  return { kind: 'rate', capacity, asked };
}

const MEASURES: Record<Kind, (part: PlannedPart, measuring: Measuring) => Promise<Kept>> = {
  ...{ pairs, twice, neighbour, spinner, rate },
};

const percent = (value: number): string => `${(100 * value).toFixed(1)}%`;

function sentenceOf(kept: Kept): string {
  switch (kept.kind) {
    case 'pairs': {
      const compared = comparedAtPrice(kept);
      return compared === null
        ? `${kept.search.verdict}; the steps have no boundary`
        : `${kept.search.verdict}; at equal price ${percent(compared.error)} from the staircase, ${compared.isInside ? 'which is' : 'which is not'} in its interval`;
    }
    case 'twice':
      return agree(kept.searches) ? 'both agree' : 'they do not agree';
    case 'neighbour':
    case 'spinner':
      return `${percent(movedAtPrice(kept))} from the quiet search at equal price`;
    case 'rate':
      return sharesAsked(kept)
        .map(({ share, answer }) => `${share.toFixed(2)}: ${answer}`)
        .join(', ');
  }
}

/** Those that compare with another generator, or pin n8n to a core, need more than the lab. */
function whyNotHere(kind: Kind): string | null {
  const isThere = (program: string): boolean =>
    spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;
  if (kind === 'pairs' && !isThere('oha')) return 'oha is missing: cargo install oha';
  if (kind !== 'pairs' && kind !== 'spinner') return null;
  if (!isThere('taskset')) return 'taskset is missing: install util-linux';
  return cpus().length < 2 ? 'n8n and the generator need a core each' : null;
}

export default {
  parts: PARTS,
  quickParts: QUICK_PARTS,
  whyNot: ({ kind }) => whyNotHere(kind),
  async measured(part, measuring): Promise<PartMeasured> {
    const kept = await MEASURES[part.kind](part, measuring);
    return {
      record: { ...kept, slo: SLO.filter((word) => word !== '--slo').join(', ') },
      sentence: sentenceOf(kept),
    };
  },
} satisfies Study<PlannedPart>;
