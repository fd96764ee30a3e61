// A generator that is not ours (cargo install oha), and the CPU that n8n takes meanwhile, for studies that compare with it.
import { execFile, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
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

/** The programs of n8n and its stores. */
const ON_N8NS_CORE = ['node24', 'redis-server', 'postgres', 'initdb', 'pg_ctl', 'nginx'];

/**
 * A folder of tools like that of the lab, in which n8n and its stores run on n8n's core, and k6 on the generator's. A command
 * that has it as its cache runs on the generator's core itself: it uses 4 to 8% of one while it measures, which n8n would miss.
 */
export function toolsOnCores(folder: string, lab = cacheFolder()): string {
  const bin = join(folder, 'bin');
  const programs = join(folder, 'programs');
  for (const made of [bin, programs]) mkdirSync(made, { recursive: true });
  for (const name of readdirSync(lab)) {
    if (!['bin', 'n8n'].includes(name)) symlinkSync(join(lab, name), join(folder, name));
  }
  copyOfN8n(join(lab, 'n8n'), join(folder, 'n8n'));
  for (const name of readdirSync(join(lab, 'bin'))) {
    const program = join(lab, 'bin', name);
    const core = name === 'k6' ? CORES.generator : CORES.n8n;
    if (name !== 'k6' && !ON_N8NS_CORE.includes(name)) {
      symlinkSync(program, join(bin, name));
      continue;
    }
    // One step only: redis-server is itself a link to a program of many names.
    const link = lstatSync(program).isSymbolicLink() ? readlinkSync(program) : program;
    const real = resolve(dirname(program), link);
    const isOfLab = real.startsWith(join(lab, '/'));
    if (isOfLab) copyFileSync(real, join(programs, name));
    const words = [...on(core), `'${isOfLab ? join(programs, name) : real}'`].join(' ');
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  }
  return folder;
}

/**
 * The user of n8n sees of the home of root only what the command shows, which is this folder of tools and not the lab. Hard
 * links where both are on one file system: n8n has 250,000 files.
 */
function copyOfN8n(from: string, to: string): void {
  const copied = spawnSync('cp', ['-al', from, to], { stdio: 'ignore' });
  if (copied.status === 0) return;
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
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
