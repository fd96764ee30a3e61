// The messages that docs/troubleshooting.md explains are those that the command prints.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textsOf } from './texts';

const root = join(__dirname, '../..');
const page = readFileSync(join(root, 'docs/troubleshooting.md'), 'utf8');
/** Below it, the page is of leftovers and of the chart. */
const part = /## Before any load\n([^]*?)\n## Leftovers/.exec(page)?.[1] ?? '';
const messages = [...part.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, message]) => message ?? ''),
);

const sources = execFileSync('git', ['ls-files', 'cli/src/*.ts', 'loadtests/*.ts'], {
  cwd: root,
  encoding: 'utf8',
});
const texts = sources
  .split('\n')
  .filter((file) => file !== '')
  .flatMap((file) => textsOf(file, readFileSync(join(root, file), 'utf8')))
  .map(({ text }) => text);

test('the page explains more than a dozen messages, before and after the load', () => {
  expect(messages.length).toBeGreaterThan(15);
  expect(messages).toContain('login page');
});

test.each(messages)('%s', (message) => {
  const unknown = message
    .split('…')
    .map((words) => words.trim())
    .filter((words) => words !== '' && !texts.some((text) => text.includes(words)));
  expect(unknown).toEqual([]);
});
