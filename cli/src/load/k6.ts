/** The load, made by one k6 or several, on this machine or elsewhere, and read as it comes. */
import { findProgram, hasLab } from '../lab/paths';
import { howToGetK6 } from '../lab/doctor';
import { knownAheadMs, type ClockOffset } from '../analysis/clock';
import { measuredPart } from '../analysis/requests/seen';
import type { Line } from '../../../loadtests/lib/print';
import { lengthSeconds } from '../../../loadtests/lib/profile';
import type { GeneratorPart } from '../record/run-record';
import type { Generator, GeneratorRun } from '../targets/target';
import { messageOf, Mistake } from '../ui/exit';
import { clocksOf, gather } from './gather';
import type { K6Order } from './k6-order';
import { parseLine } from './lines';
import type { LoadResult } from './load';
import { MergedLines } from './merge';
import { withLocalGenerator } from './local-generator';
import { GeneratorTotals } from './usage';

/** How a load ended. Pure. */

/** What k6 may still need after its last request, or after it was asked to stop. */
const ENDING_MS = 15_000;

/** The reason of a load that the order itself ended. */
const ENOUGH = 'that was enough';

interface K6Ending {
  code: number | null;
  /** Why it was asked to stop; empty where it was not. */
  stopReason: string;
  /** What k6 said, the latest last. */
  words: string[];
}

function outcomeOf({ code, stopReason, words }: K6Ending): Pick<LoadResult, 'outcome' | 'reason'> {
  if (stopReason === ENOUGH) return { outcome: 'enough', reason: '' };
  if (stopReason !== '') return { outcome: 'stopped', reason: stopReason };
  if (code !== 0) {
    return {
      outcome: 'failed',
      reason: `k6 ended with exit code ${String(code)}: ${words.join(' ')}`,
    };
  }
  return { outcome: 'finished', reason: '' };
}

const KEPT_WORDS = 20;

function remember(words: string[], text: string): void {
  // One of these comes with every request without a response, which the request's own line tells better.
  if (text === '' || text === 'Request Failed') return;
  words.push(text);
  if (words.length > KEPT_WORDS) words.shift();
}

/** How long a k6 that was killed may take to be seen to have ended. */
const GONE_MS = 10_000;
/** How long it may take until the first request is due. */
const STARTING_MS = 60_000;

interface End {
  code: number | null;
  reason: string;
}

const RUN_FLAGS: readonly string[] = [
  'run',
  '--quiet',
  '--no-color',
  // Its own summary would keep every value of every metric until the end: what counts are the lines that it prints.
  '--no-summary',
  '--no-thresholds',
  // Without its control port, through which every user of this machine may pause and end it.
  '--address=',
  '--include-system-env-vars=false',
  '--log-output=stdout',
  '--log-format=raw',
];

/** Makes the load. Rejects only when k6 cannot be started at all, or when a request cannot be taken. */
export function runK6(order: K6Order): Promise<LoadResult> {
  const make = async (generators: readonly Generator[]): Promise<LoadResult> => {
    const load = new Load(generators, order);
    try {
      return await load.make();
    } finally {
      load.forget();
    }
  };
  return order.generators === undefined
    ? withLocalGenerator(order, (generator) => make([generator]))
    : make(order.generators);
}

/** For the scripts of loadtests/; where the requests are is said beside them. */
const variablesOf = (order: K6Order): Record<string, string> => ({
  BASE_URL: order.baseUrl,
  PLAN: JSON.stringify(order.plan),
  TIMEOUT: `${String(order.timeoutMs)}ms`,
  DRAIN: `${String(order.drainMs)}ms`,
  MAX_OPEN: String(order.maxOpen),
  // The target has been looked at: the real request got its expected response.
  READY: '0',
  RUN_ID: order.runId,
  PRINT_REQUESTS: '1',
});

class Load {
  private readonly merged: MergedLines;
  private readonly words: string[][];
  private readonly attempts: number[] = [];
  private readonly lost: (GeneratorPart['lost'] | undefined)[];
  private readonly usages: GeneratorTotals;
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly cut: Promise<void>;
  private giveUp: () => void = () => undefined;
  private overrun: NodeJS.Timeout | undefined;
  private runs: readonly GeneratorRun[] = [];
  private stopReason = '';
  private failure: Error | null = null;
  private beganAtMs: number | null = null;
  private readonly startedAtMs = Date.now();

