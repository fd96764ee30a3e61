// What a cell of the sweep says of the pool: from its run.json, its samples and the logs of n8n.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from '../../cli/src/record/run-record';

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

interface CellFile {
  cell: Record<string, number>;
  isControl: boolean;
  block: number;
  run?: string | null;
  outcome: string;
  startedAt: string;
}

/** The figures of every cell that is done, in the order in which they were measured. */
export function cellsOf(sweep: string) {
  const folder = join(sweep, 'cells');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .toSorted()
    .map((step) => join(folder, step))
    .filter((step) => existsSync(join(step, 'cell.json')))
    .map(figuresOf);
}

type PerRole = Record<string, { median: number; max: number }>;

function figuresOf(step: string) {
  const { cell, isControl, block, run, outcome, startedAt } = readJson(
    join(step, 'cell.json'),
  ) as CellFile;
  const asked = {
    ...{ startedAt, block, isControl, outcome },
    poolSize: cell['env.DB_POSTGRESDB_POOL_SIZE'],
    concurrency: cell['concurrency'],
    ratePerSecond: cell['ratePerSecond'],
  };
  // n8n may not live in a cell, which is a result too.
  if (typeof run !== 'string') return { ...asked, ...NOTHING };
  const folder = join(step, run);
  const { summary, files } = readJson(join(folder, 'run.json')) as RunRecord;
  const samples = readFileSync(join(folder, files.samples ?? ''), 'utf8');
  const logs = files.logs.map((log) => readFileSync(join(folder, log), 'utf8'));
  return {
    ...asked,
    requests: summary.offered.requests,
    expected: summary.achieved.requests,
    status503: summary.errors.byKind['status 503'] ?? 0,
    errors: summary.errors.byKind,
    unanswered: summary.unanswered.requests,
    p95Ms: summary.latencyMs?.p95 ?? null,
    maxMs: summary.latencyMs?.max ?? null,
    acquireMs: perRole(samples, 'dbPoolAcquireMs'),
    waiting: perRole(samples, 'dbPoolPending'),
    pingsFailed: count(logs, 'Database ping failed'),
    recoveries: count(logs, 'Triggering database connection recovery'),
  };
}

const NOTHING = {
  ...{ requests: 0, expected: 0, status503: 0, unanswered: 0, p95Ms: null, maxMs: null },
  errors: {} as Record<string, number>,
  ...{ acquireMs: {} as PerRole, waiting: {} as PerRole, pingsFailed: 0, recoveries: 0 },
};

/** The median and the most of a metric's samples, by role. */
export function perRole(samples: string, metric: string): PerRole {
  const byRole = new Map<string, number[]>();
  for (const line of samples.split('\n').slice(1)) {
    const [, role = '', , name, value] = line.split(',');
    if (name === metric) byRole.set(role, [...(byRole.get(role) ?? []), Number(value)]);
  }
  return Object.fromEntries(
    [...byRole].map(([role, values]) => {
      const sorted = values.toSorted((a, b) => a - b);
      const median = sorted[Math.floor(sorted.length / 2)] ?? NaN;
      return [role, { median, max: sorted.at(-1) ?? NaN }];
    }),
  );
}

const count = (logs: readonly string[], words: string): number =>
  logs.reduce((total, log) => total + (log.split(words).length - 1), 0);
