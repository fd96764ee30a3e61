import { ledgerOf } from '../../cli/src/features/drill/analysis/ledger';
import { ledgerSummary } from '../../cli/src/features/drill/analysis/ledger-summary';
import { drillFigures, exposedTo } from '../../cli/src/features/drill/analysis/figures';
import { drillVerdict } from '../../cli/src/features/drill/analysis/verdict';
import {
  LEDGER_CLASSES,
  type LedgerClass,
} from '../../cli/src/features/drill/analysis/ledger-class';
import { parsePromises } from '../../cli/src/features/drill/analysis/promise';
import { parseSlos } from '../../loadtests/lib/slo';
import type { DrillRecord } from '../../cli/src/features/drill/record';
import { ledgerTimeline } from '../../cli/src/features/drill/analysis/ledger-timeline';
import type { LedgerRow } from '../../cli/src/features/drill/report/ledger-csv';
import type { RunData } from '../../cli/src/run/report/data';
import type { NamedRequests } from '../../cli/src/record/run-record';
import { sampleRequests, sampleRun } from './sample-run';

const FAULT_MS = 30_000;

/** A made-up drill on the made-up run: a worker is killed after 30 s, and 8 requests are lost with it. */
export function sampleDrill(): {
  record: DrillRecord;
  run: RunData;
  entries: readonly LedgerRow[];
} {
  // Those that are open at the fault.
  const isHit = (tMs: number): boolean => tMs > FAULT_MS - 5_000 && tMs <= FAULT_MS;
  const requests = sampleRequests()
    .filter((_, index) => index % 12 === 0)
    .map((request) => ({
      ...request,
      ...{ ok: true, status: 200, errorKind: '', durationMs: 5_060 },
    }))
    .map((request, index) =>
      isHit(request.tMs) && index % 2 === 0
        ? { ...request, ok: false, status: 500, errorKind: 'status 500', durationMs: 46_000 }
        : request,
    );
  const base = sampleRun(requests);
  const ledger = ledgerOf({
    ...{ runId: 'sample', requests, answers: 'when-done' },
    executions: {
      ...{ source: 'database', made: requests.length },
      executions: requests.map(({ id, ok }) =>
        ok
          ? { loadId: id, outcome: 'succeeded' as const }
          : { loadId: id, outcome: 'failed' as const, hasCrashed: true },
      ),
    },
    effects: requests.flatMap(({ id, ok }) => [
      { id, step: 'begun' as const },
      ...(ok ? [{ id, step: 'done' as const }] : []),
    ]),
  });
  const slo = parseSlos('errors<1%,p95<6s');
  const phases = {
    ...{ steady: { fromMs: 10_000, toMs: 22_400 }, faultMs: FAULT_MS, overMs: FAULT_MS },
    endMs: 70_000,
  };
  const events = [{ tMs: FAULT_MS, kind: 'fault', text: 'SIGKILL of worker-1' }];
  const run = { ...base, record: { ...base.record, events } };
  const fault = {
    ...{ name: 'kill-worker', title: 'SIGKILL of one worker', kind: 'accident' as const },
    ...{ done: [{ tMs: FAULT_MS, text: 'SIGKILL of worker-1' }], lastsSeconds: 0 },
    victims: [{ tMs: FAULT_MS, name: 'worker-1', executions: 12 }],
  };
  const recorded = ledgerSummary(ledger, {
    exposed: new Set(exposedTo(requests, FAULT_MS).map(({ id }) => id)),
    ...{ answers: 'when-done', victims: fault.victims },
    sources: { executions: 'database', effects: 'service outside n8n' },
  });
  const figures = drillFigures(requests, base.samples, slo, phases, fault);
  const sent = 210;
  const control = {
    ...{ run: 'runs/control', sent, missed: null },
    classes: Object.fromEntries(
      LEDGER_CLASSES.map((name) => [name, { requests: name === 'once' ? sent : 0, ids: [] }]),
    ) as unknown as Record<LedgerClass, NamedRequests>,
  };
  const { workload, target, topology, versions, machine } = base.record;
  const record: DrillRecord = {
    ...{ schemaVersion: 1, kind: 'drill', id: '20261121-100000-side-effect-drill-abcd' },
    ...{ startedAt: '2026-11-21T10:00:00.000Z', endedAt: '2026-11-21T10:03:00.000Z' },
    command: ['drill', 'kill-worker', '--workers', '2', '--rate', '3.33'],
    ...{ fault, workload, ratePerSecond: 3.33, slo, target, topology, versions, machine },
    ...{ phases, ledger: recorded, figures, control, run: 'runs/fault' },
    timeline: ledgerTimeline(ledger.entries, phases.endMs),
    verdict: drillVerdict({
      ...{
        fault,
        run: run.record,
        steadyMissed: null,
        steadyRequests: 40,
        faultFailed: null,
        stopped: null,
      },
      ...{
        ledger: recorded,
        isOver: true,
        isAnythingAtRisk: true,
        unexpected: [],
        figures,
        schedule: null,
        control,
      },
      promises: parsePromises('lost=0,repeated=0,running=0,recover<60s'),
    }),
  };
  return { record, run, entries: ledger.entries };
}
