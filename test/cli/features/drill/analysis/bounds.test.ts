import {
  boundOf,
  boundOfFaults,
  faultsAtRisk,
  losingFaults,
  repeatingFaults,
  summed,
} from '../../../../../cli/src/features/drill/analysis/bounds';
import { sampleDrill } from '../../../../support/sample-drill';
import type {
  DrillFault,
  DrillLedger,
  Moment,
  Victim,
} from '../../../../../cli/src/features/drill/record';

const { record } = sampleDrill();
const done = [1, 2, 3].map((turn) => ({ tMs: 20_000 * turn, text: 'SIGKILL of worker-1' }));
const once: DrillFault = { ...record.fault, done: done.slice(0, 1) };
delete once.victims;
const repeated: DrillFault = { ...once, done, everySeconds: 20 };

describe('the share of faults that may cost something in truth', () => {
  test('after none did is the rule of three', () => {
    for (const faults of [100, 1_000, 100_000]) {
      expect(boundOfFaults(0, faults) * faults).toBeGreaterThan(2.9);
      expect(boundOfFaults(0, faults)).toBeLessThan(3 / faults);
    }
    expect(boundOfFaults(0, 1)).toBeCloseTo(0.95);
    expect(boundOfFaults(0, 3)).toBeCloseTo(0.632);
    expect(boundOfFaults(0, 0)).toBe(1);
  });

  test.each([
    [1, 12, 0.3387],
    [1, 30, 0.1486],
    [3, 10, 0.6066],
    [10, 10, 1],
  ])('after %d of %d did is that of Clopper and Pearson: %d', (costly, faults, bound) => {
    expect(boundOfFaults(costly, faults)).toBeCloseTo(bound, 3);
  });
});

describe('the faults that put something at risk', () => {
  const victim = { tMs: 20_000, name: 'worker-1' };
  const of = (victims: Victim[], fault = repeated): number => faultsAtRisk({ ...fault, victims });

  test('are all of them where none tells what it hit', () => {
    expect([faultsAtRisk(once), faultsAtRisk(repeated)]).toEqual([1, 3]);
  });

  test('are none whose victim was idle, or does not tell', () => {
    expect(of([2, 0, 1].map((executions) => ({ ...victim, executions })))).toBe(2);
    expect(of([2, null, 1].map((executions) => ({ ...victim, executions })))).toBe(2);
    expect(of([{ ...victim, executions: 0 }], once)).toBe(0);
  });

  test('are those of which one of several victims was busy', () => {
    const silent = [0, 1, 2].map((turn) => ({ ...victim, turn, executions: 0 }));
    const busy = silent.map((one) => ({ ...one, executions: 2 }));
    expect(of([...silent, ...busy])).toBe(3);
    expect(of([...silent, ...busy.slice(0, 1)])).toBe(1);
    expect(
      of(
        [0, 2, 0].map((executions) => ({ ...victim, turn: 0, executions })),
        once,
      ),
    ).toBe(1);
  });

  test('are those of a fault that is made of others, as a soak, each of its turns', () => {
    const turns = [1, 2, 3, 4].map((turn) => ({ fromMs: 20_000 * turn, toMs: null }));
    expect(faultsAtRisk({ ...once, turns })).toBe(4);
  });
});

describe('the faults that cost something', () => {
  const moment = (lost: number, doneTwice = 0): Moment => ({ tMs: 1, atRisk: 4, lost, doneTwice });
  const drill = (
    given: Partial<DrillLedger>,
    fault = repeated,
  ): Pick<typeof record, 'fault' | 'ledger'> => ({
    fault,
    ledger: { ...record.ledger, lost: 0, ...given },
  });

  test('are those to which a loss or a repeat is put down', () => {
    const both = drill({ lost: 5, moments: [moment(5), moment(0, 2), moment(0, 1)] });
    expect(losingFaults(both)).toEqual({ faults: 3, costly: 1, isAtMost: false });
    expect(repeatingFaults(both, 3)).toEqual({ faults: 3, costly: 2, isAtMost: false });
  });

  test('are as many as there can have been where the record does not tell which', () => {
    expect(losingFaults(drill({ lost: 2 }))).toEqual({ faults: 3, costly: 2, isAtMost: true });
    expect(losingFaults(drill({ lost: 9 }))).toMatchObject({ faults: 3, costly: 3 });
    expect(losingFaults(drill({ lost: 1 }))).toMatchObject({ costly: 1, isAtMost: false });
    expect(losingFaults(drill({ lost: 9 }, once))).toMatchObject({ faults: 1, isAtMost: false });
    const elsewhere = drill({ lost: 2, moments: [moment(1), moment(0), moment(0)] });
    expect(losingFaults(elsewhere)).toEqual({ faults: 3, costly: 2, isAtMost: true });
  });

  test('are not known as long as requests are', () => {
    const classes = { ...record.ledger.classes, running: { requests: 1, ids: [] } };
    expect(losingFaults(drill({ classes }))).toBeNull();
  });

  test('add up over drills', () => {
    const sum = summed([
      { faults: 10, costly: 0, isAtMost: false },
      { faults: 2, costly: 1, isAtMost: true },
    ]);
    expect(sum).toEqual({ faults: 12, costly: 1, isAtMost: true });
    expect(boundOf(sum)).toBeCloseTo(0.339, 3);
  });
});
