/** podman or docker: which one, what it can do here, and how it is called. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findProgram } from '../../lab/paths';
import type { Limits } from '../../linux/cgroup';
import { ownLimits, pidMax } from '../../linux/proc';
import { isLimited } from '../../linux/systemd';
import { Failure, messageOf, Mistake } from '../../ui/exit';

const run = promisify(execFile);

export const ENGINES = ['podman', 'docker'] as const;

/** What an engine says of itself. */
export interface EngineFacts {
  kind: (typeof ENGINES)[number];
  version: string;
  isRootless: boolean;
  cgroupVersion: 'v1' | 'v2';
  /** Controllers of control groups that it may use; null: it does not tell. */
  controllers: readonly string[] | null;
  /** The program that starts its containers. */
  runtime: string;
}

const podmanSchema = z.object({
  host: z.object({
    cgroupVersion: z.enum(['v1', 'v2']),
    cgroupControllers: z.array(z.string()).nullish(),
    ociRuntime: z.object({ name: z.string() }),
    security: z.object({ rootless: z.boolean() }),
  }),
  version: z.object({ Version: z.string() }),
});

const dockerSchema = z.object({
  ServerVersion: z.string(),
  CgroupVersion: z.enum(['1', '2']),
  DefaultRuntime: z.string(),
  SecurityOptions: z.array(z.string()).nullish(),
});

/** From `info --format json`. Pure. */
export function factsIn(kind: EngineFacts['kind'], info: unknown): EngineFacts {
  if (kind === 'podman') {
    const { host, version } = podmanSchema.parse(info);
    return {
      ...{ kind, version: version.Version, isRootless: host.security.rootless },
      ...{ cgroupVersion: host.cgroupVersion, controllers: host.cgroupControllers ?? null },
      runtime: host.ociRuntime.name,
    };
  }
  const { ServerVersion, CgroupVersion, DefaultRuntime, SecurityOptions } =
    dockerSchema.parse(info);
  return {
    ...{ kind, version: ServerVersion, cgroupVersion: `v${CgroupVersion}` },
    isRootless: SecurityOptions?.some((one) => one.includes('rootless')) ?? false,
    ...{ controllers: null, runtime: DefaultRuntime },
  };
}

/** Why an engine cannot set these limits, as a clause; null: it can. Pure. */
export function whyNoLimits(facts: EngineFacts, limits: readonly Limits[]): string | null {
  if (!facts.isRootless || !limits.some(isLimited)) return null;
  if (facts.cgroupVersion === 'v1') {
    return `rootless ${facts.kind} cannot set limits with control groups v1: run the command as root, or remove the CPU and memory limits`;
  }
  const missing = ['cpu', 'memory'].filter((name) => facts.controllers?.includes(name) === false);
  if (missing.length === 0) return null;
  return `rootless ${facts.kind} lacks the ${missing.join(' and ')} controller of control groups: delegate it in systemd (Delegate=cpu memory), run the command as root, or remove the CPU and memory limits`;
}

/** Mounted beside version 1 of control groups. */
const VERSION_2 = '/sys/fs/cgroup/unified';

/** The runtime in place of the engine's own: crun refuses machines with control groups of both versions, runc does not. Pure. */
export function runtimeArguments(
  { kind, runtime, cgroupVersion }: EngineFacts,
  { runc, hasBothVersions }: { runc: string | null; hasBothVersions: boolean },
): string[] {
  if (kind !== 'podman' || runtime !== 'crun' || cgroupVersion !== 'v1') return [];
  if (runc !== null) return ['--runtime', runc];
  if (!hasBothVersions) return [];
  throw new Mistake('podman needs runc, because crun refuses this machine: install runc');
}

export class Engine {
  readonly ulimits = ulimitsIn(ownLimits(), pidMax());

  private constructor(
    readonly program: string,
    readonly facts: EngineFacts,
    private readonly before: readonly string[],
  ) {}

  /** The first that answers, or the one that is named. */
  static async find(wanted: string | null): Promise<Engine> {
    const refused: string[] = [];
    for (const name of wanted === null ? ENGINES : [wanted]) {
      const program = name.includes('/') ? name : findProgram(name);
      if (program === null) refused.push(`${name} is not installed`);
      else {
        try {
          return await Engine.of(program);
        } catch (error) {
          const why =
            error instanceof Mistake
              ? error.message
              : `${name} does not respond (${lastLine(error)})`;
          refused.push(why);
        }
      }
    }
    throw new Mistake(
      `no container engine can be used: ${refused.join('; ')}. Install a suitable engine, or set --container-engine.`,
    );
  }

  private static async of(program: string): Promise<Engine> {
    // Debian's podman-docker answers to the name docker.
    const { stdout: named } = await run(program, ['--version']);
    const kind = /podman/i.test(named) ? 'podman' : 'docker';
    const format = kind === 'podman' ? 'json' : '{{json .}}';
    const { stdout } = await run(program, ['info', '--format', format]);
    const facts = factsIn(kind, JSON.parse(stdout));
    const here = { runc: findProgram('runc'), hasBothVersions: existsSync(VERSION_2) };
    return new Engine(program, facts, runtimeArguments(facts, here));
  }

  /** `podman 4.3.1` */
  get text(): string {
    return `${this.facts.kind} ${this.facts.version}`;
  }

  arguments(...words: readonly string[]): string[] {
    return [...this.before, ...words];
  }

  /** What it prints; rejects with what it says last. */
  ask(...words: readonly string[]): Promise<string> {
    return this.askWith({}, ...words);
  }

  /** The same, with these variables, which the engine gives to a container by their names alone. */
  async askWith(
    env: Readonly<Record<string, string>>,
    ...words: readonly string[]
  ): Promise<string> {
    try {
      const { stdout } = await run(this.program, this.arguments(...words), {
        env: { ...process.env, ...env },
        maxBuffer: 64 * 1024 * 1024,
      });
      return stdout.trim();
    } catch (error) {
      throw new Failure(`${this.facts.kind} ${words[0] ?? ''} failed: ${lastLine(error)}`);
    }
  }
}

/** Takes the last line that a program wrote to standard error, without the word that engines put before it. */
export function lastLine(error: unknown): string {
  const { stderr = '' } = error as { stderr?: string };
  const line = stderr.trim().split('\n').at(-1) ?? '';
  return (line === '' ? messageOf(error) : line).replace(/^Error: /, '').replace(/\.$/, '');
}

/**
 * Limits of open files and processes from /proc/PID/limits, as arguments: containers have those of the command, as
 * processes do. An engine's own may be more than the kernel lets it give, and podman keeps to `pidMax`. Pure.
 */
export function ulimitsIn(limits: string, pidMax: number): string[] {
  const of = (name: string, title: string, max: number): string[] => {
    const [, soft, hard] = new RegExp(`^${title} +(\\S+) +(\\S+)`, 'm').exec(limits) ?? [];
    const number = (text = ''): string =>
      String(Math.min(text === 'unlimited' ? max : Number(text), max));
    return soft === undefined ? [] : ['--ulimit', `${name}=${number(soft)}:${number(hard)}`];
  };
  return [...of('nofile', 'Max open files', MAX_FILES), ...of('nproc', 'Max processes', pidMax)];
}

/** The kernel's own bound, unless it was raised (fs.nr_open). */
const MAX_FILES = 1_048_576;
