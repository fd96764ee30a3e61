// A generator that is not ours (cargo install oha), and the CPU that n8n takes meanwhile, for studies that compare with it.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../cli/src/lab/paths';
import { NotMeasured } from '../cli/src/features/study/study';
import type { Up } from './up';

/**
 * Each has a core to itself, so that neither generator, of which one needs more CPU than the other, takes any from n8n. A
 * quota instead would stop n8n for what is left of each 100 ms that it has used up, after each garbage collection.
 */
export const CORES = { n8n: '0', generator: '1' };
export const on = (core: string): string[] => ['taskset', '-c', core];

/**
 * A folder of tools like that of the lab, but its k6 runs on a core of its own: a command that is pinned to n8n's core leaves
 * that core to all that it starts.
 */
export function toolsWithK6Apart(folder: string, lab = cacheFolder()): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of readdirSync(lab)) {
    if (name !== 'bin') symlinkSync(join(lab, name), join(folder, name));
  }
  for (const name of readdirSync(join(lab, 'bin'))) {
    if (name !== 'k6') symlinkSync(join(lab, 'bin', name), join(bin, name));
  }
  const k6 = [...on(CORES.generator), `'${join(lab, 'bin/k6')}'`].join(' ');
  writeFileSync(join(bin, 'k6'), `#!/bin/sh\nexec ${k6} "$@"\n`, { mode: 0o755 });
  return folder;
}

/** CPU seconds of all n8n processes since they began, as they say themselves: the same source as find has. */
export async function cpuSeconds(endpoints: Up['metrics']): Promise<number> {
  const texts = await Promise.all(endpoints.map(async ({ url }) => (await fetch(url)).text()));
  return texts.reduce((sum, text) => {
    const [, seconds] =
      /^n8n_process_cpu_seconds_total(?:\{[^}]*\})? ([\d.e+-]+)/m.exec(text) ?? [];
    if (seconds === undefined) throw new NotMeasured('n8n does not tell its CPU at /metrics');
    return sum + Number(seconds);
  }, 0);
}

export async function oha(words: string[], signal: AbortSignal): Promise<string> {
  const [program = '', ...args] = [...on(CORES.generator), 'oha', ...words];
  return (await promisify(execFile)(program, args, { signal, maxBuffer: 2 ** 28 })).stdout;
}

/** What it prints of a load at even distances, corrected for coordinated omission. */
export const load = (ratePerSecond: number, seconds: number, url: string, signal: AbortSignal) =>
  oha(
    [
      ...['-q', String(ratePerSecond), '-z', `${String(seconds)}s`, '-c', '400'],
      ...['--latency-correction', '-w', '--no-tui', '--output-format', 'json', url],
    ],
    signal,
  );
