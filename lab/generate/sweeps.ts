// What a study says of itself, and the sweeps that were kept of it.
import { parse } from 'yaml';
import type { CellRecord } from '../../cli/src/features/sweep/record';
import type { RunRecord, SampledRole } from '../../cli/src/record/run-record';
import { has, link, median, ms, namesIn, number, read, readJson } from './records';

interface Published {
  id: string;
  what: string;
  value: number;
  unit: string;
}

export const publishedOf = (study: string): Published[] =>
  (parse(read(`studies/${study}/study.yaml`)) as { published?: Published[] }).published ?? [];
/** The published figure of an id. */
export const publishedAt = (study: string, id: string): number =>
  publishedOf(study).find((one) => one.id === id)?.value ?? NaN;

/** A measured cell of a sweep, with its run and the table of its samples where they were kept. */
export interface MeasuredCell extends Omit<CellRecord, 'run'> {
  record: RunRecord;
  memory: string | null;
}

/** The folder of a sweep by its name, in the record of a study. */
export const sweepOf = (study: string, name: string): string => `studies/${study}/results/${name}`;

/** The same topology, measured from time to time, is left out, and so is a cell without a run. */
export const cellsOf = (sweep: string): MeasuredCell[] =>
  allCellsOf(sweep).filter(({ isControl }) => !isControl);
export const controlsOf = (sweep: string): MeasuredCell[] =>
  allCellsOf(sweep).filter(({ isControl }) => isControl);

const allCellsOf = (sweep: string): MeasuredCell[] =>
  namesIn(`${sweep}/cells`).flatMap((name) => {
    const path = `${sweep}/cells/${name}`;
    const { run, ...cell } = readJson<CellRecord>(`${path}/cell.json`);
    const file = `${path}/${run ?? ''}/run.json`;
    const memory = `${path}/${run ?? ''}/memory.csv`;
    if (run === null || !has(file)) return [];
    return [{ ...cell, record: readJson<RunRecord>(file), memory: has(memory) ? memory : null }];
  });

/** Links the record of a sweep. */
export const sweepLink = (sweep: string): string => link(`${sweep}/sweep.json`);

export interface Sample {
  seconds: number;
  role: string;
  instance: string;
  value: number;
}
/** Samples of a metric from the table beside a run. */
export const samplesOf = (file: string, metric: string): Sample[] =>
  read(file)
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
    .filter(([, , , name]) => name === metric)
    .map(([tMs = '', role = '', instance = '', , value = '']) => ({
      ...{ seconds: Number(tMs) / 1000, role, instance, value: Number(value) },
    }));

export const roleOf = ({ summary }: RunRecord, role: SampledRole) =>
  summary.roles.find((one) => one.role === role);

/**
 * Cores that neither the load generator nor what was loaded used: other work on the machine, and the command itself, which
 * reads a line for each response.
 */
export function otherCores(record: RunRecord): number {
  const host = roleOf(record, 'host')?.cpuCoresMean ?? 0;
  const known = record.summary.roles
    .filter(({ role }) => role !== 'host')
    .reduce((sum, { cpuCoresMean }) => sum + (cpuCoresMean ?? 0), 0);
  return Math.max(0, host - known);
}

/**
 * Cores of other work from which on a rate says more about it than about what was loaded. The command itself takes 0.22 to
 * 0.29 where 2,700 to 3,900 responses come per second and nothing else runs (studies/limits, studies/memory-over-time).
 */
const DISTURBED_FROM = 0.5;
export const isQuiet = ({ others }: { others: number | null }): boolean =>
  (others ?? 0) < DISTURBED_FROM;
export const worstOthers = (cells: readonly { record: RunRecord }[]): number =>
  Math.max(0, ...cells.map(({ record }) => otherCores(record)));
/** Whether rates can be compared, in a sentence. */
export const disturbance = (others: number): string =>
  `Other work on the machine used up to ${number(others)} cores.`;

/** The median of a figure over cells that are alike. */
export const middle = (
  cells: readonly MeasuredCell[],
  figure: (cell: MeasuredCell) => number | null,
): number => median(cells.map((cell) => figure(cell) ?? NaN));
export const rateOf = ({ figures }: MeasuredCell): number | null => figures.achievedPerSecond;
/** Milliseconds of CPU per request: with it, rates of a slow and of a fast machine compare. */
export const cpuOf = ({ figures }: MeasuredCell): number | null =>
  figures.cpuMillisecondsPerRequest;
/** A figure of several cells, from the least to the most; `-` where none has it. */
export function figureRange(
  cells: readonly MeasuredCell[],
  figure: (cell: MeasuredCell) => number | null,
  unit: (value: number) => string,
): string {
  const known = cells.flatMap((cell) => figure(cell) ?? []);
  const [min, max] = [Math.min(...known), Math.max(...known)];
  return min === max ? unit(min) : known.length === 0 ? '-' : `${number(min)} to ${unit(max)}`;
}
export const cpuRange = (cells: readonly MeasuredCell[]): string => figureRange(cells, cpuOf, ms);

export function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
export const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];
export const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** What was kept of a study that is measured in parts, with the path of each. */
export const partsOf = <Part>(study: string, within = ''): (Part & { path: string })[] => {
  const folder = `studies/${study}/results/${within}parts`;
  return namesIn(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ ...readJson<Part>(`${folder}/${file}`), path: `${folder}/${file}` }));
};
