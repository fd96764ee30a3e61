/** One drill on a target of its own, as the command's options ask for it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { drillAnnotations } from '../../analysis/annotations';
import type { SeedWorkflow } from '../../catalogue/seeding';
import { drill, type DrillOrder, type FinishedDrill } from './drill';
import type { Fault, InsideFault } from './fault';
import { findFault, SOAKED } from './faults';
import { soak } from './faults/combined';
import { customFault } from './faults/custom';
import { findBundled } from '../../lab/kit';
import { topologyInImage } from '../../options/container';
import { chooseTopology } from '../../plan/chosen-topology';
import type { Topology } from '../../plan/topology';
import type { Arrivals } from '../../../../loadtests/lib/profile';
import { parsePromises, type DrillPromise } from './analysis/promise';
import { parseSlos, waitingMs, type Slo } from '../../../../loadtests/lib/slo';
import { CUSTOM, SOAK, type DrillRecord } from './record';
import { readRun } from '../../record/read-run';
import { WEBHOOK_COUNTS } from '../../samplers/n8n-metrics';
import { topologyOfValues } from '../../targets/kubernetes/release/values';
import { EXIT, Mistake } from '../../ui/exit';
import { counted } from '../../ui/numbers';
import type { Progress } from '../../ui/progress';
import { givenValues } from '../../options/kubernetes';
import type { MonitoringOptions, Told } from '../../options/monitoring';
import { onTargets } from '../../options/on-target';
import { chosenPrices, type PriceOptions } from '../../options/prices';
import {
  chosenSlos,
  chosenWorkload,
  type TargetOptions,
  type WorkloadOptions,
} from '../../options/options';
import {
  chosenVersion,
  makeTarget,
  targetOrder,
  withoutWebhook,
  type TargetOrder,
} from '../../options/targets';

export interface DrillOptions
  extends WorkloadOptions, TargetOptions, MonitoringOptions, PriceOptions {
  rate: number;
  arrivals?: Arrivals;
  retries?: number;
  /** Seconds, as the next four. */
  warmup: number;
  steady: number;
  for?: number;
  every?: number;
  after: number;
  slo?: string[];
  promise?: string[];
  /** Milliseconds, as the next one. */
  wait?: number;
  ready: number;
  /** False with --no-control. */
  control: boolean;
  recover?: boolean;
  /** Only the fault soak has it. */
  seed?: number;
  /** Commands of the fault custom. */
  begin?: string;
  end?: string;
  proof?: string;
  /** Seconds. */
  recoverAge?: number;
  /** What the load waits for; others make it. */
  startFile?: string;
  out: string;
  json?: boolean;
}

/** Its effects are counted outside n8n. */
export const DEFAULT_WORKLOAD = 'side-effect';
/** How long callers wait, and n8n has to finish, where nobody says: a lost execution may be done again meanwhile. */
export const WAIT = '150s';

/** Why a fault cannot be made where the options say; null: it can. */
export function whyNotThere(
  { isFromOutside = false, notOn, notHere }: Fault,
  options: DrillOptions,
): string | null {
  const { target } = options;
  if (isThere(options) && !isFromOutside) {
    return `it ${ONLY_OWN}`;
  }
  return (
    notOn?.[target] ??
    (target === 'process' || target === 'container' ? (notHere?.() ?? null) : null)
  );
}

const ONLY_OWN = `changes resources that the drill deploys itself; for an n8n instance that is already running, use ${CUSTOM} with your own commands`;

export function refuseAllThere(options: DrillOptions): void {
  if (isThere(options))
    throw new Mistake(`drill all cannot be used here, because every fault ${ONLY_OWN}.`);
}

/** Somebody else has laid it out, and nothing of it is changed here. */
const isThere = ({ target, existing }: DrillOptions): boolean =>
  target === 'url' || existing === true;

const SEED = 1;

/** The fault of that name, made by these options. */
export function faultOf(name: string, options: DrillOptions): Fault {
  const { begin, end, proof, seed } = options;
  if (seed !== undefined && name !== SOAK) {
    throw new Mistake(`--seed works only with ${SOAK}: remove it for ${name}.`);
  }
  if (name === SOAK) return soak(soakedBy(options), seed ?? SEED);
  if (name !== CUSTOM) return findFault(name);
  if (begin === undefined) {
    throw new Mistake(
      `${CUSTOM} requires --begin, the command that begins the fault, and usually --end, the command that ends it.`,
    );
  }
  return customFault({
    begin,
    ...(end === undefined ? {} : { end }),
    ...(proof === undefined ? {} : { proof }),
  });
}

