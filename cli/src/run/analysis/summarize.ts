import { LOADED_ROLES } from '../../plan/roles';
import type { Slo } from '../../../../loadtests/lib/slo';
import type {
  ExecutionCounts,
  GeneratorPart,
  MetricSample,
  RoleSummary,
  Summary,
} from '../../record/run-record';
import type { Completed } from './completions';
import { generatorFaults, latenessOf } from '../../analysis/generator';
import {
  growth,
  totals,
  values,
  type SampledRole,
  type Window,
  select,
} from '../../analysis/metrics';
import type { RequestFigures } from '../../analysis/requests/figures';
import { latencySummary, p95OfAll } from '../../analysis/requests/latency';
import { stallCauses } from './stall-causes';
import { stallsOf } from './stalls';
import { largest, mean, median } from '../../analysis/statistics/statistics';
import { slope } from '../../analysis/statistics/trend';

/** What a run knows about itself that its samples do not say. */
export interface RunFacts {
  /** The part that counts; requests due before it were warm-up. */
  measured: Window;
  loop: 'open' | 'closed';
  /** Closed loop. */
  clients?: number;
  slos: readonly Slo[];
  generator: {
    /** Mean CPU; over its whole life if no sample fell into the measured part. */
    cpuCoresMean: number;
    /** Cores that it may use; null where that was not recorded. */
    coresAvailable: number | null;
    /** Open loop: requests that were due within the measured part and could not be sent. */
    notSent: number;
    parts?: GeneratorPart[];
  };
  executions: ExecutionCounts | null;
  /** Completed executions of a workload that answers at once. */
  completed?: Completed | null;
  /** Null where there is no queue; `seconds` is null where it was not empty in time. */
  queueDrained: { seconds: number | null; open?: number; source?: string } | null;
}

export function summarize(
  requests: RequestFigures,
  samples: readonly MetricSample[],
  facts: RunFacts,
): Summary {
  const { measured } = facts;
  const seconds = (measured.toMs - measured.fromMs) / 1_000;
  const offered = requests.due;
  const good = requests.goodResponses();
  // A workflow that answers at once has accepted a request before it executes anything of it.
  const done = Math.min(good, facts.completed?.completions.requests ?? Infinity);
  const errors = {
    requests: requests.errors,
    share: offered === 0 ? 0 : requests.errors / offered,
    ...(requests.errors === 0 ? {} : { interval: requests.errorsInTime.interval() }),
    byKind: { ...requests.errorsByKind },
  };
  const stalls = stallsOf(requests.silences.longest(), facts.slos, good / seconds);
  return {
    offered: { requests: offered, ratePerSecond: offered / seconds },
    achieved: {
      requests: good,
      ratePerSecond: good / seconds,
      shareOfOffered: offered === 0 ? 0 : Math.min(1, good / offered),
    },
    ...(facts.completed === undefined ? {} : { completions: facts.completed?.completions ?? null }),
    latencyMs: latencySummary(requests.latencyMs),
    p95OfAllMs: p95OfAll(requests.latencyMs.all, offered),
    errors,
    unanswered: { ...requests.unanswered },
    executions: facts.executions && {
      ...facts.executions,
      requests: requests.requests,
      expectedResponses: requests.expected,
    },
    backlog: backlog(samples, facts),
    stallsMs: stalls.map(({ ms }) => ms),
    ...(stalls.length === 0 ? {} : { stallCauses: stallCauses(stalls, samples) }),
    littlesLaw: requests.littlesLaw(facts.loop === 'closed' ? (facts.clients ?? 0) : null),
    cpuMillisecondsPerRequest: cpuPerRequest(samples, measured, done),
    roles: roles(samples, measured),
    spread: requests.spread.rows(),
    generator: generator(requests, samples, errors, facts),
  };
}

function backlog(samples: readonly MetricSample[], facts: RunFacts): Summary['backlog'] {
  if (facts.queueDrained === null) return null;
  const queued = totals(samples, { metric: 'queueWaiting' }, facts.measured);
  // Without a queue to look at, what n8n has accepted and not done yet.
  const waiting = queued.length > 0 ? queued : (facts.completed?.open ?? []);
  const growing = slope(waiting.map(({ tMs, value }) => ({ x: tMs / 1_000, y: value })));
  const { seconds, open, source } = facts.queueDrained;
  return {
    atEnd: waiting.at(-1)?.value ?? facts.completed?.completions.openAtEnd ?? open ?? 0,
    // A slope whose interval holds 0 is noise, and stated as none.
    slopePerSecond: growing.low > 0 || growing.high < 0 ? growing.value : 0,
    drainedAfterSeconds: seconds,
    ...(source === undefined ? {} : { source }),
  };
}

