/** A user that exists for one run and owns nothing else: what runs as it reaches nothing of anyone's. */
import { execFile } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Failure } from '../ui/errors';
import { passages, quoted } from './passages';
import { allPids, readStat } from './proc';

const run = promisify(execFile);

export type Command = readonly [string, ...string[]];

/** For what runs as another user, who may read its environment: the caller's own stays here. */
export const PLAIN = { cwd: '/', env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8' } };

/**
 * Below those of systemd's dynamic users (61184), above those of people and of homed (60513), and within the 65536 that a
 * container in a user namespace has: https://systemd.io/UIDS-GIDS
 */
const LOWEST = 60_600;
const HIGHEST = 61_183;

/** An id that no process has and no other command on this machine has taken; it is ours until this process ends. */
export async function claimUserId(): Promise<number> {
  const inUse = new Set(allPids().map(userOf));
  const first = Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
  for (let next = 0; next <= HIGHEST - LOWEST; next += 1) {
    const id = LOWEST + ((first + next) % (HIGHEST - LOWEST + 1));
    if (!inUse.has(id) && (await isMine(id))) return id;
  }
  throw new Failure(`every user id from ${String(LOWEST)} to ${String(HIGHEST)} is in use`);
}

const userOf = (pid: number): number | undefined =>
  statSync(`/proc/${String(pid)}`, { throwIfNoEntry: false })?.uid;

/** A socket of that name marks it; the kernel takes it away with this process. */
function isMine(id: number): Promise<boolean> {
  return new Promise((resolve) => {
    const mark = createServer();
    mark.once('error', () => {
      resolve(false);
    });
    mark.listen(`\0n8n-tuned-user-${String(id)}`, () => {
      mark.unref();
      resolve(true);
    });
  });
}

/**
 * A script for a shell of root in a mount namespace of its own, which shows the user's name in /etc/passwd, for initdb
 * and others that ask for it, and opens a passage to `paths`. `stage`: a folder that only root may enter. `files`: what
 * is seen there of files of the machine.
 */
export function prepareView(
  id: number,
  stage: string,
  paths: string[],
  files: Readonly<Record<string, string>> = {},
): string {
  const passwd = join(stage, 'passwd');
  const name = `n8n-tuned:x:${String(id)}:${String(id)}::/nonexistent:/bin/false\n`;
  writeFileSync(passwd, `${readFileSync('/etc/passwd', 'utf8').trimEnd()}\n${name}`, {
    mode: 0o644,
  });
  return [
    'set -e',
    'umask 022',
    `mount --bind ${quoted(passwd)} /etc/passwd`,
    ...Object.entries(files).map(([file, text], index) => {
      const shown = join(stage, `file-${String(index)}`);
      writeFileSync(shown, text, { mode: 0o644 });
      return `mount --bind ${quoted(shown)} ${quoted(file)}`;
    }),
    ...passages(paths, stage),
    // The folder in which it was started, as it is seen now.
    'cd -- "$PWD"',
    'umask 077',
  ].join('\n');
}

/** The command as this user, who gains no rights by anything that it starts. */
export const asUser = (id: number, view: string, command: Command): Command => [
  ...(['unshare', '--mount', '--propagation', 'slave', '--', '/bin/sh', '-c'] as const),
  `${view}\nexec ${setpriv(id).join(' ')} "$@"`,
  'sh',
  ...command,
];

/** Ends every process of this user, whichever group it has put itself into. */
export async function endProcessesOf(id: number): Promise<void> {
  const [program, ...args] = setpriv(id);
  // kill -1 spares who calls it. There may be none.
  const script = 'kill -s KILL -- -1 2>/dev/null || true';
  for (let attempt = 0; attempt < 40; attempt += 1) {
    await run(program, [...args, '/bin/sh', '-c', script], PLAIN);
    // What is killed may still be on its way out.
    if (!allPids().some((pid) => userOf(pid) === id && readStat(pid) !== null)) return;
    await sleep(25);
  }
}

export const setpriv = (id: number, group = id): Command => [
  'setpriv',
  `--reuid=${String(id)}`,
  `--regid=${String(group)}`,
  '--clear-groups',
  '--no-new-privs',
  '--',
];
