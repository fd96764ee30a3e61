#!/usr/bin/env node
// Writes the parts of README.md that follow from records and from the lab; with --check it only says whether that is needed.
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { fileURLToPath } from 'node:url';
import { findings } from './readme/findings.mjs';
import { needs } from './readme/needs.mjs';
import { output } from './readme/output.mjs';
import { filled } from './readme/parts.mjs';

const file = fileURLToPath(new URL('../../README.md', import.meta.url));
const written = readFileSync(file, 'utf8');
const page = await format(
  filled(written, { output: await output(), findings: findings(), needs: needs() }),
  { ...(await resolveConfig(file)), parser: 'markdown' },
);

if (!process.argv.includes('--check')) {
  writeFileSync(file, page);
} else if (written !== page) {
  console.error('README.md is out of date: run npm run generate');
  process.exit(1);
}
