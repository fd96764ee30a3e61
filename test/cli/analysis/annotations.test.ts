import {
  drillAnnotations,
  findAnnotations,
  runAnnotations,
} from '../../../cli/src/analysis/annotations';
import { sampleDrill } from '../../support/sample-drill';
import { sampleSearch } from '../../support/sample-find';
import { sampleRun } from '../../support/sample-run';

test('an annotation marks a run from when its load began, with its verdict', () => {
  const { record } = sampleRun();
  const [mark, ...others] = runAnnotations({ ...record, loadBeganAt: '2026-01-01T00:00:10Z' });
  expect(others).toEqual([]);
  expect(mark).toMatchObject({
    fromMs: Date.parse('2026-01-01T00:00:10Z'),
    toMs: Date.parse(record.endedAt),
    text: record.verdict.sentence,
  });
});

test('an annotation marks a search as a whole', () => {
  const record = sampleSearch();
  expect(findAnnotations(record)).toMatchObject([
    { fromMs: Date.parse(record.startedAt), toMs: Date.parse(record.endedAt) },
  ]);
});

test('an annotation marks a drill, and the moment of its fault', () => {
  const { record } = sampleDrill();
  const [whole, ...faults] = drillAnnotations(record, { loadBeganAt: '2026-01-01T00:00:10Z' });
  expect(whole?.toMs).toBe(Date.parse(record.endedAt));
  expect(faults).toMatchObject(
    record.fault.done.map(({ tMs, text }) => ({
      fromMs: Date.parse('2026-01-01T00:00:10Z') + tMs,
      text,
    })),
  );
  expect(faults.length).toBeGreaterThan(0);
});

test('an annotation marks no fault of which nobody knows when it was', () => {
  expect(drillAnnotations(sampleDrill().record, {})).toHaveLength(1);
});
