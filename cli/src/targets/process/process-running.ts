import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { HostCount } from '../../stand-in/analysis/counts';
import type { LoadRequest } from '../../../../loadtests/lib/workload';
import { keptForMs } from '../../plan/kept-executions';
import { type Topology, isLegacy } from '../../plan/topology';
import type { ExecutionCounts, Machine, RunEvent, TargetKind } from '../../record/run-record';
import { within } from '../../ui/within';
import { topologyWithoutSecrets } from '../../plan/secrets/secrets';
import { thisMachine } from '../machine';
import type {
  DrillAccess,
  ExecutionTrace,
  LargeRequests,
  LockedExecutions,
  MetricsEndpoint,
  Owner,
  ProcessRoot,
  Running,
  StoreLink,
} from '../target';
import type { SeedWorkflow } from '../../catalogue/seeding';
import type { Progress } from '../../ui/progress';
import { balancer, balancerConfig, type BalancerPorts } from './balancer';
import type { Control } from '../../linux/cgroup';
import { runOutOfMemory, takeFromAll } from '../../linux/group-limits';
import { mountSmallDisk, type SmallDisk } from '../../linux/small-disk';
import { callsIn } from '../../stand-in/analysis/counts';
import { failOver as failOverPostgresql, lockExecutions, useUpConnections } from './connections';
import { sendUntilExhausted } from './large-requests';
import { countExecutions } from './database';
import {
  baseUrlOf,
  graceMsOf,
  n8nProcesses,
  nameBeside,
  type Ports,
  type SeatPorts,
} from './layout';
import { installNodes } from './nodes';
import { Readiness } from './readiness';
import { awaitExpectedResponse, isReady, NOT_READY, readinessOf } from './ready';
import { jumpClock, withClock } from './clock';
import type { Names } from './names';
import { backUp, restore } from './postgresql';
import { awaitPort, failOver as failOverRedis, keepDataOnExit } from './redis';
import { isRoot } from './run-user';
import { commandOf, Seeds } from './seeds';
import { openLinks } from './store-links';
import { Stores } from './stores';
import { Supervisor, type ProcessSpec } from './supervisor';
import { taskRunnersOf } from '../../linux/process-tree';
import { needed, type Tools } from './tools';
import { traceFromNow } from './trace';
import type { Workspace } from './workspace';
import { Failure, messageOf } from '../../ui/exit';

export interface ProcessRunningOptions {
  topology: Topology;
  /** Seeded before n8n starts, which is the fast way. */
  workflows: readonly SeedWorkflow[];
  /** How long it may take until the real request is answered right. */
  readyTimeoutMs: number;
  /** The folder of seeded databases that later runs reuse. */
  templates: string;
  tools: Tools;
  control: Control;
  ports: Ports;
  workspace: Workspace;
  versions: Record<string, string>;
  hasSmallDisk?: boolean;
  hasReadiness?: boolean;
  hasClock?: boolean;
  /** The resolver that n8n asks; null or left out: it has addresses. */
  names?: Names | null;
  /** Left out: everything is a process of this machine. */
  means?: Means;
}

/** Another way to run what a topology is made of. */
export interface Means {
  kind: TargetKind;
  supervisor(id: string, workspace: Workspace): Supervisor;
  /** Hashes a password as n8n does. */
  hash(password: string, workspace: Workspace): Promise<string>;
  /** What runs beside a process of n8n, and that process as it then is; null or left out: nothing does. */
  beside?(spec: ProcessSpec, seat: SeatPorts, workspace: Workspace): Companion | null;
}

export interface Companion {
  n8n: ProcessSpec;
  beside: ProcessSpec;
}

/** Period of the chart's readiness probe. */
const probeMs = 5_000;

/** What n8n takes where nobody says. */
const DEFAULT_PAYLOAD_MIB = 16;

/** Time for n8n to come up on a busy machine; it takes 5 to 20 s on a quiet one. */
const upTimeoutMs = 300_000;

/** The processes of one topology, from the stores up to n8n. */
export class ProcessRunning implements Running {
  readonly kind: TargetKind;
  readonly baseUrl: string;
  readonly topology: Topology;
  readonly versions: Record<string, string>;
  readonly metrics: MetricsEndpoint[];
  readonly redis: Running['redis'];
  readonly postgresql: Running['postgresql'];
  readonly drillAccess: DrillAccess;
  readonly sqlite: NonNullable<Running['sqlite']> | null;

