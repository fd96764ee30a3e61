// With how little old space n8n and its task runner still start: behind the least heaps that the chart accepts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Part, Study } from '../../cli/src/features/study/study';
import { labPaths } from '../../cli/src/lab/paths';
import { freePort } from '../../cli/src/targets/process/ports';

const { cache, bin } = labPaths();

const READY_WITHIN_MS = 60_000;
/** Ready is not enough: what starts after it needs its heap too. */
const STAYS_MS = 8_000;

const N8N = {
  '2.41.1': { node: 'node24', ready: '/healthz/readiness' },
  '0.221.2': { node: 'node18', ready: '/healthz' },
};
/** MiB; for the runner beside an n8n that has enough. */
interface Tried {
  n8n: keyof typeof N8N;
  heap: 'n8n' | 'task runner';
  oldSpaceMiB: number;
}
const TRIED: Tried[] = [
  ...[512, 320, 288, 256].map((oldSpaceMiB) => ({
    n8n: '2.41.1' as const,
    heap: 'n8n' as const,
    oldSpaceMiB,
  })),
  ...[128, 96, 64].map((oldSpaceMiB) => ({
    n8n: '0.221.2' as const,
    heap: 'n8n' as const,
    oldSpaceMiB,
  })),
  ...[128, 64, 32].map((oldSpaceMiB) => ({
    ...{ n8n: '2.41.1' as const, heap: 'task runner' as const, oldSpaceMiB },
  })),
];

/** A fresh n8n with SQLite: whether it lived, after how many seconds it was ready, and whether V8 gave up. */
async function start({ n8n, heap, oldSpaceMiB }: Tried) {
  const { node, ready } = N8N[n8n];
  const program = join(cache, 'n8n', n8n, 'node_modules/n8n/bin/n8n');
  const folder = mkdtempSync(join(tmpdir(), 'heap-floor-'));
  const port = await freePort();
  const isRunner = heap === 'task runner';
  const child = spawn(join(bin, node), [program, 'start'], {
    env: {
      ...{
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        N8N_USER_FOLDER: folder,
        N8N_ENCRYPTION_KEY: 'x',
      },
      ...{ N8N_PORT: String(port), N8N_RUNNERS_BROKER_PORT: String(await freePort()) },
      ...{ N8N_LISTEN_ADDRESS: '127.0.0.1', N8N_LOG_LEVEL: 'debug' },
      ...{ N8N_DIAGNOSTICS_ENABLED: 'false', N8N_VERSION_NOTIFICATIONS_ENABLED: 'false' },
      NODE_OPTIONS: `--max-old-space-size=${String(isRunner ? 512 : oldSpaceMiB)}`,
      ...(isRunner ? { N8N_RUNNERS_MAX_OLD_SPACE_SIZE: String(oldSpaceMiB) } : {}),
    },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  }
  const exited = once(child, 'exit');
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null;

  const begun = Date.now();
  let readyAfterSeconds: number | null = null;
  while (readyAfterSeconds === null && !isGone() && Date.now() - begun < READY_WITHIN_MS) {
    const reply = await fetch(`http://127.0.0.1:${String(port)}${ready}`).catch(() => null);
    await reply?.arrayBuffer();
    const isComplete = !isRunner || log.includes('Registered runner "JS');
    if (reply?.ok === true && isComplete) readyAfterSeconds = (Date.now() - begun) / 1000;
    else await sleep(250);
  }
  if (readyAfterSeconds !== null) await sleep(STAYS_MS);
  const lives = readyAfterSeconds !== null && !isGone();
  if (!isGone()) {
    child.kill('SIGTERM');
    await Promise.race([exited, sleep(10_000)]);
    if (!isGone()) child.kill('SIGKILL');
  }
  rmSync(folder, { recursive: true, force: true });
  return { lives, readyAfterSeconds, outOfHeap: log.includes('heap out of memory') };
}

const parts: Part[] = [{ name: 'record', seconds: 420 }];

export default {
  parts,
  async measured(_part, { isShort, signal, tell }) {
    const rows: object[] = [];
    for (const tried of isShort ? TRIED.slice(0, 1) : TRIED) {
      signal.throwIfAborted();
      const found = await start(tried);
      rows.push({ ...tried, ...found });
      const said = found.lives ? `ready after ${String(found.readyAfterSeconds)} s` : 'dies';
      tell(`${tried.n8n}, ${tried.heap}, ${String(tried.oldSpaceMiB)} MiB: ${said}`);
    }
    return { record: { rows }, sentence: `${String(rows.length)} heaps` };
  },
} satisfies Study;
