/** The report of an upgrade that was rehearsed. */
import { DEFAULT_SETTINGS, hostFigures, measured, placeText } from '../../../report/conditions';
import {
  list,
  paragraph,
  section,
  table,
  type ReportDocument,
  type Section,
  type ShownVerdict,
} from '../../../report/document';
import type { BarChart } from '../../../report/plot/chart';
import { mib, repeatCommand, utc, type Figure } from '../../../report/text/units';
import { counted, duration, formatNumber } from '../../../ui/numbers';
import { worstOf } from '../analysis/migrations';
import type { MigrateRecord, MigrateRound, Predicted } from '../record';

export const migrateVerdict = ({ verdict, sentence }: MigrateRecord): ShownVerdict => ({
  ...{ tone: verdict === 'PASS' ? 'good' : 'bad', word: verdict, sentence },
});

/** Rows of tables that a reader looks at; all are in the record. */
const SHOWN = 15;

/** The number of bars that fit on the first screen, with their names above them on a phone. */
const PICTURED = 8;

const slowest = (round: MigrateRound | undefined, count: number): MigrateRound['migrations'] =>
  (round?.migrations ?? []).toSorted((one, other) => other.ms - one.ms).slice(0, count);

/** What the time went to; a migration that locked tables says so. */
function migrationChart(worst: MigrateRound | undefined): BarChart[] {
  const bars = slowest(worst, PICTURED).map(({ name, ms, locks }) => ({
    ...{ label: name, value: ms },
    ...(locks.length === 0 ? {} : { note: counted(locks.length, 'table locked', 'tables locked') }),
  }));
  const title = 'Slowest migrations';
  return bars.length === 0 ? [] : [{ kind: 'bar', id: 'migrations', title, unit: 'ms', bars }];
}

export function migrateDocument(record: MigrateRecord): ReportDocument {
  const { from, to, executions, rounds, machine, versions } = record;
  const worst = worstOf(rounds);
  return {
    title: `Upgrade from n8n ${from} to n8n ${to}, rehearsed with ${counted(executions, 'execution')}`,
    subtitle: utc(record.startedAt),
    ranOn: `n8n ${from}, then n8n ${to}, ${DEFAULT_SETTINGS}, no patches; PostgreSQL ${versions['postgresql'] ?? ''}; ${placeText(machine)}`,
    verdict: migrateVerdict(record),
    summary: figuresOf(record, worst),
    pictures: migrationChart(worst),
    howSure: howSure(record),
    doubts: record.database === undefined ? DOUBTS : DOUBTS_OF_DUMP,
    figures: figuresOf(record, worst),
    sections: [
      {
        ...section(
          'Slowest migrations',
          table(
            ['migration', 'time', 'WAL', 'locked'],
            slowest(worst, SHOWN).map(({ name, ms, walMiB, locks }) => [
              ...[name, duration(ms), mib(walMiB)],
              locks.length === 0 ? 'none' : locks.join(', '),
            ]),
          ),
        ),
        isInTerminal: true,
      },
      section(
        'Locked tables',
        paragraph(
          'While a table is locked (ACCESS EXCLUSIVE), no other connection can read it. n8n 2.41 runs all its migrations in one transaction, so each lock lasts until the last migration ends.',
        ),
        table(
          ['table', 'locked for'],
          (worst?.locks ?? []).slice(0, SHOWN).map(({ table: name, ms }) => [name, duration(ms)]),
        ),
      ),
      section(
        'Every round',
        table(
          ['executions', 'migrations', 'webhooks blocked', 'WAL', 'before', 'peak', 'after'],
          rounds.map((round) => [
            formatNumber(round.executions),
            ...[duration(round.migrationMs), duration(round.blockedMs), mib(round.walMiB)],
            ...[mib(round.beforeMiB), mib(round.peakMiB), mib(round.afterMiB)],
          ]),
        ),
      ),
      section('Rolling back', list(wayBack(record))),
      ...comparedSection(record),
    ],
    howToRepeat: [repeatCommand(record.command)],
    conditions: measured(
      ...(record.database === undefined ? [] : [{ name: 'Dump', value: record.database }]),
      { name: 'Data of one execution', value: `${formatNumber(record.executionKiB)} KiB` },
      ...hostFigures({ ...record, versions: { n8n: `${from}, then ${to}`, ...versions } }),
    ),
  };
}

