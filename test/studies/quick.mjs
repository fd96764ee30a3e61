#!/usr/bin/env node
// Repeats one study with --quick in a folder of its own: all its commands have to run to their ends, and nothing that
// they start may crash. What is measured decides nothing: the machine may be busy.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [name] = process.argv.slice(2);
const root = resolve(import.meta.dirname, '../..');
const out = mkdtempSync(join(tmpdir(), 'n8n-tuned-study-'));
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
try {
  const args = ['cli/dist/cli.js', 'study', name, '--quick', '--json', '--out', out];
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' });
  const study = files.find((file) => file.endsWith('study.json'));
  const isWhole = study !== undefined && readJson(join(out, study)).isWhole;
  const crashed = files
    .filter((file) => file.endsWith('cell.json'))
    .map((file) => readJson(join(out, file)))
    .filter(({ outcome }) => outcome === 'crashed');
  for (const { id, sentence } of crashed) console.error(`${id}: ${sentence}`);
  console.log(`${name}: exit code ${status}, ${isWhole ? 'whole' : 'broken off'}`);
  process.exitCode = isWhole && crashed.length === 0 ? 0 : 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
