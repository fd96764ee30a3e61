import type { Running } from '../targets/target';
import type { Sampler, SampleSink } from './sampler';

/** What a sampler is made of: something to begin with, something to do at every tick. */
export interface SamplerBody {
  tick(): void | Promise<void>;
  close?(): void | Promise<void>;
}

export type Begin = (running: Running, sink: SampleSink) => SamplerBody | Promise<SamplerBody>;

/** Turns a probe into a sampler: the clock, the cost, and failures that are told once and end nothing. */
export function sampler(name: string, begin: Begin): Sampler {
  let probe: SamplerBody | null = null;
  let timer: NodeJS.Timeout | undefined;
  let sink: SampleSink | null = null;
  let busy: Promise<void> | null = null;
  let failure = '';
  let ticks = 0;
  let busyMs = 0;

  const tick = async (): Promise<void> => {
    // CPU that the whole process spent meanwhile: for a tick that waits it is an upper bound.
    const before = process.cpuUsage();
    try {
      await probe?.tick();
      failure = '';
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (text !== failure) sink?.event({ kind: 'sampler', text: `sampler ${name}: ${text}` });
      failure = text;
    }
    const { user, system } = process.cpuUsage(before);
    ticks += 1;
    busyMs += (user + system) / 1000;
  };

  const run = (): void => {
    // A tick that takes longer than the interval is not doubled.
    busy ??= tick().finally(() => {
      busy = null;
    });
  };

  return {
    name,
    async start(running, to, intervalMs) {
      sink = to;
      probe = await begin(running, to);
      run();
      await busy;
      timer = setInterval(run, intervalMs);
      timer.unref();
    },
    async stop() {
      clearInterval(timer);
      if (probe === null) return;
      await busy;
      await tick();
      try {
        await probe.close?.();
      } catch {
        // What was sampled has gone; its figures are kept.
      }
      probe = null;
    },
    cost: () => ({ ticks, busyMs }),
  };
}
