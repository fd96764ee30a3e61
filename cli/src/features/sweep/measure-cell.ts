/** One cell for real: its topology comes up fresh, is measured, and goes down again. */
import { join, relative, resolve } from 'node:path';
import { donePerSecond } from '../../analysis/cost';
import { limitOfRun, limitOfFind } from '../../analysis/limits/limit-seen';
import { resultOf, sentenceOf } from '../find/analysis/outcome';
import { maxSeconds } from '../find/analysis/propose';
import { CapacitySearch } from '../find/analysis/search';
import { withDefaults, type SearchSettings } from '../find/analysis/types';
import { find, type FindOrder } from '../find/find';
import { searchSettings } from '../find/settings';
import { planText, searchText } from '../../options/load-text';
import { serverLoad, withoutWorkflows } from '../../plan/chosen-server';
import { chooseWorkload, isWorkloadFile, type ChosenWorkload } from '../../plan/chosen-workload';
import type { SweepPlan } from './plan/plan';
import { isServerCell, loadOf, partsOf, serverOf, topologyOf } from './plan/plan-cells';
import type { Cell } from './plan/cells';
import { readRun } from '../../record/read-run';
import { capacityOf, type BeforeSearch, type FindRecord } from '../find/record';
import type { RunOrder } from '../../run/order';
import { measure } from '../../run/run';
import type { Deployer } from '../../targets/deploy';
import { serverTarget } from '../../targets/server/server-target';
import type { Running } from '../../targets/target';
import type { Progress } from '../../ui/progress';
import { withTargets } from '../../targets/with-targets';
import type { CellResult, MeasureCell } from './sweep';
import { reportFiles } from '../../report/files';
import { findDocument } from '../find/report/document';
import { writeBeside } from '../../record/write-beside';
import { isLoaded } from '../../plan/roles';
import type { RunRecord } from '../../record/run-record';
import { NO_FIGURES, type CellFigures } from './record';

/** What all cells share. */
export interface Bench {
  k6: string;
  /** The folders loadtests/ and workflows/. */
  scripts: string;
  workflows: string;
  /** Folder of the plan; its workload files are relative to it. */
  planFolder: string;
  command: string[];
  /** The target that deploys the cells. */
  deployer: Deployer;
}

/** `before`: what was seen of this machine before the first cell. */
export function measureCells(
  plan: SweepPlan,
  bench: Bench,
  before: BeforeSearch | null,
): MeasureCell {
  return async ({ cell }, folder, progress, signal) => {
    const workload = workloadOf(cell, bench);
    const readyTimeoutMs = 1000 * plan.measure.ready;
    const { workflows } = workload;
    const target = isServerCell(cell)
      ? serverTarget({ server: serverOf(cell), folder: resolve(bench.planFolder), readyTimeoutMs })
      : bench.deployer.deploy({ topology: topologyOf(cell), workflows, readyTimeoutMs });
    const { maxOpen, generatorCpus } = plan.measure;
    const order = {
      workload,
      slos: plan.slo,
      out: folder,
      k6: bench.k6,
      scripts: bench.scripts,
      timeoutMs: 1000 * plan.measure.timeout,
      drainMs: 1000 * plan.measure.drain,
      generator: {
        ...(maxOpen === undefined ? {} : { maxOpen }),
        ...(generatorCpus === undefined ? {} : { cores: generatorCpus }),
      },
      command: bench.command,
    };
    const load = loadOf(cell, plan);
    return withTargets([target], workload.workflows, { tell: progress, signal }, ([running]) =>
      load === null
        ? searched(
            running,
            { ...order, ...(before === null ? {} : { before }) },
            plan,
            progress,
            signal,
          )
        : loaded(running, { ...order, plan: load }, progress, signal),
    );
  };
}

export function workloadOf(
  cell: Cell,
  { workflows, planFolder }: Pick<Bench, 'workflows' | 'planFolder'>,
): ChosenWorkload {
  const text = (name: string): string | undefined =>
    cell[name] === undefined ? undefined : String(cell[name]);
  const named = text('workload');
  const isFile = named !== undefined && isWorkloadFile(named);
  const workload = isFile ? resolve(planFolder, named) : named;
  const parameters = partsOf(cell, 'param');
  if (isServerCell(cell)) {
    const load = serverLoad(serverOf(cell).url, { request: text('request'), workload });
    return withoutWorkflows(chooseWorkload({ ...load, parameters }, workflows, null));
  }
  const { n8n } = topologyOf(cell);
  const variant = text('variant');
  return chooseWorkload({ workload, variant, parameters }, workflows, n8n);
}

