/** A fault under load, in one sitting: the control without it, then steady, fault and return; and the ledger of both. */

import type { Effect } from '../../analysis/effects';
import { basename, join } from 'node:path';
import { dueTimes } from './analysis/due-times';
import { drillFigures, exposedTo, isAnythingAtRisk, spansOf } from './analysis/figures';
import { withOpen } from './analysis/open-on-victims';
import { momentsOf } from './analysis/moments';
import { dueWithin, endedUnderLoad, steadyPart } from './analysis/phases';
import { drillVerdict } from './analysis/verdict';
import { ledgerOf, type Ledger } from './analysis/ledger';
import { ledgerTimeline } from './analysis/ledger-timeline';
import { ledgerSummary, namedClasses } from './analysis/ledger-summary';
import { missedSlo } from '../../analysis/slo/window-slo';
import type { DrillPromise } from './analysis/promise';
import { DRILL_FILE } from '../../record/find-records';
import {
  LEDGER_FILE,
  type DrillControl,
  type DrillPhases,
  type DrillRecord,
  type DrillRecovery,
  type DrillSchedule,
} from './record';
import { makeFolder, runId, writeWhole } from '../../record/folder';
import { ledgerCsv } from './report/ledger-csv';
import { readRequests } from '../../record/read-run';
import type { RequestSample } from '../../record/run-record';
import type { RunOrder } from '../../run/order';
import { measure, type FinishedRun } from '../../run/run';
import type { Running } from '../../targets/target';
import { Interrupted, messageOf } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import type { Fault } from './fault';
import { faultAtSeconds, planOfDrill, type DrillLoad } from './plan';
import { SETTLE_MS } from '../recover/pass';
import { recoveryBeside } from './recovery-beside';
import { writeBeside } from '../../record/write-beside';
import { TimedFault } from './timed-fault';
import { reportFiles } from '../../report/files';
import { drillDocument } from './report/document';

export interface DrillOrder extends Omit<RunOrder, 'plan' | 'onBegin'> {
  fault: Fault;
  load: DrillLoad;
  promises: DrillPromise[];
  /** Whether somebody asked for just these, so that one that cannot be judged is told; left out: they are those of the fault. */
  areAskedFor?: boolean;
  /** Whether the same load is made without the fault first. */
  hasControl: boolean;
  /** Whether lost executions are retried beside it, as the chart's recovery does. */
  hasRecovery?: boolean;
  /** How long nothing must have been heard of one before it is retried; left out: as usual. */
  recoveryAgeSeconds?: number;
}

export interface FinishedDrill {
  folder: string;
  record: DrillRecord;
  problems: string[];
  /** The user ended it before its end. */
  isStopped: boolean;
}

