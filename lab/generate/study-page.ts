// The page of a study: its question, the answer, the conditions and the figures, beside its records.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseStudy, type StudyPlan } from '../../cli/src/features/study/plan';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { conditionsOf } from './conditions';

export interface Answer {
  sentence: string;
  /** The figure of the experiment that the study repeats, ours, and ours over theirs. */
  published?: string;
  ours?: string;
  ratio?: string;
}

export interface StudyPage {
  /** Name of its folder. */
  study: string;
  /** A study that a test measures has it here; the others have it in their study.yaml. */
  question?: string;
  answer?: () => Answer;
  /** What the page adds up and does not link to one by one. */
  records?: () => readonly { path: string }[];
  /** Markdown; links lead from the root of the repository. */
  parts: (() => string)[];
}

export const pathOfPage = ({ study }: Pick<StudyPage, 'study'>): string =>
  `studies/${study}/README.md`;

/** Links from the root as links from a page. */
export const linksFrom = (page: string, text: string): string =>
  text.replace(
    /\]\((?![a-z]+:|#)([^)]+)\)/g,
    (_, target: string) => `](${posix.relative(posix.dirname(page), target) || '.'})`,
  );

export function answerText({ sentence, published, ours, ratio }: Answer): string {
  const compared = [
    ...(published === undefined ? [] : [`Published: ${published}.`]),
    ...(ours === undefined ? [] : [`Ours: ${ours}.`]),
    ...(ratio === undefined ? [] : [`Ours over the published: ${ratio}.`]),
  ];
  return [sentence, ...compared].join(' ');
}

/** Null where the command does not know it: a test measures it. */
function planOf(study: string): StudyPlan | null {
  const path = `studies/${study}/study.yaml`;
  const file = join(repositoryRoot(), path);
  return existsSync(file) ? parseStudy(readFileSync(file, 'utf8'), path) : null;
}

export const questionOf = ({ study, question }: Pick<StudyPage, 'study' | 'question'>): string =>
  planOf(study)?.question ?? question ?? study;

/** A heading that is the only one of its page says what the title says. */
const withoutLoneHeading = (figures: readonly string[]): string[] =>
  figures.join('\n\n').match(/^##+ /gm)?.length === 1
    ? figures.map((text) => text.replace(/^## .*\n+/m, ''))
    : [...figures];

export function filesOfPage(page: StudyPage): Record<string, string> {
  const { study, answer, parts, records } = page;
  const plan = planOf(study);
  const repeated =
    plan === null ? 'A test repeats it' : `Repeat it with \`n8n-tuned study ${study}\``;
  const figures = withoutLoneHeading(parts.map((part) => part()).filter((text) => text !== ''));
  const text = [
    `# ${questionOf(page)}`,
    '<!-- Written by lab/generate/all.ts -->',
    ...(answer === undefined ? [] : [`**${answerText(answer())}**`]),
    `Measured on ${conditionsOf(figures.join('\n'), records?.())}. ${repeated} ([records](studies/${study}/results.jsonl.gz)).`,
    ...figures,
  ].join('\n\n');
  return { [pathOfPage(page)]: linksFrom(pathOfPage(page), text) };
}