  constructor(
    private readonly generators: readonly Generator[],
    private readonly order: K6Order,
  ) {
    const { onUsage, usageEveryMs } = order;
    this.words = generators.map(() => []);
    this.lost = generators.map(() => undefined);
    this.usages = new GeneratorTotals(generators.length, onUsage, usageEveryMs);
    this.cut = new Promise((resolve) => (this.giveUp = resolve));
    this.merged = new MergedLines(generators.length, measuredPart(order.plan), (sample) => {
      order.onRequest(sample);
      if (order.isEnough?.() === true) this.stop(ENOUGH);
    });
  }

  async make(): Promise<LoadResult> {
    const { signal } = this.order;
    signal.addEventListener('abort', this.onAbort, { once: true });
    const clocks = await clocksOf(this.generators);
    const problem = this.generators.length === 1 ? this.alone(clocks) : await this.together(clocks);
    if (signal.aborted) this.onAbort();
    const ends = problem ?? (await Promise.race([this.allEnded(), this.cut.then(() => null)]));
    if (this.failure !== null) throw this.failure;
    return this.result(ends, clocks);
  }

  forget(): void {
    clearTimeout(this.overrun);
    this.timers.forEach(clearTimeout);
    this.order.signal.removeEventListener('abort', this.onAbort);
  }

  /** It begins as soon as it can. */
  private alone([clock = null]: readonly (ClockOffset | null)[]): null {
    this.awaitEnd(STARTING_MS);
    this.runs = [this.start(0, null, clock, () => undefined)];
    return null;
  }

  /** They begin at a time that all agree on; else there is no load, and how it ended is known. */
  private async together(clocks: readonly (ClockOffset | null)[]): Promise<End[] | null> {
    try {
      const { runs, beginsAtMs } = await gather({
        clocks,
        signal: this.order.signal,
        start: (index, theirsMs) => {
          let tellReady: () => void = () => undefined;
          const ready = new Promise<void>((resolve) => (tellReady = resolve));
          return { run: this.start(index, theirsMs, null, tellReady), ready };
        },
        giveUp: () => {
          this.attempts.forEach((attempt, index) => (this.attempts[index] = attempt + 1));
        },
      });
      this.runs = runs;
      this.begun(beginsAtMs);
      return null;
    } catch (error) {
      return [{ code: null, reason: messageOf(error) }];
    }
  }

  private start(
    index: number,
    beginsAtMs: number | null,
    clock: ClockOffset | null,
    tellReady: () => void,
  ): GeneratorRun {
    const { plan, requests, behind } = this.order;
    const { length } = this.generators;
    const share: Record<string, string> =
      beginsAtMs === null
        ? {}
        : { SHARE: `${String(index + 1)}/${String(length)}`, BEGINS_AT: String(beginsAtMs) };
    // The lines of an attempt that was given up do not count.
    const attempt = (this.attempts[index] ?? 0) + 1;
    this.attempts[index] = attempt;
    const run = this.generator(index).start({
      script: plan.profile,
      flags: RUN_FLAGS,
      env: { ...variablesOf(this.order), ...share },
      requests,
      onLine: (text) => {
        if (this.attempts[index] !== attempt || this.failure !== null) return;
        const line = parseLine(text);
        try {
          if (line === null) remember(this.words[index] ?? [], text);
          else if (line[0] === 'r') tellReady();
          else this.read(index, line, clock);
        } catch (error) {
          this.fail(error);
        }
      },
      behind: () => behind?.()?.catch(this.fail) ?? null,
      onUsage: (cpuCores, rssMiB) => {
        this.usages.see(index, cpuCores, rssMiB);
      },
    });
    return run;
  }

  private read(index: number, line: Line, clock: ClockOffset | null): void {
    this.merged.read(index, line);
    const { beganAtMs } = this.merged;
    if (this.beganAtMs === null && beganAtMs !== null && this.generators.length === 1) {
      this.begun(Math.round(beganAtMs - knownAheadMs(clock)));
    }
  }

  /** Whatever goes wrong with what it says, it must not go on alone. */
  private readonly fail = (error: unknown): void => {
    this.failure ??= error instanceof Error ? error : new Error(String(error));
    this.stop(this.failure.message);
  };

  private generator(index: number): Generator {
    const generator = this.generators[index];
    if (generator === undefined) throw new Error(`there is no generator ${String(index)}`);
    return generator;
  }

  private begun(atMs: number): void {
    this.beganAtMs = atMs;
    this.order.onBegin(atMs);
    this.awaitEnd(Math.max(0, atMs - Date.now()));
  }

