import { rmSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Cancelled } from '../../shared/sleep';
import type { Call } from '../operations/operation';
import { randomDocument } from '../pure/document';
import { folderWithRoom } from './folder';

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
    if (ownFolders.size === 0) process.once('exit', removeOwn);
    ownFolders.add(own);
  }
  const folder = join(own, `${bytes}-bytes-${count}`);
  try {
    await mkdir(folder, { recursive: true });
    for (let index = 0; index < count; index += 1) {
      if (call.signal?.aborted) throw new Cancelled();
      const text = JSON.stringify(randomDocument(bytes, Math.random));
      await writeFile(documentPath(folder, index), text);
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

/** Of processes of this host that were killed; another with our number is one of those. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const [, host, digits] = NAME.exec(name) ?? [];
    const pid = Number(digits);
    if (host !== hostname() || (pid !== process.pid && isAlive(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
