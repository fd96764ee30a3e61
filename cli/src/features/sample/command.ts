import { closeSync, writeSync } from 'node:fs';
import { type Command, InvalidArgumentError } from 'commander';
import { ProcessesSeen } from './analysis/process-history';
import { readStat, commandLine, uptimeMs } from '../../linux/proc';
import { shownProcess } from '../../plan/secrets/command';
import { openUserFile, refuseForeign, writeUserFile, type UserFile } from '../../record/user-file';
import { PROCESS_HEAD, processLine, type ProcessRow } from './record';
import { drawCaptioned } from '../../report/plot/draw';
import { sampleCharts } from './report/charts';
import { renderSample } from './report/terminal';
import { EXIT, Failure, messageOf, Mistake } from '../../ui/exit';
import { onInterrupt } from '../../ui/interrupt';
import { printJson, printLines } from '../../ui/print';
import { counted, formatNumber } from '../../ui/numbers';
import { startProgress, type Progress } from '../../ui/progress';
import { within } from '../../ui/within';
import { forceOption } from '../../options/options';
import { countFrom1, milliseconds, parsed } from '../../options/parsers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessTree } from '../../linux/process-tree';
import type { CommandHelp } from '../../options/help';

interface SampleOptions {
  pid: number[];
  csv?: string;
  plot?: string;
  force?: boolean;
  /** Milliseconds. */
  interval: number;
  /** Milliseconds. */
  duration?: number;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'record the memory and CPU of any process over time',
  examples: [
    'n8n-tuned sample --pid 4711 --csv memory.csv --plot memory.svg --duration 5m',
    "n8n-tuned sample --pid $(pgrep -f 'n8n start') --interval 5s --json",
    'n8n-tuned sample --pid 4711 4712 --duration 1h > two-processes.csv',
  ],
  notes: [
    'The table has one line per process and sample. The cpuCores column shows the CPU that the process has used since its previous line; 1 means one busy core. The rssMiB column shows the resident memory of the process, including the memory that it shares with other processes.',
  ],
};

export function register(program: Command): Command {
  return program
    .command('sample')
    .description('Record the memory and CPU of any process over time, as a table and a plot')
    .requiredOption(
      '--pid <pid...>',
      'one or more process ids; child processes are included',
      (text: string, before: number[] = []) => [...before, countFrom1(text)],
    )
    .option(
      '--csv <file>',
      'path of the table, or - for standard output (default: - without --plot and --json)',
    )
    .option('--plot <file>', 'path of the plot, an SVG file')
    .addOption(forceOption())
    .addOption(
      parsed(
        '--interval <time>',
        'time between samples, at least 50ms',
        (text) => atLeast50(milliseconds(text)),
        '1s',
      ),
    )
    .addOption(
      parsed(
        '--duration <time>',
        'stop after this time (default: when the last process of --pid ends, or at Ctrl-C)',
        milliseconds,
      ),
    )
    .option('--json', 'print a summary per process as JSON')
    .action(async (options: SampleOptions) => {
      process.exitCode = await sample(options);
    });
}

/** How the plot begins, by which a file is known as ours. */
const PLOT_BEGIN = '<!-- Written by n8n-tuned sample. -->\n';

function atLeast50(intervalMs: number): number {
  if (intervalMs < 50) throw new InvalidArgumentError('It must be at least 50ms.');
  return intervalMs;
}

async function sample(options: SampleOptions): Promise<number> {
  const { pid: pids, interval: intervalMs, duration: durationMs, json = false } = options;
  const force = options.force === true;
  const csv = options.csv ?? (options.plot === undefined && !json ? '-' : null);
  const plot: UserFile | null =
    options.plot === undefined
      ? null
      : { path: options.plot, option: '--plot', begins: PLOT_BEGIN, force };
  if (csv === '-' && json) {
    throw new Mistake(
      '--csv - and --json both write to standard output: use a file for --csv, or only one of them.',
    );
  }
  pids.forEach(refuseUnknown);
  // Before anything is sampled: hours may be behind it when the plot is written.
  if (plot !== null) refuseForeign(plot);
  const table =
    csv === null
      ? null
      : openTable({ path: csv, option: '--csv', begins: PROCESS_HEAD, keeps: 'rows', force });
  const seen = new ProcessesSeen();
  const interrupt = onInterrupt();
  const progress = startProgress();
  const tell = teller(progress.tell, csv === '-', pids);
  const sampled = (until: AbortSignal): Promise<void> =>
    sampleTree(pids, intervalMs, until, (rows) => {
      seen.add(rows);
      tell(rows);
      return table?.write(rows) ?? true;
    });
  try {
    await (durationMs === undefined
      ? sampled(interrupt.signal)
      : within(durationMs, interrupt.signal, sampled));
  } finally {
    interrupt.end();
    progress.end();
    table?.close();
  }
  const history = seen.history();
  if (plot !== null) {
    writeUserFile(plot, PLOT_BEGIN + drawCaptioned(...sampleCharts(history, seen.points())));
  }
  if (json) printJson({ intervalMs, ...history });
  else if (csv !== '-') {
    const written = [csv, plot?.path].filter((file) => typeof file === 'string');
    printLines([...renderSample(history), ...written]);
  }
  return EXIT.fine;
}

