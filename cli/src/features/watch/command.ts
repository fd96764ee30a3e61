import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { viewOf, type AlertsView, type View } from './analysis/view';
import type { PrometheusApi } from '../../prometheus/query';
import { renderWatch } from './report/terminal';
import { samplersFor } from '../../samplers';
import { keptRunning, Kept } from '../../targets/kept';
import type { Running } from '../../targets/target';
import { whyNoMetrics } from '../../targets/url/metrics';
import { urlTarget } from '../../targets/url/url-target';
import { EXIT, messageOf, Mistake } from '../../ui/exit';
import { onInterrupt } from '../../ui/interrupt';
import { printLines, warn } from '../../ui/print';
import { firingThere, PrometheusView } from './prometheus-view';
import {
  chosenPrometheus,
  selected,
  withPrometheusOptions,
  type PrometheusOptions,
} from '../../options/prometheus';
import type { Series } from './analysis/series';
import type { Metric } from '../../record/metrics';
import type { RunEvent, SampledRole } from '../../record/run-record';
import type { SampleSink } from '../../samplers/sampler';
import type { CommandHelp } from '../../options/help';

interface WatchOptions extends PrometheusOptions {
  url?: string;
}

export const help: CommandHelp = {
  summary: 'show n8n live: rate, latency, errors, queue, slots, memory',
  examples: [
    'n8n-tuned watch',
    'n8n-tuned watch --url http://127.0.0.1:5678 --prometheus http://127.0.0.1:9090',
    'n8n-tuned watch --prometheus http://127.0.0.1:9090 --prometheus-release prod',
  ],
  notes: [
    'The screen is updated every second; press q or Ctrl-C to quit. If the output is not a terminal, the command prints one screen. Alerts are shown only with --prometheus, whose rules decide which alerts fire.',
  ],
};

export function register(program: Command): Command {
  const command = program
    .command('watch')
    .description(
      'Show a live view of n8n in the terminal: rate, latency, errors, queue, slots and memory',
    )
    .argument('[name]', `name of the instance, as given to n8n-tuned up (default: ${DEFAULT_NAME})`)
    .option(
      '--url <url>',
      'address of an n8n instance with metrics enabled (N8N_METRICS=true), instead of one that up started',
    );
  return withPrometheusOptions(
    command,
    'show the alerts firing in this Prometheus; without a name or --url, all data comes from this Prometheus',
  ).action(async (name: string | undefined, options: WatchOptions) => {
    process.exitCode = await watch(name, options);
  });
}

const DEFAULT_NAME = 'default';
const EVERY_MS = 1000;
const HOME_AND_CLEAR = '\u001b[H\u001b[J';
const [ENTER, LEAVE] = ['\u001b[?1049h\u001b[?25l', '\u001b[?25h\u001b[?1049l'];

/** Whatever the screen is made from. */
interface Watched {
  title: string;
  look(nowMs: number): Promise<{ view: View; alerts: AlertsView | null }>;
  end(): Promise<void>;
}

