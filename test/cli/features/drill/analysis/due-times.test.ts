import fc from 'fast-check';
import { dueTimes } from '../../../../../cli/src/features/drill/analysis/due-times';
import type { Effect } from '../../../../../cli/src/analysis/effects';

const START = Date.parse('2026-11-21T10:00:00.000Z');
const at = (seconds: number, lateMs = 0): Effect => ({
  ...{ step: 'done', id: `due-${String(START + 1000 * seconds + lateMs)}` },
});
const window = (fromSeconds: number, toSeconds: number): Parameters<typeof dueTimes>[1] => ({
  ...{ everySeconds: 2, fromMs: START + 1000 * fromSeconds, toMs: START + 1000 * toSeconds },
});

test('due times are executed once, more than once or never, whatever else was done outside', () => {
  const others: Effect[] = [
    ...[at(-2), at(12)],
    ...(['begun', 'done'] as const).map((step) => ({ step, id: 'run-0-1' })),
    ...[{ step: 'begun' as const, id: `due-${String(START + 8000)}` }],
    ...[{ step: 'done' as const, id: 'due-soon' }],
  ];
  const effects = [at(0, 7), at(2), at(4, 40), at(4, 300), at(10, 1999 - 100), ...others];
  expect(dueTimes(effects, window(-1, 11.5))).toEqual({
    ...{ everySeconds: 2, due: 6, once: 3 },
    repeated: { times: 1, at: ['2026-11-21T10:00:04.000Z'] },
    never: { times: 2, at: ['2026-11-21T10:00:06.000Z', '2026-11-21T10:00:08.000Z'] },
  });
});

test('a timer that fires a moment early is not that of the due time before', () => {
  const { once, due } = dueTimes([at(0), at(2, -1), at(4, -20)], window(0, 6));
  expect([once, due]).toEqual([3, 3]);
});

test('the begin of the window counts and its end does not, and none in it is none', () => {
  expect(dueTimes([], window(0, 4)).due).toBe(2);
  expect(dueTimes([], window(0.001, 4.001)).due).toBe(2);
  expect(dueTimes([], window(5, 4))).toMatchObject({ due: 0, once: 0, never: { times: 0 } });
});

test('what was planted is counted exactly', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.integer({ min: -100, max: 1899 }), { maxLength: 3 }), { maxLength: 60 }),
      fc.integer({ min: -1999, max: 0 }),
      (turns, beforeMs) => {
        const effects = turns.flatMap((late, turn) => late.map((ms) => at(2 * turn, ms)));
        const to = 2 * turns.length;
        const seen = dueTimes(effects, window(beforeMs / 1000, to));
        const having = (is: (count: number) => boolean): number =>
          turns.filter(({ length }) => is(length)).length;
        expect([seen.due, seen.once, seen.repeated.times, seen.never.times]).toEqual([
          ...[turns.length, having((count) => count === 1)],
          ...[having((count) => count > 1), having((count) => count === 0)],
        ]);
        expect(seen.never.at.length).toBe(Math.min(20, seen.never.times));
      },
    ),
  );
});