function howSure({ rounds }: MigrateRecord): string {
  const sizes = new Set(rounds.map(({ executions }) => executions)).size;
  const made = `The upgrade was rehearsed ${counted(rounds.length, 'time')} at ${counted(sizes, 'size')}.`;
  return sizes > 1
    ? `${made} The estimates for ten times as many executions assume linear growth.`
    : `${made} One size does not show how long other sizes take.`;
}

/** What users notice after the upgrade. */
function comparedSection({ compared, from, to }: MigrateRecord): Section[] {
  if (compared === undefined) return [];
  const text =
    'failure' in compared
      ? `n8n ${from} and n8n ${to} could not be compared under load: ${compared.failure}`
      : `${compared.sentence} The record is in ${compared.folder}.`;
  return [{ ...section('Before and after', paragraph(text)), isInTerminal: true }];
}

const SLOWER_DISK =
  'Your database server may have a slower disk and more load than this machine: rehearse the upgrade on that server before you plan a maintenance window.';
const DOUBTS_OF_DUMP = [
  'All workflows in the dump were turned off, and all unfinished executions were cancelled, so that none of them ran.',
  SLOWER_DISK,
];
const DOUBTS = [
  'All executions are copies of one execution of one workflow, and the tables for agents, insights and evaluations are empty.',
  SLOWER_DISK,
];

function figuresOf(record: MigrateRecord, worst: MigrateRound | undefined): Figure[] {
  const { extrapolated, plainStartMs } = record;
  if (worst === undefined) return [];
  const atTen = formatNumber(extrapolated.executions);
  return [
    { name: 'Webhooks blocked', value: duration(worst.blockedMs) },
    { name: 'Start without migrations', value: duration(plainStartMs) },
    {
      name: 'Migrations',
      value: `${formatNumber(worst.migrations.length)} in ${duration(worst.migrationMs)}`,
    },
    { name: 'WAL', value: mib(worst.walMiB) },
    {
      name: 'Database',
      value: `${mib(worst.beforeMiB)} before, ${mib(worst.peakMiB)} at most, ${mib(worst.afterMiB)} after`,
    },
    {
      name: 'Copy and restore',
      value: `${duration(worst.backupMs)}, ${duration(worst.restoreMs)}`,
    },
    ...(extrapolated.migrationMs === null && record.database !== undefined
      ? []
      : [
          { name: `Migrations at ${atTen}`, value: predicted(extrapolated.migrationMs, duration) },
          { name: `WAL at ${atTen}`, value: predicted(extrapolated.walMiB, mib) },
          { name: `Database at ${atTen}, at most`, value: predicted(extrapolated.peakMiB, mib) },
        ]),
  ];
}

const predicted = (range: Predicted | null, shown: (value: number) => string): string =>
  range === null
    ? 'not known'
    : `${shown(range.value)} (${shown(range.low)} to ${shown(range.high)})`;

function wayBack({ from, revert, restored, executions }: MigrateRecord): string[] {
  const { reverted, irreversible, failure } = revert;
  return [
    restored.answers
      ? `The backup was restored: n8n ${from} responded to a webhook, and had ${formatNumber(restored.executions)} of ${formatNumber(executions)} executions.`
      : `The backup was restored, but n8n ${from} did not respond to a webhook as expected.`,
    `n8n db:revert reverted ${counted(reverted.length, 'migration')}${reverted.map(({ name, ms }, index) => `${index === 0 ? ': ' : ', '}${name} (${duration(ms)})`).join('')}.`,
    ...(failure === null ? [] : [`n8n db:revert then failed: ${failure}`]),
    irreversible === null
      ? 'It is unknown which migrations cannot be reverted.'
      : irreversible.length === 0
        ? 'Every migration has code to revert it.'
        : `n8n db:revert cannot go back to n8n ${from}, because these migrations cannot be reverted: ${irreversible.join(', ')}. Restore a backup instead.`,
  ];
}
