// How much space the records of executions take. n8n deletes a record when it is too old, or when there are more than
// maxCount; what it deleted stays on disk for a buffer of hours more.

export interface Keeping {
  executionsPerDay: number;
  /** Of the data of one execution, in KiB. */
  kibPerExecution: number;
  days: number;
}

export interface KeptData {
  executions: number;
  /** Of the executions' data. */
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
    `${counted(Math.ceil(executionsPerDay))} executions per day of ${String(kibPerExecution)} KiB, kept for ${String(days)} days: ` +
    `${counted(executions)} executions, ${gib(dataGiB)} of data, about ${gib(diskGiB)} on disk`
  );
}

const counted = (count: number): string => count.toLocaleString('en').replaceAll(',', ' ');

function gib(amount: number): string {
  if (amount < 0.1) return 'less than 0.1 GiB';
  return `${amount < 100 ? amount.toFixed(1) : counted(Math.round(amount))} GiB`;
}
