/** A simulated n8n on a machine whose speed changes: one event loop, stages with I/O between, garbage collections. */
import {
  exponential,
  normal,
  type Random,
} from '../../../../../../cli/src/analysis/statistics/random';
import type { ProbeTrace } from '../../../../../../cli/src/features/find/analysis/virtual-queue/trace';

export interface Machine {
  /** Slow changes of the logarithm of the cost: drifting, or switching as a neighbour comes and goes. */
  slow: { kind: 'drift' | 'switch'; deviation: number; seconds: number };
  fast: { deviation: number; seconds: number };
  /** Times in which the machine does nothing: mean seconds between them, and mean length. */
  freezes: { everySeconds: number; meanSeconds: number } | null;
  /** Frozen time counts as CPU, as in a guest that does not see what is stolen. */
  countsFrozenAsCpu: boolean;
  /** Share of the time that the loop is held up which shows as CPU: the rest it waits for another process or the disk. */
  seenShare: number;
  work: {
    cpuSeconds: number;
    variability: number;
    stages: number;
    ioSeconds: number;
    baseSeconds: number;
    /** Share of the CPU that n8n uses without requests. */
    background: number;
    collection: { everyRequests: number; pauseSeconds: number } | null;
    /** Slots that each request holds for a while, without CPU. */
    slots: { count: number; holdSeconds: number } | null;
  };
}

const STEP_SECONDS = 0.1;
const BIN_SECONDS = 0.5;

/** Factors of the cost over time, and the freezes. */
class Weather {
  private readonly factors: Float64Array;
  private readonly freezes: [number, number][] = [];
  private nextFreeze = 0;

  constructor(
    { slow, fast, freezes }: Machine,
    random: Random,
    seconds: number,
    fixedLevel: number | null,
  ) {
    const steps = Math.ceil(seconds / STEP_SECONDS);
    this.factors = new Float64Array(steps);
    const slowPart = slowLevels(slow, random, steps);
    // The mean over the first minute is the level that is asked for.
    const minute = Math.min(steps, 60 / STEP_SECONDS);
    let sum = 0;
    for (let i = 0; i < minute; i += 1) sum += Math.exp(slowPart[i] ?? 0);
    const shift = fixedLevel === null ? 0 : fixedLevel - Math.log(sum / minute);
    const keep = Math.exp(-STEP_SECONDS / fast.seconds);
    const kick = fast.deviation * Math.sqrt(1 - keep * keep);
    let quick = normal(random) * fast.deviation;
    for (let i = 0; i < steps; i += 1) {
      quick = keep * quick + kick * normal(random);
      this.factors[i] = Math.exp((slowPart[i] ?? 0) + shift + quick - fast.deviation ** 2 / 2);
    }
    if (freezes === null) return;
    for (let at = exponential(random, freezes.everySeconds); at < seconds;) {
      const end = at + exponential(random, freezes.meanSeconds);
      this.freezes.push([at, end]);
      at = end + exponential(random, freezes.everySeconds);
    }
  }

  at(second: number): number {
    return this.factors[Math.min(this.factors.length - 1, Math.floor(second / STEP_SECONDS))] ?? 1;
  }

  /** When so much CPU is done that begins at this time. Calls go forward in time. */
  end(from: number, work: number): number {
    while ((this.freezes[this.nextFreeze]?.[1] ?? Infinity) <= from) this.nextFreeze += 1;
    let at = from;
    let left = work;
    for (let i = this.nextFreeze; ; i += 1) {
      const freeze = this.freezes[i];
      if (freeze === undefined || at + left <= freeze[0]) return at + left;
      if (freeze[0] > at) left -= freeze[0] - at;
      at = freeze[1];
    }
  }
}

function slowLevels(
  { kind, deviation, seconds }: Machine['slow'],
  random: Random,
  steps: number,
): Float64Array {
  const levels = new Float64Array(steps);
  const keep = Math.exp(-STEP_SECONDS / seconds);
  const kick = deviation * Math.sqrt(1 - keep * keep);
  let level = normal(random) * deviation;
  let isThere = random() < 0.5;
  let left = exponential(random, seconds);
  for (let i = 0; i < steps; i += 1) {
    left -= STEP_SECONDS;
    if (left <= 0) {
      isThere = !isThere;
      left = exponential(random, seconds);
    }
    level = keep * level + kick * normal(random);
    levels[i] = kind === 'drift' ? level : isThere ? deviation : -deviation;
  }
  return levels;
}

export type Load = { ratePerSecond: number } | { clients: number };

export interface RunOptions {
  arrivals?: 'even' | 'random';
  /** The run ends once more requests than `count` took longer than `seconds`. */
  stopAfterLate?: { count: number; seconds: number; fromSecond: number };
}

interface Request {
  id: number;
  left: number;
  /** CPU of one stage. */
  stageSeconds: number;
  holdsSlot: boolean;
}

