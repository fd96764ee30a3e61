import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessRoot } from '../target';
import type { RunEvent } from '../../record/run-record';
import {
  createGroup,
  groupFolders,
  joinGroup,
  killTogether,
  parentGroup,
  oomKills,
  removeGroup,
  type Control,
  type Limits,
} from '../../linux/cgroup';
import { startReaper, type Reaper } from '../../linux/reaper';
import { confirmLimits, groupOf, isLimited, scopeCommand } from '../../linux/systemd';
import { Failure } from '../../ui/exit';
import { restartAfter, exitReason, isHeapAbort } from './restart-delay';
import { sameUser, type RunUser } from './run-user';

/** One process that the target keeps running. */
export interface ProcessSpec {
  role: ProcessRoot['role'];
  instance: string;
  command: readonly [string, ...string[]];
  env: Record<string, string>;
  folder: string;
  log: string;
  limits: Limits;
  /** The signal that leaves nothing behind: PostgreSQL leaves clean data on INT. */
  stopSignal: 'TERM' | 'INT';
  /** A service is started again after an exit that nobody asked for, as a container would be. */
  kind: 'service' | 'task';
}

export interface Supervised {
  spec: ProcessSpec;
  child: ChildProcess;
  pid: number;
  /** Known only once systemd has made it, where it does. */
  group: string | null;
  oomKillsSeen: number;
  startedAtMs: number;
  exited: Promise<void>;
}

type Event = Omit<RunEvent, 'tMs'>;

/** How long a process may take to end before it is killed. */
const graceMs = 5_000;
/** The same when all goes, and its data with it: Ctrl-C is to be over within 5 s. */
const lastGraceMs = 1_000;

/**
 * Starts processes, each in a process group and, where they can be made, a control group of its own,
 * and sees to it that nothing of them stays: not after end(), nor when this process is killed.
 */
export class Supervisor {
  protected readonly kept = new Map<string, Supervised>();
  protected readonly reaper: Reaper = startReaper();
  private readonly listeners = new Set<(event: Event) => void>();
  private readonly restarts = new Map<string, number>();
  protected readonly lastExits = new Map<string, string>();
  protected ending = false;

  constructor(
    protected readonly id: string,
    protected readonly control: Control,
    private readonly user: Pick<RunUser, 'id' | 'as'> = sameUser,
  ) {
    if (user.id !== null) this.reaper.watchUser(user.id);
  }

  /** A folder that goes when everything is down. */
  watchFolder(folder: string): void {
    this.reaper.watchFolder(folder);
  }

  /** A file system that goes when everything is down. */
  watchMount(folder: string): void {
    this.reaper.watchMount(folder);
  }

