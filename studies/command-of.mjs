// How a record was made, as it is kept in the record: the command, from the root of the repository.
import { basename, isAbsolute, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Of a word that a shell takes as it is. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** `script`: import.meta.filename of what writes the record. Of where this machine keeps things nothing is left. */
export const commandOf = (script, args = process.argv.slice(2)) =>
  ['node', script, ...args].map(withoutPlace).map(quoted).join(' ');

function withoutPlace(word) {
  if (!isAbsolute(word)) return word;
  const within = relative(root, word);
  return within.startsWith('..') ? basename(word) : within;
}

const quoted = (word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
