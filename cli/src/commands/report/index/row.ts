/** One line of the index over a folder of results, from a record of any kind. */
import { donePerSecond } from '../../../analysis/cost';
import { COMPARE_METRICS } from '../../../features/compare/analysis/metric';
import { limitName } from '../../../analysis/limits/table';
import { commonLimit } from '../../../analysis/limits/limit-seen';
import { percentile } from '../../../analysis/statistics/statistics';
import type { CompareRecord } from '../../../features/compare/record';
import type { DrillRecord } from '../../../features/drill/record';
import type { FindRecord } from '../../../features/find/record';
import type { MigrateRecord } from '../../../features/migrate/record';
import { migrateVerdict } from '../../../features/migrate/report/document';
import type { ProofRecord } from '../../../features/recommend/record';
import { proofVerdict } from '../../../features/recommend/report/document';
import type { CellRecord, SweepRecord } from '../../../features/sweep/record';
import { compareVerdict } from '../../../features/compare/report/document';
import { ratiosOf } from '../../../features/compare/report/figures';
import type { DrillParts } from '../../../features/drill/report/charts';
import type { ShownVerdict } from '../../../report/document';
import { drillVerdict } from '../../../features/drill/report/document';
import { findVerdict } from '../../../features/find/report/document';
import type { RateRecord } from '../../../features/find/rate-record';
import { rateVerdict } from '../../../features/find/report/rate';
import type { RunData } from '../../../run/report/data';
import { runVerdict } from '../../../run/report/document';
import { sweepVerdict } from '../../../features/sweep/report/document';

export interface IndexRow extends ShownVerdict {
  kind: 'run' | 'search' | 'rate' | 'comparison' | 'drill' | 'sweep' | 'proof' | 'migration';
  startedAt: string;
  workload: string;
  /** Rate of expected responses of a run, or capacity of a search; null for other records. */
  ratePerSecond: number | null;
  p95Ms: number | null;
  errorShare: number | null;
  limitedBy: string | null;
  course: Course;
}

/** Drawn small, from left to right. */
export interface Course {
  /** Such as `p95 (ms) over time`. */
  label: string;
  values: readonly (number | null)[];
}

export function rowOfRun({ record, requests }: RunData): IndexRow {
  const { summary, verdict } = record;
  return {
    ...{ kind: 'run', startedAt: record.startedAt, workload: record.workload.name },
    ...runVerdict(record),
    ratePerSecond: donePerSecond(summary),
    ...{ p95Ms: summary.latencyMs?.p95 ?? null, errorShare: summary.errors.share },
    limitedBy: limitName(verdict.limitedBy.limit),
    course: {
      label: 'p95 (ms) over time',
      values: requests
        .byTime()
        .map(({ latenciesMs }) => (latenciesMs.length > 0 ? percentile(latenciesMs, 0.95) : null)),
    },
  };
}

export function rowOfFind(record: FindRecord): IndexRow {
  const confirmed = record.probes.find(({ run }) => run === record.confirmedBy);
  return {
    ...{ kind: 'search', startedAt: record.startedAt, workload: record.workload.name },
    ...findVerdict(record),
    ratePerSecond: record.capacity.ratePerSecond,
    ...{ p95Ms: confirmed?.p95Ms ?? null, errorShare: confirmed?.errorShare ?? null },
    limitedBy: limitName(record.limit),
    course: {
      label: 'offered rate (per second), probe by probe',
      values: record.probes.map(({ ratePerSecond }) => ratePerSecond ?? null),
    },
  };
}

export function rowOfRate(record: RateRecord): IndexRow {
  const last = record.attempts.at(-1);
  return {
    ...{ kind: 'rate', startedAt: record.startedAt, workload: record.workload.name },
    ...rateVerdict(record),
    ratePerSecond: record.ratePerSecond,
    ...{ p95Ms: last?.p95Ms ?? null, errorShare: last?.errorShare ?? null },
    limitedBy: limitName(record.limit),
    course: {
      label: 'share of requests that missed the first SLO, check by check',
      values: record.attempts.flatMap(({ looks }) =>
        looks.map(({ shares }) => shares[0]?.share ?? null),
      ),
    },
  };
}

export function rowOfComparison(record: CompareRecord): IndexRow {
  const limits = (record.b.limits ?? []).filter((limit) => limit !== null);
  const max = commonLimit(limits);
  return {
    ...{ kind: 'comparison', startedAt: record.startedAt, workload: record.workload.name },
    ...compareVerdict(record),
    ...{ ratePerSecond: null, p95Ms: null, errorShare: null },
    limitedBy: max && limitName(max.common.limit),
    course: {
      label: `${COMPARE_METRICS[record.metric].title}, B relative to A (higher is better), pair by pair`,
      values: ratiosOf(record),
    },
  };
}

export function rowOfDrill(record: DrillRecord, parts: DrillParts | null): IndexRow {
  const summary = parts?.run.record.summary;
  const counted = Object.values(record.timeline?.classes ?? {});
  return {
    ...{ kind: 'drill', startedAt: record.startedAt, workload: record.workload.name },
    ...drillVerdict(record),
    ...{ ratePerSecond: null, limitedBy: null },
    ...{ p95Ms: summary?.latencyMs?.p95 ?? null, errorShare: summary?.errors.share ?? null },
    course: {
      label: 'requests that were not answered and executed exactly once, over time',
      values: (counted[0] ?? []).map((_, at) =>
        counted.reduce((sum, counts) => sum + (counts[at] ?? 0), 0),
      ),
    },
  };
}

export function rowOfProof(record: ProofRecord): IndexRow {
  const { attempts } = record;
  const pressures = attempts.map(({ slos }) =>
    Math.max(0, ...slos.map(({ pressure }) => pressure ?? 0)),
  );
  return {
    ...{ kind: 'proof', startedAt: record.startedAt, workload: record.workload.name },
    ...proofVerdict(record),
    ratePerSecond: attempts.at(-1)?.achievedPerSecond ?? null,
    ...{ p95Ms: null, errorShare: null, limitedBy: null },
    course: {
      label: 'value of the worst SLO divided by its bound, attempt by attempt',
      values: pressures,
    },
  };
}

export function rowOfMigration(record: MigrateRecord): IndexRow {
  return {
    ...{ kind: 'migration', startedAt: record.startedAt },
    workload: `n8n ${record.from} to ${record.to}`,
    ...migrateVerdict(record),
    ...{ ratePerSecond: null, p95Ms: null, errorShare: null, limitedBy: null },
    course: {
      label: 'time of the migrations (ms), round by round',
      values: record.rounds.map(({ migrationMs }) => migrationMs),
    },
  };
}

export function rowOfSweep(record: SweepRecord, cells: readonly CellRecord[]): IndexRow {
  return {
    ...{ kind: 'sweep', startedAt: record.startedAt },
    workload: [...new Set(cells.map(({ cell }) => String(cell['workload'] ?? '')))]
      .filter((name) => name !== '')
      .join(', '),
    ...sweepVerdict(record, cells),
    ...{ ratePerSecond: null, p95Ms: null, errorShare: null, limitedBy: null },
    course: {
      label: 'rate of expected responses (per second), cell by cell in the order of measurement',
      values: cells.map(({ figures }) => figures.capacityPerSecond ?? figures.achievedPerSecond),
    },
  };
}
