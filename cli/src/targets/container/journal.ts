/** What a call makes with an engine, written down before it is made: a killed call is cleaned by it. */
import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { cacheFolder } from '../../lab/paths';
import { readPlainFile } from '../../linux/plain-file';
import { isAlive, processNameSchema, thisProcess } from '../../linux/proc';
import { makeFolder, writeWhole } from '../../record/folder';
import { Failure, messageOf } from '../../ui/exit';
import { CALL } from './create';

const run = promisify(execFile);

const schema = z.object({
  call: z.string(),
  owner: processNameSchema,
  engine: z.string(),
  containers: z.array(z.string()),
});
type Entry = z.infer<typeof schema>;

const folder = (): string => join(cacheFolder(), 'containers');
const fileOf = (call: string): string => join(folder(), `${call}.json`);

export class ContainerJournal {
  private readonly containers = new Set<string>();

  constructor(
    private readonly call: string,
    private readonly engine: string,
  ) {}

  add(container: string): void {
    this.containers.add(container);
    makeFolder(folder());
    const { call, engine } = this;
    const entry: Entry = { call, owner: thisProcess(), engine, containers: [...this.containers] };
    writeWhole(fileOf(call), JSON.stringify(entry));
  }

  /** Nothing of it is left. */
  end(): void {
    forget(this.call);
  }
}

const forget = (call: string): void => {
  rmSync(fileOf(call), { force: true });
};

/** What was left of a call. */
export interface Left {
  call: string;
  removed: string[];
  /** Then nothing of it is touched. */
  isRunning: boolean;
}

/** Removes what calls on this machine have left that ended without doing so, and nothing that another has made. */
export async function removeLeft(): Promise<Left[]> {
  const all: Left[] = [];
  for (const { call, owner, engine, containers } of entries()) {
    const isRunning = isAlive(owner);
    const removed: string[] = [];
    for (const name of isRunning ? [] : containers) {
      // Null: there is none of that name. Somebody else may have given it to one of theirs.
      const label = await ask(engine, 'inspect', '--format', LABEL, name).catch(() => null);
      if (label?.trim() !== call) continue;
      await ask(engine, 'rm', '--force', '--volumes', name);
      removed.push(name);
    }
    if (!isRunning) forget(call);
    all.push({ call, removed, isRunning });
  }
  return all;
}

const LABEL = `{{index .Config.Labels "${CALL}"}}`;

async function ask(engine: string, ...words: readonly string[]): Promise<string> {
  try {
    return (await run(engine, words)).stdout;
  } catch (error) {
    throw new Failure(`${engine} ${words[0] ?? ''} failed: ${messageOf(error)}`);
  }
}

/** One that cannot be read is none. */
function entries(): Entry[] {
  return names().flatMap((name) => {
    try {
      return [schema.parse(JSON.parse(readPlainFile(join(folder(), name))))];
    } catch {
      return [];
    }
  });
}

function names(): string[] {
  try {
    return readdirSync(folder()).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}