async function watch(name: string | undefined, options: WatchOptions): Promise<number> {
  if (name !== undefined && options.url !== undefined) {
    throw new Mistake(
      `${name} is the name of an instance that up started, and --url selects another instance: use only one of them.`,
    );
  }
  const api = await chosenPrometheus(options);
  const interrupt = onInterrupt();
  const watched =
    api !== null && name === undefined && options.url === undefined
      ? await fromPrometheus(api, options)
      : await sampled(
          options.url === undefined
            ? ofUp(name ?? DEFAULT_NAME)
            : await atUrl(options.url, interrupt.signal),
          api,
          options,
        );
  const { stdout } = process;
  const keys = listenForKeys();
  const signal = AbortSignal.any([interrupt.signal, keys.signal]);
  const screen = async (width: number): Promise<string[]> => {
    const nowMs = Date.now();
    return renderWatch(watched.title, await watched.look(nowMs), { width, nowMs });
  };
  try {
    if (!stdout.isTTY) {
      // Rates and CPU are differences between two looks.
      await sleep(2 * EVERY_MS, undefined, { signal }).catch(() => undefined);
      printLines(await screen(200));
      return EXIT.fine;
    }
    stdout.write(ENTER);
    while (!signal.aborted) {
      const lines = await screen(stdout.columns).catch((error: unknown) => [messageOf(error)]);
      stdout.write(`${HOME_AND_CLEAR}${[...lines, '', 'q quits'].join('\n')}`);
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    return EXIT.fine;
  } finally {
    if (stdout.isTTY) stdout.write(LEAVE);
    await watched.end();
    keys.end();
    interrupt.end();
  }
}

async function sampled(
  running: Running,
  api: PrometheusApi | null,
  options: WatchOptions,
): Promise<Watched> {
  const latest = new Latest();
  const { versions, baseUrl, topology } = running;
  const { n8n } = versions;
  const samplers = samplersFor(running);
  await Promise.all(
    samplers.map((sampler) =>
      sampler.start(running, latest, EVERY_MS).catch((error: unknown) => {
        latest.event({ kind: 'sampler', text: `${sampler.name}: ${messageOf(error)}` });
      }),
    ),
  );
  return {
    title: `n8n${n8n === undefined ? '' : ` ${n8n}`} at ${baseUrl}`,
    look: async (nowMs) => ({
      view: viewOf(latest, nowMs, topology),
      alerts: api && (await firingThere(api, selected(options))),
    }),
    end: async () => {
      await Promise.all(samplers.map((sampler) => sampler.stop()));
    },
  };
}

async function fromPrometheus(api: PrometheusApi, options: WatchOptions): Promise<Watched> {
  const whose = selected(options);
  const seen = await PrometheusView.of(api, whose);
  return {
    title: `n8n as seen by ${api.url}, scraped every ${String(seen.scrapeSeconds)} s`,
    look: async (nowMs) => {
      const [view, alerts] = await Promise.all([seen.look(nowMs), firingThere(api, whose)]);
      return { view, alerts };
    },
    end: () => Promise.resolve(),
  };
}

function ofUp(name: string): Running {
  const kept = new Kept(name);
  const state = kept.read();
  if (state === null) {
    throw new Mistake(
      `there is no instance with the name '${name}': start n8n with n8n-tuned up, or use --url for another instance.`,
    );
  }
  return keptRunning(kept, state);
}

async function atUrl(url: string, signal: AbortSignal): Promise<Running> {
  const target = urlTarget({
    ...{ url, readyTimeoutMs: 0, apiKey: undefined, warn },
    // It is looked at, and not loaded.
    confirm: () => Promise.resolve(),
  });
  const running = await target.up(() => undefined, signal);
  if (running.metrics.length === 0) {
    throw new Mistake(
      `${running.baseUrl} does not serve /metrics (${await whyNoMetrics(`${running.baseUrl}/metrics`, signal)}): set N8N_METRICS=true in the environment of that n8n instance.`,
    );
  }
  return running;
}

/** In raw mode Ctrl-C is a key like any other. */
function listenForKeys(): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const { stdin } = process;
  const onKey = (key: Buffer): void => {
    if (['q', 'Q', '\u0003'].includes(key.toString())) controller.abort();
  };
  if (stdin.isTTY) {
    stdin.setRawMode(true);
    stdin.on('data', onKey).resume();
  }
  return {
    signal: controller.signal,
    end: () => {
      if (!stdin.isTTY) return;
      stdin.off('data', onKey).pause();
      stdin.setRawMode(false);
    },
  };
}

const KEPT_MS = 60_000;
const EVENTS_KEPT = 3;

/** What samplers said within the last minute. */
export class Latest implements SampleSink {
  readonly events: { atMs: number; text: string }[] = [];
  private readonly all = new Map<string, Series>();

  constructor(private readonly now: () => number = Date.now) {}

  sample(role: SampledRole, instance: string, metric: Metric, value: number): void {
    const key = [role, instance, metric].join('\n');
    const series = this.all.get(key) ?? { role, instance, metric, points: [] };
    this.all.set(key, series);
    const atMs = this.now();
    series.points.push({ atMs, value });
    while ((series.points[0]?.atMs ?? atMs) < atMs - KEPT_MS) series.points.shift();
  }

  event({ text }: Omit<RunEvent, 'tMs'>): void {
    this.events.push({ atMs: this.now(), text });
    if (this.events.length > EVENTS_KEPT) this.events.shift();
  }

  /** Without those of an instance that has ended. */
  series(): Series[] {
    const since = this.now() - KEPT_MS;
    return [...this.all.values()].filter(({ points }) => (points.at(-1)?.atMs ?? 0) >= since);
  }
}
