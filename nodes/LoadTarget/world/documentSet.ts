import { rmSync } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Cancelled } from '../../shared/sleep';
import type { Call } from '../operations/operation';
import { folderWithRoom } from './folder';
import { freshDocument } from './turns';

/** Documents that nobody has read for so long are removed. */
const IDLE_MS = 10 * 60_000;

interface DocumentSet {
  folder: Promise<string>;
  idle: NodeJS.Timeout;
}

/** Sets of this process that are known to be complete, so that a read costs a read and nothing else. */
const sets = new Map<string, DocumentSet>();
/** Folders of this process, one below each folder that was asked for. */
const ownFolders = new Set<string>();

/** The folder of `count` documents of `bytes` each: prepared by the first who asks, in each process. */
export async function documentSet(call: Call, bytes: number, count: number): Promise<string> {
  const key = keyOf(call, bytes, count);
  for (;;) {
    const known = sets.get(key);
    const set = known ?? { folder: prepare(call, bytes, count), idle: idleTimer(key) };
    if (known === undefined) {
      sets.set(key, set);
      // Another try may succeed, once there is room.
      set.folder.catch(() => forget(key));
    } else {
      set.idle.refresh();
    }
    try {
      return await set.folder;
    } catch (error) {
      // The execution that prepared them was cancelled, not this one: so this one prepares them.
      const isOurs = known === undefined || call.signal?.aborted;
      if (isOurs || !(error instanceof Cancelled)) throw error;
    }
  }
}

/** Something cleaned the folder: the documents are prepared once more. */
export function forgetSet(call: Call, bytes: number, count: number): void {
  forget(keyOf(call, bytes, count));
}

export function documentPath(folder: string, index: number): string {
  return join(folder, `document-${index}.json`);
}

function keyOf(call: Call, bytes: number, count: number): string {
  return `${String(call.parameter('folder'))}|${bytes}|${count}`;
}

function forget(key: string): void {
  const set = sets.get(key);
  if (set === undefined) return;
  clearTimeout(set.idle);
  sets.delete(key);
}

function idleTimer(key: string): NodeJS.Timeout {
  const remove = async (): Promise<void> => {
    const set = sets.get(key);
    sets.delete(key);
    if (set !== undefined) await rm(await set.folder, { recursive: true, force: true });
  };
  return setTimeout(() => void remove().catch(() => undefined), IDLE_MS).unref();
}

async function prepare(call: Call, bytes: number, count: number): Promise<string> {
  const parent = await folderWithRoom(call, bytes * count);
  const own = join(parent, ownName(process.pid));
  if (!ownFolders.has(own)) {
    await removeLeftovers(parent);
    if (ownFolders.size === 0) {
      process.once('exit', removeOwn);
      setInterval(markOwn, MARK_EVERY_MS).unref();
    }
    ownFolders.add(own);
  }
  const folder = join(own, `${bytes}-bytes-${count}`);
  try {
    await mkdir(folder, { recursive: true });
    for (let index = 0; index < count; index += 1) {
      if (call.signal?.aborted) throw new Cancelled();
      const { json } = await freshDocument(bytes, call.signal);
      await writeFile(documentPath(folder, index), json);
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}

function removeOwn(): void {
  for (const folder of ownFolders) rmSync(folder, { recursive: true, force: true });
}

const NAME = /^read-(.+)-(\d+)$/;

function ownName(pid: number): string {
  return `read-${hostname()}-${pid}`;
}

/** No process that lives leaves its folder unmarked for so long. */
const FORGOTTEN_MS = 24 * 60 * 60_000;

/**
 * Removes folders of processes that were killed. Those of this host are known by their number; another with our number is
 * one of them. A pod has a new host name each time, so folders of other hosts are known by their age: a process marks its
 * own while it lives.
 */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, host, digits] = NAME.exec(name) ?? [];
    if (host === undefined) continue;
    const path = join(parent, name);
    const pid = Number(digits);
    const isLeft =
      host === hostname() ? pid === process.pid || !isAlive(pid) : await isForgotten(path);
    if (isLeft) await rm(path, { recursive: true, force: true });
  }
}

async function isForgotten(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > FORGOTTEN_MS;
}

const MARK_EVERY_MS = 60 * 60_000;

/** Others that look for leftovers see by it that this process lives. */
function markOwn(): void {
  const now = new Date();
  for (const folder of ownFolders) void utimes(folder, now, now).catch(() => undefined);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