  private readonly supervisor: Supervisor;
  private readonly workspace: Workspace;
  private readonly stores: Stores;
  private readonly seeds: Seeds;
  private n8n: ProcessSpec[];
  /** Beside n8n, such as task runners. */
  private readonly beside: readonly ProcessSpec[];
  private closeLinks: () => Promise<void> = () => Promise.resolve();
  private links: readonly StoreLink[] = [];
  private disk: SmallDisk | null = null;
  private readiness: Readiness | null = null;
  private isDown: Promise<void> | null = null;
  /** Those of the load. */
  private requests: readonly LoadRequest[] = [];

  constructor(private readonly options: ProcessRunningOptions) {
    const { topology, tools, ports, control, templates, workspace, means } = options;
    this.kind = means?.kind ?? 'process';
    this.workspace = workspace;
    this.topology = topologyWithoutSecrets(topology);
    this.versions = options.versions;
    this.baseUrl = baseUrlOf(ports);
    const id = randomBytes(4).toString('hex');
    const supervisor =
      means?.supervisor(id, workspace) ?? new Supervisor(id, control, workspace.user);
    supervisor.watchFolder(workspace.folder);
    this.supervisor = supervisor;
    const specs = n8nProcesses(topology, ports, tools, workspace);
    const pairs = specs.map((spec, index): { n8n: ProcessSpec; beside?: ProcessSpec } => {
      const own = options.hasClock === true ? withClock(spec, workspace) : spec;
      const seat = ports.seats[index];
      if (seat === undefined) throw new Error(`${spec.instance} has no seat`);
      return means?.beside?.(own, seat, workspace) ?? { n8n: own };
    });
    this.n8n = pairs.map(({ n8n }) => n8n);
    this.beside = pairs.flatMap(({ beside }) => beside ?? []);
    this.metrics = ports.seats
      .filter(({ role }) => role === 'main' || !isLegacy(topology.n8n))
      .map(({ role, instance, port }) => ({
        role,
        instance,
        url: `http://127.0.0.1:${String(port)}/metrics`,
      }));
    const [main] = this.n8n;
    if (main === undefined) throw new Error('a topology has a main');
    this.stores = new Stores({
      topology,
      tools,
      ports,
      workspace,
      supervisor,
      templates,
      versions: options.versions,
      redisPrefix: main.env['QUEUE_BULL_PREFIX'] ?? 'bull',
      ...(means === undefined
        ? {}
        : { hash: (password: string) => means.hash(password, workspace) }),
    });
    const { database, redis, postgresql, sqlite } = this.stores;
    this.redis = redis;
    this.postgresql = postgresql;
    this.sqlite = sqlite;
    this.seeds = new Seeds({
      version: topology.n8n,
      main: () => this.withSecrets(main),
      tools,
      database,
      workspace,
      supervisor,
      upstreamHost: ports.hostOf?.('upstream'),
    });
    this.drillAccess = this.access();
  }

  private access(): DrillAccess {
    const { supervisor, seeds, redis, postgresql } = this;
    const openLinks = (): readonly StoreLink[] => this.links;
    return {
      get links() {
        return openLinks();
      },
      runOutOfMemory: async (instance, signal) => {
        const { control } = this.options;
        const found = supervisor.processes().find((process) => process.instance === instance);
        if (found?.cgroup === undefined) {
          throw new Failure(
            control.kind === 'none'
              ? `the memory of ${instance} cannot be limited, because ${control.reason}`
              : `${instance} has no control group of its own: limit its memory, for example with --memory 1024`,
          );
        }
        const isOver = (): boolean => !supervisor.processes().some(({ pid }) => pid === found.pid);
        await runOutOfMemory(control, found.cgroup, isOver, signal);
      },
      useUpConnections: () => {
        if (postgresql === null) return Promise.reject(new Failure('PostgreSQL is not running'));
        const { url } = postgresql;
        return useUpConnections(
          (name) => new pg.Client({ connectionString: url, application_name: name }),
        );
      },
      ...(postgresql === null ? {} : { lockExecutions: () => this.lockExecutions(postgresql.url) }),
      ...(this.options.ports.behind === undefined
        ? {}
        : { endPrimary: (store) => this.stores.endPrimary(store) }),
      sendLargeRequests: (instance, signal) => this.sendLargeRequests(instance, signal),
      failOver: (store) => {
        const at = store === 'redis' ? redis : postgresql;
        if (at === null) return Promise.reject(new Failure(`no ${store} runs`));
        const { url } = at;
        return store === 'redis'
          ? failOverRedis(url)
          : failOverPostgresql(() => new pg.Client({ connectionString: url }));
      },
      signal: async (instance, signal) => {
        await supervisor.signal(instance, signal);
      },
      // This Redis saves nothing by itself.
      loseStore: async (instance) => {
        await supervisor.signal(instance, 'SIGKILL');
      },
      killRunner: (instance) => {
        const roots = supervisor
          .processes()
          .filter((root) => [instance, nameBeside(instance)].includes(root.instance));
        const runners = roots.flatMap(taskRunnersOf);
        for (const pid of runners) process.kill(pid, 'SIGKILL');
        return Promise.resolve(runners.length);
      },
      keepDown: async (instance, withinMs) => {
        if (instance === 'redis' && redis !== null) await keepDataOnExit(redis.url);
        return supervisor.keepDown(instance, withinMs ?? this.graceMs(instance));
      },
      takeCpu: (millicores) => Promise.resolve(this.takeCpu(millicores)),
      ...(this.options.hasClock === true
        ? { jumpClock: (instance, byMs) => this.jumpClock(instance, byMs) }
        : {}),
      ...(this.options.names == null
        ? {}
        : { silenceNames: this.options.names.silence.bind(this.options.names) }),
      rotateSecrets: async () => {
        await this.stores.changePasswords();
        return (signal) => this.roll(signal);
      },
      ...(postgresql === null
        ? {}
        : {
            backUp: () => this.backUp(),
            restore: () => restore(postgresql.url),
          }),
      ...(this.options.hasSmallDisk === true ? { fillDisk: () => this.fillDisk() } : {}),
      effects: () => seeds.effects(),
      trouble: (trouble) => seeds.trouble(trouble),
      calls: async () => callsIn(await seeds.services()),
    };
  }

