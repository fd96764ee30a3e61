import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadRequest } from '../../../../loadtests/lib/workload';
import { placingSql } from '../../catalogue/seeding';
import { databaseOf, type Topology } from '../../plan/topology';
import type { RunEvent } from '../../record/record';
import { messageOf, UserError } from '../../ui/exit';
import { thisMachine } from '../machine';
import type {
  ExecutionCounts,
  MetricsEndpoint,
  ProcessRoot,
  Progress,
  Running,
  SeedWorkflow,
  Target,
} from '../target';
import { balancer } from './balancer';
import type { Control } from './cgroup';
import { countExecutions, postgresqlDatabase, sqliteDatabase, type Database } from './database';
import { isLegacy } from './env';
import { activateAll, importTasks } from './import';
import {
  baseUrlOf,
  choosePorts,
  contradiction,
  filesFolderOf,
  n8nProcesses,
  usableControl,
  type Ports,
} from './layout';
import { awaitPostgresql, newCluster, postgresql, postgresqlUrl } from './postgresql';
import { installNodes } from './nodes';
import { freePort } from './ports';
import { answersRight, isReady } from './ready';
import { awaitPort, redis, redisUrl } from './redis';
import { Supervisor, type ProcessSpec } from './supervisor';
import { upstream, upstreamUrl } from './upstream';
import { keepTemplate, takeTemplate, templateKey, workflowDigest } from './template';
import { findTools, templatesFolder, versionsOf, type Tools } from './tools';

export interface ProcessTargetOptions {
  topology: Topology;
  /** Seeded before n8n starts, which is the fast way. */
  workflows: readonly SeedWorkflow[];
  /** How long it may take until the real request is answered right. */
  readyTimeoutMs: number;
  /** Where seeded databases are kept for later runs. */
  templates?: string;
}

/** n8n as real processes on this machine, with stores of its own; nothing of the system's is used. */
export function processTarget(options: ProcessTargetOptions): Target {
  const { topology } = options;
  return {
    kind: 'process',
    up: async (progress, signal) => {
      const wrong = contradiction(topology);
      if (wrong !== null) throw new UserError(`${wrong}.`);
      const control = usableControl(topology);
      const tools = findTools(topology);
      const running = new ProcessRunning({
        ...options,
        templates: options.templates ?? templatesFolder(),
        tools,
        control,
        ports: await choosePorts(topology),
        versions: await versionsOf(topology, tools),
      });
      // What is being waited for then fails at once, whatever it is.
      const abort = (): void => void running.down(progress);
      signal.addEventListener('abort', abort, { once: true });
      try {
        await running.start(progress, signal);
      } catch (error) {
        await running.down(progress);
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', abort);
      }
      return running;
    },
  };
}

interface Settled extends Required<ProcessTargetOptions> {
  tools: Tools;
  control: Control;
  ports: Ports;
  versions: Record<string, string>;
}

/** Time for n8n to come up on a busy machine; it takes 5 to 20 s on a quiet one. */
const upTimeoutMs = 300_000;

class ProcessRunning implements Running {
  readonly kind = 'process';
  readonly baseUrl: string;
  readonly topology: Topology;
  readonly versions: Record<string, string>;
  readonly machine = thisMachine();
  readonly metrics: MetricsEndpoint[];
  readonly redis: Running['redis'];
  readonly postgresql: Running['postgresql'];

  private readonly supervisor: Supervisor;
  private readonly folder: string;
  private readonly logFolder: string;
  private readonly database: Database;
  private readonly n8n: ProcessSpec[];
  private seeded = new Set<string>();
  private upstreamPort: number | null = null;
  private isDown: Promise<void> | null = null;
  private readonly ports: Ports;

