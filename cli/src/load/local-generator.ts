/** k6 as a process of this machine; nothing of it stays behind, whatever becomes of this command. */
import type { ChildProcessByStdio } from 'node:child_process';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { availableCores } from '../linux/available-cores';
import { readStat } from '../linux/proc';
import { startReaper, type Reaper } from '../linux/reaper';
import { spawnFirst } from '../linux/spawn-first';
import {
  k6Arguments,
  type Generator,
  type GeneratorOrder,
  type GeneratorRun,
} from '../targets/target';
import { confine, type Confinement } from './confine';
import type { K6Order } from './k6-order';
import { linesOf } from './lines';

type LocalOrder = Pick<K6Order, 'k6' | 'scripts' | 'generatorCores' | 'usageEveryMs'>;

/** Its folder and its control group are removed when `use` has ended. */
export async function withLocalGenerator<Result>(
  order: LocalOrder,
  use: (generator: Generator) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-k6-'));
  const reaper = startReaper();
  reaper.watchFolder(folder);
  let confinement: Confinement | undefined;
  try {
    confinement = confine(order.generatorCores);
    confinement.folders.forEach(reaper.watchControlGroup);
    return await use(new LocalGenerator(order, { folder, reaper, confinement }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await confinement?.end();
    await reaper.dismiss();
  }
}

class LocalGenerator implements Generator {
  readonly name = 'k6';
  readonly node = hostname();
  coresAvailable = availableCores();

  constructor(
    private readonly order: LocalOrder,
    private readonly place: { folder: string; reaper: Reaper; confinement: Confinement },
  ) {}

  get version(): string {
    const { stdout } = spawnSync(this.order.k6, ['version'], { encoding: 'utf8', timeout: 10_000 });
    return /v\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? 'unknown';
  }

  /** Its clock is ours. */
  clock(): ReturnType<Generator['clock']> {
    return Promise.resolve({ aheadMs: 0, uncertainMs: 0 });
  }

  start(order: GeneratorOrder): GeneratorRun {
    const { k6: program, scripts, generatorCores, usageEveryMs } = this.order;
    const { folder, reaper, confinement } = this.place;
    // Readable by its owner only: headers may hold credentials.
    const requests = join(folder, 'requests.json');
    writeFileSync(requests, JSON.stringify(order.requests), { mode: 0o600 });
    const script = join(scripts, `${order.script}.ts`);
    const [first = program, ...args] = confinement.around([
      program,
      ...k6Arguments(order, requests, script),
    ]);
    // A group of its own: Ctrl-C in the terminal reaches us, and we end k6 in our own order.
    const k6 = spawnFirst(first, args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, K6_NO_USAGE_REPORT: 'true' },
    });
    const { pid } = k6;
    if (pid !== undefined) {
      reaper.watchGroup(pid, 'INT');
      confinement.join(pid);
      this.coresAvailable = Math.min(availableCores(pid), generatorCores ?? Infinity);
    }
    const usage = pid === undefined ? undefined : watchUsage(pid, order.onUsage, usageEveryMs);
    return {
      ended: endOf(k6, order).finally(() => {
        clearInterval(usage);
        if (pid !== undefined) reaper.forgetGroup(pid);
      }),
      stop: (how) => {
        k6.kill(`SIG${how}`);
      },
    };
  }
}

/** When it has ended and every line that it wrote has been read. */
async function endOf(
  k6: ChildProcessByStdio<null, Readable, Readable>,
  { onLine, behind }: GeneratorOrder,
): ReturnType<typeof exitOf> {
  const read = Promise.all([
    readAll(k6.stdout, onLine, behind),
    readAll(k6.stderr, onLine, () => null),
  ]);
  read.catch(() => undefined);
  const exit = await exitOf(k6);
  await read;
  return exit;
}

const exitOf = (
  k6: ChildProcessByStdio<null, Readable, Readable>,
): Promise<{ code: number | null; reason: string }> =>
  new Promise((resolve, reject) => {
    k6.once('error', (error) => {
      reject(new Error(`k6 could not be started: ${error.message}`));
    });
    k6.once('exit', (code, signal) => {
      resolve({ code, reason: signal === null ? '' : `k6 was killed by ${signal}` });
    });
  });

/** Calls `take` with every line; between two pieces it waits for what is behind. */
async function readAll(
  stream: Readable,
  take: (line: string) => void,
  behind: () => Promise<void> | null,
): Promise<void> {
  for await (const lines of linesOf(stream.setEncoding('utf8'))) {
    lines.forEach(take);
    await behind();
  }
}

function watchUsage(
  pid: number,
  tell: (cpuCores: number, rssMiB: number) => void,
  everyMs: number,
): NodeJS.Timeout {
  let last = { atMs: performance.now(), cpuMs: 0 };
  return setInterval(() => {
    const stat = readStat(pid);
    if (stat === null) return;
    const now = { atMs: performance.now(), cpuMs: stat.cpuMs };
    tell((now.cpuMs - last.cpuMs) / (now.atMs - last.atMs), stat.rssMiB);
    last = now;
  }, everyMs);
}
