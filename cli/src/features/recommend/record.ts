/** The shape of proof.json: values that were deployed exactly as they are and loaded, one attempt after the other. */
import { patchStatesSchema } from '../../record/patches';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { pricesSchema, recordedWorkloadSchema, sloSchema } from '../../plan/recorded';
import { ROLES } from '../../plan/roles';
import { limitsOf, topologySchema } from '../../plan/topology';
import { PROOF_FILE } from '../../record/find-records';
import { readRecordFile } from '../../record/parse';
import { machineSchema, targetKindSchema } from '../../record/run-record';
import { roleSummarySchema } from '../../record/summary';
import { assessedSloSchema } from '../../record/verdict';
import { runnerHostOf } from './analysis/sizing';
import { coresUsed, peakMiBOf, type Proof, type ProofAttempt } from './prove';

/** What a role asks the cluster for, over all its instances, and what it used; null where that is not known. */
const takenSchema = z.object({
  role: z.enum(ROLES),
  instances: z.number(),
  askedCores: z.number().nullable(),
  usedCores: z.number().nullable(),
  limitMiB: z.number().nullable(),
  peakMiB: z.number().nullable(),
});
export type Taken = z.infer<typeof takenSchema>;

const attemptSchema = z.object({
  /** Folder of its run beneath the proof's own. */
  run: z.string(),
  isProven: z.boolean(),
  sentence: z.string(),
  slos: z.array(assessedSloSchema),
  achievedPerSecond: z.number(),
  taken: z.array(takenSchema),
  roles: z.array(roleSummarySchema),
});
export type RecordedAttempt = z.infer<typeof attemptSchema>;

export const proofRecordSchema = z.object({
  schemaVersion: z.literal(1),
  kind: z.literal('proof'),
  id: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  command: z.array(z.string()),
  workload: recordedWorkloadSchema,
  target: z.object({ kind: targetKindSchema, url: z.string() }),
  /** The topology of the last attempt. */
  topology: topologySchema.nullable(),
  versions: z.record(z.string(), z.string()),
  patches: z.exactOptional(patchStatesSchema),
  machine: machineSchema,
  /** What else used this machine before, a sentence each; left out where nobody looked. */
  disturbances: z.exactOptional(z.array(z.string())),
  slo: z.array(sloSchema),
  ratePerSecond: z.number(),
  /** The values file, as the user names it. */
  values: z.string(),
  prices: pricesSchema,
  verdict: z.enum(['PROVEN', 'REFUTED', 'INVALID']),
  sentence: z.string(),
  attempts: z.array(attemptSchema),
});
export type ProofRecord = z.infer<typeof proofRecordSchema>;

export function proofRecord(
  { verdict, attempts }: Proof,
  {
    folder,
    ...asked
  }: { folder: string } & Pick<
    ProofRecord,
    'id' | 'startedAt' | 'command' | 'ratePerSecond' | 'values' | 'prices' | 'disturbances'
  >,
): ProofRecord {
  const last = attempts.at(-1);
  if (last === undefined) throw new Error('nothing was loaded');
  const { workload, target, topology, versions, patches, machine, slo, endedAt } = last.record;
  return {
    ...{ schemaVersion: 1, kind: 'proof', ...asked, endedAt, workload },
    ...{ target: { kind: target.kind, url: target.url }, topology, versions, machine, slo },
    ...(patches === undefined ? {} : { patches }),
    ...{ verdict, sentence: last.sentence },
    attempts: attempts.map((attempt) => ({
      run: relative(folder, attempt.run),
      isProven: attempt.proven,
      sentence: attempt.sentence,
      slos: attempt.record.verdict.slos,
      achievedPerSecond: attempt.record.summary.achieved.ratePerSecond,
      taken: takenBy(attempt),
      roles: attempt.record.summary.roles,
    })),
  };
}

function takenBy({ record, recommendation }: ProofAttempt): Taken[] {
  const { topology, summary } = record;
  if (topology === null) return [];
  const runnerHost = runnerHostOf(topology);
  return ROLES.flatMap((role) => {
    const sized = recommendation?.best.roles.find((one) => one.role === role);
    const instances = summary.roles.find((one) => one.role === role)?.instances ?? 0;
    if (instances === 0) return [];
    const limits = limitsOf(topology, role);
    const millicores = sized === undefined ? limits.cpuMillicores : sized.cpuMillicores;
    const limitMiB = sized === undefined ? limits.memoryMiB : sized.memoryMiB;
    return {
      ...{ role, instances },
      askedCores: millicores == null ? null : (millicores * instances) / 1000,
      usedCores: coresUsed(summary.roles, role, runnerHost),
      limitMiB: limitMiB == null ? null : limitMiB * instances,
      peakMiB: peakMiBOf(summary.roles, role, runnerHost),
    };
  });
}

export const readProof = (folder: string): ProofRecord =>
  readRecordFile(join(folder, PROOF_FILE), {
    ...{ what: 'a proof', kind: 'proof', version: 1 },
    schema: proofRecordSchema,
  });