export async function drill(
  running: Running,
  order: DrillOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<FinishedDrill> {
  const started = new Date();
  const { fault, load, workload, slos } = order;
  const id = runId(started, workload.recorded.name, `drill-${fault.name}`);
  const folder = join(order.out, id);
  makeFolder(folder);
  const problems: string[] = [];
  const measured = async (
    what: string,
    part: Pick<RunOrder, 'plan' | 'onBegin' | 'settle' | 'beforeLoad'>,
  ): Promise<DrillRun> => {
    const tell = (text: string): void => {
      progress(`${what}: ${text}`);
    };
    let beganAtMs = Date.now();
    const onBegin: NonNullable<RunOrder['onBegin']> = (atMs, tellRun) => {
      beganAtMs = atMs;
      part.onBegin?.(atMs, tellRun);
    };
    const run = await measure(
      running,
      // Without n8n's executions the ledger cannot tell what was lost: they may take as long as all else.
      { ...order, ...part, onBegin, out: join(folder, 'runs'), readWithinMs: order.drainMs },
      tell,
      signal,
    );
    problems.push(...run.problems);
    const requests: RequestSample[] = [];
    for await (const request of readRequests(run.folder)) requests.push(request);
    return { ...run, requests, beganAtMs };
  };

  // A fault that is a load is not part of the control.
  const control = order.hasControl
    ? await controlOf(
        await measured('control', { plan: planOfDrill({ ...load, rateFactor: 1 }) }),
        running,
        order,
      )
    : null;
  if (control !== null && signal.aborted) {
    throw new Interrupted(
      `${messageOf(signal.reason)} before the fault: only the control was recorded, in ${join(folder, control.run)}.`,
    );
  }
  const times = {
    atMs: 1000 * faultAtSeconds(load),
    lastsMs: 1000 * load.faultSeconds,
    ...(load.everySeconds === undefined ? {} : { everyMs: 1000 * load.everySeconds }),
    ...(load.turnSeconds === undefined ? {} : { turnMs: 1000 * load.turnSeconds }),
  };
  const timed = new TimedFault(running, fault, times, running.kind !== 'kubernetes');
  const beside =
    order.hasRecovery === true ? await recoveryBeside(running, order.recoveryAgeSeconds) : null;
  let recovery: DrillRecovery | null = null;
  // Not only once k6 has stopped and n8n was counted: until then it would be made after all, or go on.
  const breakOff = (): void => void timed.end();
  signal.addEventListener('abort', breakOff, { once: true });
  let run: DrillRun;
  try {
    run = await measured(fault.name, {
      plan: planOfDrill(load),
      beforeLoad: () => prepared(fault, running),
      onBegin: timed.begin,
      settle: async () => {
        // A retry begins so much later than n8n could.
        recovery = (await beside?.end(order.drainMs + SETTLE_MS, signal)) ?? null;
      },
    });
  } finally {
    signal.removeEventListener('abort', breakOff);
    await timed.end();
    await beside?.stop();
  }
  const stopped = signal.aborted ? messageOf(signal.reason) : null;
  progress('accounting for every request');
  const { requests } = run;
  const { record: of, samples } = run.data;
  const { ledger, withoutEffects, isCounted, schedule } = await accountFor(run, running, order);
  // From when it was begun on, any request may have met it.
  const faultMs = timed.done.length === 0 ? null : timed.beganMs;
  const steady = steadyPart(
    requests,
    1000 * load.warmupSeconds,
    faultMs ?? 1000 * faultAtSeconds(load),
  );
  const phases: DrillPhases = {
    ...{ steady, faultMs, overMs: timed.overMs },
    ...(load.everySeconds === undefined ? {} : { lastMs: timed.lastMs }),
    endMs: 1000 * (load.warmupSeconds + of.profile.durationSeconds),
  };
  const judgedBy = dueWithin(requests, steady);
  const made = {
    ...{ name: fault.name, title: fault.title, kind: fault.kind },
    ...{ done: timed.done, lastsSeconds: load.faultSeconds },
    ...(load.everySeconds === undefined ? {} : { everySeconds: load.everySeconds }),
    ...(timed.turns.length === 0 ? {} : { turns: timed.turns }),
    ...(fault.hasProof === true && timed.failure === null ? { isProven: true as const } : {}),
  };
  const spans = spansOf(made, phases.overMs);
  // Half as much again as a slow response of the steady phase takes.
  const slowMs = (faultMs ?? 0) - steady.toMs;
  const victims = withOpen(timed.victims, { requests, spans, slowMs });
  const faultRecord = { ...made, ...(victims.length === 0 ? {} : { victims }) };
  const recorded = ledgerSummary(ledger, {
    exposed: new Set(exposedTo(requests, faultMs ?? Infinity).map((request) => request.id)),
    ...{ answers: workload.recorded.answers, victims },
    ...(faultMs === null
      ? {}
      : {
          told: momentsOf({
            ...{ requests, entries: ledger.entries, answers: workload.recorded.answers },
            spans,
          }),
        }),
    sources: {
      executions:
        ledger.withoutExecutions === null && 'source' in run.traced ? run.traced.source : null,
      effects: withoutEffects === null ? 'service outside n8n' : null,
    },
  });
  const figures =
    faultMs === null
      ? null
      : drillFigures(requests, samples, slos, { ...phases, faultMs }, faultRecord);
  const record: DrillRecord = {
    schemaVersion: 1,
    kind: 'drill',
    id,
    startedAt: started.toISOString(),
    endedAt: new Date().toISOString(),
    command: order.command,
    fault: faultRecord,
    workload: of.workload,
    ratePerSecond: load.ratePerSecond,
    slo: slos,
    target: of.target,
    topology: of.topology,
    versions: of.versions,
    ...(of.patches === undefined ? {} : { patches: of.patches }),
    machine: of.machine,
    phases,
    ledger: recorded,
    timeline: ledgerTimeline(ledger.entries, phases.endMs),
    ...(schedule === null ? {} : { schedule }),
    ...(recovery === null ? {} : { recovery }),
    figures,
    control,
    verdict: drillVerdict({
      ...{ fault: faultRecord, run: of, ledger: recorded, figures, schedule, recovery, control },
      steadyMissed: missedSlo(slos, judgedBy)?.text ?? null,
      steadyRequests: judgedBy.length,
      faultFailed: timed.failure,
      stopped,
      isOver: endedUnderLoad(phases),
      // A response that comes at once says nothing of when its work was done.
      isAnythingAtRisk:
        workload.recorded.answers === 'at-once' ||
        isAnythingAtRisk(requests, faultRecord, phases.overMs),
      unexpected: ledger.unexpected,
      promises: order.promises.filter(
        ({ metric }) => order.areAskedFor === true || isCounted || metric !== 'repeated',
      ),
    }),
    run: join('runs', basename(run.folder)),
  };
  writeWhole(join(folder, LEDGER_FILE), ledgerCsv(ledger.entries));
  writeWhole(join(folder, DRILL_FILE), `${JSON.stringify(record, null, 2)}\n`);
  problems.push(...writeBeside(folder, reportFiles(drillDocument(record, { run: run.data }))));
  return { folder, record, problems, isStopped: signal.aborted };
}

async function prepared(fault: Fault, { drillAccess }: Running): Promise<void> {
  if (fault.isFromOutside === true || drillAccess === undefined) return;
  await fault.prepare?.(drillAccess);
}

/** With every request, which a run itself does not keep. */
interface DrillRun extends FinishedRun {
  requests: RequestSample[];
  beganAtMs: number;
}

/** n8n with schedules in its database looks at what is due every 5 s: what is due later may come after the drill. */
const LATE_SECONDS = 15;

interface Accounted {
  ledger: Ledger;
  /** Null where the fault has none. */
  schedule: DrillSchedule | null;
  /** Why the service outside n8n is no source; null: it is. */
  withoutEffects: string | null;
  /** Whether the workload tells such a service of its work, also if that could not be read. */
  isCounted: boolean;
}

const effectsOf = (running: Running): Promise<Effect[] | null> =>
  running.drillAccess?.effects() ?? running.effects?.() ?? Promise.resolve(null);

async function accountFor(
  { data, traced, requests, beganAtMs }: DrillRun,
  running: Running,
  { workload, fault }: DrillOrder,
): Promise<Accounted> {
  let withoutEffects: string | null = null;
  const effects = await effectsOf(running).catch((error: unknown) => {
    withoutEffects = messageOf(error);
    return null;
  });
  const own = effects?.filter(({ id }) => id.startsWith(`${data.record.id}-`)) ?? [];
  // The service also serves workloads that tell it nothing.
  const hasEffects = own.length > 0;
  const ledger = ledgerOf({
    ...{ runId: data.record.id, requests, executions: traced },
    ...{ effects: hasEffects ? own : null, answers: workload.recorded.answers },
  });
  const { warmupSeconds, durationSeconds } = data.record.profile;
  const schedule =
    fault.schedule === undefined
      ? null
      : dueTimes(effects ?? [], {
          everySeconds: fault.schedule.everySeconds,
          fromMs: beganAtMs + 1000 * warmupSeconds,
          toMs: beganAtMs + 1000 * (warmupSeconds + durationSeconds - LATE_SECONDS),
        });
  return {
    ...{ ledger, schedule },
    ...{ withoutEffects: hasEffects ? null : (withoutEffects ?? 'no count is available') },
    isCounted: hasEffects || withoutEffects !== null,
  };
}

async function controlOf(
  run: DrillRun,
  running: Running,
  order: DrillOrder,
): Promise<DrillControl> {
  const { ledger, schedule } = await accountFor(run, running, order);
  const { requests } = run;
  const { record } = run.data;
  const measured = requests.filter(({ tMs }) => tMs >= 1000 * record.profile.warmupSeconds);
  return {
    run: join('runs', basename(run.folder)),
    sent: requests.length,
    classes: namedClasses(ledger),
    missed: missedSlo(order.slos, measured)?.text ?? null,
    ...(schedule === null ? {} : { schedule }),
  };
}
