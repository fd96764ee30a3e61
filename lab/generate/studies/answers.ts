// The page of the study of answers: each goal, whether it was met, and every comparison.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  agree,
  areConclusive,
  comparedAtPrice,
  goalsOf,
  movedAtPrice,
  type Kept,
} from '../../../studies/answers/goals';
import { PAIRS, PARTS } from '../../../studies/answers/parts';
import {
  has,
  link,
  number,
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

export function answersSentence(all: readonly Kept[] = recorded()): string {
  const goals = goalsOf(all);
  const met = goals.filter(({ isMet }) => isMet).length;
  const left = PARTS.length - all.length;
  return `Of ${number(goals.length)} goals ${number(met)} are met.${left === 0 ? '' : ` ${number(left)} of ${number(PARTS.length)} parts have no record yet.`}`;
}

export function goalsText(all: readonly Recorded[] = recorded()): string {
  const table = tableOf(goalsOf(all), {
    goal: ({ what, goal }) => `${what}, ${goal}`,
    measured: ({ figure, isMet }) =>
      figure === null ? 'not measured yet' : `${isMet ? 'met' : 'not met'}: ${figure}`,
    '': ({ kind }) => {
      const first = all.find((one) => one.kind === kind);
      return first === undefined ? '-' : link(first.path);
    },
  });
  return `## Goals\n\nAnswers are compared at equal price, which is CPU per request.\n\n${table}`;
}

const section = (title: string, text: string, table: string): string =>
  table === '' ? '' : `## ${title}\n\n${text}\n\n${table}`;

function ofKind<K extends Kept['kind']>(kind: K): Extract<Recorded, { kind: K }>[] {
  return recorded().filter((one): one is Extract<Recorded, { kind: K }> => one.kind === kind);
}

const rowsOf = <Row>(rows: Row[], columns: Parameters<typeof tableOf<Row>>[1]): string =>
  rows.length === 0 ? '' : tableOf(rows, columns);

const answerText = (one: Extract<Kept, { kind: 'pairs' }>['search']): string =>
  `${perSecond(one.ratePerSecond)} (${range(one)})${unsure(one)}`;

const pairs = (): string =>
  section(
    'Beside another generator',
    'In turns, each time with n8n on a core of its own: a part of the search, then steps of oha around its estimate at the price of that moment. The steps are in the order of their work, which is rate times CPU per request.\n\n' +
      `A search of your own differs in four ways. These were pinned (n8n and its stores to one core, the generator to the other). Their arrivals were even instead of random, like those of oha. They ran with \`--anyway\`, so they did not refuse a busy machine. Their time was in ${number(PAIRS.turns)} parts of ${PAIRS.turnBudget.replace(/s$/, ' s')}, the later ones with \`--continue\`.`,
    rowsOf(ofKind('pairs'), {
      workload: ({ workload }) => workload,
      mode: ({ mode }) => mode,
      '`find`': ({ search }) => answerText(search),
      'from the staircase': (one) => share(comparedAtPrice(one)?.error),
      'boundary in the interval': (one) => (comparedAtPrice(one)?.isInside === true ? 'yes' : 'no'),
      '': ({ path }) => link(path),
    }),
  );

const twice = (): string =>
  section(
    'Twice in a row',
    'Two searches of 100 s, each with an n8n instance of its own. They agree if their intervals overlap, which says little where one is inconclusive, because its interval is wide.',
    rowsOf(ofKind('twice'), {
      first: ({ searches }) => answerText(searches[0]),
      second: ({ searches }) => answerText(searches[1]),
      'both conclusive': (one) => (areConclusive(one) ? 'yes' : 'no'),
      'agree at equal price': ({ searches }) => (agree(searches) ? 'yes' : 'no'),
      '': ({ path }) => link(path),
    }),
  );

const beside = (): string =>
  section(
    'Beside something else',
    'A quiet search, then one beside a process that uses a core.',
    rowsOf([...ofKind('neighbour'), ...ofKind('spinner')], {
      process: (one) =>
        one.kind === 'spinner'
          ? "on n8n's core in half of the probes"
          : `${one.when === 'before' ? 'from before the search on' : 'for a minute in the middle'}${one.isNice ? ', at low priority' : ''}`,
      quiet: ({ quiet }) => answerText(quiet),
      beside: (one) => answerText(one.beside),
      'alone, from it': (one) => perSecond(one.beside.alonePerSecond),
      'moved at equal price': (one) => share(movedAtPrice(one)),
      '': ({ path }) => link(path),
    }),
  );

const rates = (): string =>
  section(
    'One rate',
    '`find --rate` at shares of a capacity that was searched for right before.',
    rowsOf(ofKind('rate'), {
      capacity: ({ capacityPerSecond }) => perSecond(capacityPerSecond),
      asked: ({ asked }) =>
        asked
          .map((one) => `${number(one.share)}: ${one.answer} in ${number(one.seconds)} s`)
          .join('; '),
      '': ({ path }) => link(path),
    }),
  );

/** None while nothing is recorded. */
export const answers = (): StudyPage[] =>
  recorded().length === 0
    ? []
    : [
        {
          study: 'answers',
          answer: () => ({ sentence: answersSentence() }),
          parts: [() => goalsText(), pairs, twice, beside, rates],
        },
      ];
