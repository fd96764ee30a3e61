/** Runs what has an image in containers, and everything else as processes of this machine. */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Control } from '../../linux/cgroup';
import { commandLine, controlGroupsOf, uptimeMs } from '../../linux/proc';
import { ProcessTree } from '../../linux/process-tree';
import { Failure, LeftBehind, messageOf } from '../../ui/exit';
import type { ProcessRoot } from '../target';
import { exitReason } from '../process/restart-delay';
import { isRunning, Supervisor, type ProcessSpec, type Supervised } from '../process/supervisor';
import type { Workspace } from '../process/workspace';
import { CALL, createArguments, envFile, type Creation } from './create';
import type { Engine } from './engine';
import type { ContainerJournal } from './journal';

/** The image in which a process runs. */
export interface ImageOf {
  id: string;
  /** It starts by itself what the first word of the command names. */
  isOwnProgram: boolean;
  mounts?: Creation['mounts'];
  /** It sees nothing of this machine but its mounts. */
  isApart?: boolean;
}

export interface ContainersOptions {
  id: string;
  engine: Engine;
  control: Control;
  workspace: Workspace;
  journal: ContainerJournal;
  /** Null: it runs as a process of this machine. */
  imageOf(spec: ProcessSpec): ImageOf | null;
}

const stateSchema = z.object({ Pid: z.number(), OOMKilled: z.boolean() });

/** Time for an engine to start a container on a busy machine. */
const STARTED_WITHIN_MS = 60_000;

/** Attempts to remove a container, whose mounts may still be in use for a moment. */
const REMOVALS = 3;
const REMOVED_AFTER_MS = 500;

export class Containers extends Supervisor {
  /** Names of those that there are, by instance. */
  private readonly made = new Map<string, string>();
  /** Why each was not removed, by name. */
  private readonly left = new Map<string, string>();
  private readonly folder: string;

  constructor(private readonly options: ContainersOptions) {
    super(options.id, options.control, options.workspace.user);
    // Only the command may enter it: what it gives to the engine are secrets among others.
    this.folder = join(options.workspace.folder, 'engine');
    mkdirSync(this.folder, { mode: 0o700 });
  }

  override processes(): ProcessRoot[] {
    // Until a container has begun, there is only the engine's own process.
    return super.processes().filter(({ instance, pid }) => {
      const kept = this.kept.get(instance);
      return !this.made.has(instance) || kept?.child.pid !== pid;
    });
  }

