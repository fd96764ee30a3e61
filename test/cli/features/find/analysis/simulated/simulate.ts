import { exponential, type Random } from '../../../../../../cli/src/analysis/statistics/random';

/** A system with one first-come-first-served queue before `servers` equal servers. Times in seconds. */
export interface Model {
  servers: number;
  /** How requests of an open loop come: at random, or evenly as k6 sends them. */
  arrivals: 'poisson' | 'even';
  service(now: Now): number;
  /** The whole system stands still this long, after every so many requests on average. */
  pause?: { everyRequests: number; seconds: number };
  /** The share of probes that the machine disturbs with one stall, and how long it is. */
  hiccup?: { share: number; seconds: number };
  /** All service times times a factor that changes every second; this is its spread (log-normal). */
  noise?: number;
  /**
   * The speed of the machine changes for all work: service times are multiplied by a factor between 1 - spread and
   * 1 + spread, another after every so many seconds on average. It goes on between probes.
   */
  drift?: { spread: number; everySeconds: number };
  /** The whole system stands still this long, after every so many seconds on average, as in a major collection. */
  stalls?: { everySeconds: number; seconds: number };
  /** Recorded service times, replayed one after the other from a random place in each probe. */
  recorded?: Float64Array;
  /** The client gives up after this long; the server works for it all the same. */
  timeoutSeconds?: number;
}

/** What a service time may depend on. */
export interface Now {
  random: Random;
  /** Requests waiting when this one starts. */
  waiting: number;
  /** Requests served since the probe began: a probe starts at rest. */
  served: number;
  /** Requests served since the system was started: it stays warm between probes. */
  servedEver: number;
  /** The recorded service time at this place of the trace, in seconds; 0 without one. */
  recorded: number;
}

export type Load = { ratePerSecond: number } | { clients: number };

/** Requests in the order in which they were due; parallel arrays, as there are millions. */
export interface Trace {
  due: Float64Array;
  latency: Float64Array;
  /** The seconds of work that each took. */
  work: Float64Array;
  count: number;
}

/** What a system does between the end of one probe and the start of the next, in seconds. */
const REST_SECONDS = 3;

export class Simulation {
  /** Since the system was started. */
  private clock = 0;
  private readonly weather: Weather;

  constructor(
    private readonly model: Model,
    private readonly random: Random,
    private servedEver = 0,
  ) {
    this.weather = new Weather(model, random);
  }

  run(load: Load, seconds: number): Trace {
    const trace = 'clients' in load ? this.closed(load.clients, seconds) : this.open(load, seconds);
    this.clock += seconds + REST_SECONDS;
    return trace;
  }

  private servers(seconds: number): Servers {
    return new Servers(this.model, this.random, seconds, this.weather, this.clock);
  }

  private open({ ratePerSecond }: { ratePerSecond: number }, seconds: number): Trace {
    const { random } = this;
    const even = this.model.arrivals === 'even';
    const due = new Float64Array(Math.ceil(ratePerSecond * seconds * 1.2) + 100);
    let count = 0;
    // Even arrivals begin anywhere within the first gap.
    let t = (even ? random() : 0) / ratePerSecond;
    while (count < due.length) {
      if (!even) t -= Math.log(1 - random()) / ratePerSecond;
      if (t >= seconds) break;
      due[count] = t;
      count += 1;
      if (even) t += 1 / ratePerSecond;
    }
    const latency = new Float64Array(count);
    const work = new Float64Array(count);
    const server = this.servers(seconds);
    let arrived = 0;
    for (let i = 0; i < count; i += 1) {
      const at = due[i] ?? 0;
      const start = server.freeAt(at);
      while (arrived < count && (due[arrived] ?? 0) <= start) arrived += 1;
      latency[i] = server.serve(start, arrived - i - 1, this.servedEver) - at;
      work[i] = server.lastWork;
      this.servedEver += 1;
    }
    return { due, latency, work, count };
  }

  private closed(clients: number, seconds: number): Trace {
    const due: number[] = [];
    const latency: number[] = [];
    const work: number[] = [];
    const server = this.servers(seconds);
    const ready = new Float64Array(clients);
    for (;;) {
      let next = 0;
      for (let i = 1; i < clients; i += 1) if ((ready[i] ?? 0) < (ready[next] ?? 0)) next = i;
      const at = ready[next] ?? 0;
      if (at >= seconds) break;
      const start = server.freeAt(at);
      let waiting = -1;
      for (const time of ready) if (time <= start) waiting += 1;
      const end = server.serve(start, Math.max(0, waiting), this.servedEver);
      this.servedEver += 1;
      due.push(at);
      latency.push(end - at);
      work.push(server.lastWork);
      ready[next] = end;
    }
    return {
      due: Float64Array.from(due),
      latency: Float64Array.from(latency),
      work: Float64Array.from(work),
      count: due.length,
    };
  }
}

