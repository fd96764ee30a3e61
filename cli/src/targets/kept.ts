import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../lab/paths';
import { readPlainFile } from '../linux/plain-file';
import { isAlive, processNameSchema, thisProcess, type ProcessName } from '../linux/proc';
import { makeFolder, writeWhole } from '../record/folder';
import { Mistake } from '../ui/exit';
import { thisMachine } from './machine';
import type { MetricsEndpoint, Owner, ProcessRoot, Running } from './target';

/** A target that `up` has left up, known by its name. */
export interface KeptState {
  /** The process that keeps it, and takes it down when it is asked to end. */
  keeper: ProcessName;
  baseUrl: string;
  versions: Record<string, string>;
  topology: Running['topology'];
  /** Processes for samplers to measure. */
  processes: ProcessRoot[];
  metrics: MetricsEndpoint[];
  redis: Running['redis'];
  postgresql: Running['postgresql'];
  sqlite?: Running['sqlite'];
  owner?: Owner | undefined;
}

/** That a name is in use, before there is anything under it. */
export interface Claim {
  giveTo(owner: ProcessName): void;
  end(): void;
}

/** An error that says who has the name. */
type Taken = (owner: { pid: number }) => Error;

const CLAIM = '.claim-';

/**
 * The name is this process's from now on, or `taken` is thrown. A claim of a process that has ended counts no more. Never two
 * have it: each looks once more after it has made its claim, and the later one gives way.
 */
export function claim(folder: string, name: string, taken: Taken): Claim {
  const file = newClaim(folder, name, taken);
  const [other] = claims(folder, name).filter((one) => one.file !== file && one.isAlive);
  if (other !== undefined) {
    rmSync(file, { force: true });
    throw taken(other);
  }
  for (const one of claims(folder, name)) if (one.file !== file) rmSync(one.file, { force: true });
  return {
    giveTo: (owner) => {
      writeWhole(file, JSON.stringify(owner));
    },
    end: () => {
      rmSync(file, { force: true });
    },
  };
}

/** Made as a whole or not at all, and after all that are there. */
function newClaim(folder: string, name: string, taken: Taken): string {
  const draft = join(folder, `${name}.json.${String(process.pid)}`);
  writeWhole(draft, JSON.stringify(thisProcess()));
  try {
    for (;;) {
      const all = claims(folder, name);
      const alive = all.find(({ isAlive: is }) => is);
      if (alive !== undefined) throw taken(alive);
      const number = 1 + Math.max(-1, ...all.map((one) => one.number));
      const file = join(folder, `${name}${CLAIM}${String(number)}`);
      if (linked(draft, file)) return file;
    }
  } finally {
    rmSync(draft, { force: true });
  }
}

function claims(
  folder: string,
  name: string,
): { file: string; number: number; pid: number; isAlive: boolean }[] {
  const begin = `${name}${CLAIM}`;
  return readdirSync(folder)
    .filter((found) => found.startsWith(begin))
    .map((found) => {
      const file = join(folder, found);
      const owner = ownerIn(file);
      return {
        ...{ file, number: Number(found.slice(begin.length)), pid: owner?.pid ?? 0 },
        isAlive: owner !== null && isAlive(owner),
      };
    })
    .filter(({ number }) => Number.isInteger(number));
}

/** Null: it is gone by now. */
function ownerIn(file: string): ProcessName | null {
  try {
    return processNameSchema.parse(JSON.parse(readPlainFile(file)));
  } catch {
    return null;
  }
}

/** False: somebody was quicker. */
function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
/** In which a user's name is a word, so that no study meets the n8n of a user, whatever it calls its own. */
const NAME_OF_STUDY = /^study\.[0-9a-f]{8}\.[a-z0-9][a-z0-9-]*$/;
/** In the environment of what a study calls. */
export const STUDY = 'N8N_TUNED_STUDY';

export const nameOfStudy = (name: string): string =>
  `study.${randomBytes(4).toString('hex')}.${name}`;

export class Kept {
  readonly logFile: string;
  private readonly folder: string;
  private readonly file: string;

  constructor(private readonly name: string) {
    if (!NAME.test(name) && !NAME_OF_STUDY.test(name)) {
      throw new Mistake(
        `'${name}' is not a name: use at most 40 lower-case letters, digits and dashes, beginning with a letter or a digit.`,
      );
    }
    this.folder = join(cacheFolder(), 'up');
    this.file = join(this.folder, `${name}.json`);
    this.logFile = join(this.folder, `${name}.log`);
  }

  prepare(): void {
    makeFolder(this.folder);
    // Also where an older one was open: addresses and passwords of stores are in it.
    chmodSync(this.folder, 0o700);
  }

  /** The name is this process's from now on, or a Mistake says who has it. */
  claim(): Claim {
    if (NAME_OF_STUDY.test(this.name) && process.env[STUDY] !== '1') {
      throw new Mistake(`'${this.name}' is a name of a study: choose another --name.`);
    }
    this.prepare();
    return claim(
      this.folder,
      this.name,
      ({ pid }) =>
        new Mistake(
          `'${this.name}' is being started by process ${String(pid)}: wait for it, or choose another --name.`,
        ),
    );
  }

  write(state: KeptState): void {
    writeWhole(this.file, `${JSON.stringify(state, null, 2)}\n`);
    chmodSync(this.file, 0o600);
  }

  /** Null when nothing is kept under this name, or its keeper has died. */
  read(): KeptState | null {
    try {
      const state = JSON.parse(readPlainFile(this.file)) as KeptState;
      return isAlive(state.keeper) ? state : null;
    } catch {
      return null;
    }
  }

  remove(): void {
    rmSync(this.file, { force: true });
  }
}

/** What `up` has left up, to be looked at from another process: it can be sampled, and nothing else. */
export function keptRunning(kept: Kept, state: KeptState): Running {
  const keeper = (): Promise<never> =>
    Promise.reject(new Error('only the process that runs the instance can do that'));
  return {
    kind: 'process',
    baseUrl: state.baseUrl,
    topology: state.topology,
    versions: state.versions,
    machine: thisMachine(state.processes),
    // A restart has changed the pids.
    processes: () => kept.read()?.processes ?? [],
    metrics: state.metrics,
    redis: state.redis,
    postgresql: state.postgresql,
    sqlite: state.sqlite ?? null,
    logs: [],
    onEvent: () => () => undefined,
    seed: keeper,
    ready: keeper,
    executions: () => Promise.resolve(null),
    traceExecutions: () => Promise.resolve(null),
    down: keeper,
  };
}