function soakedBy(options: DrillOptions): InsideFault[] {
  if (isThere(options))
    throw new Mistake(`${SOAK} cannot be used here, because every fault ${ONLY_OWN}.`);
  const topology = drilledTopology(options);
  return SOAKED.filter(
    (fault) => whyNotThere(fault, options) === null && fault.lacks(topology) === null,
  );
}

export function drilledTopology(options: DrillOptions): Topology {
  if (options.target === 'container') return topologyInImage(options);
  if (options.values === undefined) return chooseTopology(options);
  return topologyOfValues(givenValues(options.values));
}

/** After a fault; an n8n instance that is still down then is left alone. */
const COMES_BACK_SECONDS = 60;

/** In plain data, but for the fault: the same options give the same order. */
export interface OrderedDrill {
  drill: Omit<DrillOrder, 'k6' | 'scripts' | 'command'>;
  target: TargetOrder;
  stopIf: readonly string[];
  /** Left out: as for any other load. */
  unhealthySeconds?: number;
}

export function orderOf(fault: Fault, given: DrillOptions): OrderedDrill {
  const options = withoutWebhook(given);
  const cannot = whyNotThere(fault, options);
  if (cannot !== null) {
    throw new Mistake(
      `${fault.name} cannot be injected with --target ${options.target}: ${cannot}; n8n-tuned drill list shows the targets of each fault.`,
    );
  }
  refuseWhatItLacks(fault, options);
  refuseTimes(fault, options);
  const workload = chosenWorkload(
    options.request === undefined && options.workflow === undefined
      ? { workload: DEFAULT_WORKLOAD, ...options }
      : options,
    chosenVersion(options),
  );
  const slos = slosOf(options, workload.recorded.latencyFloorMs);
  const waitMs = waitingMs('--wait', options.wait, WAIT, slos);
  refuseEarlyRecovery(options, waitMs);
  const drilled = {
    fault,
    load: {
      ratePerSecond: options.rate,
      warmupSeconds: options.warmup,
      steadySeconds: options.steady,
      faultSeconds: options.for ?? fault.defaultSeconds,
      ...(options.every === undefined ? {} : { everySeconds: options.every }),
      ...(options.every === undefined || fault.defaultSeconds === 0
        ? {}
        : { turnSeconds: fault.defaultSeconds }),
      returnSeconds: options.after,
      rateFactor: fault.rateFactor ?? 1,
      ...(options.arrivals === undefined ? {} : { arrivals: options.arrivals }),
      ...(options.retries === undefined ? {} : { retries: options.retries }),
    },
    promises: promisesOf(fault, options),
    areAskedFor: options.promise !== undefined,
    hasControl: options.control,
    hasRecovery: options.recover === true,
    ...(options.recoverAge === undefined ? {} : { recoveryAgeSeconds: options.recoverAge }),
    ...{ workload, slos, out: options.out, timeoutMs: waitMs, drainMs: waitMs },
    ...chosenPrices(options),
  };
  const workflows = [...workload.workflows, ...scheduleOf(fault)];
  const target = targetOrder(countingRequests(options), workflows, options.ready, {
    load: `${counted(options.rate, 'request')} per second`,
    hasLinks: fault.isOnLinks ?? false,
    hasSmallDisk: fault.isOnSmallDisk ?? false,
    hasForgetfulRedis: fault.isOnForgetfulRedis ?? false,
    hasNames: fault.isOnNames ?? false,
    hasClock: fault.isOnClock ?? false,
    standbys: fault.standbys ?? [],
    hasReadiness: true,
  });
  return {
    ...{ drill: drilled, target, stopIf: options.stopIf ?? [] },
    ...(isThere(options)
      ? { unhealthySeconds: drilled.load.faultSeconds + COMES_BACK_SECONDS }
      : {}),
  };
}

/** What webhook processors took of the load shows whether a fault of one of them had anything at risk. */
const countingRequests = (options: DrillOptions): DrillOptions =>
  (options.target === 'process' || options.target === 'container') &&
  drilledTopology(options).webhooks.count > 0
    ? { ...options, env: { ...WEBHOOK_COUNTS, ...options.env } }
    : options;

