/** What records of schema version 1 said, in the words of version 2. */
import type { Outcome } from './record';

type Older = Record<string, unknown>;

const OUTCOMES: Record<string, Outcome> = { held: 'sustained', failed: 'not sustained' };

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
      sentence: sentenceOf(verdict['sentence']),
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
    sentence: sentenceOf(older['sentence']),
    probes: probes.map((probe) => ({
      ...probe,
      result: outcomeOf(probe['result']),
      sentence: sentenceOf(probe['sentence']),
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

/** Its words only: what a sentence states stays as it was recorded. */
const sentenceOf = (sentence: unknown): string =>
  String(sentence)
    .replace(' did not hold ', ' did not sustain ')
    .replace(' held ', ' sustained ')
    .replace(' seems to hold ', ' seems to sustain ')
    .replace(' holds ', ' sustains ')
    .replace(' requests a second', ' req/s')
    .replace('; what limited it: ', '; limited by ');
