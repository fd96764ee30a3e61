/** How a user without rights reaches folders that lie beneath closed ones, such as root's home. */
import { statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';

/** What others than the owner may do in a folder. */
const OTHERS_MAY_PASS = 0o001;

type Mode = (path: string) => number;

const modeOf: Mode = (path) => statSync(path).mode;

/** The topmost folder above `path` that others may not enter; null: there is none. */
export function closedAbove(path: string, mode: Mode = modeOf): string | null {
  const above: string[] = [];
  for (let at = dirname(path); ; at = dirname(at)) {
    above.unshift(at);
    if (at === dirname(at)) break;
  }
  return above.find((folder) => (mode(folder) & OTHERS_MAY_PASS) === 0) ?? null;
}

/** The folder that a program needs to run: that of its package, where its own is called `bin`. */
export function packageOf(program: string): string {
  const folder = dirname(program);
  return ['bin', 'sbin'].includes(basename(folder)) ? dirname(folder) : folder;
}

/**
 * For a shell of root in a mount namespace of its own: instead of each closed folder it shows one with nothing in it but
 * `paths`, at their usual places. `stage`: a folder to mount on. A user who may not read a path itself still may not.
 */
export function passages(paths: readonly string[], stage: string, mode: Mode = modeOf): string[] {
  const beneath = new Map<string, string[]>();
  for (const path of new Set(paths)) {
    const closed = closedAbove(path, mode);
    // What lies in a folder that is shown is shown with it.
    const isShown = paths.some((other) => other !== path && isWithin(path, other));
    if (closed !== null && !isShown) beneath.set(closed, [...(beneath.get(closed) ?? []), path]);
  }
  return [...beneath].flatMap(([closed, shown]) => [
    `mount -t tmpfs -o mode=0755,size=1m n8n-tuned ${quoted(stage)}`,
    ...shown.flatMap((path) => {
      const at = quoted(join(stage, relative(closed, path)));
      return [`mkdir -p ${at}`, `mount --rbind ${quoted(path)} ${at}`];
    }),
    `mount --move ${quoted(stage)} ${quoted(closed)}`,
  ]);
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

/** The text as one word of a shell. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
