import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '../../../../cli/src/analysis/statistics/random';
import {
  groupsOf,
  leftOut,
  sizes,
  type Group,
} from '../../../../cli/src/features/predict/analysis/answer';
import { readMeasurements } from '../../../../cli/src/features/predict/read';
import type { ScaleName } from '../../../../cli/src/features/predict/analysis/scale';

const studies = join(__dirname, '../../../../studies');

function recorded(study: string, over: ScaleName): Group {
  const folder = join(studies, study, 'results.jsonl.gz');
  expect(existsSync(folder)).toBe(true);
  const [group] = groupsOf(readMeasurements([folder]), over);
  if (group === undefined) throw new Error(`${folder} has no measurements over ${over}`);
  return group;
}

describe.each([['workers', 'workers']] as const)('the recorded sweep %s', (study, over) => {
  test('has sizes enough to leave one out', () => {
    expect(sizes(recorded(study, over)).length).toBeGreaterThanOrEqual(5);
  });

  // How near it comes is the record's to tell: one run a size, on cores whose speed changes.
  test('predicts each size from the others, none far off', () => {
    const group = recorded(study, over);
    const errors = leftOut(group, seededRandom(1));
    expect(errors.map(({ n }) => n)).toEqual(sizes(group));
    expect(errors.filter(({ error }) => Math.abs(error) > 0.25)).toEqual([]);
  });
});
