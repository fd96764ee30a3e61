import { execFile } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, repositoryRoot } from '../../lab/paths';
import {
  asUser,
  claimUserId,
  endProcessesOf,
  PLAIN,
  prepareView,
  type Command,
} from '../../linux/own-user';
import { packageOf } from '../../linux/passages';
import { warn } from '../../ui/print';
import { n8nIn, type Tools } from './tools';

const run = promisify(execFile);

/** The user of the processes of a topology: one of their own where the command runs as root. */
export interface RunUser {
  /** The id of user and group; null: the user who runs the command. */
  readonly id: number | null;
  as(command: Command): Command;
  /** Makes it the owner of a file or folder, of what is in it too with `all`: nothing of the user may be running then. */
  give(path: string, all?: 'all'): Promise<void>;
  /** Ends all that runs as this user, where that is nobody else. */
  end(): Promise<void>;
}

export const sameUser: RunUser = {
  id: null,
  as: (command) => command,
  give: () => Promise.resolve(),
  end: () => Promise.resolve(),
};

export const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * `folder`: of the topology, which its user may then pass through. Root that may not mount, as in a container without
 * that right, or whose tools others may not read, has to run everything as root. `files`: what it sees of files of the
 * machine.
 */
export async function runUser(
  folder: string,
  tools: Pick<Tools, 'n8nCommand' | 'node'> & Partial<Tools>,
  files: Readonly<Record<string, string>> = {},
): Promise<RunUser> {
  if (!isRoot()) return sameUser;
  const id = await claimUserId();
  const stage = join(folder, 'passage');
  mkdirSync(stage, { mode: 0o700 });
  const view = prepareView(id, stage, [folder, ...neededBy(tools)], files);
  const as = (command: Command): Command => asUser(id, view, command);
  const user: RunUser = {
    id,
    as,
    give: async (path, all) => {
      if (all === 'all') await giveAll(path, id);
      else lchownSync(path, id, id);
    },
    end: () => endProcessesOf(id),
  };
  try {
    chownSync(folder, 0, id);
    chmodSync(folder, 0o710);
    const reads = `test -x "$1" && test -r "$2" && test -x "$3"`;
    const [program, ...args] = as(['/bin/sh', '-c', reads, 'sh', tools.node, n8nIn(tools), folder]);
    await run(program, args, PLAIN);
    return user;
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    warnOnce(
      `n8n and its stores run as root: ${stderr.trim().split('\n')[0] || 'another user cannot read the cache folder'}. Run the command as another user, or in a container that may mount file systems (CAP_SYS_ADMIN).`,
    );
    chownSync(folder, 0, 0);
    chmodSync(folder, 0o711); // PostgreSQL's own user must reach its data.
    return sameUser;
  }
}

/** With all that is in it; links are given, not followed. */
export async function giveAll(path: string, user: number, group = user): Promise<void> {
  await run('chown', ['-Rh', `${String(user)}:${String(group)}`, path]);
}

function neededBy(tools: Partial<Tools>): string[] {
  const { node, n8nCommand, sqliteNode, redisServer, postgresqlBin, nginx } = tools;
  const programs = [node, sqliteNode, redisServer, nginx].flatMap((program) => program ?? []);
  return [
    cacheFolder(),
    repositoryRoot(),
    ...(postgresqlBin == null ? [] : [packageOf(join(postgresqlBin, 'postgres'))]),
    ...programs.map((program) => packageOf(realpathSync(program))),
    ...(n8nCommand === undefined ? [] : [packageOf(realpathSync(n8nIn({ n8nCommand })))]),
  ].map((path) => realpathSync(path));
}

let hasWarned = false;
function warnOnce(sentence: string): void {
  if (!hasWarned) warn(sentence);
  hasWarned = true;
}
