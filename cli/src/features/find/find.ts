/** Drives one search for the capacity: it proposes, we measure, it answers. */

import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Prices } from '../../plan/recorded';
import type { CapacitySearch } from './analysis/search';
import type { Probe } from './analysis/types';
import { type Arrivals, type LoadPlan, planOf } from '../../../../loadtests/lib/profile';
import { makeFolder, runId, writeWhole } from '../../record/folder';
import type { BeforeSearch, FindProbe, FindRecord, Speed } from './record';
import { FIND_FILE } from '../../record/find-records';
import type { RunRecord, Summary } from '../../record/run-record';
import type { RunOrder } from '../../run/order';
import { measure, type FinishedRun } from '../../run/run';
import type { Running } from '../../targets/target';
import type { Progress } from '../../ui/progress';
import { messageOf } from '../../ui/exit';
import { concludeFind } from './conclude';
import { probeOf } from './analysis/outcome';
import { Resting } from './rest';
import { keptOf } from './traces/kept';
import { refuseOther, summariesOf, type EarlierSearch, type SearchedNow } from './continue';
import { LeftOut, maxOthersMs } from './quiet/left-out';
import { OthersWatch } from './quiet/others-watch';
import { isHere } from './quiet/quiet';
import { criticalOf, type Critical } from './traces/trace-of';
import { toldBy } from './traces/trial';
import { watched } from './traces/probe-watch';
import { jsonOf } from '../../record/folder';
import { planOfProbe, SEARCH_ARRIVALS } from './settings';
import { formatNumber, perSecond } from '../../ui/numbers';
import { busiestCost } from './analysis/machine-speed';

export interface FindOrder extends Omit<RunOrder, 'plan'> {
  search: CapacitySearch;
  /** Arrivals of probes in an open loop. */
  arrivals?: Arrivals;
  budgetSeconds: number | null;
  /** Width of the interval, if one was asked for. */
  precision?: number;
  /** What was seen of this machine before; left out where nobody looked. */
  before?: BeforeSearch;
  /** A search to go on with, whose folder and probes it takes over. */
  earlier?: EarlierSearch;
  /** The speed of the machine at which the advised rate holds. */
  speed?: Speed;
  prices?: Prices;
}

export interface FinishedFind {
  folder: string;
  record: FindRecord;
  /** What could not be written, a sentence each. */
  problems: string[];
}