  constructor(private readonly options: Settled) {
    const { topology, tools, ports, control } = options;
    this.ports = ports;
    this.topology = topology;
    this.versions = options.versions;
    this.baseUrl = baseUrlOf(ports);
    this.supervisor = new Supervisor(randomBytes(4).toString('hex'), control);
    this.folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-'));
    this.supervisor.watchFolder(this.folder);
    chmodSync(this.folder, 0o711); // PostgreSQL's own user must reach its data.
    this.logFolder = join(this.folder, 'logs');
    mkdirSync(this.logFolder);
    this.n8n = n8nProcesses(topology, ports, tools, this.folder, this.logFolder);
    this.metrics = ports.seats
      .filter(({ role }) => role === 'main' || !isLegacy(topology.n8n))
      .map(({ role, instance, port }) => ({
        role,
        instance,
        url: `http://127.0.0.1:${String(port)}/metrics`,
      }));
    const [main] = this.n8n;
    this.redis =
      ports.redis === null
        ? null
        : {
            url: redisUrl(ports.redis),
            prefix: main?.env['QUEUE_BULL_PREFIX'] ?? 'bull',
            queue: 'jobs',
          };
    this.postgresql = ports.postgresql === null ? null : { url: postgresqlUrl(ports.postgresql) };
    this.database =
      this.postgresql === null
        ? sqliteDatabase(tools.sqliteNode, join(this.folder, 'main', '.n8n', 'database.sqlite'))
        : postgresqlDatabase(this.postgresql.url);
  }

  get logs(): string[] {
    return readdirSync(this.logFolder).map((name) => join(this.logFolder, name));
  }

  processes(): ProcessRoot[] {
    return this.supervisor.processes();
  }

  onEvent(listener: (event: Omit<RunEvent, 'tMs'>) => void): void {
    this.supervisor.onEvent(listener);
  }

  async start(progress: Progress, signal: AbortSignal): Promise<void> {
    await this.startStores(progress);
    signal.throwIfAborted();
    await this.startBalancer();
    await this.startN8n(progress, signal);
  }

  async seed(workflows: SeedWorkflow[], progress: Progress): Promise<void> {
    const fresh = workflows.filter((workflow) => !this.seeded.has(workflowDigest(workflow)));
    if (fresh.length === 0) return;
    progress(`imports ${String(fresh.length)} workflows`);
    await this.supervisor.stop(this.n8n.map(({ instance }) => instance));
    await this.import(fresh);
    await this.meetNeeds(fresh);
    await this.startN8n(progress, AbortSignal.timeout(upTimeoutMs));
  }

