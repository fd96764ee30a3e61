import { readRecordFile } from '../../record/parse';
import { DRILL_FILE } from '../../record/find-records';
import { join } from 'node:path';
import { OPERATORS } from '../../../../loadtests/lib/condition';
import { z } from 'zod';
import { CALLER_GOT, LEDGER_CLASSES, WORK_DONE } from './analysis/ledger-class';
import type { LedgerTimeline } from './analysis/ledger-timeline';
import { PROMISE_METRICS, type DrillPromise } from './analysis/promise';
import { patchStatesSchema } from '../../record/patches';
import { recordedWorkloadSchema, sloSchema } from '../../plan/recorded';
import { topologySchema } from '../../plan/topology';
import { machineSchema, targetKindSchema } from '../../record/run-record';
import { namedRequestsSchema } from '../../record/summary';

/** Beside it: every request of the drill with its class and what each source says of it. */
export const LEDGER_FILE = 'ledger.csv';

/** Between the names of faults that are made at once. */
export const AND = '+';
/** Random faults, one after the other. */
export const SOAK = 'soak';
/** What the user's own commands do. */
export const CUSTOM = 'custom';
/** None of several faults is what the drill is about. */
export const isCombined = (fault: string): boolean => fault === SOAK || fault.includes(AND);

const ledgerClassSchema = z.enum(LEDGER_CLASSES);
/** Drills that were recorded without the class `failed` counted its requests as lost. */
const ledgerClassesSchema = z.preprocess(
  (classes) =>
    typeof classes === 'object' ? { failed: { requests: 0, ids: [] }, ...classes } : classes,
  z.record(ledgerClassSchema, namedRequestsSchema),
);

const drillPromiseSchema: z.ZodType<DrillPromise> = z.object({
  text: z.string(),
  metric: z.enum(PROMISE_METRICS),
  operator: z.enum(OPERATORS),
  bound: z.number(),
  unit: z.enum(['requests', 'share', 'seconds']),
});

/** What a fault has hit, and what shows that something was at risk there. */
export const victimSchema = z.object({
  tMs: z.number(),
  /** An instance of n8n, or a store that links lead to. */
  name: z.string(),
  /** Executions that it ran when the fault came; null: it did not tell. Left out of a store. */
  executions: z.exactOptional(z.number().nullable()),
  /** Which time of a repeated fault hit it, from 0; left out by drills until 2026-12-01. */
  turn: z.exactOptional(z.number()),
  /** Requests that it had answered when the fault came, of a role that only takes them; null: it did not tell. */
  requests: z.exactOptional(z.number().nullable()),
  /** Requests that were open on it when the fault came, of such a role; null: it is not known. Left out by drills until 2026-12-01. */
  open: z.exactOptional(z.number().nullable()),
  /** A link has them: connections that were open when the fault came, and bytes that came while it lasted. */
  connections: z.exactOptional(z.number()),
  bytes: z.exactOptional(z.number()),
});
export type Victim = z.infer<typeof victimSchema>;

export const drillFaultSchema = z.object({
  name: z.string(),
  title: z.string(),
  kind: z.enum(['planned', 'accident']),
  /** What was done, in the order in which it was; empty where it could not be done. */
  done: z.array(
    z.object({
      tMs: z.number(),
      text: z.string(),
    }),
  ),
  /** A command of the user's proved that it had an effect; left out of others. */
  isProven: z.exactOptional(z.literal(true)),
  /** How long it was to last, or to be repeated; 0: a moment. */
  lastsSeconds: z.number(),
  /** Interval of a fault that was repeated; left out if it was made once. */
  everySeconds: z.exactOptional(z.number()),
  /** One for each time that it was made; left out of faults that tell of none, and of drills recorded without it. */
  victims: z.exactOptional(z.array(victimSchema)),
  /**
   * Each time, from when it was told to be made until it was over; null: the load ended before. `begunMs`: when its making began,
   * where it is told within moments. Drills until 2026-12-01 have turns only of repeated faults, and no `begunMs`.
   */
  turns: z.exactOptional(
    z.array(
      z.object({
        fromMs: z.number(),
        toMs: z.number().nullable(),
        begunMs: z.exactOptional(z.number()),
      }),
    ),
  ),
});
export type DrillFault = z.infer<typeof drillFaultSchema>;

/** Milliseconds since the load began. */
export const drillPhasesSchema = z.object({
  /** The part of the steady phase by which it is judged: what was due here ended before the fault. */
  steady: z.object({
    fromMs: z.number(),
    toMs: z.number(),
  }),
  /** When the fault was begun; null where it was never made. `done` of the fault says when it was made. */
  faultMs: z.number().nullable(),
  /** When it was made last; left out where it is not repeated. */
  lastMs: z.exactOptional(z.number().nullable()),
  /** When it was over; null where the load ended before. */
  overMs: z.number().nullable(),
  /** When the last request was due. */
  endMs: z.number(),
});
export type DrillPhases = z.infer<typeof drillPhasesSchema>;

