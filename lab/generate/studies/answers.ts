// The page of the study of answers: each goal, whether it was met, and every comparison.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  boundaryOf,
  comparedAtPrice,
  goalsOf,
  ratesLeft,
  isSure,
  NEAR_CAPACITY,
  type Kept,
  type Pairs,
} from '../../../studies/answers/goals';
import { PAIRS, PARTS } from '../../../studies/answers/parts';
import {
  has,
  link,
  ms,
  number,
  outOf,
  perSecond,
  range,
  readJson,
  root,
  share,
  tableOf,
  unsure,
} from '../records';
import type { StudyPage } from '../study-page';

const ARCHIVE = 'studies/answers/results';
type Recorded = Kept & { path: string };

const recorded = (): Recorded[] =>
  (existsSync(join(root, `${ARCHIVE}.jsonl.gz`)) ? PARTS : []).flatMap(({ name }) => {
    const path = `${ARCHIVE}/${name}.json`;
    return has(path) ? [{ ...readJson<Kept>(path), path }] : [];
  });

function answersSentence(all: readonly Kept[] = recorded()): string {
  const goals = goalsOf(all);
  const met = goals.filter(({ isMet }) => isMet).length;
  const left = PARTS.length - all.length;
  return `Of ${number(goals.length)} goals ${number(met)} are met.${left === 0 ? '' : ` ${number(left)} of ${number(PARTS.length)} parts have no record yet.`}`;
}

const countOf = (all: readonly { kind: string }[], kind: string): number =>
  all.filter((one) => one.kind === kind).length;

type RecordedPair = Pairs & { path: string };
const pairsIn = (all: readonly Recorded[]): RecordedPair[] =>
  all.filter((one): one is RecordedPair => one.kind === 'pairs');

/** The share within which a search is meant to come. */
const NEAR = 0.1;
/** A search or a staircase without an answer is as far off as can be. */
const errorOf = (pair: Pairs): number => Math.abs(comparedAtPrice(pair)?.error ?? Infinity);

export const worstAgainstStaircase = (all: readonly Pairs[] = pairsIn(recorded())): number =>
  Math.max(...all.map(errorOf));

/** What servers of known capacity do not show: how near a search comes on n8n, and how often it has an answer. */
export function onRealN8n(all: readonly Pairs[] = pairsIn(recorded())): string {
  const near = all.filter((pair) => errorOf(pair) <= NEAR).length;
  const sure = all.filter(({ search }) => isSure(search)).length;
  return `On a real n8n, ${outOf(sure, all.length)} searches were FOUND or ROUGHLY, and ${outOf(near, all.length)} were within ${share(NEAR)} of a stepwise load test at equal CPU per request.`;
}

export function comparisonsText(all: readonly RecordedPair[] = pairsIn(recorded())): string {
  const priced = (ratePerSecond: number, cpuMs: number | null): string =>
    `${perSecond(ratePerSecond)}${cpuMs === null ? '' : ` at ${ms(cpuMs)} of CPU`}`;
  const table = tableOf(all, {
    workload: ({ workload }) => workload,
    mode: ({ mode }) => mode,
    '`find`': ({ search }) =>
      `${priced(search.ratePerSecond, search.cpuMs)} (${range(search)})${unsure(search)}`,
    staircase: (pair) => {
      const [boundary, { cpuMs }] = [boundaryOf(pair), pair.search];
      if (boundary === null || cpuMs === null) return 'no boundary';
      const isInside = comparedAtPrice(pair)?.isInside === true;
      return `${perSecond(boundary / cpuMs)}${isInside ? '' : ', not in that interval'}`;
    },
    'off by': (pair) => {
      const compared = comparedAtPrice(pair);
      return compared === null ? '-' : share(compared.error);
    },
    '': ({ path }) => link(path),
  });
  return `## \`find\` against another generator

Between the parts of each search, the generator oha made steps around its answer. The staircase is the boundary between the steps that met the SLO and those that did not, at the CPU per request of the search.

${table}`;
}

/** How searches beside another generator differ from those of a user. */
const OWN_WAYS = `Searches beside another generator were pinned (n8n and its stores to one core, the generator to the other), and their arrivals were even. They ran with \`--anyway\`, so they did not refuse a busy machine, in ${number(PAIRS.turns)} parts of ${PAIRS.turnBudget.replace(/s$/, ' s')}, the later ones with \`--continue\`.`;

export function goalsText(all: readonly Recorded[] = recorded()): string {
  const table = tableOf(goalsOf(all), {
    goal: ({ what, goal }) => `${what}, ${goal}`,
    measured: ({ kind, figure, isMet }) => {
      if (figure === null) return 'not measured yet';
      const isWhole = countOf(all, kind) >= countOf(PARTS, kind);
      return `${isMet ? 'met' : isWhole ? 'not met' : 'so far'}: ${figure}`;
    },
    '': ({ kind }) => {
      const first = all.find((one) => one.kind === kind);
      return first === undefined ? '-' : link(first.path);
    },
  });
  return `## Goals\n\nAnswers are compared at equal price, which is CPU per request. ${OWN_WAYS}\n\n${[table, ratesText(all)].join('\n\n').trim()}`;
}

/** Which questions about a rate do not count, and why others are not right. */
export function ratesText(all: readonly Kept[]): string {
  const { asked, near, nearNotYet, parts } = ratesLeft(all);
  const left =
    near === 0
      ? []
      : [
          `Of ${number(asked)} questions of \`find --rate\`, ${number(near)} do not count, because the rate was within ${share(NEAR_CAPACITY)} of the capacity at the price of that moment; the answer to ${number(nearNotYet)} of these was NOT YET.`,
        ];
  const why = parts.map(
    ({ questions, notYet, wrong, fromMs, toMs }) =>
      `Not right in one part: ${outOf(wrong, questions)}, ${number(notYet)} of them NOT YET; the CPU of a request moved from ${ms(fromMs)} in the search to ${ms(toMs)} in the questions.`,
  );
  return [...left, ...why].join(' ');
}

/** None while nothing is recorded. */
export const answers = (): StudyPage[] =>
  recorded().length === 0
    ? []
    : [
        {
          study: 'answers',
          answer: () => ({ sentence: answersSentence() }),
          records: recorded,
          parts: [() => goalsText(), () => comparisonsText()],
        },
      ];