/** A heap of what comes back from I/O. */
class Returns {
  private readonly items: { at: number; request: Request }[] = [];

  get next(): number {
    return this.items[0]?.at ?? Infinity;
  }

  push(at: number, request: Request): void {
    const { items } = this;
    let i = items.length;
    const item = { at, request };
    items.push(item);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = items[parent];
      if (above === undefined || above.at <= at) break;
      items[i] = above;
      i = parent;
    }
    items[i] = item;
  }

  pop(): Request | undefined {
    const { items } = this;
    const top = items[0];
    const last = items.pop();
    if (top === undefined || last === undefined || items.length === 0) return top?.request;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      let below = items[child];
      if (below === undefined) break;
      const other = items[child + 1];
      if (other !== undefined && other.at < below.at) {
        child += 1;
        below = other;
      }
      if (last.at <= below.at) break;
      items[i] = below;
      i = child;
    }
    items[i] = last;
    return top.request;
  }
}

export class SimulatedN8n {
  private readonly weather: Weather;
  private clock = 0;
  private sinceCollection = 0;
  private nextCollection: number;

  constructor(
    private readonly machine: Machine,
    private readonly random: Random,
    { seconds = 2600, fixedLevel = null }: { seconds?: number; fixedLevel?: number | null } = {},
  ) {
    this.weather = new Weather(machine, random, seconds, fixedLevel);
    this.nextCollection = this.drawCollection();
    this.sinceCollection = Number.isFinite(this.nextCollection)
      ? Math.floor(random() * this.nextCollection)
      : 0;
  }

  private drawCollection(): number {
    const { collection } = this.machine.work;
    return collection === null ? Infinity : collection.everyRequests * (0.5 + this.random());
  }

  run(
    load: Load,
    plannedSeconds: number,
    { arrivals = 'random', stopAfterLate }: RunOptions = {},
  ): ProbeTrace {
    const { machine, random, weather, clock } = this;
    const {
      cpuSeconds,
      variability,
      stages,
      ioSeconds,
      baseSeconds,
      background,
      collection,
      slots,
    } = machine.work;
    const variance = Math.log(1 + variability ** 2);
    const deviation = Math.sqrt(variance);
    const bins = Math.ceil(plannedSeconds / BIN_SECONDS) + 1;
    const cpu = new Float64Array(bins);
    const done = new Float64Array(bins);
    const due: number[] = [];
    const latency: number[] = [];
    const returns = new Returns();
    const ready: Request[] = [];
    const waiting: Request[] = [];
    let head = 0;
    let held = 0;
    let inFlight = 0;
    let late = 0;
    let ended = plannedSeconds;
    let isStopped = false;
    const rate = 'ratePerSecond' in load ? load.ratePerSecond : null;
    const gap = (): number => (arrivals === 'even' ? 1 : exponential(random, 1)) / (rate ?? 1);
    let nextDue = rate === null ? Infinity : gap();
    const begin = (at: number): void => {
      const id = due.push(at) - 1;
      inFlight += 1;
      const stageSeconds =
        (cpuSeconds * Math.exp(deviation * normal(random) - variance / 2)) / stages;
      returns.push(at, { id, left: stages, stageSeconds, holdsSlot: false });
    };
    const count = (from: number, to: number): void => {
      for (let bin = Math.floor(from / BIN_SECONDS + 1e-9); bin < bins; bin += 1) {
        const length = Math.min(to, (bin + 1) * BIN_SECONDS) - Math.max(from, bin * BIN_SECONDS);
        if (length <= 0) return;
        cpu[bin] = (cpu[bin] ?? 0) + length;
      }
    };
    const work = (from: number, seconds: number): number => {
      const end = weather.end(clock + from, seconds) - clock;
      const shows = machine.seenShare * (machine.countsFrozenAsCpu ? end - from : seconds);
      count(from, from + shows);
      return end;
    };
    const hold = (request: Request, at: number, seconds: number): void => {
      held += 1;
      request.holdsSlot = true;
      returns.push(at + seconds * (0.95 + 0.1 * random()), request);
    };
    if ('clients' in load) for (let i = 0; i < load.clients; i += 1) begin(0.001 * i);
    let at = 0;
    while (at < plannedSeconds + 400) {
      while (nextDue <= at && nextDue < plannedSeconds && !isStopped) {
        begin(nextDue);
        nextDue += gap();
      }
      if (nextDue >= plannedSeconds || isStopped) nextDue = Infinity;
      while (returns.next <= at) {
        const back = returns.pop();
        if (back !== undefined) ready.push(back);
      }
      const request = ready[head];
      if (request === undefined) {
        const next = Math.min(nextDue, returns.next);
        if (next === Infinity) break;
        at = Math.max(at, next);
        continue;
      }
      head += 1;
      const backlog = 1 + Math.min(0.35, Math.max(0, inFlight - 8) / 600);
      at = work(at, (request.stageSeconds * weather.at(clock + at) * backlog) / (1 - background));
      request.left -= 1;
      if (request.left === 0 && collection !== null) {
        this.sinceCollection += 1;
        if (this.sinceCollection >= this.nextCollection) {
          this.sinceCollection = 0;
          this.nextCollection = this.drawCollection();
          const size = Math.exp(0.5 * normal(random)) * (1 + Math.max(0, inFlight - 8) / 150);
          at = work(at, collection.pauseSeconds * size * weather.at(clock + at));
        }
      }
      if (request.left === 0) {
        const took = at + baseSeconds - (due[request.id] ?? 0);
        latency[request.id] = took;
        const bin = Math.floor(at / BIN_SECONDS);
        if (bin < bins) done[bin] = (done[bin] ?? 0) + 1;
        inFlight -= 1;
        if (rate === null && at < plannedSeconds) begin(at);
        if (
          stopAfterLate &&
          took > stopAfterLate.seconds &&
          (due[request.id] ?? 0) >= stopAfterLate.fromSecond
        ) {
          late += 1;
          if (late > stopAfterLate.count && at < plannedSeconds && !isStopped) {
            isStopped = true;
            ended = Math.max(2, at);
          }
        }
      } else if (slots !== null && request.left === stages - 1) {
        if (held < slots.count) hold(request, at, slots.holdSeconds);
        else waiting.push(request);
      } else {
        if (request.holdsSlot && slots !== null) {
          request.holdsSlot = false;
          held -= 1;
          const next = waiting.shift();
          if (next !== undefined) hold(next, at, slots.holdSeconds);
        }
        returns.push(at + (ioSeconds > 0 ? exponential(random, ioSeconds) : 0), request);
      }
    }
    this.clock = clock + Math.max(at, ended) + 2;
    return {
      ratePerSecond: rate,
      plannedSeconds,
      seconds: ended,
      due: Float64Array.from(due),
      latency: Float64Array.from(due, (began, i) => latency[i] ?? Math.max(at, ended) - began + 60),
      binSeconds: BIN_SECONDS,
      resource: { role: 'main', resource: 'event loop' },
      servers: 1,
      coresOfEach: 1,
      disturbed: [],
      cpu,
      done,
    };
  }
}

