// What a reload costs under load: PM2 replaces the processes of a bare server (server.cjs) while k6 loads it, and every
// request is accounted for. In its cluster mode with `pm2 reload`, in its fork mode with `pm2 restart`, each with a server
// that ends at once, one that ends when its open requests are done, and one that first sends its clients away.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Records, Study } from '../../cli/src/features/study/study';
import { labPaths } from '../../cli/src/lab/paths';
import type { RunRecord } from '../../cli/src/record/run-record';
import { commandOf, ledgerOf, LOAD, runsOf, type Load, type ReloadPart } from './reload-parts';

/** About how long k6 takes from its start to its first request. */
const STARTS_SECONDS = 1;
/** All runs are one record. */
const ID = 'reload';
const pm2 = join(labPaths().bin, 'pm2');

interface Reloads {
  load: Load;
  /** By the names of their ways. */
  runs: { name: string; repeat: number }[];
}

const isOf = ({ way, repeat }: ReloadPart, run: Reloads['runs'][number]): boolean =>
  run.name === way && run.repeat === repeat;

function runsIn(records: Records, load: Load): Reloads['runs'] {
  const record = records.read(ID) as Reloads | undefined;
  return record !== undefined && isDeepStrictEqual(record.load, load) ? record.runs : [];
}

/** When PM2 was asked, in milliseconds since 1970. */
async function reloads(
  { asks }: ReloadPart,
  load: Load,
  { folder, home, ended }: { folder: string; home: string; ended: AbortSignal },
): Promise<{ beganAt: number; endedAt: number }[]> {
  const isLoaded = (): boolean =>
    existsSync(folder) &&
    readdirSync(folder).some((name) => existsSync(join(folder, name, 'incomplete.json')));
  while (!isLoaded() && !ended.aborted) await sleep(50);
  const loadedAt = Date.now();
  const times: { beganAt: number; endedAt: number }[] = [];
  for (const seconds of asks === null ? [] : load.reloadsAtSeconds) {
    const atMs = 1000 * (load.warmupSeconds + STARTS_SECONDS + seconds);
    await sleep(Math.max(0, loadedAt + atMs - Date.now()));
    if (asks === null || ended.aborted) break;
    const beganAt = Date.now();
    await promisify(execFile)(pm2, [asks, 'all'], {
      env: { ...process.env, PM2_HOME: home, PM2_DISABLE_VERSION_CHECK: 'true' },
    });
    times.push({ beganAt, endedAt: Date.now() });
  }
  return times;
}

export default {
  parts: runsOf('full'),
  quickParts: runsOf('quick'),
  inside: 'reload/',
  isDone: (part, records) => runsIn(records, LOAD[part.length]).some((run) => isOf(part, run)),
  async measured(part, { call, scratch, records, signal }) {
    const load = LOAD[part.length];
    const home = mkdtempSync(join(tmpdir(), 'pm2-'));
    const ended = new AbortController();
    try {
      const called = call<RunRecord & { folder: string }>(commandOf(part, load, scratch), {
        env: { PM2_HOME_OF_STUDY: home },
      }).finally(() => {
        ended.abort();
      });
      const over = AbortSignal.any([ended.signal, signal]);
      const [{ record }, times] = await Promise.all([
        called,
        reloads(part, load, { folder: scratch, home, ended: over }),
      ]);
      const zero = Date.parse(record.loadBeganAt ?? '');
      const reloaded = times.map(({ beganAt, endedAt }) => ({
        ...{ beganMs: beganAt - zero, endedMs: endedAt - zero },
      }));
      const table = gunzipSync(readFileSync(join(record.folder, 'requests.csv.gz'))).toString();
      const endMs = 1000 * (load.warmupSeconds + load.durationSeconds);
      const { faults, notSent } = record.summary.generator;
      const { name, way, mode, processes, asks, leaves, repeat } = part;
      const run = {
        ...{
          name: way,
          mode,
          processes,
          asks,
          leaves,
          repeat,
          reloads: reloaded,
          ...ledgerOf(table, reloaded),
          notSent,
        },
        // Without load there is nothing to lose.
        isValid:
          faults.length === 0 && reloaded.every((one) => one.beganMs > 0 && one.endedMs < endMs),
      };
      const others = runsIn(records, load).filter((one) => !isOf(part, one));
      return {
        ...{ id: ID, record: { load, runs: [...others, run] } },
        sentence: `${name}: ${String(run.expected)} of ${String(run.sent)} requests had their response`,
      };
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
} satisfies Study<ReloadPart>;
