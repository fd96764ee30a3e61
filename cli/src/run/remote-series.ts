/** Writes the series of a load to a Prometheus while it goes on. */
import { hostname } from 'node:os';
import { LoadSeries } from './analysis/load-series';
import type { LoadPlan } from '../../../loadtests/lib/profile';
import { NoAnswer } from '../prometheus/address';
import { Refused, type RemoteWrite } from '../prometheus/remote-write';
import {
  seriesKey,
  STALE,
  type Labels,
  type SampleValue,
  type TimeSeries,
} from '../prometheus/series';
import type { RunHead } from '../record/folder';
import type { RequestSample, RunEvent } from '../record/run-record';
import { messageOf } from '../ui/exit';
import type { RunObserver } from './order';

const SAMPLE_EVERY_MS = 1000;
const WRITE_EVERY_MS = 5000;
/** While Prometheus is away: ten minutes, in about 25 series. */
const MAX_WAITING = 15_000;

export class RemoteSeries implements RunObserver {
  private readonly series: LoadSeries;
  private readonly common: Labels;
  private beganAtMs: number | null = null;
  private waiting = new Map<string, TimeSeries>();
  private waitingSamples = 0;
  /** Every series so far, to be ended. */
  private readonly known = new Map<string, Labels>();
  private problem: string | null = null;
  /** What was refused is gone, even if what comes later is taken. */
  private lost: string | null = null;
  private timers: NodeJS.Timeout[] = [];
  private writing: Promise<void> = Promise.resolve();
  private ended: Promise<string[]> | null = null;

  constructor(
    private readonly to: Pick<RemoteWrite, 'url' | 'write'>,
    { id, workload, profile, target, versions }: RunHead,
    plan: LoadPlan,
  ) {
    this.series = new LoadSeries(plan, {
      ...{ run: id, target: target.kind, n8n: versions['n8n'] ?? '' },
    });
    this.common = {
      ...{ job: 'n8n-tuned', instance: hostname() },
      ...{ workload: workload.name, profile: profile.name },
    };
  }

  begin(atMs: number): void {
    if (this.beganAtMs !== null) return;
    this.beganAtMs = atMs;
    this.look();
    this.timers = [
      setInterval(() => {
        this.look();
      }, SAMPLE_EVERY_MS),
      setInterval(() => {
        this.writeSoon();
      }, WRITE_EVERY_MS),
    ];
  }

  request(sample: RequestSample): void {
    this.series.add(sample);
  }

  usage(cpuCores: number, rssMiB: number): void {
    this.series.generator(cpuCores, rssMiB);
  }

  fault({ text }: Pick<RunEvent, 'text'>): void {
    this.series.fault(text);
  }

  /** Once all requests have been seen; says what could not be written. Safe to call twice. */
  end(): Promise<string[]> {
    this.ended ??= this.finish();
    return this.ended;
  }

  private async finish(): Promise<string[]> {
    this.timers.forEach(clearInterval);
    if (this.beganAtMs === null) return [];
    const nowMs = Date.now();
    this.look(nowMs);
    // A millisecond later, since a series has one value at a time.
    for (const labels of this.known.values()) this.keep(labels, nowMs + 1, STALE);
    this.writeSoon();
    await this.writing;
    return this.problem === null
      ? []
      : [`not all series of the load were written to Prometheus: ${this.problem}.`];
  }

  private look(nowMs = Date.now()): void {
    const seconds = (nowMs - (this.beganAtMs ?? nowMs)) / 1000;
    for (const { labels, value } of this.series.at(seconds)) {
      const whole = { ...this.common, ...labels };
      this.known.set(seriesKey(whole), whole);
      this.keep(whole, nowMs, value);
    }
  }

  private keep(labels: Labels, atMs: number, value: SampleValue): void {
    if (this.waitingSamples >= MAX_WAITING) return;
    const key = seriesKey(labels);
    const series = this.waiting.get(key) ?? { labels, samples: [] };
    this.waiting.set(key, series);
    series.samples.push({ atMs, value });
    this.waitingSamples += 1;
  }

  /** One write after the other: a series must come in the order of its times. */
  private writeSoon(): void {
    this.writing = this.writing.then(() => this.write());
  }

  private async write(): Promise<void> {
    const { waiting, waitingSamples } = this;
    if (waitingSamples === 0) return;
    this.waiting = new Map();
    this.waitingSamples = 0;
    try {
      await this.to.write([...waiting.values()]);
      if (waitingSamples < MAX_WAITING) this.problem = this.lost;
    } catch (error) {
      this.problem = messageOf(error);
      if (error instanceof Refused) this.lost = this.problem;
      else if (error instanceof NoAnswer) this.putBack(waiting);
      else throw error;
    }
  }

  private putBack(earlier: ReadonlyMap<string, TimeSeries>): void {
    const later = this.waiting;
    this.waiting = new Map();
    this.waitingSamples = 0;
    for (const { labels, samples } of [...earlier.values(), ...later.values()]) {
      for (const { atMs, value } of samples) this.keep(labels, atMs, value);
    }
  }
}