/** CPU of what is loaded: n8n's own roles and their runners, or a server; databases and the generator are apart. */
function cpuPerRequest(
  samples: readonly MetricSample[],
  measured: Window,
  done: number,
): number | null {
  const cores = LOADED_ROLES.flatMap((role) => {
    return meanCores(samples, role, measured) ?? [];
  });
  if (cores.length === 0 || done === 0) return null;
  return (cores.reduce((sum, value) => sum + value, 0) * (measured.toMs - measured.fromMs)) / done;
}

function roles(samples: readonly MetricSample[], measured: Window): RoleSummary[] {
  const names = new Set(samples.map(({ role }) => role as SampledRole));
  return [...names]
    .filter((role) => role.length > 0)
    .map((role) => {
      const memory = select(samples, { metric: 'rssMiB', role }, measured);
      const rss = sumsOverTime(memory);
      const processes = values(samples, { metric: 'processes', role }, measured);
      const throttled = values(samples, { metric: 'throttledShare', role }, measured);
      const instances = new Set(
        samples
          .filter((sample) => sample.role === role && sample.instance)
          .map(({ instance }) => ownerOf(instance)),
      );
      const peaks = [...instances].flatMap((owner) =>
        sumsOverTime(memory.filter(({ instance }) => ownerOf(instance) === owner)),
      );
      return {
        role,
        instances: instances.size,
        rssPeakMiB: rss.length > 0 ? largest(rss) : null,
        rssPeakOfOneMiB: peaks.length > 0 ? largest(peaks) : null,
        rssMedianMiB: rss.length > 0 ? median(rss) : null,
        cpuCoresMean: meanCores(samples, role, measured),
        processesPeak: processes.length > 0 ? largest(processes) : null,
        // Over the whole run: a restart during warm-up matters no less.
        restarts: growth(samples, { metric: 'restarts', role }),
        oomKills: growth(samples, { metric: 'oomKills', role }),
        throttledShare: throttled.length > 0 ? mean(throttled) : null,
      };
    });
}

/** A child process is sampled as `main/4711`: it belongs to the instance main. */
const ownerOf = (instance: string): string => instance.replace(/\/.*$/s, '');

const sumsOverTime = (memory: readonly MetricSample[]): number[] =>
  totals(memory, { metric: 'rssMiB' }).map(({ value }) => value);

function generator(
  requests: RequestFigures,
  samples: readonly MetricSample[],
  errors: Summary['errors'],
  { generator: known, measured, loop, slos }: RunFacts,
): Summary['generator'] {
  const used = values(samples, { metric: 'cpuCores', role: 'generator' }, measured);
  const figures = {
    cpuCores: used.length > 0 ? mean(used) : known.cpuCoresMean,
    coresAvailable: known.coresAvailable,
    notSent: known.notSent,
    latenessMs: latenessOf(requests.latenessMs, loop),
    newConnections: requests.newConnections(),
    ...(known.parts === undefined ? {} : { parts: known.parts }),
  };
  const faults = generatorFaults({ generator: figures, errors }, slos);
  return { ...figures, faults, saturated: faults.length > 0 };
}

/**
 * Cores that a role used on average; null where it was not seen. A control group counts every process of
 * its instance, however short it lived; the task runner within it is a role of its own, and taken out.
 */
export function meanCores(
  samples: readonly MetricSample[],
  role: SampledRole,
  window: Window,
): number | null {
  const seen = meanTotal(samples, role, window);
  const groups = select(samples, { metric: 'groupCpuCores', role }, window);
  if (groups.length === 0) return seen;
  const exact = mean(totals(groups, { metric: 'groupCpuCores' }).map(({ value }) => value));
  const instances = new Set(groups.map(({ instance }) => instance));
  const inside =
    role === 'main' || role === 'worker'
      ? (meanTotal(
          samples.filter(({ instance }) => instances.has(instance)),
          'runner',
          window,
        ) ?? 0)
      : 0;
  return Math.max(0, exact - inside);
}

function meanTotal(
  samples: readonly MetricSample[],
  role: SampledRole,
  window: Window,
): number | null {
  const use = totals(samples, { metric: 'cpuCores', role }, window);
  return use.length > 0 ? mean(use.map(({ value }) => value)) : null;
}
