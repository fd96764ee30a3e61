import { closeSync, openSync, writeSync } from 'node:fs';
import type { Command } from 'commander';
import { readStat } from '../linux/proc';
import { sampleTree, treeHead, treeLine } from '../samplers/sample-tree';
import { EXIT, messageOf, Mistake } from '../ui/exit';
import { onInterrupt } from '../ui/interrupt';
import { within } from '../ui/within';
import { warn } from '../ui/print';
import { milliseconds } from './options';

interface SampleOptions {
  pid: string[];
  csv: string;
  interval: string;
  duration?: string;
}

export function register(program: Command): void {
  program
    .command('sample')
    .description('Write memory and CPU of any process tree over time to CSV')
    .requiredOption('--pid <pid...>', 'the root of a process tree; may be several')
    .option('--csv <file>', 'where to, - is standard output', '-')
    .option('--interval <time>', 'between two samples', '1s')
    .option('--duration <time>', 'ends after it; else with the last root, or at Ctrl-C')
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

async function sample({ pid, csv, interval, duration }: SampleOptions): Promise<number> {
  const pids = pid.map(pidFrom);
  const intervalMs = milliseconds('--interval', interval);
  if (intervalMs < 50) throw new Mistake(`--interval is '${interval}': 50ms is the shortest.`);
  const interrupt = onInterrupt();
  const durationMs = duration === undefined ? null : milliseconds('--duration', duration);
  const file = csv === '-' ? process.stdout.fd : openTable(csv);
  writeSync(file, `${treeHead}\n`);
  const sampled = (until: AbortSignal): Promise<number> =>
    sampleTree(pids, intervalMs, until, (row) => {
      writeSync(file, `${treeLine(row)}\n`);
    });
  const rows =
    durationMs === null
      ? await sampled(interrupt.signal)
      : await within(durationMs, interrupt.signal, sampled);
  interrupt.end();
  if (csv !== '-') closeSync(file);
  if (csv !== '-') warn(`wrote ${String(rows)} lines to ${csv}.`);
  return EXIT.fine;
}

function pidFrom(text: string): number {
  const pid = Number(text);
  if (!Number.isInteger(pid) || pid <= 0) {
    throw new Mistake(`--pid is '${text}': it is the number of a process.`);
  }
  if (readStat(pid) === null) throw new Mistake(`no process has the pid ${text}.`);
  return pid;
}

function openTable(csv: string): number {
  try {
    return openSync(csv, 'w');
  } catch (error) {
    throw new Mistake(`${csv} cannot be written: ${messageOf(error)}.`);
  }
}
