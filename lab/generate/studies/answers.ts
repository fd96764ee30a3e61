// The page of the study of answers: each goal, whether it was met, and every comparison.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { goalsOf, type Kept } from '../../../studies/answers/goals';
import { PAIRS, PARTS } from '../../../studies/answers/parts';
import { has, link, number, readJson, root, tableOf } from '../records';
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
  return `## Goals\n\nAnswers are compared at equal price, which is CPU per request. ${OWN_WAYS}\n\n${table}`;
}

/** None while nothing is recorded. */
export const answers = (): StudyPage[] =>
  recorded().length === 0
    ? []
    : [
        {
          study: 'answers',
          answer: () => ({ sentence: answersSentence() }),
          parts: [() => goalsText()],
        },
      ];
