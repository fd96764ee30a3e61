/** Deploys what is recommended and loads it; what is refuted is learnt from, and the next one tried. */
import { isOfMemory } from '../../analysis/limits/table';
import { plannedPerSecond } from '../find/analysis/planned-share';
import { usedAt } from '../find/record';
import type { RoleSummary, RunRecord } from '../../record/run-record';
import { limitsOf } from '../../plan/topology';
import { isRole, type Role } from '../../plan/roles';
import { layoutKey, type CapacityEvidence } from './analysis/evidence';
import type { Recommendation } from './analysis/recommend';
import { sumOfKnown, type Sizing } from './analysis/sizing';
import { formatNumber } from '../../ui/numbers';

export interface LoadedValues {
  record: RunRecord;
  /** Folder of the run. */
  run: string;
  proven: boolean;
  /** One sentence. */
  sentence: string;
}

export interface ProofAttempt extends LoadedValues {
  /** Null where a values file was proved as it is. */
  recommendation: Recommendation | null;
}

export interface Proof {
  verdict: 'PROVEN' | 'REFUTED' | 'INVALID';
  attempts: ProofAttempt[];
}

export interface ProofDeps {
  /** The best for this evidence; null where nothing is left to try. */
  recommend(evidence: readonly CapacityEvidence[]): Recommendation | null;
  /** Deploys exactly these values and loads them; what was stopped has an aborted record. */
  load(recommendation: Recommendation): Promise<RunRecordAt>;
  maxAttempts: number;
}

export interface RunRecordAt {
  record: RunRecord;
  run: string;
}

export async function prove(
  evidence: readonly CapacityEvidence[],
  deps: ProofDeps,
): Promise<Proof> {
  const attempts: ProofAttempt[] = [];
  let known = evidence;
  while (attempts.length < deps.maxAttempts) {
    const recommendation = deps.recommend(known);
    if (recommendation === null) break;
    const loaded = await deps.load(recommendation);
    const trial = { ...loaded, ...judge(loaded.record, recommendation.best) };
    attempts.push({ ...trial, recommendation });
    if (trial.proven) return { verdict: 'PROVEN', attempts };
    if (isInvalid(loaded.record)) return { verdict: 'INVALID', attempts };
    known = learn(known, recommendation.best, trial);
  }
  return { verdict: 'REFUTED', attempts };
}

/** The trial of values that nobody recommended: there is no next one. */
export function proveAsIs(loaded: RunRecordAt): Proof {
  const trial = { ...loaded, ...judge(loaded.record, null) };
  return {
    verdict: trial.proven ? 'PROVEN' : isInvalid(loaded.record) ? 'INVALID' : 'REFUTED',
    attempts: [{ ...trial, recommendation: null }],
  };
}

const ranOutOfMemory = ({ verdict, summary }: RunRecord): boolean =>
  isOfMemory(verdict.limitedBy.limit) || summary.roles.some(({ oomKills }) => oomKills > 0);

/** If memory ran out, nobody knows how much is enough: multiply the limit by this. */
const MORE_MEMORY = 1.25;

function enlarged(roles: readonly RoleSummary[], { topology }: RunRecord): RoleSummary[] {
  return roles.map((one) => {
    if (topology === null || !isRole(one.role)) return one;
    const { memoryMiB } = limitsOf(topology, one.role);
    if (memoryMiB === undefined) return one;
    const enough = MORE_MEMORY * memoryMiB;
    const { instances, rssPeakMiB, rssPeakOfOneMiB: ofOne } = one;
    return {
      ...one,
      rssPeakMiB: Math.max(rssPeakMiB ?? 0, enough * instances),
      ...(ofOne === undefined ? {} : { rssPeakOfOneMiB: Math.max(ofOne ?? 0, enough) }),
    };
  });
}

const isInvalid = ({ verdict }: RunRecord): boolean =>
  ['inconclusive', 'invalid', 'aborted'].includes(verdict.outcome);

/** The role itself, and the task runner where that is its child. */
const insideOf = (roles: readonly RoleSummary[], role: Role, runnerHost: Role | null) =>
  roles.filter((one) => one.role === role || (one.role === 'runner' && role === runnerHost));

/** Cores that all instances of a role used on average; null where that was not seen. */
export const coresUsed = (
  roles: readonly RoleSummary[],
  role: Role,
  runnerHost: Role | null,
): number | null =>
  sumOfKnown(insideOf(roles, role, runnerHost).map(({ cpuCoresMean }) => cpuCoresMean));

/** The most memory that all instances of a role had; null where that was not seen. */
export const peakMiBOf = (
  roles: readonly RoleSummary[],
  role: Role,
  runnerHost: Role | null,
): number | null =>
  sumOfKnown(insideOf(roles, role, runnerHost).map(({ rssPeakMiB }) => rssPeakMiB));

/** It is proven when the SLO was met at the wanted rate and no role needed more than it asks the cluster for. */
export function judge(
  { verdict, summary }: RunRecord,
  sizing: Sizing | null,
): { proven: boolean; sentence: string } {
  if (verdict.outcome !== 'sustained') return { proven: false, sentence: verdict.sentence };
  for (const { role, cpuMillicores, instances } of sizing?.roles ?? []) {
    const cores = coresUsed(summary.roles, role, sizing?.runnerHost ?? null) ?? 0;
    const asked = cpuMillicores === null ? Infinity : (cpuMillicores * instances) / 1000;
    if (cores > asked) {
      return {
        proven: false,
        sentence: `The SLO was met, but ${role} used ${formatNumber(cores)} cores on average, and requests only ${formatNumber(asked)}. On a full node, ${role} would get no more than its request.`,
      };
    }
  }
  return { proven: true, sentence: verdict.sentence };
}

/**
 * What a refuted trial teaches: it needs more CPU or more memory than was known; or that topology holds
 * less than the rate at which it was just loaded, so that it no longer counts for it.
 */
export function learn(
  evidence: readonly CapacityEvidence[],
  { evidence: refuted, wantedPerSecond, workers }: Sizing,
  { record, run }: RunRecordAt,
): CapacityEvidence[] {
  const sustained = record.verdict.outcome === 'sustained';
  return evidence.map((each) => {
    if (layoutKey(each) !== layoutKey(refuted)) return each;
    if (sustained) return { ...each, at: usedAt(run, record.summary) };
    if (each.at !== null && ranOutOfMemory(record)) {
      return { ...each, at: { ...each.at, roles: enlarged(each.at.roles, record) } };
    }
    // Loaded with more workers than were measured, it refutes the proportion, not the measurement.
    const measured = each.topology.mode === 'queue' ? each.topology.workers.count : 0;
    const share = measured > 0 && workers > measured ? measured / workers : 1;
    const max = plannedPerSecond(wantedPerSecond * share);
    return { ...each, capacityPerSecond: Math.min(each.capacityPerSecond, max), refuted: true };
  });
}
