/** What records of schema version 1 said, in the words of version 2. */
import { workloadName } from '../plan/chosen-workload';
import type { VerdictOutcome } from './record';

type Older = Record<string, unknown>;

const OUTCOMES: Record<string, VerdictOutcome> = { held: 'sustained', failed: 'not sustained' };

const FIND_VERDICTS: Record<string, string> = { 'nothing held': 'nothing sustained' };

/** Others, such as `invalid`, have kept their name. */
const outcomeOf = (word: unknown): unknown => OUTCOMES[String(word)] ?? word;

export function runOfVersion1(older: Older): Older {
  const verdict = older['verdict'] as Older;
  return {
    ...older,
    schemaVersion: 2,
    verdict: {
      undecided: [],
      ...verdict,
      outcome: outcomeOf(verdict['outcome']),
      sentence: sentenceOf(verdict['sentence'], older['workload']),
    },
  };
}

export function searchOfVersion1(older: Older): Older {
  const probes = older['probes'] as Older[];
  const verdict = String(older['verdict']);
  return {
    ...older,
    schemaVersion: 2,
    verdict: FIND_VERDICTS[verdict] ?? verdict,
    sentence: sentenceOf(older['sentence'], older['workload']),
    probes: probes.map((probe) => ({
      ...probe,
      result: outcomeOf(probe['result']),
      sentence: sentenceOf(probe['sentence'], older['workload']),
    })),
  };
}

export function cellOfVersion1(older: Older): Older {
  return {
    ...older,
    schemaVersion: 2,
    outcome: outcomeOf(older['outcome']),
    sentence: sentenceOf(older['sentence']),
  };
}

/** Its words only: what a sentence states stays as it was recorded. Titles of workloads were its subject. */
const sentenceOf = (sentence: unknown, workload?: unknown): string =>
  withSubject(
    String(sentence)
      .replace(' did not hold ', ' did not sustain ')
      .replace(' held ', ' sustained ')
      .replace(' seems to hold ', ' seems to sustain ')
      .replace(' holds ', ' sustains ')
      .replace(' requests a second', ' req/s')
      .replace('; what limited it: ', '; limited by '),
    workload as { name: string; title: string } | undefined,
  );

/** Of a comparison; metrics have other names since. */
export const comparisonSentence = (sentence: string): string =>
  sentence.replace(/^By right replies a second of /, 'By expected responses per second of ');

function withSubject(sentence: string, workload?: { name: string; title: string }): string {
  const rest =
    workload && sentence.startsWith(`${workload.title} `)
      ? sentence.slice(workload.title.length + 1)
      : null;
  const [, stated] =
    /^((?:did not sustain|seems to sustain|sustain(?:s|ed)) (?:[\d.]+ req\/s|\d+ clients? \([\d.]+ req\/s\)))/.exec(
      rest ?? '',
    ) ?? [];
  if (rest === null || stated === undefined || workload === undefined) return sentence;
  return `n8n ${stated} of ${workloadName(workload)}${rest.slice(stated.length)}`;
}
