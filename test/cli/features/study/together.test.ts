// What loads something at the same time begins together: none before all of them are ready or have ended.
import { existsSync } from 'node:fs';
import { Together } from '../../../../cli/src/features/study/rounds';
import { pause } from '../../../support/wait';

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
