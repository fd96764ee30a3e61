// How a record was made: the command that studies write into their records.
import { join } from 'node:path';
import { commandOf as recordedCommandOf } from '../../studies/command-of.mjs';

const root = join(__dirname, '../..');
const commandOf = (args: string[]): string =>
  recordedCommandOf(join(root, 'studies/sessions/measure.mjs'), args);

test('the command of a record is called from the root of the repository', () => {
  expect(commandOf(['--rounds', '3'])).toBe('node studies/sessions/measure.mjs --rounds 3');
});

test('the command of a record has no place of this machine in it', () => {
  expect(commandOf([join(root, 'results/a'), '/somewhere/else'])).toBe(
    'node studies/sessions/measure.mjs results/a else',
  );
});

test('the command of a record can be given to a shell', () => {
  expect(commandOf(["it's one", ''])).toBe(`node studies/sessions/measure.mjs 'it'\\''s one' ''`);
});
