// Whether the cause is named: limits planted in a real n8n, and what each run was put down to.
import { limitName } from './limit-name.mjs';
import { has, link, number, readJson, table } from '../records.ts';

const percent = (share) => `${number(100 * share)}%`;

export function plantedLimits() {
  const path = 'studies/planted-limits/results/record.json';
  if (!has(path)) return '';
  const { rows = [], cases } = readJson(path);
  const unplanted = rows
    .map(limitName)
    .filter((row) => !cases.some(({ limit }) => limitName(limit) === row));
  const named = cases.filter(({ isRight }) => isRight).length;
  return `## Whether the bottleneck is named

One limit at a time was planted in a real system (n8n, its task runner, PostgreSQL and Redis on this machine), and a run
under it was asked what limited it: ${named} of ${cases.length} were named.

${table(
  ['planted', 'has to be named', 'was named', 'in use', 'by these figures', 'next'],
  cases.map(({ what, limit, limitedBy }) => [
    what,
    limitName(limit),
    limitName(limitedBy.limit) === limitName(limit) ? 'yes' : `**${limitName(limitedBy.limit)}**`,
    limitedBy.utilisation === undefined ? '-' : percent(limitedBy.utilisation),
    limitedBy.evidence,
    limitedBy.runnerUp
      ? `${limitName(limitedBy.runnerUp)}, ${percent(limitedBy.runnerUp.utilisation)}`
      : '-',
  ]),
)}
${
  unplanted.length === 0
    ? ''
    : `\nThe table of limits has ${rows.length} rows. These have no case here and are tested with samples only: ${unplanted.join(', ')}.\n`
}
${link(path)}`;
}
