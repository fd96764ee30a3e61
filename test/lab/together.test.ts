// What loads something at the same time begins together: none before all of them are ready or have ended.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { told } from '../support/told';

const together = pathToFileURL(join(repositoryRoot(), 'studies/together.mjs')).href;

/** Whether the file is there after each step of a, b and c, and after the end. */
const thereAfter = (steps: string[]): boolean[] =>
  told(
    together,
    `await (async () => {
      const { existsSync } = await import('node:fs');
      const all = new it.Together(['a', 'b', 'c'].map((name) => ({ name })), 0);
      const there = [];
      for (const step of input) {
        const [name, says] = step.split(' ');
        if (says === undefined) all.isReady({ name });
        else all.hears({ name }, says === 'file' ? 'waiting for ' + all.file + '\\n' : says);
        await new Promise((resolve) => setTimeout(resolve, 20));
        there.push(existsSync(all.file));
      }
      all.end();
      return [...there, existsSync(all.file)];
    })()`,
    steps,
  );

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
])('after %j the file is there: %j', (steps, there) => {
  expect(thereAfter(steps)).toEqual(there);
});

test('its loads are over only some time after the last of them was ready', () => {
  const said = told<string[]>(
    together,
    `await (async () => {
      const all = new it.Together([{ name: 'a' }, { name: 'b' }], 0);
      const said = [];
      const loaded = all.isLoadedFor(-15).then(() => said.push('over'));
      all.isReady({ name: 'a' });
      await new Promise((resolve) => setTimeout(resolve, 50));
      said.push('one is ready');
      all.isReady({ name: 'b' });
      await Promise.all([loaded, new Promise((resolve) => setTimeout(resolve, 50))]);
      all.end();
      return said;
    })()`,
    null,
  );
  expect(said).toEqual(['one is ready', 'over']);
});
