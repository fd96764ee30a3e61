// One process of n8n under limits, started anew as often as a study wants; its stores and the other roles are there without
// limits. What starts, limits and watches processes is the command's own code.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import {
  createGroup,
  findControl,
  readGroup,
  type Control,
  type GroupFigures,
  type Limits,
} from '../cli/src/linux/cgroup';
import { chartVersion } from '../cli/src/plan/environment';
import { topologySchema, type Role, type Topology } from '../cli/src/plan/topology';
import {
  choosePorts,
  n8nProcesses,
  type Ports,
  type SeatPorts,
} from '../cli/src/targets/process/layout';
import { installNodes } from '../cli/src/targets/process/nodes';
import { isReady } from '../cli/src/targets/process/ready';
import { Seeds } from '../cli/src/targets/process/seeds';
import { Stores } from '../cli/src/targets/process/stores';
import { Supervisor, type ProcessSpec } from '../cli/src/targets/process/supervisor';
import {
  findTools,
  templatesFolder,
  versionsOf,
  type Tools,
} from '../cli/src/targets/process/tools';
import { Workspace, type ProcessPlace } from '../cli/src/targets/process/workspace';

interface Layout {
  role: Role;
  part: 'main' | 'workers' | 'webhooks';
  topology: object;
}

const WITH_WORKER = { mode: 'queue', workers: { count: 1 } };
/** By the name that studies use: the role, its part of a topology, and what it needs beside it. */
const LAYOUTS = {
  main: { role: 'main', part: 'main', topology: { mode: 'regular' } },
  'main-queue': { role: 'main', part: 'main', topology: WITH_WORKER },
  worker: { role: 'worker', part: 'workers', topology: WITH_WORKER },
  webhook: {
    ...{ role: 'webhook', part: 'webhooks' },
    topology: { ...WITH_WORKER, webhooks: { count: 1 } },
  },
} satisfies Record<string, Layout>;
export type RoleName = keyof typeof LAYOUTS;

/** What differs from one start to the next. */
export interface Asked extends Limits {
  tuning?: string;
  heapMiB?: number | undefined;
  env?: Record<string, string>;
}

const OTHERS_READY_WITHIN_MS = 180_000;
const EVERY_MS = 100;

/** Why the limits of a running process cannot be set here; null where they can. */
export function whyNoLimits(): string | null {
  const control = findControl();
  if (control.kind === 'none') return `limits cannot be set here, since ${control.reason}`;
  return control.kind === 'systemd'
    ? 'systemd owns the control groups, and limits change while n8n runs: run it in a container'
    : null;
}

interface BenchOptions {
  /** Files. */
  workflows: readonly string[];
  /** Whether n8n has the nodes of this repository. */
  hasNodes?: boolean;
  signal: AbortSignal;
}

export async function openBench(name: RoleName, options: BenchOptions): Promise<Bench> {
  const layout: Layout = LAYOUTS[name];
  const topology = topologySchema.parse(layout.topology);
  const tools = findTools(topology);
  const [ports, versions] = [await choosePorts(topology, false), await versionsOf(topology, tools)];
  const workspace = await Workspace.open(tools);
  const bench = new Bench({
    ...{ layout, topology, tools, ports, versions, workspace },
    ...options,
  });
  try {
    await bench.open();
    return bench;
  } catch (error) {
    await bench.close();
    throw error;
  }
}

interface Benched extends BenchOptions {
  layout: Layout;
  topology: Topology;
  tools: Tools;
  ports: Ports;
  versions: Record<string, string>;
  workspace: Workspace;
}

export class Bench {
  readonly tools: Tools;
  readonly versions: Record<string, string>;
  readonly #control = findControl();
  readonly #supervisor: Supervisor;
  readonly #stores: Stores;
  #redis: Redis | null = null;
  #trials = 0;

