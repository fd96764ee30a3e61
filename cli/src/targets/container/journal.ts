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
import { lastLine } from './engine';

const run = promisify(execFile);

const schema = z.object({
  call: z.string(),
  owner: processNameSchema,
  engine: z.string(),
  containers: z.array(z.string()),
  /** Variables that say which daemon the engine talks to; left out in older ones. */
  env: z.record(z.string(), z.string()).optional(),
});
type Entry = z.infer<typeof schema>;

const OF_ENGINE =
  /^(DOCKER_(HOST|CONTEXT|CONFIG|CERT_PATH|TLS_VERIFY)|CONTAINER_(HOST|CONNECTION|SSHKEY))$/;

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
    const entry: Entry = {
      ...{ call, owner: thisProcess(), engine, containers: [...this.containers] },
      env: Object.fromEntries(ofEngine()),
    };
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
  /** Why not all of it was removed: it is still known then. */
  failed?: string;
}

/** Removes what calls on this machine have left that ended without doing so, and nothing that another has made. */
export async function removeLeft(): Promise<Left[]> {
  const all: Left[] = [];
  for (const entry of entries()) {
    const { call } = entry;
    const removed: string[] = [];
    if (isAlive(entry.owner)) {
      all.push({ call, removed, isRunning: true });
      continue;
    }
    try {
      for (const name of await thereOf(entry)) {
        await ask(entry, 'rm', '--force', '--volumes', name);
        removed.push(name);
      }
      forget(call);
      all.push({ call, removed, isRunning: false });
    } catch (error) {
      all.push({ call, removed, isRunning: false, failed: messageOf(error) });
    }
  }
  return all;
}

/** Those that there still are. Somebody else may have given such a name to one of theirs, which has another label. */
async function thereOf(entry: Entry): Promise<string[]> {
  const label = `label=${CALL}=${entry.call}`;
  const listed = await ask(entry, 'ps', '--all', '--filter', label, '--format', '{{.Names}}');
  const names = listed.split('\n');
  return entry.containers.filter((name) => names.includes(name));
}

async function ask({ engine, env }: Entry, ...words: readonly string[]): Promise<string> {
  try {
    return (await run(engine, words, env === undefined ? {} : { env: withEngine(env) })).stdout;
  } catch (error) {
    throw new Failure(`${engine} ${words[0] ?? ''} failed: ${lastLine(error)}`);
  }
}

const ofEngine = (): [string, string][] =>
  Object.entries(process.env).flatMap(([name, value]) =>
    OF_ENGINE.test(name) && value !== undefined ? [[name, value]] : [],
  );

/** The environment of this command, with the daemon of the call. */
const withEngine = (env: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_ENGINE.test(name))),
  ...env,
});

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
