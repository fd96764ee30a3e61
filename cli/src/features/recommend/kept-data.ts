import { formatNumber } from '../../ui/numbers';
// How much space the records of executions take. n8n deletes a record when it is too old, or when there are more than
// maxCount; what it deleted stays on disk for a buffer of hours more.

export interface Keeping {
  executionsPerDay: number;
  /** Size of the data of one execution, in KiB. */
  kibPerExecution: number;
  days: number;
}

export interface KeptData {
  executions: number;
  /** Size of the executions' data. */
  dataGiB: number;
  /** With indexes, and rows that vacuum has not taken away yet. */
  diskGiB: number;
}

/** n8n's own (EXECUTIONS_DATA_HARD_DELETE_BUFFER). */
const BUFFER_HOURS = 1;
const KIB_PER_GIB = 1024 * 1024;
/** docs/chart/data.md says the same to those who compute by hand. */
const DISK_PER_DATA = 1.5;

export function keptData({ executionsPerDay, kibPerExecution, days }: Keeping): KeptData {
  const executions = Math.round((executionsPerDay * (24 * days + BUFFER_HOURS)) / 24);
  const dataGiB = (executions * kibPerExecution) / KIB_PER_GIB;
  return { executions, dataGiB, diskGiB: DISK_PER_DATA * dataGiB };
}

export function keptSentence(keeping: Keeping): string {
  const { executions, dataGiB, diskGiB } = keptData(keeping);
  const { executionsPerDay, kibPerExecution, days } = keeping;
  return (
    `${formatNumber(Math.ceil(executionsPerDay))} executions of ${String(kibPerExecution)} KiB per day, kept for ${String(days)} days: ` +
    `${formatNumber(executions)} executions, ${gib(dataGiB)} of data, about ${gib(diskGiB)} on disk`
  );
}

/**
 * n8n 2 deletes 100 executions, waits a second, and deletes the next (executions-pruning.service.js), in one process: fewer
 * than this many a day, whatever there is beside it. Executions that are not saved are deleted by the same timer.
 */
const DELETED_PER_SECOND = 100;
const SECONDS_PER_DAY = 86_400;
export const MAX_DELETED_PER_DAY = DELETED_PER_SECOND * SECONDS_PER_DAY;

/** Requests per day at a rate that goes on all day. */
export const perDay = (ratePerSecond: number): number => SECONDS_PER_DAY * ratePerSecond;

/** Why the executions of a day cannot be deleted, and what can be done; null where they can. */
export function cannotBeDeleted(executionsPerDay: number): string | null {
  if (executionsPerDay < MAX_DELETED_PER_DAY) return null;
  const grouped = (count: number): string => formatNumber(Math.ceil(count));
  return (
    `${grouped(executionsPerDay)} executions per day are too many: n8n deletes fewer than ` +
    `${String(DELETED_PER_SECOND)} per second, or ${grouped(MAX_DELETED_PER_DAY)} per day, so its database would grow without limit. ` +
    'If the rate is a peak, set the number of executions per day with --executions-per-day. ' +
    'If not, divide the load among several releases, each with its own database; docs/chart/data.md shows what else helps.'
  );
}

function gib(amount: number): string {
  if (amount < 0.1) return 'less than 0.1 GiB';
  return `${formatNumber(amount)} GiB`;
}
