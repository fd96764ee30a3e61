// What a comparison's own record leaves out: latency, and how long processes waited for a connection to the database.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Side } from '../../cli/src/features/compare/record';
import type { RunRecord } from '../../cli/src/record/run-record';
import { perRole } from '../database-pool/figures';

type Runs = Pick<Side, 'name' | 'runs' | 'values'>;

/** The valid runs of each side, in the order in which they were measured. `folder`: of the comparison. */
export const sidesOf = ({ a, b }: { a: Runs; b: Runs }, folder: string) =>
  [a, b].map(({ name, runs, values }) => ({
    name,
    runs: runs.filter((_, i) => values[i] !== null).map((run) => figuresOf(join(folder, run))),
  }));

function figuresOf(folder: string) {
  const { summary, files } = JSON.parse(
    readFileSync(join(folder, 'run.json'), 'utf8'),
  ) as RunRecord;
  const samples = readFileSync(join(folder, files.samples ?? ''), 'utf8');
  return {
    ratePerSecond: summary.achieved.ratePerSecond,
    p95Ms: summary.latencyMs?.p95 ?? null,
    acquireMs: perRole(samples, 'dbPoolAcquireMs'),
  };
}