  /** Returns what ends the listening. */
  onEvent(listener: (event: Event) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  processes(): ProcessRoot[] {
    return [...this.kept.values()]
      .filter(({ spec, child }) => spec.kind === 'service' && isRunning(child))
      .map(({ spec: { role, instance }, pid, group }) => ({
        role,
        instance,
        pid,
        ...(group === null ? {} : { cgroup: group }),
      }));
  }

  /** Runs a task to its end; what it said is in its log. */
  async run(task: ProcessSpec): Promise<void> {
    await this.start(task);
    const kept = this.kept.get(task.instance);
    await kept?.exited;
    await this.stop([task.instance]);
    if (kept?.child.exitCode === 0) return;
    throw new Failure(
      `${task.instance} failed: ${this.lastExit(task.instance) ?? 'it was stopped'}`,
    );
  }

  async start(spec: ProcessSpec): Promise<void> {
    if (this.ending) throw new Error('everything is being stopped');
    const group = this.makeGroup(spec);
    const log = openSync(spec.log, 'a');
    const command = scopeCommand(this.control, `n8n-tuned-${this.id}-${spec.instance}`, {
      ...spec,
      command: this.user.as(spec.command),
    });
    // The shell waits until it is on the reaper's list and in its group; should we die before, it
    // reads the end of the file and goes. What is written is for its own user alone.
    const child = spawn(
      '/bin/sh',
      ['-c', 'umask 077; read -r go || exit 1; exec "$@" </dev/null', 'sh', ...command],
      {
        cwd: spec.folder,
        env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...spec.env },
        detached: true,
        stdio: ['pipe', log, log],
      },
    );
    closeSync(log);
    const { pid, stdin } = child;
    if (pid === undefined || stdin === null) {
      throw new Failure(`/bin/sh could not be started for ${spec.instance}`);
    }
    stdin.on('error', () => undefined); // It ended before it was told to go; the exit says so.
    const exited = new Promise<void>((resolve) =>
      child.once('exit', () => {
        resolve();
      }),
    );
    this.reaper.watchGroup(pid, spec.stopSignal);
    if (group !== null) joinGroup(this.control, group, pid);
    const kept: Supervised = {
      ...{ spec, child, pid, group, exited },
      oomKillsSeen: this.oomKillsOf(group),
      startedAtMs: performance.now(),
    };
    this.kept.set(spec.instance, kept);
    child.once('exit', (code, signal) => {
      this.onExit(kept, code, signal);
    });
    stdin.end('go\n');
    if (this.control.kind === 'systemd' && isLimited(spec.limits)) {
      await confirmLimits(this.control, spec.limits, pid);
      kept.group = groupOf(pid);
      kept.oomKillsSeen = this.oomKillsOf(kept.group);
      killTogether(join(this.control.root, kept.group));
    }
  }

  /** Whether it runs; a process that ended while it was awaited will never answer. */
  runs(instance: string): boolean {
    const kept = this.kept.get(instance);
    return kept !== undefined && isRunning(kept.child);
  }

  /** Why it ended last, in words; null when it never did by itself. */
  lastExit(instance: string): string | null {
    return this.lastExits.get(instance) ?? null;
  }

  /** Ends one process, or all of them, last started first. */
  async stop(instances: string[] = [...this.kept.keys()].reverse()): Promise<void> {
    const wanted = instances.flatMap((instance) => this.kept.get(instance) ?? []);
    for (const { spec } of wanted) this.kept.delete(spec.instance);
    await Promise.all(wanted.map((kept) => this.endGroup(kept)));
  }

  /** To every process of a service, as when its container is killed or frozen. */
  signal(instance: string, signal: NodeJS.Signals): void | Promise<void> {
    killGroup(this.running(instance).pid, signal);
  }

  /**
   * Ends a service as a container is stopped, its main process alone being asked, and keeps it down; what it
   * returns starts it again. With 0 ms all of it is killed.
   */
  async keepDown(instance: string, withinMs: number): Promise<() => Promise<void>> {
    const kept = this.running(instance);
    this.kept.delete(instance);
    if (withinMs === 0) killGroup(kept.pid, 'SIGKILL');
    else kept.child.kill(`SIG${kept.spec.stopSignal}`);
    await endedWithin(kept.exited, withinMs);
    await this.endGroup(kept);
    return () => this.start(kept.spec);
  }

  protected running(instance: string): Supervised {
    const kept = this.kept.get(instance);
    if (kept === undefined || !isRunning(kept.child))
      throw new Failure(`${instance} is not running`);
    return kept;
  }

  async end(): Promise<void> {
    this.ending = true;
    const all = [...this.kept.values()];
    const isStore = ({ spec: { role } }: Supervised): boolean =>
      role === 'redis' || role === 'postgresql';
    await this.stop(all.filter((kept) => !isStore(kept)).map(({ spec }) => spec.instance));
    await this.stop();
    for (const group of this.groups) await removeGroup(this.control, group);
  }

  /** Once the folders are removed too. */
  async dismissReaper(): Promise<void> {
    await this.reaper.dismiss();
  }

  private readonly groups = new Set<string>();

  private makeGroup({ instance, limits }: ProcessSpec): string | null {
    if (this.control.kind === 'none' || this.control.kind === 'systemd') return null;
    const group = `${parentGroup}/${this.id}/${instance}`;
    if (!this.groups.has(group)) {
      createGroup(this.control, group, limits);
      this.groups.add(group);
      for (const folder of groupFolders(this.control, group)) this.reaper.watchControlGroup(folder);
    }
    return group;
  }