  private allEnded(): Promise<End[]> {
    return Promise.all(
      this.runs.map(async (run, index) => {
        const end = await run.ended;
        if (end.code !== 0 && this.stopReason === '') this.lose(index, end);
        return end;
      }),
    );
  }

  /** The last one is not lost: with it the load ends. */
  private lose(index: number, { code, reason }: End): void {
    const left = this.lost.filter((each) => each === undefined).length;
    if (left <= 1) return;
    const { name, node } = this.generator(index);
    const words = (this.words[index] ?? []).join(' ');
    const why = reason || `k6 ended with exit code ${String(code)}: ${words}`;
    const tMs = Math.max(0, Date.now() - (this.beganAtMs ?? Date.now()));
    this.lost[index] = { tMs, why, inFlight: this.merged.lost(index) };
    // Its connection may be what was lost: then it must not go on uncounted.
    this.runs[index]?.stop('KILL');
    this.usages.gone(index);
    this.order.onLost?.(`the load generator ${name} on ${node} was lost: ${why}`);
  }

  private readonly onAbort = (): void => {
    this.stop(messageOf(this.order.signal.reason));
  };

  private stop(why: string): void {
    if (this.stopReason !== '') return;
    this.stopReason = why;
    const stopAll = (how: 'INT' | 'KILL'): void => {
      for (const run of this.runs) run.stop(how);
    };
    stopAll('INT');
    this.timers.push(
      setTimeout(() => {
        stopAll('KILL');
      }, ENDING_MS),
      setTimeout(this.giveUp, ENDING_MS + GONE_MS),
    );
  }

  private awaitEnd(beforeMs: number): void {
    clearTimeout(this.overrun);
    const { plan, drainMs } = this.order;
    this.overrun = setTimeout(
      () => {
        this.stop('the load generator did not stop at the end of its plan');
      },
      beforeMs + lengthSeconds(plan) * 1000 + drainMs + ENDING_MS,
    );
  }

  /** `ends` null: they were given up. */
  private result(ends: readonly End[] | null, clocks: readonly (ClockOffset | null)[]): LoadResult {
    const { generators, merged, beganAtMs, startedAtMs, order } = this;
    const endedAtMs = Date.now();
    merged.end(endedAtMs - (beganAtMs ?? endedAtMs));
    const parts = generators.map((_, index) => this.part(index, clocks[index] ?? null));
    const sum = (of: (part: GeneratorPart) => number): number =>
      parts.reduce((total, part) => total + of(part), 0);
    return {
      beganAtMs: beganAtMs ?? startedAtMs,
      endedAtMs,
      ...this.outcome(ends ?? []),
      generator: {
        version: this.generator(0).version,
        notSent: merged.notSent,
        openPeak: merged.openPeak,
        openMax: order.maxOpen,
        cpuCoresMean: sum(({ cpuCores }) => cpuCores),
        coresAvailable: sum(({ coresAvailable }) => coresAvailable),
        rssPeakMiB: this.usages.rssPeakMiB,
        ...(generators.length === 1 ? {} : { parts }),
      },
    };
  }

  private outcome(ends: readonly End[]): Pick<LoadResult, 'outcome' | 'reason'> {
    const { stopReason } = this;
    const bad = ends.filter((_, index) => this.lost[index] === undefined);
    const end = bad.find(({ code }) => code !== 0) ?? { code: 0, reason: '' };
    if (end.code === null && stopReason === '') return { outcome: 'killed', reason: end.reason };
    return outcomeOf({ code: end.code, stopReason, words: this.words.flat().slice(-20) });
  }

  private part(index: number, clock: ClockOffset | null): GeneratorPart {
    const { name, node, coresAvailable } = this.generator(index);
    return {
      ...{ name, node, coresAvailable, clock },
      ...this.merged.figures(index, this.order.plan.loop),
      cpuCores: this.usages.meanCores(index),
      lost: this.lost[index] ?? null,
    };
  }
}

/** The k6 of the lab, or else the one on the PATH. */
export function findK6(): string {
  const found = findProgram('k6');
  if (found === null) {
    throw new Mistake(
      `k6 is not installed: ${howToGetK6(hasLab())}; n8n-tuned doctor shows what else is missing.`,
    );
  }
  return found;
}

/** Elsewhere it comes in an image. */
export const k6For = (loadsFromHere: boolean): string => (loadsFromHere ? findK6() : '');