  private takeCpu(millicores: number): ReturnType<typeof takeFromAll> {
    const { control } = this.options;
    if (control.kind === 'none') {
      throw new Failure(`the CPU of n8n cannot be limited, because ${control.reason}`);
    }
    const own = this.supervisor.processes().filter(({ instance }) => this.isN8n(instance));
    return takeFromAll(control, own, millicores);
  }

  private async lockExecutions(url: string): Promise<LockedExecutions> {
    const { waiting, unlock } = await lockExecutions(
      (name) => new pg.Client({ connectionString: url, application_name: name }),
    );
    const { seats } = this.options.ports;
    return {
      unlock,
      look: async () => {
        const [connections, ...statuses] = await Promise.all([
          waiting(),
          ...seats.map(({ port }) => readinessOf(port, this.topology.n8n)),
        ]);
        const unready = seats.filter((_, index) => statuses[index] === NOT_READY);
        return { waiting: connections, unready: unready.map(({ instance }) => instance) };
      },
    };
  }

  private async sendLargeRequests(instance: string, signal: AbortSignal): Promise<LargeRequests> {
    const seat = this.options.ports.seats.find((one) => one.instance === instance);
    const request = this.requests.find(({ method }) => method !== 'GET');
    if (seat === undefined || request === undefined) {
      throw new Failure('the workload has no request with a body');
    }
    const spec = this.n8n.find((one) => one.instance === instance);
    return sendUntilExhausted(seat.port, request, {
      allowedMiB: Number(spec?.env['N8N_PAYLOAD_SIZE_MAX'] ?? DEFAULT_PAYLOAD_MIB),
      signal,
      onExhausted: (told) =>
        this.supervisor.onEvent(({ text, exhausted }) => {
          if (exhausted !== undefined && text.startsWith(`${instance} `)) told(text);
        }),
    });
  }

  private isN8n(instance: string): boolean {
    return this.n8n.some((spec) => spec.instance === instance);
  }

  private async jumpClock(instance: string, byMs: number): Promise<() => Promise<number>> {
    const spec = this.n8n.find((one) => one.instance === instance);
    const found = this.supervisor.processes().find((one) => one.instance === instance);
    if (spec === undefined || found === undefined) throw new Failure(`${instance} is not running`);
    return jumpClock(spec, found.pid, byMs);
  }