function refuseWhatItLacks(fault: Fault, options: DrillOptions): void {
  if (isThere(options)) {
    if (options.recover !== true) return;
    throw new Mistake(
      '--recover works only if the drill deploys n8n itself: an existing n8n instance runs its own recovery.',
    );
  }
  const topology = drilledTopology(options);
  refuseRecovery(options, topology);
  const lacks = fault.lacks(topology);
  if (lacks !== null) {
    throw new Mistake(`the topology has nothing that ${fault.name} could affect: add ${lacks}.`);
  }
}

/** `told`: who else hears of its load and its fault. */
export function oneDrill(
  { drill: order, target, stopIf, unhealthySeconds }: OrderedDrill,
  options: DrillOptions,
  told: Told,
): Promise<FinishedDrill> {
  return onTargets(
    [makeTarget(target)],
    { ...order.workload, workflows: [...order.workload.workflows, ...scheduleOf(order.fault)] },
    async ({ running: [running], tell, signal, progress, means }) => {
      if (options.startFile !== undefined) await fileIsThere(options.startFile, tell, signal);
      const finished = await drill(running, { ...told.observe, ...order, ...means }, tell, signal);
      const { folder, record, problems } = finished;
      const run = readRun(join(folder, record.run));
      problems.push(...(await told.annotate(drillAnnotations(record, run))));
      progress.end();
      return finished;
    },
    stopIf,
    unhealthySeconds,
  );
}

const LOOK_MS = 200;

async function fileIsThere(path: string, tell: Progress, signal: AbortSignal): Promise<void> {
  tell(`n8n is ready; waiting for ${path}`);
  while (!existsSync(path)) await sleep(LOOK_MS, undefined, { signal });
}

/** Its service is that of the workloads. */
const scheduleOf = ({ schedule }: Fault): SeedWorkflow[] =>
  schedule === undefined
    ? []
    : [
        {
          ...{ name: schedule.file, needs: ['upstream'] },
          file: join(findBundled(join('lab', 'drill'), schedule.file), schedule.file),
        },
      ];

export function codeOf({ verdict }: DrillRecord, problems: readonly string[]): number {
  if (problems.length > 0 || verdict.outcome === 'invalid') return EXIT.invalid;
  return verdict.outcome === 'pass' ? EXIT.fine : EXIT.notMet;
}

/**
 * Recovery runs what was lost again from its trigger, so that what was begun before is begun twice. It is not to be done twice,
 * nor begun twice where its worker lives.
 */
export function promisesOf(
  { promise, keepsWorkers }: Fault,
  options: Pick<DrillOptions, 'promise' | 'recover'>,
): DrillPromise[] {
  if (options.promise !== undefined) return options.promise.flatMap(parsePromises);
  if (options.recover !== true) return parsePromises(promise);
  return [
    ...parsePromises(promise).filter(
      ({ metric }) => metric !== 'repeated' || keepsWorkers === true,
    ),
    ...parsePromises('done-twice=0'),
  ];
}

function refuseRecovery({ recover }: DrillOptions, { mode }: Topology): void {
  if (recover !== true) return;
  if (mode !== 'queue') {
    throw new Mistake(
      '--recover uses the queue to find lost executions: add --mode queue --workers 2.',
    );
  }
}

function refuseEarlyRecovery({ recoverAge }: DrillOptions, waitMs: number): void {
  if (recoverAge === undefined || 1000 * recoverAge < waitMs) return;
  throw new Mistake(
    `--recover-age is ${String(recoverAge)}s, but recovery has only the time of --wait after the load, ${String(waitMs / 1000)}s: use a longer --wait.`,
  );
}

function refuseTimes({ name, defaultSeconds }: Fault, { for: lasts, every }: DrillOptions): void {
  if (every === undefined) {
    if (lasts === undefined || defaultSeconds > 0) return;
    throw new Mistake(`${name} is instantaneous: remove --for, or repeat the fault with --every.`);
  }
  if (name === SOAK) {
    throw new Mistake(`${SOAK} already injects one fault after another: remove --every.`);
  }
  if (defaultSeconds > 0 && every <= defaultSeconds) {
    throw new Mistake(
      `${name} lasts ${String(defaultSeconds)}s each time, so with --every ${String(every)}s the repetitions would overlap: use a longer --every.`,
    );
  }
  if (lasts === undefined || lasts <= every) {
    throw new Mistake(
      `--every ${String(every)}s repeats ${name} during --for: add a --for that is longer than --every.`,
    );
  }
}

function slosOf(options: DrillOptions, latencyFloorMs: number): Slo[] {
  const fallback = `errors<1%,p95<${String(latencyFloorMs + 1000)}ms`;
  return options.slo === undefined ? parseSlos(fallback) : chosenSlos(options);
}