/** What happens to the machine by the clock, whatever is asked of it. Draws nothing where nothing happens. */
class Weather {
  private factor = 1;
  private factorUntil = 0;
  private stallAt = Infinity;

  constructor(
    private readonly model: Model,
    private readonly random: Random,
  ) {
    if (model.stalls !== undefined) this.stallAt = exponential(random, model.stalls.everySeconds);
  }

  speedFactorAt(clock: number): number {
    const { drift } = this.model;
    if (drift === undefined) return 1;
    while (clock >= this.factorUntil) {
      this.factor = 1 + drift.spread * (2 * this.random() - 1);
      this.factorUntil += exponential(this.random, drift.everySeconds);
    }
    return this.factor;
  }

  /** Seconds that the system stands still by then; each stall is told once, and one while at rest is missed. */
  stalledBetween(from: number, to: number): number {
    const { stalls } = this.model;
    if (stalls === undefined) return 0;
    let seconds = 0;
    while (this.stallAt < to) {
      if (this.stallAt >= from) seconds += stalls.seconds;
      this.stallAt += exponential(this.random, stalls.everySeconds);
    }
    return seconds;
  }
}

/** The servers of one probe, at rest when it begins. */
class Servers {
  private readonly free: Float64Array;
  private served = 0;
  private first = 0;
  private factor = 1;
  private factorUntil = 0;
  private stallAt = Infinity;
  private readonly replayFrom: number;
  private seenUntil = 0;
  /** The work of the request that was served last, in seconds. */
  lastWork = 0;

  constructor(
    private readonly model: Model,
    private readonly random: Random,
    seconds: number,
    private readonly weather: Weather,
    private readonly clock: number,
  ) {
    this.free = new Float64Array(model.servers);
    const { hiccup, recorded } = model;
    this.replayFrom = recorded === undefined ? 0 : Math.floor(random() * recorded.length);
    if (hiccup !== undefined && random() < hiccup.share) this.stallAt = random() * seconds;
  }

  /** When the request that came at `at` can start. */
  freeAt(at: number): number {
    const { free } = this;
    let first = 0;
    let min = free[0] ?? 0;
    for (let i = 1; i < free.length && min > at; i += 1) {
      const time = free[i] ?? 0;
      if (time < min) {
        min = time;
        first = i;
      }
    }
    this.first = first;
    return Math.max(at, min);
  }

  /** Serves it on that server, and says when it is done. */
  serve(start: number, waiting: number, servedEver: number): number {
    const { model, random, served } = this;
    const trace = model.recorded;
    const recorded = trace?.[(this.replayFrom + served) % trace.length] ?? 0;
    this.lastWork =
      this.noiseAt(start) *
      this.weather.speedFactorAt(this.clock + start) *
      model.service({ random, waiting, served, servedEver, recorded });
    let end = start + this.lastWork;
    if (model.pause !== undefined && random() < 1 / model.pause.everyRequests) {
      end += model.pause.seconds;
      this.stall(end);
    }
    if (this.stallAt < end && model.hiccup !== undefined) {
      end += model.hiccup.seconds;
      this.stallAt = Infinity;
      this.stall(end);
    }
    const stalled = this.weather.stalledBetween(this.clock + this.seenUntil, this.clock + end);
    this.seenUntil = end;
    if (stalled > 0) {
      end += stalled;
      this.stall(end);
    }
    this.free[this.first] = end;
    this.served += 1;
    return end;
  }

  /** No server takes anything new before this time. */
  private stall(until: number): void {
    for (const [i, time] of this.free.entries()) if (time < until) this.free[i] = until;
  }

  private noiseAt(t: number): number {
    const { noise } = this.model;
    if (noise === undefined) return 1;
    if (t >= this.factorUntil) {
      const normal =
        Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
      // Mean 1, so that noise alone does not change the work.
      this.factor = Math.exp(noise * normal - (noise * noise) / 2);
      this.factorUntil = Math.floor(t) + 1;
    }
    return this.factor;
  }
}
