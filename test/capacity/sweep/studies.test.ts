// Plans that are published must be plans that can be measured.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cellsOf, changedDimensions } from '../../../capacity/src/plan/sweep-plan-cells';
import { DIMENSIONS, quickPlan } from '../../../capacity/src/plan/sweep-plan';
import { parseSweepPlan } from '../../../capacity/src/plan/sweep-plan-file';
import { workloadOf } from '../../../capacity/src/sweep/measure-cell';
import { prepareSweep } from '../../../capacity/src/sweep/prepare';
import type { Deployer } from '../../../capacity/src/targets/deploy';

const STUDIES = join(__dirname, '../../../studies');
const workflows = join(__dirname, '../../../workflows');
const files = readdirSync(STUDIES).filter((name) => name.endsWith('.yaml'));

const anywhere: Deployer = {
  loadsFromHere: true,
  cannot: () => null,
  cannotServe: () => null,
  deploy: () => {
    throw new Error('nothing is deployed here');
  },
};

test('there are some', () => {
  expect(files.length).toBeGreaterThan(3);
});

test.each(files)('%s', (name) => {
  const plan = parseSweepPlan(readFileSync(join(STUDIES, name), 'utf8'), name);
  const { possible, skipped } = cellsOf(plan);
  expect(possible.length).toBeGreaterThanOrEqual(4);
  expect(changedDimensions(possible).length).toBeLessThanOrEqual(3);
  // A study is no place for cells that never could be, but for one that says why.
  expect(new Set(skipped.map(({ reason }) => reason)).size).toBeLessThanOrEqual(1);
  for (const cell of possible)
    expect(workloadOf(cell, { workflows, planFolder: STUDIES }).requests).not.toEqual([]);
  const wanted = Object.entries(plan.control ?? {});
  expect(possible.some((cell) => wanted.every(([key, value]) => cell[key] === value))).toBe(true);
});

const quick = files.flatMap((name) => {
  const plan = quickPlan(parseSweepPlan(readFileSync(join(STUDIES, name), 'utf8'), name));
  return plan === null ? [] : [[name, plan] as const];
});

test.each(quick)('%s --quick is thought to take less than 3 minutes', (name, plan) => {
  const { steps, estimatedSeconds } = prepareSweep(plan, name, [], anywhere);
  expect(steps.length).toBeGreaterThan(0);
  expect(estimatedSeconds).toBeLessThan(180);
});

describe('the README of the studies', () => {
  const readme = readFileSync(join(STUDIES, 'README.md'), 'utf8');

  test('names every plan', () => {
    for (const name of files) expect(readme).toContain(`\`${name}\``);
  });

  test('has a row for every dimension', () => {
    const rows = readme.slice(readme.indexOf('## Dimensions')).match(/^\| `[\w.]+`/gm) ?? [];
    const named = rows.map((row) => row.slice(3, -1));
    expect(named.sort()).toEqual([...DIMENSIONS, 'env.NAME', 'param.NAME'].sort());
  });

  test('shows a plan that is one', () => {
    const [, example] = /```yaml\n([\s\S]*?)```/.exec(readme) ?? [];
    expect(cellsOf(parseSweepPlan(example ?? '', 'README.md')).possible).toHaveLength(6);
  });
});
