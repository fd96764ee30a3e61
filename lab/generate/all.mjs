#!/usr/bin/env node
// Until every caller says `npx tsx lab/generate/all.ts`.
import { spawnSync } from 'node:child_process';
const words = ['tsx', 'lab/generate/all.ts', ...process.argv.slice(2)];
process.exitCode = spawnSync('npx', words, { stdio: 'inherit' }).status ?? 1;
