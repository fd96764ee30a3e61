import {
  firstFigures,
  predictSentence,
  predictTitle,
} from '../../../../../cli/src/features/predict/report/figures';
import { samplePrediction } from '../../../../support/sample-predict';
import { renderHtml } from '../../../../../cli/src/report/page/html';
import { predictDocument } from '../../../../../cli/src/features/predict/report/document';
import { renderMarkdown } from '../../../../../cli/src/report/text/markdown';
import { renderTerminal } from '../../../../../cli/src/report/text/terminal';

const known = samplePrediction();
const refused = samplePrediction(40);

test('the report of a prediction says how much of which workload, what bounds it, and how far from it was measured', () => {
  expect(predictTitle(known)).toBe('Predicted capacity of last-node with 6 workers');
  expect(predictSentence(known)).toMatch(
    /^n8n with 6 workers should sustain [\d.]+ req\/s of last-node \([\d.]+ to [\d.]+\), bounded by how n8n scales\.$/,
  );
  const figures = Object.fromEntries(firstFigures(known).map(({ name, value }) => [name, value]));
  expect(figures['Expected']).toMatch(/^[\d.]+\/s \([\d.]+ to [\d.]+\)$/);
  expect(figures['Bounded by']).toMatch(/^how n8n scales: scalability law over workers/);
  expect(figures['Next bound']).toMatch(/^the CPU, at 167\/s$/);
  expect(figures['Largest measured']).toMatch(/^[\d.]+\/s with 4 workers$/);
});

test('the report of a prediction says why a bound is missing', () => {
  const [reason = ''] = refused.refused;
  expect(reason).toContain('more than 3 times the largest size measured');
  expect(renderHtml(predictDocument(refused))).toContain(
    `<h2>What cannot be predicted</h2><ul><li>${reason}`,
  );
  expect(renderHtml(predictDocument(known))).not.toContain('What cannot be predicted');
});

test('every report has the sentence, and where it comes from', () => {
  const sentence = predictSentence(known);
  for (const text of [renderHtml(predictDocument(known)), renderMarkdown(predictDocument(known))]) {
    expect(text).toContain(sentence);
    for (const { source } of known.group.measurements) expect(text).toContain(source);
  }
  const terminal = renderTerminal(predictDocument(known), { width: 400, colour: false });
  expect(terminal).toMatch(/^EXPECTED {2}n8n with 6 workers/);
});

test('a bound far above what was measured does not press the picture to the ground', () => {
  const [picture] = predictDocument(known).pictures;
  if (picture?.kind !== 'line') throw new Error('it is no line');
  const shown = picture.series.flatMap(({ points }) =>
    points.flatMap(([, y, , high]) => [y, high]),
  );
  const highest = Math.max(...shown.map((value) => value ?? 0));
  // 1,200/s of slots stay in the figures.
  expect(known.bounds.some(({ ratePerSecond }) => ratePerSecond.value > 2 * highest)).toBe(true);
  for (const { axis, at } of picture.marks ?? []) {
    if (axis === 'y') expect(at).toBeLessThanOrEqual(2 * highest);
  }
  expect(picture.marks?.map(({ label }) => label)).toEqual(['asked for', 'CPU']);
});
