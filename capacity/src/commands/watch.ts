import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { renderWatch } from '../report/watch/terminal';
import { samplersFor } from '../samplers';
import { Kept } from '../targets/kept';
import { keptRunning } from '../targets/kept-running';
import type { Running } from '../targets/target';
import { urlTarget } from '../targets/url/url-target';
import { EXIT, messageOf, Mistake } from '../ui/exit';
import { onInterrupt } from '../ui/interrupt';
import { printLines } from '../ui/print';
import { Latest } from '../watch/latest';
import { viewOf } from '../analysis/watch-view';

interface WatchOptions {
  url?: string;
}

export function register(program: Command): void {
  program
    .command('watch')
    .description('The live view of an n8n in the terminal: rate, queue, memory, CPU, event loop')
    .argument('[name]', 'as given to up', 'default')
    .option('--url <url>', 'an n8n that shows /metrics (N8N_METRICS=true), instead of one of up')
    .addHelpText(
      'after',
      `
A new screen every second; q or Ctrl-C ends it. Where the output is no terminal, one screen is printed.

Examples:
  n8n-tuned watch
  n8n-tuned watch --url http://127.0.0.1:5678`,
    )
    .action(async (name: string, options: WatchOptions) => {
      process.exitCode = await watch(name, options);
    });
}

const EVERY_MS = 1000;
const HOME_AND_CLEAR = '\u001b[H\u001b[J';
const [ENTER, LEAVE] = ['\u001b[?1049h\u001b[?25l', '\u001b[?25h\u001b[?1049l'];

async function watch(name: string, { url }: WatchOptions): Promise<number> {
  const interrupt = onInterrupt();
  const running = url === undefined ? ofUp(name) : await atUrl(url, interrupt.signal);
  const latest = new Latest();
  const { n8n } = running.versions;
  const title = `n8n${n8n === undefined ? '' : ` ${n8n}`} at ${running.baseUrl}`;
  const screen = (width: number): string[] =>
    renderWatch(title, viewOf(latest, Date.now()), { width, nowMs: Date.now() });
  const { stdout } = process;
  const keys = listenForKeys();
  const signal = AbortSignal.any([interrupt.signal, keys.signal]);
  const samplers = samplersFor(running);
  try {
    await Promise.all(
      samplers.map((sampler) =>
        sampler.start(running, latest, EVERY_MS).catch((error: unknown) => {
          latest.event({ kind: 'sampler', text: `${sampler.name}: ${messageOf(error)}` });
        }),
      ),
    );
    if (!stdout.isTTY) {
      // Rates and CPU are differences between two looks.
      await sleep(2 * EVERY_MS, undefined, { signal }).catch(() => undefined);
      printLines(screen(200));
      return EXIT.fine;
    }
    stdout.write(ENTER);
    while (!signal.aborted) {
      stdout.write(`${HOME_AND_CLEAR}${[...screen(stdout.columns), '', 'q ends'].join('\n')}`);
      await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    return EXIT.fine;
  } finally {
    if (stdout.isTTY) stdout.write(LEAVE);
    await Promise.all(samplers.map((sampler) => sampler.stop()));
    keys.end();
    interrupt.end();
  }
}

function ofUp(name: string): Running {
  const kept = new Kept(name);
  const state = kept.read();
  if (state === null) {
    throw new Mistake(
      `nothing is up under the name '${name}': n8n-tuned up brings n8n up; --url watches another one.`,
    );
  }
  return keptRunning(kept, state);
}

async function atUrl(url: string, signal: AbortSignal): Promise<Running> {
  const target = urlTarget({ url, readyTimeoutMs: 0, apiKey: undefined });
  const running = await target.up(() => undefined, signal);
  if (running.metrics.length === 0) {
    throw new Mistake(
      `${running.baseUrl} shows no /metrics: set N8N_METRICS=true in the environment of that n8n.`,
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
