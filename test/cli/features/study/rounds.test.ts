// Rounds of parts: the next one begins when the loads of the one before are over, and never three are under way.
import { BesideOthers, inRounds, Together } from '../../../../cli/src/features/study/rounds';
import { pause } from '../../../support/wait';
import { existsSync } from 'node:fs';

/** What happened, in order. A round is [name, its load takes so long, it ends after so long], in looks of 20 ms. */
async function happened(given: [string, number, number][], alone = ''): Promise<string[]> {
  const seen: string[] = [];
  const after = (looks: number): Promise<void> => pause(20 * looks, 'the length of a round');
  const left = given.map(([name, load, end]) => ({ name, load, end }));
  await inRounds({
    next: () => left.splice(0, 1),
    wantsAll: ([first]) => first?.name === alone,
    begin: ([{ name, load, end } = { name: '', load: 0, end: 0 }]) => {
      seen.push(`begin ${name}`);
      const ended = after(end).then(() => {
        seen.push(`end ${name}`);
        if (name === 'x') throw new Error('it broke');
      });
      return { loaded: after(load), ended };
    },
  }).catch(({ message }: Error) => seen.push(message));
  return seen;
}

test('a round begins when the loads of the one before are over', async () => {
  expect(
    await happened([
      ['a', 2, 10],
      ['b', 20, 30],
    ]),
  ).toEqual(['begin a', 'begin b', 'end a', 'end b']);
});

test('a round that ends before its loads would be over is not waited for any longer', async () => {
  expect(
    (
      await happened([
        ['a', 60, 2],
        ['b', 1, 2],
      ])
    ).slice(0, 3),
  ).toEqual(['begin a', 'end a', 'begin b']);
});

test('no third round begins while two are under way', async () => {
  expect(
    await happened([
      ['a', 2, 20],
      ['b', 2, 30],
      ['c', 2, 4],
    ]),
  ).toEqual(['begin a', 'begin b', 'end a', 'begin c', 'end c', 'end b']);
});

test('one that wants the machine for itself waits until nothing is under way', async () => {
  expect(
    await happened(
      [
        ['a', 2, 10],
        ['b', 6, 6],
        ['c', 1, 2],
      ],
      'b',
    ),
  ).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
});

test('what goes wrong in a round is told, and no other begins', async () => {
  expect(
    await happened([
      ['x', 2, 6],
      ['b', 10, 20],
      ['c', 1, 1],
    ]),
  ).toEqual(['begin x', 'begin b', 'end x', 'it broke']);
});

describe('beside a part, as many of other rounds were under way', () => {
  /** What each says at its end. A step is a part of the round that its letter names, or its end. */
  function beside(...steps: string[]): Record<string, number> {
    const all = new BesideOthers();
    const up = new Map<string, ReturnType<BesideOthers['begins']>>();
    const said: Record<string, number> = {};
    for (const step of steps) {
      const [name = '', ends] = step.split(' ');
      const begun = up.get(name);
      if (ends === 'ends' && begun !== undefined) said[name] = all.ends(begun);
      else up.set(name, all.begins(name[0]));
    }
    return said;
  }

  test('none while its own round is alone', () => {
    expect(beside('a1', 'a2', 'a1 ends', 'a2 ends', 'b1', 'b1 ends')).toEqual({
      ...{ a1: 0, a2: 0, b1: 0 },
    });
  });

  test('the most at once, of the round before and of the one after', () => {
    const steps = ['a1', 'a2', 'b1', 'b2', 'b3', 'a1 ends', 'a2 ends', 'c1', 'b1 ends', 'b2 ends'];
    expect(beside(...steps, 'b3 ends', 'c1 ends')).toEqual({
      ...{ a1: 3, a2: 3, b1: 2, b2: 2, b3: 2, c1: 3 },
    });
  });
});

// What loads something at the same time begins together: none before all of them are ready or have ended.
const after = (ms: number): Promise<void> => pause(ms, 'nothing may happen in this time');

/** Whether the file is there after each step of a, b and c, and after the end. */
async function thereAfter(steps: string[]): Promise<boolean[]> {
  const all = new Together(['a', 'b', 'c'], 0);
  const there: boolean[] = [];
  for (const step of steps) {
    const [name = '', says] = step.split(' ');
    if (says === undefined) all.isReady(name);
    else all.hears(name, says === 'file' ? `waiting for ${all.file}\n` : says);
    await after(20);
    there.push(existsSync(all.file));
  }
  all.end();
  return [...there, existsSync(all.file)];
}

test.each([
  [
    ['a file', 'b file', 'c file'],
    [false, false, true, false],
  ],
  // One that ended was at fault or is over; the others do not wait for it.
  [
    ['a file', 'b', 'c file'],
    [false, false, true, false],
  ],
  // Twice the same one, and other progress.
  [
    ['a file', 'a file', 'b starting', 'b file', 'c file', 'a'],
    [false, false, false, false, true, true, false],
  ],
])('after %j the file is there: %j', async (steps, there) => {
  expect(await thereAfter(steps)).toEqual(there);
});

test('its loads are over only some time after the last of them was ready', async () => {
  const all = new Together(['a', 'b'], 0);
  const said: string[] = [];
  const loaded = all.isLoadedFor(-15).then(() => said.push('over'));
  all.isReady('a');
  await after(50);
  said.push('one is ready');
  all.isReady('b');
  await loaded;
  all.end();
  expect(said).toEqual(['one is ready', 'over']);
});
