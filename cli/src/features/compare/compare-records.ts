/** Two records that are there already, side by side: of runs, or of searches. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { atEqualPrice } from './analysis/equal-price';
import { COMPARE_METRICS, NEVER } from './analysis/metric';
import { sideDoubts } from './compare';
import { resultOf, sentenceOf } from '../find/analysis/outcome';
import { wholePriceOf } from '../find/analysis/price';
import { limitOfRun, limitOfFind } from '../../analysis/limits/limit-seen';
import type { CompareMetric, CompareRecord, Side } from './record';
import { capacityOf, type FindRecord } from '../find/record';
import { isComplete, readRun } from '../../record/read-run';
import { FIND_FILE } from '../../record/find-records';
import { readFind } from '../find/read';
import type { RunRecord } from '../../record/run-record';
import { Mistake } from '../../ui/exit';
import { duration, formatNumber } from '../../ui/numbers';

type Recorded = { kind: 'run'; record: RunRecord } | { kind: 'search'; record: FindRecord };

export const isRecord = (folder: string): boolean =>
  isComplete(folder) || existsSync(join(folder, FIND_FILE));

/** Without an interval: one record tells nothing about how much the next one would differ. */
export function compareRecords(
  a: string,
  b: string,
  asked: CompareMetric | null,
  prices: CompareRecord['prices'] | null = null,
): CompareRecord {
  const [one, other] = [recordedIn(a), recordedIn(b)];
  if (one.kind !== other.kind) {
    throw new Mistake(
      `${a} is the record of a ${one.kind}, but ${b} is the record of a ${other.kind}: compare two records of the same kind.`,
    );
  }
  const { workload } = one.record;
  if (
    workload.name !== other.record.workload.name ||
    workload.path !== other.record.workload.path
  ) {
    throw new Mistake(
      `${a} used the workload ${workload.name}, but ${b} used ${other.record.workload.name}: compare two records of the same workload.`,
    );
  }
  const metric = asked ?? (one.kind === 'search' ? 'capacity' : 'throughput');
  const sides = { a: sideOf(a, one, metric), b: sideOf(b, other, metric) };
  const { moreIsBetter, title } = COMPARE_METRICS[metric];
  const [valueA = 0, valueB = 0] = [sides.a.values[0] ?? 0, sides.b.values[0] ?? 0];
  const ratio = moreIsBetter ? valueB / valueA : valueA / valueB;
  const isGivenRate = [one, other].some(
    ({ kind, record }) => kind === 'run' && record.profile.loop === 'open',
  );
  const equalPrice = atEqualPrice(sides.a, sides.b, {
    ...{ metric, maxPairs: 1 },
    loop: isGivenRate ? 'open' : 'closed',
  });
  return {
    schemaVersion: 2,
    kind: 'compare',
    id: `${one.record.id} and ${other.record.id}`,
    startedAt: one.record.startedAt,
    endedAt: other.record.endedAt,
    // Nothing was measured.
    command: [],
    workload,
    metric,
    slo: one.record.slo,
    ...pricesOf(prices ?? one.record.prices),
    ...sides,
    machine: one.record.machine,
    versions: one.record.versions,
    ratio: { value: valueA === valueB ? 1 : ratio, low: 0, high: Infinity },
    ...(equalPrice === null ? {} : { equalPrice }),
    answer: 'unknown',
    sentence: `Measured by ${title} with ${workload.name}, ${b} has ${told(valueB, metric)}, and ${a} has ${told(valueA, metric)}. With one record per side, there is no interval, and the difference may be noise${priceClause(equalPrice)}.`,
    totalSeconds: 0,
    doubts: [
      ...differences(one.record, other.record),
      ...doubtsOf('A', one, sides.a),
      ...doubtsOf('B', other, sides.b),
    ],
  };
}

/** There is nothing else to compare, so a run that was not valid is not left out. */
function doubtsOf(letter: 'A' | 'B', { kind, record }: Recorded, side: Side): string[] {
  if (kind === 'search') return sideDoubts(letter, side, { metric: 'capacity', ofRuns: [] });
  return resultOf(record) === 'invalid'
    ? [`The run of ${letter} is not valid: ${sentenceOf(record)}`]
    : record.verdict.doubts.map(({ text }) => `In the run of ${letter}: ${text}.`);
}

const pricesOf = (prices: CompareRecord['prices']): Pick<CompareRecord, 'prices'> =>
  prices === undefined ? {} : { prices };

function recordedIn(folder: string): Recorded {
  return isComplete(folder)
    ? { kind: 'run', record: readRun(folder) }
    : { kind: 'search', record: readFind(folder) };
}

function sideOf(folder: string, { kind, record }: Recorded, metric: CompareMetric): Side {
  const { of } = COMPARE_METRICS[metric];
  const value =
    kind === 'search' ? (of === undefined ? capacityOf(record) : null) : (of?.(record) ?? null);
  if (value === null && kind === 'search' && of === undefined) {
    throw new Mistake(`${folder} contains no capacity to compare: ${record.sentence}`);
  }
  if (value === null) {
    const { title, missing } = COMPARE_METRICS[metric];
    const why = kind === 'run' && missing !== undefined ? ` (${missing(record)})` : '';
    throw new Mistake(
      `${folder} is the record of a ${kind}, which does not contain ${title}${why}: choose another --metric.`,
    );
  }
  return {
    ...{ name: folder, topology: record.topology, values: [value], runs: [folder] },
    outcomes: [kind === 'run' ? record.verdict.outcome : record.verdict],
    goodShares: [kind === 'run' ? 1 - record.summary.errors.share : null],
    limits: [kind === 'run' ? limitOfRun(record.verdict) : limitOfFind(record)],
    cpuMs: [kind === 'run' ? record.summary.cpuMillisecondsPerRequest : wholePriceOf(record)],
    versions: record.versions,
    ...(record.patches === undefined ? {} : { patches: record.patches }),
  };
}

/** Two machines, or two days of one, are seldom equally fast. */
function priceClause(equalPrice: CompareRecord['equalPrice'] | null): string {
  if (equalPrice == null) return '';
  const { cpuMs, ratio } = equalPrice;
  return `; if requests took the same CPU time on both sides (${duration(cpuMs.a)} and ${duration(cpuMs.b)} were measured), the ratio would be ${formatNumber(ratio.value)}`;
}

const told = (value: number, metric: CompareMetric): string =>
  value >= NEVER ? 'no valid value' : `${formatNumber(value)} ${COMPARE_METRICS[metric].unit}`;

/** What else differs than what was to be compared. */
function differences(a: RunRecord | FindRecord, b: RunRecord | FindRecord): string[] {
  const words = (part: unknown): string => JSON.stringify(part);
  const loadOf = (record: RunRecord | FindRecord): unknown =>
    'profile' in record ? record.profile : record.budgetSeconds;
  const found: string[] = [];
  const machineOf = ({ cpu, cores, memoryMiB }: RunRecord['machine']): string =>
    `${cpu}, ${String(cores)} cores, ${String(memoryMiB)} MiB`;
  if (machineOf(a.machine) !== machineOf(b.machine)) {
    found.push(
      `The records were measured on different machines (${machineOf(a.machine)}; ${machineOf(b.machine)}), which may be the reason for the difference.`,
    );
  }
  if (words(a.workload.parameters) !== words(b.workload.parameters)) {
    found.push('The parameters of the workload differ.');
  }
  if (words(loadOf(a)) !== words(loadOf(b))) found.push('The load differs.');
  if (words(a.slo) !== words(b.slo)) found.push('The SLOs differ.');
  return found;
}