  constructor(private readonly benched: Benched) {
    const { tools, topology, ports, workspace, versions } = benched;
    [this.tools, this.versions] = [tools, versions];
    const id = randomBytes(4).toString('hex');
    const supervisor = new Supervisor(id, this.#control, workspace.user);
    supervisor.watchFolder(workspace.folder);
    this.#supervisor = supervisor;
    this.#stores = new Stores({
      ...{ tools, workspace, supervisor, topology, ports },
      ...{ templates: templatesFolder(), redisPrefix: 'bull' },
    });
  }

  async open(): Promise<void> {
    const { tools, topology, ports, workspace, layout, workflows, hasNodes = false } = this.benched;
    const [stores, supervisor] = [this.#stores, this.#supervisor];
    const seeded = workflows.map((file) => ({ name: file, file }));
    const seeds = new Seeds({
      ...{ tools, workspace, supervisor, version: topology.n8n, database: stores.database },
      main: () => this.#specOf(topology, 'main'),
    });
    await stores.startDatabase(
      seeded,
      () => seeds.import(seeded),
      () => undefined,
    );
    await stores.startRedis();
    if (stores.redis !== null) this.#redis = new Redis(stores.redis.url);
    const specs = this.#specsOf(topology);
    if (hasNodes && tools.nodesFolder !== null) {
      await installNodes(
        tools.nodesFolder,
        specs.map(({ folder }) => folder),
        workspace.user,
      );
    }
    for (const spec of specs) if (spec.role !== layout.role) await supervisor.start(spec);
    const others = ports.seats.filter(({ role }) => role !== layout.role);
    for (const { port } of others) await this.#ready(port, OTHERS_READY_WITHIN_MS, () => false);
  }

  /** The ports of the process that is measured. */
  get seat(): SeatPorts {
    return this.#seatOf(this.benched.layout.role);
  }

  /** The address that requests go to: that of the process itself, or of main where it accepts none. */
  get url(): string {
    const { role } = this.benched.layout;
    return `http://127.0.0.1:${String(this.#seatOf(role === 'worker' ? 'main' : role).port)}`;
  }

  place(name: string): ProcessPlace {
    return this.benched.workspace.place(name);
  }

  /**
   * Starts the process with a tuning, limits and variables of this time, and waits until it is ready, has ended, or
   * `withinMs` are over.
   */
  async start({ tuning = 'default', ...limits }: Asked, withinMs: number): Promise<Trial> {
    const { layout } = this.benched;
    const { part, role } = layout;
    const whole: Record<string, unknown> = { ...layout.topology };
    const own = whole[part] as object | undefined;
    const asked = topologySchema.parse({ ...whole, tuning, [part]: { ...own, ...limits } });
    const spec = this.#specOf(asked, role);
    forgetEarlierEnd(join(spec.folder, '.n8n'));
    // What nobody has taken would be work for this one.
    await this.#redis?.del('bull:jobs:wait', 'bull:jobs:priority');
    const trial = await this.startBeside(spec);
    const isOver = (): boolean => trial.end !== null;
    trial.readySeconds = await this.#ready(this.seat.port, withinMs, isOver, trial.begunMs);
    return trial;
  }

  /** Any process in a control group of its own, until it ends or is stopped. */
  async startBeside(spec: ProcessSpec): Promise<Trial> {
    this.#trials += 1;
    const instance = `${spec.instance}-${String(this.#trials)}`;
    const log = `${spec.log}-${String(this.#trials)}`;
    const trial = new Trial(this.#supervisor, this.#control, instance, log);
    await this.#supervisor.start({ ...spec, instance, log });
    trial.begin();
    return trial;
  }

  async close(): Promise<void> {
    this.#redis?.disconnect();
    await this.#supervisor.end();
    await this.benched.workspace.remove();
    await this.#supervisor.dismissReaper();
  }

  #seatOf(role: Role): SeatPorts {
    const seat = this.benched.ports.seats.find((one) => one.role === role);
    if (seat === undefined) throw new Error(`no process has the role ${role}`);
    return seat;
  }

  #specsOf(topology: Topology): ProcessSpec[] {
    const { ports, tools, workspace } = this.benched;
    const { env } = this.#stores;
    return n8nProcesses(topology, ports, tools, workspace).map((spec) => ({
      ...spec,
      env: { ...spec.env, ...env },
    }));
  }

  #specOf(topology: Topology, role: Role): ProcessSpec {
    const spec = this.#specsOf(topology).find((one) => one.role === role);
    if (spec === undefined) throw new Error(`no process has the role ${role}`);
    return spec;
  }

  /** Seconds since `begunMs`; null where it did not come to that. */
  async #ready(
    port: number,
    withinMs: number,
    isOver: () => boolean,
    begunMs = Date.now(),
  ): Promise<number | null> {
    while (!isOver() && Date.now() - begunMs < withinMs) {
      this.benched.signal.throwIfAborted();
      if (await isReady(port, chartVersion())) return (Date.now() - begunMs) / 1000;
      await sleep(EVERY_MS);
    }
    return null;
  }
}

/** n8n pauses for 10 s and recovers executions where it finds that it has crashed. */
function forgetEarlierEnd(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((one) => /^(crash\.journal$|n8nEventLog)/.test(one))) {
    rmSync(join(folder, name));
  }
}

export class Trial {
  /** What it ended by, where nobody asked for it: memory (the kernel), heap (V8) or exit; null while it runs. */
  end: string | null = null;
  readySeconds: number | null = null;
  begunMs = 0;
  #group: string | null = null;
  #stopped: Promise<void> | null = null;
  readonly #forget: () => void;
  readonly #ended = new AbortController();

  constructor(
    private readonly supervisor: Supervisor,
    private readonly control: Control,
    private readonly instance: string,
    private readonly logFile: string,
  ) {
    this.#forget = supervisor.onEvent(({ text, exhausted }) => {
      if (this.end !== null || !text.startsWith(`${instance} ended: `)) return;
      this.end = exhausted?.resource ?? 'exit';
      this.#ended.abort();
      // It would be started again.
      this.#stopped = supervisor.stop([instance]);
    });
  }

  /** Fires when it has ended and nobody had asked for it. */
  get endSignal(): AbortSignal {
    return this.#ended.signal;
  }

  begin(): void {
    this.begunMs = Date.now();
    const own = this.supervisor.processes().find(({ instance }) => instance === this.instance);
    this.#group = own?.cgroup ?? null;
  }

  /** The figures of its control group so far. */
  get figures(): GroupFigures | null {
    return this.#group === null ? null : readGroup(this.control, this.#group);
  }

  /** While it runs. */
  limit(limits: Limits): void {
    if (this.#group !== null) createGroup(this.control, this.#group, limits);
  }

  get log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  async stop(): Promise<void> {
    this.#forget();
    await (this.#stopped ?? this.supervisor.stop([this.instance]));
  }
}
