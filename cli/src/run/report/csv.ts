import { limitName } from '../../analysis/limits/table';
import { figure, row } from '../../record/csv';
import type { RunRecord } from '../../record/run-record';

const COLUMNS: [string, (r: RunRecord) => string | number | null | undefined][] = [
  ['id', (r) => r.id],
  ['workload', (r) => r.workload.name],
  ['variant', (r) => r.workload.variant],
  ['profile', (r) => r.profile.name],
  ['target', (r) => r.target.kind],
  ['topology', (r) => r.topology?.name],
  ['n8n', (r) => r.versions['n8n']],
  ['outcome', (r) => r.verdict.outcome],
  ['offeredPerSecond', (r) => r.summary.offered.ratePerSecond],
  ['achievedPerSecond', (r) => r.summary.achieved.ratePerSecond],
  ['requests', (r) => r.summary.offered.requests],
  ['errorShare', (r) => r.summary.errors.share],
  ['unanswered', (r) => r.summary.unanswered.requests],
  ['p50Ms', (r) => r.summary.latencyMs?.p50],
  ['p90Ms', (r) => r.summary.latencyMs?.p90],
  ['p95Ms', (r) => r.summary.latencyMs?.p95],
  ['p99Ms', (r) => r.summary.latencyMs?.p99],
  ['p999Ms', (r) => r.summary.latencyMs?.p999],
  ['maxMs', (r) => r.summary.latencyMs?.max],
  ['cpuMillisecondsPerRequest', (r) => r.summary.cpuMillisecondsPerRequest],
  ['rssPeakMiB', (r) => sum(r.summary.roles.map((role) => role.rssPeakMiB))],
  ['backlogAtEnd', (r) => r.summary.backlog?.atEnd],
  ['limitedBy', (r) => limitName(r.verdict.limitedBy.limit)],
];

/** The first line of the table, by which a file is known as ours. */
export const RUNS_HEAD = row(COLUMNS.map(([name]) => name));

/** One line a run, for a spreadsheet. */
export function renderCsv(records: RunRecord[]): string {
  const rows = records.map((record) => COLUMNS.map(([, get]) => figure(get(record))));
  return RUNS_HEAD + rows.map(row).join('');
}

function sum(values: (number | null)[]): number | null {
  const known = values.filter((v) => v !== null);
  return known.length === 0 ? null : known.reduce((a, b) => a + b, 0);
}