export async function find(
  running: Running,
  order: FindOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<FinishedFind> {
  const { search, arrivals = SEARCH_ARRIVALS, earlier } = order;
  const started = new Date();
  const startedMs = performance.now();
  const prices = order.prices ?? earlier?.record.prices;
  const searched = searchedNow(running, order, arrivals);
  if (earlier !== undefined) refuseOther(earlier, searched);
  const id = earlier?.record.id ?? runId(started, order.workload.recorded.name, 'find');
  const folder = earlier?.folder ?? join(order.out, id);
  makeFolder(folder);
  const probes: FindProbe[] = [...(earlier?.record.probes ?? [])];
  const summaries = new Map<string, Summary>(earlier === undefined ? [] : summariesOf(earlier));
  const resting = new Resting(running, order.workload.requests);
  const problems: string[] = [];
  const restless: string[] = [];
  const memoryAtRestMiB: number[] = [];
  const tell = (text: string): void => {
    progress(`${soFar(search, probes.length)} · ${text}`);
  };
  const { order: seen, watch } = watched(order);
  const run = (plan: LoadPlan, runName: string): ReturnType<typeof measure> =>
    measure(
      running,
      { ...seen, plan, out: join(folder, runName), endsWhenMissed: true },
      tell,
      signal,
    );

  // The processes of an n8n at an address are not known: its own CPU would be left out as that of others.
  const others = isHere(running.kind) ? new OthersWatch(running) : null;
  const { cores } = running.machine;
  const othersCores = order.before?.othersCores ?? 0;
  const givenBackSeconds = GIVEN_BACK * (order.budgetSeconds ?? DEFAULT_SECONDS);
  const leftOut = new LeftOut({ cores, othersCores }, givenBackSeconds);
  let waitedSeconds = 0;
  /** What is measured while others use the machine would be left out. */
  const othersGone = async (): Promise<void> => {
    const seconds = Math.min(MAX_WAIT_SECONDS, givenBackSeconds - waitedSeconds);
    const max = { othersMs: maxOthersMs(cores, othersCores), seconds };
    waitedSeconds += (await others?.gone(max, tell, signal)) ?? 0;
  };
  const keep = (probe: Probe, { data }: FinishedRun, name: string): FindProbe => {
    const seenOfOthers = others?.since(watch().beganAtMs ?? Infinity) ?? [];
    const made = probeOf(probe, data.record, name);
    const kept = keptOf(data.record, {
      ...{ watch: watch(), samples: data.samples },
      generators: running.generators?.length ?? 1,
      others: others === null ? null : { seen: seenOfOthers, leftOut },
    });
    return { ...made, ...kept, doubts: [...made.doubts, ...kept.doubts] };
  };
  const warmUp = async (): Promise<void> => {
    const rounds: WarmUpRound[] = [];
    while (!signal.aborted && (rounds.length === 0 || !isWarm(rounds, order.budgetSeconds))) {
      const { data } = await run(WARM_UP, 'warm-up');
      if (data.record.verdict.outcome === 'aborted') return;
      rounds.push(roundOf(data.record.summary));
    }
  };
  let criticalBefore: Critical | null = null;
  let told: Partial<Pick<RunRecord, 'versions' | 'patches'>> = earlier?.record ?? {};
  const probeAll = async (): Promise<void> => {
    // A search that is gone on with may have nothing left to learn.
    if (search.next() === null) return;
    await warmUp();
    for (let probe = search.next(); probe !== null && !signal.aborted; probe = search.next()) {
      const { rested, memoryMiB } = await resting.before(tell, signal);
      if (signal.aborted) return;
      if (!rested) restless.push(describe(probe));
      if (memoryMiB !== null) memoryAtRestMiB.push(memoryMiB);
      await othersGone();
      if (signal.aborted) return;
      const finished = await run(
        planOfProbe(probe, order.workload.recorded.latencyFloorMs, arrivals),
        'probes',
      );
      problems.push(...finished.problems);
      const { record } = finished.data;
      if (record.verdict.outcome === 'aborted') return;
      const name = join('probes', basename(finished.folder));
      const kept = keep(probe, finished, name);
      const critical = criticalOf([...probes, kept], running);
      const outcome = toldBy(kept, order.slos, critical);
      probes.push(outcome.result === 'invalid' ? { ...kept, result: 'invalid' } : kept);
      search.record(outcome);
      if (!isDeepStrictEqual(critical, criticalBefore)) {
        search.retrace(probes.map((one) => toldBy(one, order.slos, critical).trace));
      }
      criticalBefore = critical;
      summaries.set(name, record.summary);
      told = record;
    }
  };
  let failure: string | null = null;
  try {
    await probeAll();
  } catch (error) {
    // What was measured before is concluded; without any of it, the error is all there is to say.
    if (probes.length === 0 && !signal.aborted) throw error;
    if (!signal.aborted) failure = messageOf(error);
  } finally {
    others?.end();
  }

  const record = concludeFind(
    {
      schemaVersion: 2,
      kind: 'find',
      id,
      startedAt: started.toISOString(),
      endedAt: new Date().toISOString(),
      command: order.command,
      ...searched,
      versions: { ...running.versions, ...told.versions },
      ...(told.patches === undefined ? {} : { patches: told.patches }),
      budgetSeconds: order.budgetSeconds,
      ...(order.precision === undefined ? {} : { precision: order.precision }),
      ...(order.before === undefined ? {} : { before: order.before }),
      ...(prices === undefined ? {} : { prices }),
      totalSeconds: Math.round(performance.now() - startedMs) / 1000,
      ...(earlier === undefined ? {} : goneOnWith(earlier.record, started, order, startedMs)),
      probes,
    },
    search.estimate(),
    {
      stoppedBy: signal.aborted ? messageOf(signal.reason) : null,
      ...{ failure, restless, waitedSeconds, memoryAtRestMiB, summaries },
    },
    order.speed,
  );
  writeWhole(join(folder, FIND_FILE), jsonOf(record));
  return { folder, record, problems };
}

/** What has to be the same where a search is gone on with. */
const searchedNow = (
  { kind, baseUrl: url, topology, machine }: Running,
  { workload, slos: slo }: FindOrder,
  arrivals: Arrivals,
): Required<SearchedNow> => ({
  ...{ workload: workload.recorded, target: { kind, url }, topology, machine, slo, arrivals },
});

/** In its record, the search began when it first did. */
function goneOnWith(
  { startedAt, command, totalSeconds, continued = [], before }: FindRecord,
  started: Date,
  order: FindOrder,
  startedMs: number,
): Partial<FindRecord> & Pick<FindRecord, 'startedAt' | 'command' | 'totalSeconds'> {
  const seen = [before, order.before].flatMap((one) => one?.disturbances ?? []);
  const now = order.before ?? before;
  return {
    ...{ startedAt, command },
    totalSeconds: totalSeconds + Math.round(performance.now() - startedMs) / 1000,
    continued: [...continued, { at: started.toISOString(), command: order.command }],
    ...(now === undefined ? {} : { before: { ...now, disturbances: [...new Set(seen)] } }),
  };
}

/** Time that others took is given back, up to this share of the budget: a machine that is never quiet must not hold up for ever. */
const GIVEN_BACK = 0.5;
/** Without a budget. */
const DEFAULT_SECONDS = 600;
/** Before one probe. */
const MAX_WAIT_SECONDS = 30;

function describe(probe: Probe): string {
  return probe.kind === 'ladder'
    ? `${String(probe.clients)} clients`
    : perSecond(probe.ratePerSecond);
}

/** The bounds so far, for the line of progress. */
function soFar(search: CapacitySearch, probes: number): string {
  if (probes === 0) return 'warming up';
  const { low, high, capacity } = search.soFar();
  const upper = Number.isFinite(high) ? formatNumber(high) : '?';
  return capacity > 0
    ? `between ${formatNumber(low)} and ${upper}/s after ${String(probes)} probes`
    : `${String(probes)} probes`;
}

/**
 * How long a system is loaded before its first probe: until a request costs it no less CPU, and takes no less time, than
 * before. V8 optimises what runs often, a cache fills while nobody computes, and a search that begins meanwhile measures a system that nobody operates: in those of
 * studies/kubernetes a request took up to half as much CPU again in the first minute as later.
 */
const WARM_UP = planOf('closed', { clients: 4, durationSeconds: 8, warmupSeconds: 0 });

/**
 * Maximum share of a budget; the time does not count against the budget. Only what still becomes cheaper takes so long: a
 * server four times slower for its first 1,200 requests is not warm after a tenth of five minutes.
 */
const MAX_SHARE = 0.2;
const MAX_ROUNDS = 8;
/**
 * A round that is cheaper by less is as dear as the one before it, and `rounds` in a row have to be no cheaper than those
 * before them. Latency scatters more than CPU: of a system that has become much faster, three rounds.
 */
const SETTLED = {
  cpuMs: { cheaper: 0.95, rounds: 2, roundsOnceFaster: 2 },
  latencyMs: { cheaper: 0.9, rounds: 2, roundsOnceFaster: 3 },
};
/** Much faster: below this share of the first round. */
const MUCH_FASTER = 0.8;
/** With fewer requests a round what one takes is chance, and hardly any code runs often. */
const MIN_REQUESTS = 50;

export interface WarmUpRound {
  /** CPU per request of the role that works most, in milliseconds; null where it was not seen. */
  cpuMs: number | null;
  /** Mean; null without an expected response. */
  latencyMs: number | null;
  requests: number;
}

export function roundOf(
  summary: Pick<Summary, 'achieved' | 'completions' | 'roles' | 'latencyMs'>,
): WarmUpRound {
  return {
    cpuMs: busiestCost(summary),
    latencyMs: summary.latencyMs?.mean ?? null,
    requests: summary.achieved.ratePerSecond * WARM_UP.durationSeconds,
  };
}

/** Whether the search may begin. */
export function isWarm(rounds: readonly WarmUpRound[], budgetSeconds: number | null): boolean {
  const seconds = MAX_SHARE * (budgetSeconds ?? Infinity);
  const max = Math.min(MAX_ROUNDS, Math.floor(seconds / WARM_UP.durationSeconds));
  if (rounds.length >= Math.max(1, max)) return true;
  if (rounds.some(({ requests }) => requests < MIN_REQUESTS)) return true;
  return (['cpuMs', 'latencyMs'] as const).every((key) => {
    const known = rounds.flatMap((round) => round[key] ?? []);
    return known.length < rounds.length || isSettled(known, SETTLED[key]);
  });
}

function isSettled(
  costs: readonly number[],
  { cheaper, rounds, roundsOnceFaster }: (typeof SETTLED)['cpuMs'],
): boolean {
  const [first = 0] = costs;
  const count = Math.min(...costs) < MUCH_FASTER * first ? roundsOnceFaster : rounds;
  const before = costs.slice(0, -count);
  const last = costs.slice(-count);
  return before.length > 0 && Math.min(...last) > cheaper * Math.min(...before);
}
