import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { z } from 'zod';
import { readPlainFile } from '../linux/plain-file';
import { processName, thisProcess } from '../linux/proc';
import { WEBHOOK_COUNTS } from '../samplers/n8n-metrics';
import { Kept, type KeptState } from '../targets/kept';
import type { Running } from '../targets/target';
import { EXIT, Failure, Interrupted, messageOf, Mistake } from '../ui/exit';
import { onInterrupt } from '../ui/interrupt';
import { printJson, printLines } from '../ui/print';
import { startProgress } from '../ui/progress';
import {
  chosenWorkload,
  readyOption,
  withTargetOptions,
  withWorkloadOptions,
  type TargetOptions,
  type WorkloadOptions,
} from '../options/options';
import { chosenVersion, makeTarget, targetOrder } from '../options/targets';
import type { CommandHelp } from '../options/help';

export interface UpOptions extends TargetOptions, WorkloadOptions {
  name: string;
  /** Milliseconds. */
  ready: number;
  json?: boolean;
}

export const help: CommandHelp = {
  summary: 'start n8n with a workload, and leave it running',
  examples: [
    'n8n-tuned up --workers 2',
    'n8n-tuned run --url $(n8n-tuned up --json | jq -r .baseUrl) --rate 20',
    'n8n-tuned down',
  ],
  common: [
    '--workload',
    '--workflow',
    '--target',
    '--n8n',
    '--mode',
    '--workers',
    '--cpu',
    '--memory',
    '--name',
    '--json',
  ],
};

export function register(program: Command): Command {
  const command = program
    .command('up')
    .description('Start n8n with a workload, and leave it running until you call n8n-tuned down');
  return withTargetOptions(withWorkloadOptions(command))
    .optionsGroup('Name and limits:')
    .option('--name <name>', 'name of this instance, for n8n-tuned down', 'default')
    .addOption(readyOption())
    .option('--json', 'print the address and other details as JSON')
    .action(async (options: UpOptions) => {
      await (isKeeper ? keep(options) : up(options));
    });
}

/**
 * The words of the command for the process that stays, which has no arguments: they can hold secrets, and arguments are
 * for every user of the machine to read.
 */
const KEEPER = 'N8N_TUNED_KEEPER';
let isKeeper = false;

/** To be called before anything reads the arguments of this process. */
export function takeKeepersWords(argv: string[] = process.argv): void {
  const words = process.env[KEEPER];
  if (words === undefined) return;
  // For this process, and none that it starts.
  Reflect.deleteProperty(process.env, KEEPER);
  argv.push(...z.array(z.string()).parse(JSON.parse(words)));
  isKeeper = true;
}

/** What stays, in plain data: the same options give the same order. */
export function upOrder(given: UpOptions) {
  if (given.target !== 'process' && given.target !== 'container') {
    throw new Mistake(
      `up requires --target process or container: it cannot start an n8n instance with --target ${given.target}.`,
    );
  }
  // Latency and errors for `watch`; a run is measured without them.
  const options = { ...given, env: { ...WEBHOOK_COUNTS, ...given.env } };
  const workload = chosenWorkload(options, chosenVersion(options));
  return {
    workload,
    target: targetOrder(options, workload.workflows, options.ready, { load: 'none' }),
  };
}

async function up(options: UpOptions): Promise<void> {
  // Mistakes are told here, before anything stays.
  const { target } = upOrder(options);
  const kept = new Kept(options.name);
  const other = kept.read();
  if (other !== null) {
    throw new Mistake(
      `'${options.name}' is already up at ${other.baseUrl}: stop it with n8n-tuned down ${options.name}, or choose another --name.`,
    );
  }
  // What is not installed too, by the one who makes it.
  makeTarget(target);
  const claim = kept.claim();
  const log = openSync(kept.logFile, 'w', 0o600);
  const [script = '', ...words] = process.argv.slice(1);
  const keeper = spawn(process.execPath, [script], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, [KEEPER]: JSON.stringify(words) },
  });
  keeper.unref();
  const owner = keeper.pid === undefined ? null : processName(keeper.pid);
  if (owner !== null) claim.giveTo(owner);
  const progress = startProgress();
  const interrupt = onInterrupt();
  let ended = false;
  keeper.once('exit', () => {
    ended = true;
    claim.end();
  });
  // Once: a second signal would end it without taking n8n down in order.
  interrupt.signal.addEventListener('abort', () => keeper.kill('SIGTERM'));
  try {
    for (;;) {
      const state = kept.read();
      if (state !== null) {
        show(state, options);
        return;
      }
      if (ended && interrupt.signal.aborted) {
        throw new Interrupted(`${messageOf(interrupt.signal.reason)}: n8n was stopped again.`);
      }
      if (ended) throw new Failure(`n8n did not start: ${lastLine(kept.logFile)}`);
      progress.tell('starting n8n');
      await sleep(200);
    }
  } finally {
    progress.end();
    interrupt.end();
  }
}

async function keep(options: UpOptions): Promise<void> {
  const kept = new Kept(options.name);
  const interrupt = onInterrupt();
  const { signal } = interrupt;
  const tell = (): void => undefined;
  const { workload, target } = upOrder(options);
  const running = await makeTarget(target).up(tell, signal);
  try {
    await running.seed(workload.workflows, tell);
    await running.ready(workload.requests, tell, signal);
    let written = '';
    while (!signal.aborted) {
      const state = stateOf(running);
      // A restart has changed the pids.
      if (JSON.stringify(state) !== written) kept.write(state);
      written = JSON.stringify(state);
      await sleep(200);
    }
  } finally {
    await running.down(tell);
    kept.remove();
    interrupt.end();
  }
  process.exitCode = EXIT.fine;
}

function stateOf(running: Running): KeptState {
  const { baseUrl, versions, topology, metrics, redis, postgresql, sqlite = null, owner } = running;
  const stores = { redis, postgresql, sqlite };
  return {
    ...{ keeper: thisProcess(), baseUrl, versions, topology, owner },
    ...{ processes: running.processes(), metrics, ...stores },
  };
}

function show(state: KeptState, { name, json }: UpOptions): void {
  if (json === true) printJson({ name, ...state });
  else {
    const down = name === 'default' ? 'n8n-tuned down' : `n8n-tuned down ${name}`;
    const { owner } = state;
    printLines([
      `n8n is up at ${state.baseUrl}; stop it with ${down}.`,
      ...(owner === undefined
        ? []
        : [`Log in to the editor as ${owner.email} with the password ${owner.password}`]),
    ]);
  }
}

function lastLine(file: string): string {
  return readPlainFile(file).trim().split('\n').at(-1) ?? '';
}
