// What `find` answers on a real n8n against a staircase of 60 s runs by oha, an open-loop generator that is not ours
// (cargo install oha), corrected for coordinated omission: three workloads, in regular and in queue mode.
//
// A part is a search, or the staircase around its answer right after it, since the speed of a machine changes over
// minutes; each has an n8n of its own, and has the CPU that a request took beside each step.
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FindRecord } from '../../cli/src/features/find/record';
import {
  NotMeasured,
  type Measuring,
  type Records,
  type Study,
} from '../../cli/src/features/study/study';
import { CORES, cpuSeconds, load, oha, on } from '../oha';
import { withN8n, type Up } from '../up';
import {
  ARRIVALS,
  BUDGET,
  findOf,
  MAX_STEPS,
  MODES,
  P95_MS,
  PARTS,
  STEP_SECONDS,
  WARMUP_SECONDS,
  WORKLOADS,
  type PlannedPart,
} from './parts';
import { betweenSteps, nextRate, ohaFigures, pairsOf, type Search, type Step } from './staircase';

const SLO = [`p95<${String(P95_MS)}ms`, 'errors<1%'];
/** Requests a second, around which a staircase is tried that has no search. */
const TRIED_RATE = 20;

const searchOf = (part: PlannedPart, records: Records): Search | undefined =>
  records.read(findOf(part)) as Search | undefined;

/** Until single requests are answered as fast as they have been: what one step left must not be the next one's. */
async function rest(url: string, baseline: { ms: number }, signal: AbortSignal): Promise<void> {
  const until = performance.now() + 60_000;
  for (let inARow = 0; inARow < 3 && performance.now() < until && !signal.aborted;) {
    const sentAt = performance.now();
    await (await fetch(url)).text();
    const ms = performance.now() - sentAt;
    baseline.ms = Math.min(baseline.ms, ms);
    inARow = ms <= Math.max(1.5 * baseline.ms, baseline.ms + 10) ? inARow + 1 : 0;
    await sleep(300);
  }
}

async function find({ workload }: PlannedPart, up: Up, { call, scratch, isShort }: Measuring) {
  const metrics = up.metrics.flatMap(({ role, url }) => ['--metrics-url', `${role}=${url}`]);
  const budget = isShort ? '40s' : BUDGET;
  const { record: found } = await call<FindRecord>(
    [
      ...['find', '--anyway', '--target', 'url', '--url', up.baseUrl],
      ...[...metrics, '--workload', workload],
      ...[...SLO.flatMap((slo) => ['--slo', slo]), '--budget', budget],
      ...['--arrivals', ARRIVALS, '--out', scratch],
    ],
    { through: on(CORES.generator) },
  );
  // A wrong answer is one too, and so is none; what the environment or the generator spoilt is made again.
  if (found.verdict === 'invalid') throw new NotMeasured(found.sentence);
  const { command, verdict, sentence, capacity, limit, doubts, totalSeconds, probes } = found;
  return {
    record: {
      ...{ command, budget, verdict, sentence, capacity, limit },
      ...{ doubts, totalSeconds, probes },
    },
    sentence,
  };
}

async function staircase(part: PlannedPart, up: Up, { records, isShort, signal, tell }: Measuring) {
  const url = `${up.baseUrl}/webhook/${WORKLOADS[part.workload]}`;
  const search = searchOf(part, records);
  const around = search?.capacity.ratePerSecond || TRIED_RATE;
  const stepSeconds = isShort ? 5 : STEP_SECONDS;
  const generator = (await oha(['--version'], signal)).trim();
  await load(Math.ceil(around / 2), isShort ? 3 : WARMUP_SECONDS, url, signal);
  const baseline = { ms: Infinity };
  const steps: Step[] = [];
  for (;;) {
    const ratePerSecond = nextRate(steps, around, isShort ? 3 : MAX_STEPS);
    if (ratePerSecond === null) break;
    await rest(url, baseline, signal);
    const before = await cpuSeconds(up.metrics);
    const printed = JSON.parse(await load(ratePerSecond, stepSeconds, url, signal)) as Parameters<
      typeof ohaFigures
    >[0];
    const figures = ohaFigures(printed, P95_MS);
    const used = (await cpuSeconds(up.metrics)) - before;
    const step = { ratePerSecond, ...figures, cpuMs: (1_000 * used) / figures.expected };
    steps.push(step);
    tell(
      `${String(ratePerSecond)}/s: p95 ${step.p95Ms.toFixed(0)} ms, CPU per request ${step.cpuMs.toFixed(1)} ms, sustained: ${String(step.sustained)}`,
    );
  }
  const answer = betweenSteps(steps);
  const record = { generator, around, stepSeconds, steps, answer };
  return { record, sentence: comparison(search, { ...part, kind: 'staircase', steps, answer }) };
}

const percent = (share: number | null): string =>
  share === null ? 'not known' : `${(100 * share).toFixed(1)}%`;

function comparison(
  search: Search | undefined,
  stair: Parameters<typeof pairsOf>[0][number] & { kind: 'staircase' },
): string {
  if (stair.answer === null) return 'the steps have no boundary: no answer';
  const [pair] = pairsOf(search === undefined ? [] : [search, stair]);
  const compared = pair?.compared ?? null;
  if (compared === null) return `staircase ${stair.answer.toFixed(1)}/s`;
  const { find: ours, staircase: theirs, error, errorAtEqualSpeed } = compared;
  return `find ${ours.toFixed(1)}/s, staircase ${theirs.toFixed(1)}/s: ${percent(error)}, at equal speed ${percent(errorAtEqualSpeed)}`;
}

/** What has to be there for any of the parts. */
const TOOLS = { oha: 'cargo install oha', taskset: 'install util-linux' };

function whyNotHere(): string | null {
  const missing = Object.entries(TOOLS).find(
    ([program]) => spawnSync(program, ['--version'], { stdio: 'ignore' }).status !== 0,
  );
  if (missing !== undefined) return `${missing[0]} is missing: ${missing[1]}`;
  return cpus().length < 2 ? 'n8n and the generator need a core each' : null;
}

export default {
  parts: PARTS,
  whyNot(part, records) {
    const why = whyNotHere();
    if (why !== null || part.kind === 'find') return why;
    const search = searchOf(part, records);
    if (search === undefined) return `it rests on ${findOf(part)}, which has no record`;
    return search.capacity.ratePerSecond > 0 ? null : `${findOf(part)} has no rate to begin with`;
  },
  async measured(part, measuring) {
    const words = ['--workload', part.workload, ...MODES[part.mode]];
    const started = { name: part.name, words, through: on(CORES.n8n) };
    return withN8n(measuring, started, async (up) => {
      const { record, sentence } = await { find, staircase }[part.kind](part, up, measuring);
      const how = { versions: up.versions, cores: CORES, slo: SLO.join(', '), arrivals: ARRIVALS };
      return { record: { ...how, ...record }, sentence };
    });
  },
} satisfies Study<PlannedPart>;
