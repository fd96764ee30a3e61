// Plans that are published must be plans that can be measured.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Cell } from '../../../../cli/src/features/sweep/plan/cells';
import { cellsOf, changedDimensions } from '../../../../cli/src/features/sweep/plan/plan-cells';
import {
  DIMENSIONS,
  quickPlan,
  type SweepPlan,
} from '../../../../cli/src/features/sweep/plan/plan';
import { parseSweepPlan } from '../../../../cli/src/features/sweep/plan/plan';
import { wordsOf } from '../../../../cli/src/features/study/plan';
import { readStudies } from '../../../../cli/src/features/study/studies';
import { programOf } from '../../../../cli/src/program';
import { workloadOf } from '../../../../cli/src/features/sweep/measure-cell';
import { prepareSweep } from '../../../../cli/src/features/sweep/prepare';
import type { Deployer } from '../../../../cli/src/targets/deploy';

const STUDIES = join(__dirname, '../../../../studies');
const workflows = join(__dirname, '../../../../workflows');
/** Those of the sweeps of all studies, from the folder of the studies. */
const files = readdirSync(STUDIES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^[\w-]+\/[\w-]+\.yaml$/.test(file))
  .filter((file) => /^measure:/m.test(readFileSync(join(STUDIES, file), 'utf8')));

const anywhere: Deployer = {
  loadsFromHere: true,
  cannot: () => null,
  cannotServe: () => null,
  deploy: () => {
    throw new Error('nothing is deployed here');
  },
};

test('there are studies to look at', () => {
  expect(files.length).toBeGreaterThan(3);
});

test.each(files)('%s', (name) => {
  const plan = parseSweepPlan(readFileSync(join(STUDIES, name), 'utf8'), name);
  const { possible, skipped } = cellsOf(plan);
  expect(possible.length).toBeGreaterThanOrEqual(4);
  // More are not plotted; cells that are listed one by one are drawn by a page of their own.
  if (plan.cells === undefined) expect(heatMapsOf(possible)).toBeLessThanOrEqual(12);
  // A study is no place for cells that never could be, but for one that says why.
  expect(new Set(skipped.map(({ reason }) => reason)).size).toBeLessThanOrEqual(1);
  for (const cell of possible)
    expect(
      workloadOf(cell, { workflows, planFolder: join(STUDIES, dirname(name)) }).requests,
    ).not.toEqual([]);
  const wanted = Object.entries(plan.control ?? {});
  expect(possible.some((cell) => wanted.every(([key, value]) => cell[key] === value))).toBe(true);
});

/** The heat maps of each metric: one for each combination of values beyond the two dimensions with most of them. */
const heatMapsOf = (cells: readonly Cell[]): number =>
  changedDimensions(cells)
    .map((name) => new Set(cells.map((cell) => cell[name])).size)
    .sort((a, b) => b - a)
    .slice(2)
    .reduce((product, values) => product * values, 1);

const quick = files.flatMap((name) => {
  const plan = quickPlan(parseSweepPlan(readFileSync(join(STUDIES, name), 'utf8'), name));
  return plan === null ? [] : [[name, plan] as const];
});

test.each(quick)('%s --quick is thought to take less than 3 minutes', (name, plan) => {
  const { steps, estimatedSeconds } = prepareSweep(plan, name, [], anywhere);
  expect(steps.length).toBeGreaterThan(0);
  expect(estimatedSeconds).toBeLessThan(180);
});

describe.each(readStudies(STUDIES))(
  'study $name',
  ({ code, plan: { parts, quick: short = {}, needs } }) => {
    const root = join(STUDIES, '..');
    const all = [...Object.entries(parts), ...Object.entries(short)];
    const words = all.flatMap(([, { commands }]) => commands.map((text) => wordsOf(text, 'out')));

    test('consists of commands, options and files that exist', () => {
      const { commands } = programOf();
      for (const [program, name = '', ...rest] of words) {
        const known = commands.find((one) => one.name() === name)?.options.map(({ long }) => long);
        if (program === 'n8n-tuned') {
          for (const word of rest) if (word.startsWith('--')) expect(known).toContain(word);
        }
        const files = [name, ...rest].filter((word) => word.startsWith('studies/'));
        expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
      }
    });

    test('writes into the folder that it is given, each part into that of its name', () => {
      for (const [name, { commands }] of all) {
        for (const text of commands) {
          const command = wordsOf(text, 'out');
          const out = command[command.indexOf('--out') + 1];
          expect(command[1] === 'sweep' ? `out/${planOf(command).file}` : out).toBe(`out/${name}`);
        }
      }
      expect(all.length > 0 || code !== null).toBe(true);
    });

    test('takes about as long as it says', () => {
      for (const [, { minutes, commands }] of all) {
        const sweeps = commands.flatMap((text) => {
          const command = wordsOf(text, 'out');
          return command[1] === 'sweep' ? [planOf(command).plan] : [];
        });
        const seconds = sweeps.reduce((sum, plan) => sum + secondsOf(plan), 0);
        expect(seconds).toBeLessThanOrEqual(60 * minutes);
      }
      const minutes = Object.values(short).reduce((sum, part) => sum + part.minutes, 0);
      expect(minutes).toBeLessThanOrEqual(3);
    });

    test('needs tools that the lab has', () => {
      const tools = readFileSync(join(root, 'lab/tools.sh'), 'utf8');
      expect(needs.filter((tool) => !tools.includes(`\ntool_${tool}() {\n`))).toEqual([]);
    });

    const secondsOf = (plan: SweepPlan): number =>
      prepareSweep(plan, 'a', [], anywhere).estimatedSeconds;

    function planOf(command: readonly string[]): { file: string; plan: SweepPlan } {
      const file = command[command.indexOf('-f') + 1] ?? '';
      const whole = parseSweepPlan(readFileSync(join(root, file), 'utf8'), file);
      const plan = command.includes('--quick') ? quickPlan(whole) : whole;
      if (plan === null) throw new Error(`${file} has no quick`);
      return { file: `${basename(file, '.yaml')}${plan === whole ? '' : '-quick'}`, plan };
    }
  },
);

describe('the README of the studies', () => {
  const readme = readFileSync(join(STUDIES, 'README.md'), 'utf8');

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