  override async start(spec: ProcessSpec): Promise<void> {
    const image = this.options.imageOf(spec);
    if (image === null) {
      await super.start(spec);
      return;
    }
    if (this.ending) throw new Error('everything is being stopped');
    const { engine } = this.options;
    const name = this.made.get(spec.instance) ?? (await this.create(spec, image));
    const log = openSync(spec.log, 'a');
    const child = spawn(engine.program, engine.arguments('start', '--attach', name), {
      detached: true,
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const { pid } = child;
    if (pid === undefined) throw new Failure(`${engine.program} could not be started`);
    const exited = new Promise<void>((resolve) =>
      child.once('exit', () => {
        resolve();
      }),
    );
    const kept: Supervised = {
      ...{ spec, child, pid, exited, group: null, oomKillsSeen: 0 },
      startedAtMs: performance.now(),
    };
    this.kept.set(spec.instance, kept);
    child.once('exit', (code) => {
      void this.onEnd(kept, name, code);
    });
    await this.find(kept, name, child);
  }

  override async signal(instance: string, signal: NodeJS.Signals): Promise<void> {
    const name = this.made.get(instance);
    if (name === undefined) {
      await super.signal(instance, signal);
      return;
    }
    this.running(instance);
    const { engine } = this.options;
    // To all of its processes, as these two of the engine are.
    if (signal === 'SIGSTOP') await engine.ask('pause', name);
    else if (signal === 'SIGCONT') await engine.ask('unpause', name);
    else await engine.ask('kill', '--signal', signal, name);
  }

  override async keepDown(instance: string, withinMs: number): Promise<() => Promise<void>> {
    const name = this.made.get(instance);
    if (name === undefined) return super.keepDown(instance, withinMs);
    const kept = this.running(instance);
    this.kept.delete(instance);
    await this.stopContainer(name, withinMs);
    await kept.exited;
    return () => this.start(kept.spec);
  }

  /** Nothing is left of a container that has ended. */
  protected override endRest(kept: Supervised): void {
    if (!this.made.has(kept.spec.instance)) super.endRest(kept);
  }

  protected override async endGroup(kept: Supervised): Promise<void> {
    const name = this.made.get(kept.spec.instance);
    if (name === undefined) {
      await super.endGroup(kept);
      return;
    }
    if (isRunning(kept.child)) await this.stopContainer(name, this.graceMs);
    await this.remove(kept.spec.instance, name);
  }

  override async end(): Promise<void> {
    await super.end();
    // What was kept down, or was being created as all was ended.
    for (const [instance, name] of this.made) await this.remove(instance, name);
    if (this.left.size === 0) this.options.journal.end();
  }

  override async dismissReaper(): Promise<void> {
    await super.dismissReaper();
    const [why] = this.left.values();
    if (why === undefined) return;
    const names = [...this.left.keys()];
    const [what, them] = names.length === 1 ? ['container', 'it'] : ['containers', 'them'];
    throw new LeftBehind(
      `the ${what} ${names.join(', ')} could not be removed (${why}): n8n-tuned clean --target container removes ${them}.`,
    );
  }

  private async create(spec: ProcessSpec, image: ImageOf): Promise<string> {
    const { engine, workspace, id, journal } = this.options;
    const name = `n8n-tuned-${id}-${spec.instance}`;
    const { text, left } = envFile(spec.env);
    if (left.length > 0) {
      throw new Failure(
        `${engine.text} does not accept values with several lines: change ${left.join(' and ')}`,
      );
    }
    const file = join(this.folder, `${spec.instance}.env`);
    writeFileSync(file, text, { mode: 0o600 });
    const own = workspace.user.id;
    const user = own ?? process.getuid?.() ?? 0;
    journal.add(name);
    this.reaper.watchContainer(engine.program, name);
    this.made.set(spec.instance, name);
    try {
      await engine.ask(
        ...createArguments(engine.facts, {
          ...{ name, call: id, image: image.id, isOwnProgram: image.isOwnProgram, spec },
          ...{ envFile: file, ulimits: engine.ulimits },
          user: { id: user, group: own ?? process.getgid?.() ?? 0 },
          mounts: [
            ...(image.isApart === true ? [] : [{ path: workspace.folder }]),
            ...(image.mounts ?? []),
          ],
        }),
      );
    } finally {
      rmSync(file, { force: true });
    }
    return name;
  }

  /** Its main process, as it is seen from here. */
  private async find(kept: Supervised, name: string, child: ChildProcess): Promise<void> {
    const deadline = performance.now() + STARTED_WITHIN_MS;
    while (isRunning(child)) {
      const { Pid } = await this.stateOf(name);
      // One that has ended meanwhile is seen in `child` in a moment.
      if (Pid > 0 && existsSync(`/proc/${String(Pid)}`)) {
        kept.pid = await mainProcess(Pid, kept.spec.kind);
        kept.group = groupIn(controlGroupsOf(Pid));
        return;
      }
      if (performance.now() > deadline) throw new Failure(`the container ${name} did not start`);
      await sleep(50);
    }
  }

  private async onEnd(kept: Supervised, name: string, code: number | null): Promise<void> {
    const { spec } = kept;
    if (this.kept.get(spec.instance) !== kept) return; // We asked for it.
    const signal = signalOf(code);
    this.lastExits.set(spec.instance, exitReason(code, signal, false));
    const wasOomKilled = await this.stateOf(name).then(
      ({ OOMKilled }) => OOMKilled,
      () => false,
    );
    this.onExit(kept, code, signal, wasOomKilled);
  }

  private async stateOf(name: string): Promise<z.infer<typeof stateSchema>> {
    const text = await this.options.engine.ask('inspect', '--format', '{{json .State}}', name);
    return stateSchema.parse(JSON.parse(text));
  }

  private async stopContainer(name: string, withinMs: number): Promise<void> {
    const { engine } = this.options;
    // One that is paused takes no signal.
    await engine.ask('unpause', name).catch(() => undefined);
    const words =
      withinMs === 0
        ? ['kill', '--signal', 'SIGKILL', name]
        : ['stop', '--time', String(Math.ceil(withinMs / 1000)), name];
    // It may have ended meanwhile.
    await engine.ask(...words).catch(() => undefined);
  }

  private async remove(instance: string, name: string): Promise<void> {
    this.made.delete(instance);
    for (let tries = 1; ; tries += 1) {
      try {
        await this.options.engine.ask('rm', '--force', '--volumes', name);
        return;
      } catch (error) {
        if (await this.isGone(name)) return;
        if (tries === REMOVALS) {
          this.left.set(name, messageOf(error));
          return;
        }
      }
      await sleep(REMOVED_AFTER_MS);
    }
  }

  /** Some engines refuse to remove what is not there. */
  private async isGone(name: string): Promise<boolean> {
    const label = `label=${CALL}=${this.options.id}`;
    const words = ['ps', '--all', '--filter', label, '--format', '{{.Names}}'];
    return this.options.engine.ask(...words).then(
      (listed) => !listed.split('\n').includes(name),
      () => false,
    );
  }
}

/** The group of a container, from /proc/PID/cgroup: in version 1 it has the same name in each hierarchy. Pure. */
export function groupIn(text: string): string | null {
  const lines = text.split('\n').map((line) => line.split(':'));
  const found =
    lines.find(([, controllers]) => controllers?.split(',').includes('memory')) ??
    lines.find(([number]) => number === '0');
  return found?.slice(2).join(':') ?? null;
}

/** Engines give 128 and more for a signal, as shells do. Pure. */
export function signalOf(code: number | null): NodeJS.Signals | null {
  const number = (code ?? 0) - 128;
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return (name as NodeJS.Signals | undefined) ?? null;
}

const INITS = /(^|\/)(tini|dumb-init|catatonit|docker-init|podman-init)( |$)/;

/** Beneath the small init that many images begin with. */
async function mainProcess(pid: number, kind: ProcessSpec['kind']): Promise<number> {
  for (let tries = 0; kind === 'service' && tries < 40; tries += 1) {
    if (!INITS.test(commandLine(pid))) return pid;
    const members = new ProcessTree<{ pid: number }>().look([{ pid }], uptimeMs());
    const [child] = members.filter(({ isRoot }) => !isRoot);
    // A shell that has not yet become what it is to start.
    if (child !== undefined && !/(^|\/)sh /.test(commandLine(child.pid))) return child.pid;
    await sleep(50);
  }
  return pid;
}
