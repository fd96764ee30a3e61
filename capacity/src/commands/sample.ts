import { closeSync, openSync, writeSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { readStat } from '../linux/proc';
import { sampleTree, TREE_HEAD, treeLine } from '../samplers/sample-tree';
import { EXIT, messageOf, Mistake } from '../ui/exit';
import { onInterrupt } from '../ui/interrupt';
import { within } from '../ui/within';
import { warn } from '../ui/print';
import { countFrom1, milliseconds, parsed } from './parsers';

interface SampleOptions {
  pid: number[];
  csv: string;
  /** Milliseconds. */
  interval: number;
  /** Milliseconds. */
  duration?: number;
}

export function register(program: Command): void {
  program
    .command('sample')
    .description('Write memory and CPU of any process tree over time to CSV')
    .requiredOption(
      '--pid <pid...>',
      'the root of a process tree; may be several',
      (text: string, before: number[] = []) => [...before, countFrom1(text)],
    )
    .option('--csv <file>', 'where to, - is standard output', '-')
    .addOption(
      parsed(
        '--interval <time>',
        'between two samples, from 50ms',
        (text) => atLeast50(milliseconds(text)),
        '1s',
      ),
    )
    .addOption(
      parsed(
        '--duration <time>',
        'ends after it; else with the last root, or at Ctrl-C',
        milliseconds,
      ),
    )
    .addHelpText(
      'after',
      `
One line a process and moment; cpuCores is what it used since its line before, 1 is one core kept busy.

Example:
  n8n-tuned sample --pid 4711 --csv memory.csv --duration 5m`,
    )
    .action(async (options: SampleOptions) => {
      process.exitCode = await sample(options);
    });
}

function atLeast50(intervalMs: number): number {
  if (intervalMs < 50) throw new InvalidArgumentError('50ms is the shortest.');
  return intervalMs;
}

async function sample(options: SampleOptions): Promise<number> {
  const { pid: pids, csv, interval: intervalMs, duration: durationMs } = options;
  pids.forEach(refuseUnknown);
  const interrupt = onInterrupt();
  const file = csv === '-' ? process.stdout.fd : openTable(csv);
  writeSync(file, TREE_HEAD);
  const sampled = (until: AbortSignal): Promise<number> =>
    sampleTree(pids, intervalMs, until, (row) => {
      writeSync(file, treeLine(row));
    });
  const rows =
    durationMs === undefined
      ? await sampled(interrupt.signal)
      : await within(durationMs, interrupt.signal, sampled);
  interrupt.end();
  if (csv !== '-') closeSync(file);
  if (csv !== '-') warn(`wrote ${String(rows)} lines to ${csv}.`);
  return EXIT.fine;
}

function refuseUnknown(pid: number): void {
  if (readStat(pid) === null) throw new Mistake(`no process has the pid ${String(pid)}.`);
}

function openTable(csv: string): number {
  try {
    return openSync(csv, 'w');
  } catch (error) {
    throw new Mistake(`${csv} cannot be written: ${messageOf(error)}.`);
  }
}
