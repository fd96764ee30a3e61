#!/usr/bin/env node
// Writes docs/results.md from the records in studies/ and docs/records/; with --check it only says
// whether that is needed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { arrivals } from './results/arrivals.mjs';
import { chartOnCluster, charts } from './results/chart.mjs';
import { capacities, closedLoops, comparisons, proofs, sweeps } from './results/command.mjs';
import { ctrlC } from './results/ctrl-c.mjs';
import { databasePool } from './results/database-pool.mjs';
import {
  heapFloors,
  isolates,
  manyRequests,
  nodeAccuracy,
  samplerCost,
  sessions,
} from './results/parts.mjs';
import { generators } from './results/generators.mjs';
import { plantedLimits } from './results/limits.mjs';
import { root } from './results/records.mjs';
import { knownCapacities, searchQuality } from './results/search.mjs';
import { taskRunners } from './results/task-runners.mjs';

const pageFile = new URL('docs/results.md', root);

const page = await format(
  [
    `# What was measured

<!-- Written by lab/generate/results.mjs from the records in studies/ and docs/records/. -->

Every figure here comes from a record in this repository. All of it ran on one small machine, with the load generator
beside n8n: take ratios from it, not absolutes.`,
    closedLoops(),
    comparisons(),
    charts(),
    chartOnCluster(),
    taskRunners(),
    sweeps(),
    proofs(),
    capacities(),
    searchQuality(),
    knownCapacities(),
    arrivals(),
    generators(),
    plantedLimits(),
    isolates(),
    databasePool(),
    sessions(),
    heapFloors(),
    nodeAccuracy(),
    samplerCost(),
    manyRequests(),
    ctrlC(),
  ]
    .filter((part) => part !== '')
    .join('\n\n'),
  { parser: 'markdown', printWidth: 100 },
);

if (!process.argv.includes('--check')) {
  writeFileSync(pageFile, page);
} else if (!existsSync(pageFile) || readFileSync(pageFile, 'utf8') !== page) {
  console.error('docs/results.md is out of date: run npm run generate');
  process.exit(1);
}
