// The messages that docs/troubleshooting.md explains are those that the command prints.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textsOf } from './texts';

const root = join(__dirname, '../..');
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8');
const part = /## Before any load\n([^]*?)\n## /.exec(page)?.[1] ?? '';
const messages = [...part.matchAll(/^\| `([^`]+)`/gm)].map(([, message]) => message ?? '');

const sources = execFileSync('git', ['ls-files', 'cli/src/*.ts', 'loadtests/*.ts'], {
  cwd: root,
  encoding: 'utf8',
});
const texts = sources
  .split('\n')
  .filter((file) => file !== '')
  .flatMap((file) => textsOf(file, readFileSync(join(root, file), 'utf8')))
  .map(({ text }) => text);

test('the page explains more than a dozen messages', () => {
  expect(messages.length).toBeGreaterThan(12);
});

test.each(messages)('%s', (message) => {
  const unknown = message
    .split('…')
    .map((words) => words.trim())
    .filter((words) => words !== '' && !texts.some((text) => text.includes(words)));
  expect(unknown).toEqual([]);
});