  protected onExit(
    kept: Supervised,
    code: number | null,
    signal: NodeJS.Signals | null,
    wasOomKilled = this.wasOomKilled(kept, signal),
  ): void {
    const { spec } = kept;
    if (this.kept.get(spec.instance) !== kept) return; // We asked for it.
    const hasAborted = isHeapAbort(code, signal);
    const why = exitReason(code, signal, wasOomKilled, hasAborted ? endOf(spec.log) : '');
    this.lastExits.set(spec.instance, why);
    if (spec.kind === 'task') return;
    const resource = wasOomKilled ? 'memory' : hasAborted ? 'heap' : null;
    this.tell({
      kind: wasOomKilled ? 'oom-kill' : 'exit',
      text: `${spec.instance} ended: ${why}`,
      ...(resource === null ? {} : { exhausted: { role: spec.role, resource } }),
    });
    if (!this.ending) void this.restart(kept);
  }

  private oomKillsOf(group: string | null): number {
    return group === null ? 0 : oomKills(this.control, group);
  }

  /** A parent's count is of all its children: there only who was killed by signal can have been meant. */
  private wasOomKilled(
    { group, oomKillsSeen }: Supervised,
    signal: NodeJS.Signals | null,
  ): boolean {
    if (this.oomKillsOf(group) <= oomKillsSeen) return false;
    return this.control.kind !== 'systemd' || signal === 'SIGKILL';
  }

  private async restart(kept: Supervised): Promise<void> {
    const { spec, startedAtMs } = kept;
    const { delayMs, restarts } = restartAfter(
      this.restarts.get(spec.instance) ?? 0,
      performance.now() - startedAtMs,
    );
    this.restarts.set(spec.instance, restarts);
    this.endRest(kept);
    await sleep(delayMs);
    if (this.kept.get(spec.instance) !== kept) return;
    this.reaper.forgetGroup(kept.pid);
    try {
      await this.start(spec);
      this.tell({ kind: 'restart', text: `${spec.instance} was started again` });
    } catch (error) {
      this.tell({
        kind: 'restart',
        text: `${spec.instance} could not be started again: ${String(error)}`,
      });
    }
  }

  /** What is left when it has ended by itself: its children, such as a task runner, hold its ports. */
  protected endRest({ pid }: Supervised): void {
    killGroup(pid, 'SIGKILL');
  }

  protected async endGroup({ spec, pid, exited, child }: Supervised): Promise<void> {
    killGroup(pid, `SIG${spec.stopSignal}`);
    if (isRunning(child)) await endedWithin(exited, this.graceMs);
    killGroup(pid, 'SIGKILL');
    if (isRunning(child)) await exited;
    for (let attempt = 0; groupExists(pid) && attempt < 40; attempt += 1) await sleep(25);
    this.reaper.forgetGroup(pid);
  }

  protected get graceMs(): number {
    return this.ending ? lastGraceMs : graceMs;
  }

  private tell(event: Event): void {
    for (const listener of this.listeners) listener(event);
  }
}

async function endedWithin(exited: Promise<void>, withinMs: number): Promise<void> {
  const timer = new AbortController();
  await Promise.race([
    exited,
    sleep(withinMs, undefined, { signal: timer.signal }).catch(() => undefined),
  ]);
  timer.abort();
}

export const isRunning = (child: ChildProcess): boolean =>
  child.exitCode === null && child.signalCode === null;

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in it.
  }
}

function groupExists(pid: number): boolean {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Bytes read from the end of a log; V8's trace after its message is shorter. */
const END_BYTES = 16 * 1024;

function endOf(file: string): string {
  const log = openSync(file, 'r');
  try {
    const from = Math.max(0, fstatSync(log).size - END_BYTES);
    const buffer = Buffer.alloc(END_BYTES);
    return buffer.toString('utf8', 0, readSync(log, buffer, 0, END_BYTES, from));
  } finally {
    closeSync(log);
  }
}