const WORK: Machine['work'] = {
  cpuSeconds: 0.014,
  variability: 0.6,
  stages: 4,
  ioSeconds: 0.002,
  baseSeconds: 0.004,
  background: 0.02,
  collection: { everyRequests: 1_200, pauseSeconds: 0.15 },
  slots: null,
};

const machine = (
  slow: [kind: 'drift' | 'switch', deviation: number, seconds: number],
  fast: [deviation: number, seconds: number],
  freezes: [everySeconds: number, meanSeconds: number] | null,
  rest: Partial<Machine['work'] & Pick<Machine, 'countsFrozenAsCpu' | 'seenShare'>> = {},
): Machine => {
  const { countsFrozenAsCpu = false, seenShare = 1, ...work } = rest;
  return {
    slow: { kind: slow[0], deviation: slow[1], seconds: slow[2] },
    fast: { deviation: fast[0], seconds: fast[1] },
    freezes: freezes === null ? null : { everySeconds: freezes[0], meanSeconds: freezes[1] },
    ...{ countsFrozenAsCpu, seenShare },
    work: { ...WORK, ...work },
  };
};

export const MACHINES = {
  steady: machine(['drift', 0.015, 60], [0.03, 1], null),
  mild: machine(['drift', 0.08, 60], [0.08, 2], [10, 0.05]),
  noisy: machine(['drift', 0.2, 90], [0.12, 3], [6, 0.08]),
  wild: machine(['drift', 0.3, 120], [0.15, 3], [5, 0.1]),
  neighbour: machine(['switch', 0.18, 30], [0.08, 2], [8, 0.06]),
  'stolen CPU counted': machine(['drift', 0.2, 90], [0.12, 3], [4, 0.12], {
    countsFrozenAsCpu: true,
  }),
  'long collections': machine(['drift', 0.15, 90], [0.1, 3], [8, 0.06], {
    collection: { everyRequests: 1_500, pauseSeconds: 0.5 },
  }),
  'heavy requests': machine(['drift', 0.2, 90], [0.12, 3], [6, 0.08], {
    cpuSeconds: 0.055,
    variability: 0.3,
    collection: { everyRequests: 300, pauseSeconds: 0.2 },
  }),
  'waits in part': machine(['drift', 0.15, 90], [0.1, 3], [8, 0.06], { seenShare: 0.73 }),
  slots: machine(['drift', 0.2, 90], [0.12, 3], [6, 0.08], {
    cpuSeconds: 0.008,
    stages: 3,
    slots: { count: 20, holdSeconds: 0.5 },
  }),
} satisfies Record<string, Machine>;

export type MachineName = keyof typeof MACHINES;
