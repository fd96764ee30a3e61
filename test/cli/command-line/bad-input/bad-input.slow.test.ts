/** Whatever is given in place of good input: one sentence, an exit code that is not 0, no stack trace, no wait. */
import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawn } from '../../../support/properties';
import { Caller } from './caller';
import { ROWS } from './rows';

/** `N8N_TUNED_BAD_INPUT=table.tsv` keeps what each row said: title, exit code, sentence. */
const TABLE = process.env['N8N_TUNED_BAD_INPUT'];

let root: string;
let caller: Caller;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'bad-input-'));
  // What is refused is refused before any load is made, and before anything is deployed.
  for (const program of ['k6', 'helm']) {
    writeFileSync(join(root, program), '#!/bin/sh\nexit 1\n');
    chmodSync(join(root, program), 0o755);
  }
  caller = new Caller();
});

afterAll(() => {
  caller.end();
  rmSync(root, { recursive: true, force: true });
});

const emptyFolders = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((one) => readdirSync(one).length === 0);

test('no two rows have one title', () => {
  expect(new Set(ROWS.map(({ title }) => title)).size).toBe(ROWS.length);
});

const rows = drawn(ROWS.length).flatMap((index) => ROWS[index] ?? []);

test.each(rows.map((row) => [row.title, row] as const))('%s', async (title, row) => {
  const folder = mkdtempSync(join(root, 'row-'));
  row.make(folder);
  const before = emptyFolders(folder);
  const told = await caller.call({
    ...{ folder, words: row.call.map((word) => word.replace(/@(?=$|\/)/, folder)) },
    env: {
      PATH: `${root}:${process.env['PATH'] ?? ''}`,
      N8N_TUNED_CACHE: process.env['N8N_TUNED_CACHE'] ?? '',
      ...row.env,
    },
  });
  const said = told?.stderr.replaceAll(folder, '@').trim() ?? 'it hung';
  if (TABLE !== undefined) {
    appendFileSync(TABLE, `${title}\t${String(told?.code)}\t${said.replaceAll('\n', ' | ')}\n`);
  }
  expect({ code: told?.code, said }).toEqual({
    code: row.code,
    said: expect.stringMatching(row.says) as string,
  });
  expect(said).not.toMatch(/^\s+at |Cannot read|Cannot destructure|is not a function|\[object/m);
  // eslint-disable-next-line no-control-regex
  expect(said).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ufffd]/);
  expect(emptyFolders(folder)).toEqual(before);
  if (row.code !== 0) expect(told?.stdout).not.toMatch(/sustained/i);
});