  /** One after the other, each ready before the next one ends: workers, webhook processors, main. */
  private async roll(signal: AbortSignal): Promise<string[]> {
    const order = ['worker', 'webhook', 'main'];
    const specs = [...this.n8n].sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role));
    const rolled: string[] = [];
    for (const spec of specs) {
      if (signal.aborted) break;
      await this.supervisor.keepDown(spec.instance, this.graceMs(spec.instance));
      await this.supervisor.start(this.withSecrets(spec));
      await this.awaitReady([spec.instance], signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      rolled.push(spec.instance);
    }
    return rolled;
  }

  private async backUp(): Promise<void> {
    await backUp(this.stores.postgresql?.url ?? '');
    // It connects again by itself.
    await this.awaitReady(
      this.n8n.map(({ instance }) => instance),
      AbortSignal.timeout(upTimeoutMs),
    );
  }

  private graceMs(instance: string): number {
    return graceMsOf(this.n8n.find((spec) => spec.instance === instance)?.env ?? {});
  }

  private async fillDisk(): ReturnType<NonNullable<DrillAccess['fillDisk']>> {
    const { disk } = this;
    if (disk === null)
      throw new Failure('the database is not on a file system that the command manages');
    const what = this.postgresql === null ? "n8n's user folder" : 'PostgreSQL';
    return { what, usedMiB: await disk.fill(), freeUp: () => disk.freeUp() };
  }

  get machine(): Machine {
    return thisMachine(this.processes());
  }

  get logs(): string[] {
    return this.workspace.logs;
  }

  get owner(): Owner {
    return this.stores.owner;
  }

  /** What the user sets wins. */
  private withSecrets(spec: ProcessSpec): ProcessSpec {
    const env = { TMPDIR: this.workspace.tempFolder, ...this.stores.env, ...spec.env };
    return { ...spec, env };
  }

  processes(): ProcessRoot[] {
    return this.supervisor.processes();
  }

  onEvent(listener: (event: Omit<RunEvent, 'tMs'>) => void): () => void {
    return this.supervisor.onEvent(listener);
  }

  async start(progress: Progress, signal: AbortSignal): Promise<void> {
    const { workflows, ports } = this.options;
    const { links, close } = await openLinks(ports);
    this.links = links;
    this.closeLinks = close;
    await this.mountDisk();
    await this.stores.startDatabase(workflows, () => this.seeds.import(workflows), progress);
    this.seeds.remember(workflows);
    await this.seeds.meetNeeds(workflows);
    await this.stores.startStandby();
    await this.stores.startRedis();
    signal.throwIfAborted();
    await this.startBalancer();
    await this.startN8n(progress, signal);
    this.watchReadiness();
  }

  async seed(workflows: SeedWorkflow[], progress: Progress): Promise<void> {
    const fresh = this.seeds.missing(workflows);
    if (fresh.length === 0) return;
    progress(`importing ${String(fresh.length)} workflows`);
    await this.supervisor.stop(this.n8n.map(({ instance }) => instance));
    await this.seeds.import(fresh);
    await this.seeds.meetNeeds(fresh);
    await this.startN8n(progress, AbortSignal.timeout(upTimeoutMs));
  }

  ready(requests: LoadRequest[], progress: Progress, signal: AbortSignal): Promise<void> {
    this.requests = requests;
    return within(this.options.readyTimeoutMs, signal, async (patience) => {
      for (const request of requests) {
        progress(`waiting until ${request.method} ${request.path} gets its expected response`);
        await awaitExpectedResponse(this.baseUrl, request, patience);
      }
    });
  }

  executions(): Promise<ExecutionCounts> {
    return countExecutions(this.stores.database, this.topology.n8n);
  }

  services(): Promise<HostCount[] | null> {
    return this.seeds.services();
  }

  traceExecutions(): Promise<ExecutionTrace> {
    const { topology } = this;
    return traceFromNow(this.stores.database, topology.n8n, keptForMs(topology));
  }

  down(progress: Progress): Promise<void> {
    this.isDown ??= this.takeDown(progress);
    return this.isDown;
  }

  /** Ends n8n; its stores go on. */
  stopN8n(): Promise<void> {
    return this.supervisor.stop(this.n8n.map(({ instance }) => instance));
  }

  /** Into a database that somebody has put in place of the one that was seeded; all workflows there are active then. */
  importAgain(workflows: SeedWorkflow[]): Promise<void> {
    return this.seeds.import(workflows);
  }

  /** Starts n8n, which must be stopped, as another one on the same stores. */
  async startN8nAs(
    topology: Topology,
    tools: Tools,
    progress: Progress,
    signal: AbortSignal,
    withinMs: number,
  ): Promise<void> {
    this.n8n = n8nProcesses(topology, this.options.ports, tools, this.workspace);
    await this.startN8n(progress, signal, withinMs);
  }

  /** Runs a command of the n8n that was started last, while it is stopped. */
  async runN8n(...words: readonly string[]): Promise<void> {
    const [main] = this.n8n;
    if (main === undefined) throw new Error('a topology has a main');
    const task = commandOf(this.withSecrets(main), words, this.workspace);
    await this.supervisor.run(task).catch((error: unknown) => {
      const said = this.workspace.lastLogLines(task.instance);
      throw new Failure(`${messageOf(error)}; its log ends with: ${said}`);
    });
  }

  get logOfMain(): string {
    return this.workspace.place('main').log;
  }

  private async mountDisk(): Promise<void> {
    if (this.options.hasSmallDisk !== true) return;
    const folder = this.stores.makeDiskFolder();
    this.supervisor.watchMount(folder);
    this.disk = await mountSmallDisk(folder, this.workspace.user.id);
  }

  private async takeDown(progress: Progress): Promise<void> {
    progress('stopping everything');
    this.readiness?.stop();
    await this.supervisor.end();
    await this.closeLinks();
    await this.stores.closeRelay();
    this.options.names?.close();
    await this.workspace.user.end(); // What has put itself into another group.
    await this.disk?.unmount();
    await this.workspace.remove();
    await this.supervisor.dismissReaper();
  }

  private async startBalancer(): Promise<void> {
    const ports = this.balancerPorts();
    if (ports === null) return;
    const program = needed(this.options.tools.nginx, 'nginx');
    const config = this.writeBalance(ports, new Set());
    await this.supervisor.start(balancer(program, config, this.workspace.place('balancer')));
    await awaitPort(ports.own, 'nginx', () => this.supervisor.runs('balancer'));
  }

  /** The file of nginx's configuration. */
  private writeBalance(ports: BalancerPorts, away: ReadonlySet<number>): string {
    const { workspace } = this;
    const asRoot = isRoot() && workspace.user.id === null;
    const text = balancerConfig(ports, workspace.place('balancer').folder, { away, asRoot });
    return workspace.writeConfig('nginx.conf', text);
  }

  /** Null: there is none. */
  private balancerPorts(): BalancerPorts | null {
    const { balancer: own, seats } = this.options.ports;
    const main = seats.find(({ role }) => role === 'main');
    if (own === null || main === undefined) return null;
    const webhooks = seats.filter(({ role }) => role === 'webhook').map(({ port }) => port);
    return { own, main: main.port, webhooks };
  }

  private watchReadiness(): void {
    const { supervisor, topology } = this;
    const ports = this.balancerPorts();
    if (this.options.hasReadiness !== true || ports === null) return;
    this.readiness = new Readiness({
      served: this.options.ports.seats.filter(({ role }) => role !== 'worker'),
      pidOf: (instance) =>
        supervisor.processes().find((process) => process.instance === instance)?.pid ?? null,
      isReady: (port) => isReady(port, topology.n8n, probeMs),
      changed: (away) => {
        this.writeBalance(ports, away);
        if (supervisor.runs('balancer')) void supervisor.signal('balancer', 'SIGHUP');
      },
    });
  }

  private async startN8n(
    progress: Progress,
    signal: AbortSignal,
    withinMs = upTimeoutMs,
  ): Promise<void> {
    const { tools } = this.options;
    const homes = this.n8n.map(({ folder }) => folder);
    if (tools.nodesFolder !== null) {
      await installNodes(tools.nodesFolder, homes, this.workspace.user);
    }
    for (const spec of this.n8n) await this.supervisor.start(this.withSecrets(spec));
    // They wait for n8n by themselves, and get none of its secrets.
    for (const spec of this.beside) {
      if (!this.supervisor.runs(spec.instance)) await this.supervisor.start(spec);
    }
    progress(`waiting for ${this.n8n.map(({ instance }) => instance).join(', ')}`);
    await this.awaitReady(
      this.n8n.map(({ instance }) => instance),
      signal,
      withinMs,
    );
  }

  private async awaitReady(
    instances: readonly string[],
    signal: AbortSignal,
    withinMs = upTimeoutMs,
  ): Promise<void> {
    const deadline = performance.now() + withinMs;
    const { seats } = this.options.ports;
    for (const { instance, port } of seats.filter((seat) => instances.includes(seat.instance))) {
      while (!(await isReady(port, this.topology.n8n))) {
        signal.throwIfAborted();
        if (!this.supervisor.runs(instance) || performance.now() > deadline) {
          const why =
            this.supervisor.lastExit(instance) ??
            `it was not ready after ${String(withinMs / 1_000)} s: stop other programs on this machine, or use a machine with more CPU`;
          throw new Failure(
            `${instance} did not come up: ${why}; its log ends with: ${this.workspace.lastLogLines(instance)}`,
          );
        }
        await sleep(100);
      }
    }
  }
}
