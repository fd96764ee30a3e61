import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Topology } from '../../plan/topology';
import type { SeedWorkflow } from '../../catalogue/seeding';
import type { Database } from './database';

const run = promisify(execFile);

/*
 * Seeding a fresh n8n takes 5 s and more (migrations, import). So a database is seeded once for a
 * version of n8n and a set of workflows, put aside stopped, and every later start takes a copy.
 */

/** Raise it when what a template holds changes. */
const format = 2;
/** More than the tests of this repository ask for in one run, which would take each out before it is asked for again. */
export const templatesKept = 20;

export function templateKey(
  topology: Pick<Topology, 'n8n'>,
  database: Database['kind'],
  workflows: readonly SeedWorkflow[],
  /** Versions and images, of which another cannot read what one has made. */
  madeBy: readonly (string | undefined)[] = [],
): string {
  const hash = createHash('sha256').update(String(format)).update(madeBy.join());
  for (const digest of workflows.map(workflowDigest).sort()) hash.update(digest);
  return `${topology.n8n}-${database}-${hash.digest('hex').slice(0, 16)}`;
}

export const workflowDigest = ({ file, needs = [], loads }: SeedWorkflow): string =>
  createHash('sha256')
    .update(readFileSync(file))
    .update(needs.join())
    .update(loads === undefined ? '' : JSON.stringify(loads))
    .digest('hex');

/** Puts the content of `from` into the store, whole or not at all. */
export async function keepTemplate(store: string, key: string, from: string): Promise<void> {
  mkdirSync(store, { recursive: true });
  chmodSync(store, 0o700); // The keys and passwords of these databases are in it.
  const partial = join(store, `.${key}-${randomUUID()}`);
  const kept = join(store, key);
  await copyFolder(from, partial);
  try {
    renameSync(partial, kept);
  } catch {
    rmSync(partial, { recursive: true, force: true }); // Another run was faster with the same one.
  }
  prune(store);
}

/** False when there is none. Another run may take it away meanwhile, and a third one put it there again. */
export async function takeTemplate(store: string, key: string, to: string): Promise<boolean> {
  const kept = join(store, key);
  for (let tries = 3; existsSync(kept); tries -= 1) {
    try {
      const now = new Date();
      utimesSync(kept, now, now);
      await copyFolder(kept, to);
      return true;
    } catch (error) {
      rmSync(to, { recursive: true, force: true });
      if (tries === 1) throw error;
    }
  }
  return false;
}

/** Keeps modes, which PostgreSQL insists on; all of it belongs to the user who copies. */
async function copyFolder(from: string, to: string): Promise<void> {
  await run('cp', ['-a', '--no-preserve=ownership', '--reflink=auto', from, to]);
}

/** Keeps those used last; and what a killed run had only half copied goes. Other runs do the same at the same time. */
function prune(folder: string): void {
  const all = readdirSync(folder)
    .flatMap((name) => {
      const used = statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs;
      return used === undefined ? [] : [{ name, used }];
    })
    .sort((a, b) => b.used - a.used);
  const isPartial = ({ name }: { name: string }): boolean => name.startsWith('.');
  const abandoned = all.filter((one) => isPartial(one) && one.used < Date.now() - 3_600_000);
  const surplus = all.filter((one) => !isPartial(one)).slice(templatesKept);
  for (const { name } of [...abandoned, ...surplus]) remove(folder, name);
}

/** In one step: a run that copies a folder which is gone fails, and one that copies half a folder might not. */
function remove(folder: string, name: string): void {
  const gone = join(folder, `.gone-${randomUUID()}`);
  try {
    renameSync(join(folder, name), gone);
  } catch {
    return; // Another run was faster.
  }
  rmSync(gone, { recursive: true, force: true });
}