/** On a terminal what is seen now, once a tick; in a log one line, at the beginning. */
function teller(
  tell: Progress,
  isTableShown: boolean,
  pids: readonly number[],
): (rows: readonly ProcessRow[]) => void {
  if (!process.stderr.isTTY) {
    tell(`sampling process ${pids.join(' and ')}; press Ctrl-C to stop`);
    return () => undefined;
  }
  if (isTableShown && process.stdout.isTTY) return () => undefined;
  const began = performance.now();
  return (rows) => {
    const sum = (of: (row: ProcessRow) => number): number =>
      rows.reduce((all, row) => all + of(row), 0);
    const memory = formatNumber(Math.round(sum(({ rssMiB }) => rssMiB)));
    const cores = formatNumber(sum(({ cpuCores }) => cpuCores ?? 0));
    const seconds = formatNumber(Math.round((performance.now() - began) / 1000));
    tell(
      `${seconds} s: ${counted(rows.length, 'process', 'processes')}, ${memory} MiB, ${cores} cores; press Ctrl-C to stop`,
    );
  };
}

function refuseUnknown(pid: number): void {
  if (readStat(pid) === null) throw new Mistake(`no process has the pid ${String(pid)}.`);
}

interface Table {
  /** False when nobody reads it any longer. */
  write(rows: readonly ProcessRow[]): boolean;
  close(): void;
}

function openTable(csv: UserFile): Table {
  const isOutput = csv.path === '-';
  const file = isOutput ? process.stdout.fd : openUserFile(csv);
  const write = (text: string): boolean => {
    try {
      writeSync(file, text);
      return true;
    } catch (error) {
      if (isOutput && (error as NodeJS.ErrnoException).code === 'EPIPE') return false;
      throw new Failure(`${csv.path} cannot be written: ${messageOf(error)}.`);
    }
  };
  write(PROCESS_HEAD);
  return {
    write: (rows) => write(rows.map(processLine).join('')),
    close: () => {
      if (!isOutput) closeSync(file);
    },
  };
}

/** So old, a process has become what it was started as: until then it is a copy of its parent. */
const YOUNG_MS = 5_000;

/**
 * Memory and CPU of process trees, whatever they run. `take` is given all processes of a moment together, and
 * says whether to go on. Ends also when no root is left or the signal fires.
 */
async function sampleTree(
  pids: readonly number[],
  intervalMs: number,
  signal: AbortSignal,
  take: (rows: ProcessRow[]) => boolean,
): Promise<void> {
  const roots = pids.map((pid) => ({ pid }));
  const tree = new ProcessTree<{ pid: number }>();
  const commands = new Map<number, string>();
  const began = performance.now();
  for (let tick = 1; !signal.aborted; tick += 1) {
    const now = uptimeMs();
    const members = tree.look(roots, now);
    if (!members.some(({ isRoot }) => isRoot)) break;
    const tMs = performance.now() - began;
    const rows = members.map(({ pid, stat, cpuCores }) => {
      const { parent, rssMiB, threads } = stat;
      const isYoung = now - stat.startedAtMs < YOUNG_MS;
      const command =
        (isYoung ? null : commands.get(pid)) ?? shownProcess(commandLine(pid)).slice(0, 120);
      commands.set(pid, command);
      return { tMs, pid, parent, command, rssMiB, cpuCores, threads };
    });
    if (!take(rows)) break;
    const untilNextMs = tick * intervalMs - (performance.now() - began);
    await sleep(Math.max(0, untilNextMs), undefined, { signal }).catch(() => undefined);
  }
}