/** Drills until 2026-11-29 called it `lostAndTold`. */
function withNewName(ledger: unknown): unknown {
  if (typeof ledger !== 'object' || ledger === null || !('lostAndTold' in ledger)) return ledger;
  const { lostAndTold, ...rest } = ledger;
  return { lostWithError: lostAndTold, ...rest };
}

/** One time of a fault, and what of the requests is put down to it. */
const momentSchema = z.object({
  tMs: z.number(),
  /** Requests that were open while it was made. */
  atRisk: z.number(),
  lost: z.number(),
  doneTwice: z.number(),
});
export type Moment = z.infer<typeof momentSchema>;

/** A request that was lost or repeated, with what each source says of it. */
const caseSchema = z.object({
  id: z.string(),
  tMs: z.number(),
  class: ledgerClassSchema,
  heard: z.string(),
  executions: z.array(z.string()).nullable(),
  effects: z.object({ begun: z.number(), done: z.number() }).nullable(),
  /** What n8n says with its failed executions; left out where it says nothing. */
  errors: z.exactOptional(z.array(z.string())),
  /** Index of the moment that it is put down to; null: none. */
  moment: z.number().nullable(),
});
export type LedgerCase = z.infer<typeof caseSchema>;

const ledgerSchema = z.object({
  sent: z.number(),
  classes: ledgerClassesSchema,
  /**
   * Requests by how often their work was done, and by what their callers got; a connection that was never made is an error. Left
   * out if no source tells of the work, and by 353 drills that are kept from before 2026-11-29.
   */
  workByResponse: z.exactOptional(
    z.record(z.enum(WORK_DONE), z.record(z.enum(CALLER_GOT), z.number())),
  ),
  /** Requests that were open when the fault came, or due later; with an immediate response, also all whose work was lost. */
  exposed: z.number(),
  /** Requests that were accepted and not done. */
  lost: z.number(),
  /** Those of them whose callers got an error, so that trying again is safe; null: it was not counted. */
  lostWithError: z.number().nullable(),
  /** Drills until 2026-11-29 have it: a bound that took requests for independent, which are lost together. Not shown. */
  lossBound: z.exactOptional(z.number()),
  /**
   * Executions that the victims ran when the faults came, and number of faults whose victim ran any. Left out if the victims told
   * nothing, and by drills from before 2026-11-29.
   */
  inFlight: z.exactOptional(
    z.object({
      executions: z.number(),
      faults: z.number(),
      lossBound: z.exactOptional(z.number()),
    }),
  ),
  /** Sources of n8n's executions and of the effects outside n8n; null if unavailable, with the reason. */
  sources: z.object({
    executions: z.string().nullable(),
    effects: z.string().nullable(),
  }),
  /** Why n8n's executions are no source; null: they are. */
  withoutExecutions: z.string().nullable(),
  /** Failed executions without an id that no request is left for. */
  nameless: z.number(),
  /** Requests whose work was done once, and another execution of which has not ended; left out where there are none. */
  unfinishedTwins: z.exactOptional(z.number()),
  /** One for each time of the fault; left out by drills until 2026-12-01, as the next one. */
  moments: z.exactOptional(z.array(momentSchema)),
  /** The first of the requests that were lost or repeated. */
  cases: z.exactOptional(z.array(caseSchema)),
  /** Requests whose work ran twice at the same time, or may have; left out by drills until 2026-12-01, and if no source tells. */
  atOnce: z.exactOptional(z.object({ requests: z.number(), unknown: z.number() })),
});
export const drillLedgerSchema = z.preprocess(withNewName, ledgerSchema);
export type DrillLedger = z.infer<typeof drillLedgerSchema>;

const ledgerTimelineSchema: z.ZodType<LedgerTimeline> = z.object({
  windowSeconds: z.number(),
  classes: z.partialRecord(ledgerClassSchema, z.array(z.number())),
});

/** How many, and the first of them by name. */
export const namedTimesSchema = z.object({
  times: z.number(),
  at: z.array(z.string()),
});
export type NamedTimes = z.infer<typeof namedTimesSchema>;

/** Due times of a schedule, from the warm-up to shortly before the load ended. */
export const drillScheduleSchema = z.object({
  everySeconds: z.number(),
  due: z.number(),
  /** Executed once; the three add up to those that were due. */
  once: z.number(),
  repeated: namedTimesSchema,
  never: namedTimesSchema,
});
export type DrillSchedule = z.infer<typeof drillScheduleSchema>;