  async ready(requests: LoadRequest[], progress: Progress, signal: AbortSignal): Promise<void> {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(this.options.readyTimeoutMs)]);
    for (const request of requests) {
      progress(`waits until ${request.method} ${request.path} is answered right`);
      await answersRight(this.baseUrl, request, patience);
    }
  }

  executions(): Promise<ExecutionCounts> {
    return countExecutions(this.database, this.topology.n8n);
  }

  down(progress: Progress): Promise<void> {
    this.isDown ??= this.takeDown(progress);
    return this.isDown;
  }

  private async takeDown(progress: Progress): Promise<void> {
    progress('takes everything down');
    await this.supervisor.end();
    rmSync(this.folder, { recursive: true, force: true });
    await this.supervisor.dismissReaper();
  }

  private async startStores(progress: Progress): Promise<void> {
    const { workflows, templates, topology } = this.options;
    const kind = databaseOf(topology);
    const key = templateKey(topology, kind, workflows);
    const data = this.dataFolder(kind);
    if (await takeTemplate(templates, key, data)) {
      await this.startDatabase();
      this.remember(workflows);
    } else {
      progress(`makes a ${kind} database for n8n ${topology.n8n}, kept for later runs`);
      await this.makeDatabase(kind, data);
      await this.startDatabase();
      if (workflows.length > 0) await this.import(workflows);
      await this.supervisor.stop(['postgresql']);
      await keepTemplate(templates, key, data);
      await this.startDatabase();
    }
    await this.meetNeeds(workflows);
    if (this.ports.redis !== null) {
      const program = needed(this.options.tools.redisServer, 'redis-server');
      await this.supervisor.start(redis(program, this.ports.redis, this.place('redis')));
      await awaitPort(this.ports.redis, 'Redis', () => this.supervisor.runs('redis'));
    }
  }

  private dataFolder(kind: Database['kind']): string {
    return kind === 'sqlite' ? join(this.folder, 'main', '.n8n') : join(this.folder, 'data');
  }

  private async makeDatabase(kind: Database['kind'], data: string): Promise<void> {
    if (kind === 'sqlite') mkdirSync(data, { recursive: true });
    else {
      const programs = needed(this.options.tools.postgresqlBin, 'PostgreSQL');
      await this.supervisor.run(newCluster(programs, data, this.postgresqlPlace()));
    }
  }

  private async startDatabase(): Promise<void> {
    if (this.ports.postgresql === null || this.postgresql === null) return;
    const programs = needed(this.options.tools.postgresqlBin, 'PostgreSQL');
    await this.supervisor.start(
      postgresql(
        programs,
        this.dataFolder('postgresql'),
        this.ports.postgresql,
        this.postgresqlPlace(),
      ),
    );
    await awaitPostgresql(this.postgresql.url, () => this.supervisor.runs('postgresql'));
  }

  private async import(workflows: readonly SeedWorkflow[]): Promise<void> {
    const [main] = this.n8n;
    if (main === undefined) throw new Error('a topology has a main');
    const { tools, topology } = this.options;
    const { log } = this.place('import');
    try {
      for (const task of importTasks(main, tools, workflows, log)) await this.supervisor.run(task);
    } catch (error) {
      throw new Error(`${messageOf(error)}; its log ends with: ${this.lastLogLines('import')}`);
    }
    await activateAll(this.database, topology.n8n);
    this.remember(workflows);
  }

  /** What workflows need beside n8n, where it is this time; while n8n is down. */
  private async meetNeeds(workflows: readonly SeedWorkflow[]): Promise<void> {
    const needs = new Set(workflows.flatMap((workflow) => workflow.needs ?? []));
    if (needs.size === 0) return;
    const filesFolder = filesFolderOf(this.folder);
    mkdirSync(filesFolder, { recursive: true });
    this.upstreamPort ??= await freePort();
    if (needs.has('upstream') && !this.supervisor.runs('upstream')) {
      const { node } = this.options.tools;
      await this.supervisor.start(upstream(node, this.upstreamPort, this.place('upstream')));
      await awaitPort(this.upstreamPort, 'the upstream service', () =>
        this.supervisor.runs('upstream'),
      );
    }
    const place = { upstreamUrl: upstreamUrl(this.upstreamPort), filesFolder };
    for (const sql of placingSql(this.database.kind, place)) await this.database.query(sql);
  }

  private remember(workflows: readonly SeedWorkflow[]): void {
    for (const workflow of workflows) this.seeded.add(workflowDigest(workflow));
  }

  private async startBalancer(): Promise<void> {
    const { balancer: own, seats } = this.ports;
    const main = seats.find(({ role }) => role === 'main');
    if (own === null || main === undefined) return;
    const webhooks = seats.filter(({ role }) => role === 'webhook').map(({ port }) => port);
    const program = needed(this.options.tools.nginx, 'nginx');
    await this.supervisor.start(
      balancer(program, { own, main: main.port, webhooks }, this.place('balancer')),
    );
    await awaitPort(own, 'nginx', () => this.supervisor.runs('balancer'));
  }

  private async startN8n(progress: Progress, signal: AbortSignal): Promise<void> {
    const deadline = Date.now() + upTimeoutMs;
    const { nodesFolder } = this.options.tools;
    for (const spec of this.n8n) {
      if (nodesFolder !== null) installNodes(nodesFolder, spec.folder);
      await this.supervisor.start(spec);
    }
    progress(`waits for ${this.n8n.map(({ instance }) => instance).join(', ')}`);
    for (const { instance, port } of this.ports.seats) {
      while (!(await isReady(port, isLegacy(this.topology.n8n)))) {
        signal.throwIfAborted();
        if (!this.supervisor.runs(instance) || Date.now() > deadline) {
          const why = this.supervisor.lastExit(instance) ?? 'it did not become ready in time';
          throw new Error(
            `${instance} did not come up: ${why}; its log ends with: ${this.lastLogLines(instance)}`,
          );
        }
        await sleep(100);
      }
    }
  }

  private place(name: string): Pick<ProcessSpec, 'folder' | 'log'> {
    const folder = join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    return { folder, log: join(this.logFolder, `${name}.log`) };
  }

  /** Its own user may not enter every folder of ours. */
  private postgresqlPlace(): Pick<ProcessSpec, 'folder' | 'log'> {
    return { ...this.place('postgresql'), folder: '/' };
  }

  private lastLogLines(instance: string): string {
    const lines = readFileSync(join(this.logFolder, `${instance}.log`), 'utf8')
      .trim()
      .split('\n');
    return lines.slice(-3).join(' ') || 'its log is empty';
  }
}

function needed(program: string | null, name: string): string {
  if (program === null) throw new Error(`${name} was not looked for`);
  return program;
}
