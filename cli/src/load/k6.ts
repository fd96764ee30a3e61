import { spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { lengthSeconds } from '../../../loadtests/lib/profile';
import type { RequestSample } from '../record/run-record';
import { spawnFirst } from '../linux/spawn-first';
import { startReaper, type Reaper } from '../linux/reaper';
import { messageOf } from '../ui/exit';
import { availableCores } from '../linux/available-cores';
import { confine, type Confinement } from './confine';
import { linesOf, parseLine, RequestLines } from './lines';
import { runElsewhere } from './elsewhere';
import type { K6Order } from './k6-order';
import type { LoadResult } from './load';
import { ENDING_MS, ENOUGH, outcomeOf, remember, type Exit } from './outcome';
import { RUN_FLAGS, variablesOf } from './variables';
import { watchUsage } from './usage';

/** Makes the load. Rejects only when k6 cannot be started at all. */
export async function runK6(order: K6Order): Promise<LoadResult> {
  if (order.generators !== undefined) return runElsewhere(order.generators, order);
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-k6-'));
  const reaper = startReaper();
  reaper.watchFolder(folder);
  let confinement: Confinement | undefined;
  try {
    confinement = confine(order.generatorCores);
    confinement.folders.forEach(reaper.watchControlGroup);
    return await loadWithin(folder, reaper, confinement, order);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await confinement?.end();
    await reaper.dismiss();
  }
}

async function loadWithin(
  folder: string,
  reaper: Reaper,
  confinement: Confinement,
  order: K6Order,
): Promise<LoadResult> {
  // Readable by its owner only: headers may hold credentials.
  const requestsFile = join(folder, 'requests.json');
  writeFileSync(requestsFile, JSON.stringify(order.requests), { mode: 0o600 });
  const startedAtMs = Date.now();
  const [program = order.k6, ...args] = confinement.around([
    order.k6,
    ...argumentsOf(order, requestsFile),
  ]);
  // A group of its own: Ctrl-C in the terminal reaches us, and we end k6 in our own order.
  const k6 = spawnFirst(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, K6_NO_USAGE_REPORT: 'true' },
  });

  let coresAvailable = availableCores();
  if (k6.pid !== undefined) {
    reaper.watchGroup(k6.pid, 'INT');
    confinement.join(k6.pid);
    coresAvailable = Math.min(availableCores(k6.pid), order.generatorCores ?? Infinity);
  }
  let notSent = 0;
  const lines = new RequestLines((dueMs) => {
    if (dueMs >= order.plan.warmupSeconds * 1000) notSent += 1;
  });
  const words: string[] = [];
  const usage = watchUsage(k6.pid, order.onUsage, order.usageEveryMs);
  const stopping = stopOn(order, k6);
  const take = (sample: RequestSample): void => {
    order.onRequest(sample);
    if (order.isEnough?.() === true) stopping.stop(ENOUGH);
  };
  const readLine = (text: string): void => {
    const line = parseLine(text);
    if (line === null) {
      remember(words, text);
      return;
    }
    const known = lines.beganAtMs !== null;
    const sample = lines.read(line);
    if (!known && lines.beganAtMs !== null) order.onBegin(lines.beganAtMs);
    if (sample !== null) take(sample);
  };
  const output = readAll(k6.stdout, readLine, () => order.behind?.() ?? null);
  const complaints = readAll(k6.stderr, (text) => {
    remember(words, text);
  });

  const read = Promise.all([output, complaints]);
  // Whatever goes wrong with what it says, it must not go on alone.
  read.catch((error: unknown) => {
    stopping.stop(messageOf(error));
  });

  let exit: Exit;
  try {
    exit = await exitOf(k6, read);
  } finally {
    if (k6.pid !== undefined) reaper.forgetGroup(k6.pid);
    usage.end();
    stopping.end();
  }
  const endedAtMs = Date.now();
  lines.cutOff(endedAtMs).forEach(take);

  return {
    beganAtMs: lines.beganAtMs ?? startedAtMs,
    endedAtMs,
    ...outcomeOf({ ...exit, stopReason: stopping.reason(), words }),
    generator: {
      version: k6Version(order.k6),
      notSent,
      openPeak: lines.openPeak,
      openMax: order.maxOpen,
      cpuCoresMean: usage.cpuCoresMean(),
      coresAvailable,
      rssPeakMiB: usage.rssPeakMiB(),
    },
  };
}

function argumentsOf(order: K6Order, requestsFile: string): string[] {
  const env = { ...variablesOf(order), WORKLOAD_FILE: requestsFile };
  return [
    ...RUN_FLAGS,
    ...Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
    join(order.scripts, `${order.plan.profile}.ts`),
  ];
}

type K6Process = ChildProcessByStdio<null, Readable, Readable>;

/** Calls `take` with every line; between two pieces it waits for what is behind. */
async function readAll(
  stream: Readable,
  take: (line: string) => void,
  behind: () => Promise<void> | null = () => null,
): Promise<void> {
  for await (const lines of linesOf(stream.setEncoding('utf8'))) {
    lines.forEach(take);
    await behind();
  }
}

/** When it has ended and every line that it wrote has been read. */
async function exitOf(k6: K6Process, read: Promise<unknown>): Promise<Exit> {
  const ended = new Promise<Exit>((resolve, reject) => {
    k6.once('error', (error) => {
      reject(new Error(`k6 could not be started: ${error.message}`));
    });
    k6.once('exit', (code, signal) => {
      resolve({ code, signal });
    });
  });
  const exit = await ended;
  await read;
  return exit;
}

/** Asks k6 to end when we are asked to, or when it has long overrun its plan; then makes it. */
function stopOn(
  order: K6Order,
  k6: K6Process,
): { stop(why: string): void; reason(): string; end(): void } {
  let reason = '';
  let insisting: NodeJS.Timeout | undefined;
  const stop = (why: string): void => {
    if (reason !== '') return;
    reason = why;
    k6.kill('SIGINT');
    insisting = setTimeout(() => k6.kill('SIGKILL'), ENDING_MS);
  };
  const onAbort = (): void => {
    stop(messageOf(order.signal.reason));
  };
  const longestMs = lengthSeconds(order.plan) * 1000 + order.drainMs + ENDING_MS;
  const overrun = setTimeout(() => {
    stop('the load generator did not end when its plan did');
  }, longestMs);
  order.signal.addEventListener('abort', onAbort, { once: true });
  if (order.signal.aborted) onAbort();
  return {
    stop,
    reason: () => reason,
    end: () => {
      clearTimeout(overrun);
      clearTimeout(insisting);
      order.signal.removeEventListener('abort', onAbort);
    },
  };
}

export function k6Version(k6: string): string {
  const said = spawnSync(k6, ['version'], { encoding: 'utf8', timeout: 10_000 }).stdout;
  return /v\d+\.\d+\.\d+\S*/.exec(said)?.[0] ?? 'unknown';
}