/** Passes of `n8n-tuned recover --retry` beside the load, and on until nothing was left to retry. */
export const drillRecoverySchema = z.object({
  ageSeconds: z.number(),
  everySeconds: z.number(),
  passes: z.number(),
  /** That could not ask n8n or Redis. */
  failedPasses: z.number(),
  /** Retries by their outcome. */
  attempts: z.record(z.string(), z.number()),
  /** Executions that the last pass left alone, by the reason. */
  left: z.record(z.string(), z.number()),
});
export type DrillRecovery = z.infer<typeof drillRecoverySchema>;

/** Times are seconds since the fault. */
const answeredSchema = z.object({ requests: z.number(), answered: z.number() });
const availabilitySchema = z.object({ during: answeredSchema, outside: answeredSchema });
export type Availability = z.infer<typeof availabilitySchema>;

export const drillFiguresSchema = z.object({
  /** Until the first caller had an error; null: none had. */
  detectSeconds: z.number().nullable(),
  /** Until requests that were then due met the SLO, and all later ones too; null: not within the drill. */
  recoverSeconds: z.number().nullable(),
  /** Too few requests were due after the fault to tell; left out where there were enough. */
  isRecoveryUnknown: z.exactOptional(z.literal(true)),
  /** Jobs waiting: the most, and until there were as few as before. Null without a queue. */
  backlog: z
    .object({
      before: z.number(),
      peak: z.number(),
      drainSeconds: z.number().nullable(),
    })
    .nullable(),
  /** The longest wait for an expected response, of requests exposed to the fault. */
  slowestMs: z.number().nullable(),
  /** Exposed requests without the expected response, and when the first and the last of them were due. */
  errors: z
    .object({
      requests: z.number(),
      fromSeconds: z.number(),
      toSeconds: z.number(),
    })
    .nullable(),
  /** Expected responses of the requests open during the fault and until the SLO was met again, and of all others after the warm-up; left out if not counted. */
  availability: z.exactOptional(availabilitySchema),
});
export type DrillFigures = z.infer<typeof drillFiguresSchema>;

export const drillControlSchema = z.object({
  run: z.string(),
  sent: z.number(),
  classes: ledgerClassesSchema,
  /** The SLO that it missed, with what was measured; null: none. */
  missed: z.string().nullable(),
  schedule: z.exactOptional(drillScheduleSchema),
});
export type DrillControl = z.infer<typeof drillControlSchema>;

export const drillVerdictSchema = z.object({
  outcome: z.enum(['pass', 'fail', 'invalid']),
  /** One sentence a manager can read. */
  sentence: z.string(),
  promises: z.array(
    z.object({
      promise: drillPromiseSchema,
      measured: z.string(),
      /** Null: it cannot be judged, and `measured` says why. */
      kept: z.boolean().nullable(),
    }),
  ),
  /** Why it says nothing; empty unless it is invalid. */
  invalid: z.array(z.string()),
  doubts: z.array(z.string()),
});
export type DrillVerdict = z.infer<typeof drillVerdictSchema>;

/** The shape of drill.json: a fault under load, and what became of every request. */
export const drillRecordSchema = z.object({
  schemaVersion: z.literal(1),
  kind: z.literal('drill'),
  id: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  command: z.array(z.string()),
  fault: drillFaultSchema,
  workload: recordedWorkloadSchema,
  ratePerSecond: z.number(),
  slo: z.array(sloSchema),
  target: z.object({
    kind: targetKindSchema,
    url: z.string(),
  }),
  topology: topologySchema.nullable(),
  versions: z.record(z.string(), z.string()),
  /** What n8n showed once the load was over; left out if it shows nothing of them. */
  patches: z.exactOptional(patchStatesSchema),
  machine: machineSchema,
  phases: drillPhasesSchema,
  ledger: drillLedgerSchema,
  /** Left out of drills that were recorded without it. */
  timeline: z.exactOptional(ledgerTimelineSchema),
  /** What became of the due times of a schedule; left out where there was none. */
  schedule: z.exactOptional(drillScheduleSchema),
  /** What recovery did beside it; left out where none ran. */
  recovery: z.exactOptional(drillRecoverySchema),
  /** Null where the fault was never made. */
  figures: drillFiguresSchema.nullable(),
  /** The same load without the fault; null where it was left out. */
  control: drillControlSchema.nullable(),
  verdict: drillVerdictSchema,
  /** Folder of the run, beneath the drill's own. */
  run: z.string(),
});
export type DrillRecord = z.infer<typeof drillRecordSchema>;

export const readDrill = (folder: string): DrillRecord =>
  readRecordFile(join(folder, DRILL_FILE), {
    ...{ what: 'a drill', kind: 'drill', version: 1 },
    schema: drillRecordSchema,
  });
