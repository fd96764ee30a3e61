// What limited a measurement reads the same wherever several of them are reported: name, figures, what came next.
import {
  limitOfFind,
  limitText,
  commonLimitText,
} from '../../../../cli/src/analysis/limits/limit-seen';
import type { LimitSeen } from '../../../../cli/src/record/run-record';
import { NOTHING_SEEN } from '../../../../cli/src/features/compare/report/seen';
import { sampleComparison } from '../../../support/sample-compare';
import { sampleSearch } from '../../../support/sample-find';
import { compareDocument } from '../../../../cli/src/features/compare/report/document';
import { findDocument } from '../../../../cli/src/features/find/report/document';
import { renderMarkdown } from '../../../../cli/src/report/text/markdown';
import { renderTerminal } from '../../../../cli/src/report/text/terminal';

const style = { width: 4_000, colour: false };
const limit = limitOfFind(sampleSearch());
const other: LimitSeen = {
  limit: { role: 'host', resource: 'CPU' },
  evidence: 'the machine used 2 of 2 cores',
  next: null,
};
const SENTENCE = 'main event loop: main used 0.97 of its one thread; next host CPU';

test('a search names its limit with the figures of the lowest rate that it limited', () => {
  expect(limitText(limit)).toBe(SENTENCE);
  expect(limitText({ limit: null, evidence: null, next: null })).toBe('nothing that was measured');
  expect(renderTerminal(findDocument(sampleSearch()), style)).toContain(SENTENCE);
});

test('runs that repeat each other share what limited most of them, and the others are named', () => {
  expect(commonLimitText([])).toBeNull();
  expect(commonLimitText([limit, limit])).toBe(SENTENCE);
  expect(commonLimitText([other, limit, limit])).toBe(
    `${SENTENCE} (in 2 of 3 runs; host CPU in 1)`,
  );
});

test('a comparison says it of each side', () => {
  const sample = sampleComparison();
  const record = {
    ...sample,
    a: { ...sample.a, limits: [limit, limit, null, limit] },
    b: { ...sample.b, limits: [other, other, other, other] },
  };
  for (const text of [
    renderTerminal(compareDocument(record), style),
    renderMarkdown(compareDocument(record, NOTHING_SEEN)),
  ]) {
    expect(text).toContain(SENTENCE);
    expect(text).toContain('host CPU: the machine used 2 of 2 cores');
  }
  // Records of earlier versions have none.
  expect(renderTerminal(compareDocument(sample), style)).not.toContain('Limit of A');
});