function settingsOf(
  { slo, measure: { probe, full, budget } }: SweepPlan,
  { recorded }: ChosenWorkload,
): Partial<SearchSettings> {
  return searchSettings({
    probeSeconds: probe ?? null,
    fullSeconds: full ?? null,
    slos: slo,
    budgetSeconds: budget ?? null,
    latencyFloorMs: recorded.latencyFloorMs,
  });
}

/** What is loaded in a cell gets this, in words. */
export function loadTextOf(cell: Cell, plan: SweepPlan, bench: Bench): string {
  const load = loadOf(cell, plan);
  if (load !== null) return planText(load);
  const search = withDefaults(settingsOf(plan, workloadOf(cell, bench)));
  return searchText(search.maxClients, maxSeconds(search));
}

async function loaded(
  running: Running,
  order: RunOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<CellResult> {
  const { folder, data } = await measure(running, order, progress, signal);
  signal.throwIfAborted();
  return { ...cellOfRun(data.record), run: relative(order.out, folder) };
}

export const cellOfRun = (record: RunRecord): Omit<CellResult, 'run'> => ({
  outcome: resultOf(record),
  sentence: sentenceOf(record),
  limitedBy: limitOfRun(record.verdict),
  figures: figuresOfRun(record),
  ...environmentOf(record),
});

/** What of n8n a report names. */
const environmentOf = ({
  versions,
  patches,
}: Pick<RunRecord, 'versions' | 'patches'>): Pick<CellResult, 'versions' | 'patches'> => ({
  versions,
  ...(patches === undefined ? {} : { patches }),
});

async function searched(
  running: Running,
  order: Omit<FindOrder, 'search' | 'budgetSeconds'>,
  plan: SweepPlan,
  progress: Progress,
  signal: AbortSignal,
): Promise<CellResult> {
  const { budget, arrivals } = plan.measure;
  const search = new CapacitySearch(settingsOf(plan, order.workload));
  const { folder, record } = await find(
    running,
    {
      ...order,
      search,
      budgetSeconds: budget ?? null,
      ...(arrivals === undefined ? {} : { arrivals }),
    },
    progress,
    signal,
  );
  signal.throwIfAborted();
  writeBeside(folder, reportFiles(findDocument(record)));
  const best = record.atCapacity?.run ?? null;
  const atCapacity = best === null ? null : readRun(join(folder, best));
  return {
    outcome: OUTCOMES[record.verdict],
    sentence: record.sentence,
    limitedBy: limitOfFind(record),
    figures: figuresOfFind(record, atCapacity),
    run: relative(order.out, folder),
    ...environmentOf(record),
  };
}

const OUTCOMES = {
  found: 'sustained',
  rough: 'sustained',
  'not confirmed': 'inconclusive',
  inconclusive: 'inconclusive',
  'nothing sustained': 'not sustained',
  invalid: 'invalid',
} as const;

export function figuresOfRun({ summary }: Pick<RunRecord, 'summary'>): CellFigures {
  const loaded = summary.roles.filter(({ role }) => isLoaded(role));
  const peaks = loaded.flatMap(({ rssPeakMiB }) => (rssPeakMiB === null ? [] : [rssPeakMiB]));
  const memoryMiB = peaks.length > 0 ? total(peaks) : null;
  const achievedPerSecond = donePerSecond(summary);
  return {
    ...NO_FIGURES,
    achievedPerSecond,
    p50Ms: summary.latencyMs?.p50 ?? null,
    p95Ms: summary.latencyMs?.p95 ?? null,
    p99Ms: summary.latencyMs?.p99 ?? null,
    errorShare: summary.errors.share,
    memoryMiB,
    memoryMiBPerRequestPerSecond:
      memoryMiB === null || !(achievedPerSecond > 0) ? null : memoryMiB / achievedPerSecond,
    cpuMillisecondsPerRequest: summary.cpuMillisecondsPerRequest,
    restarts: total(loaded.map(({ restarts, oomKills }) => restarts + oomKills)),
  };
}

/** The capacity, and beside it what the run at the capacity showed. */
export function figuresOfFind(search: FindRecord, atCapacity: RunRecord | null): CellFigures {
  const beside = atCapacity === null ? NO_FIGURES : figuresOfRun(atCapacity);
  const capacityPerSecond = capacityOf(search);
  const { low, high } = search.capacity;
  const interval = capacityPerSecond === null ? {} : { capacityLow: low, capacityHigh: high };
  return { ...beside, capacityPerSecond, ...interval };
}

const total = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);
