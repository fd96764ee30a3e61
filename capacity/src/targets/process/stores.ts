import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { databaseOf, type Topology } from '../../plan/topology';
import type { Running } from '../target';
import type { SeedWorkflow } from '../../catalogue/seeding';
import type { Progress } from '../../ui/progress';
import { postgresqlDatabase, sqliteDatabase, type Database } from './database';
import type { Ports } from './layout';
import { awaitPostgresql, newCluster, postgresql, postgresqlUrl } from './postgresql';
import { awaitPort, redis, redisUrl } from './redis';
import type { Supervisor } from './supervisor';
import { keepTemplate, takeTemplate, templateKey } from './template';
import { needed, type Tools } from './tools';
import type { ProcessPlace, Workspace } from './workspace';

export interface StoresOptions {
  topology: Topology;
  tools: Tools;
  ports: Ports;
  workspace: Workspace;
  supervisor: Supervisor;
  /** Where seeded databases are kept for later runs. */
  templates: string;
  /** Of Bull's keys. */
  redisPrefix: string;
}

/** The database of a topology, seeded, and its Redis. */
export class Stores {
  readonly redis: Running['redis'];
  readonly postgresql: Running['postgresql'];
  readonly sqlite: NonNullable<Running['sqlite']> | null;
  readonly database: Database;

  constructor(private readonly options: StoresOptions) {
    const { ports, tools, redisPrefix } = options;
    this.redis =
      ports.redis === null
        ? null
        : { url: redisUrl(ports.redis), prefix: redisPrefix, queue: 'jobs' };
    this.postgresql = ports.postgresql === null ? null : { url: postgresqlUrl(ports.postgresql) };
    const file = join(this.dataFolder('sqlite'), 'database.sqlite');
    this.sqlite = this.postgresql === null ? { file, node: tools.sqliteNode } : null;
    this.database =
      this.postgresql === null
        ? sqliteDatabase(tools.sqliteNode, file)
        : postgresqlDatabase(this.postgresql.url);
  }

  /** A database with these workflows in it: a kept one, or else one that `fill` puts them into. */
  async startDatabase(
    workflows: readonly SeedWorkflow[],
    fill: () => Promise<void>,
    progress: Progress,
  ): Promise<void> {
    const { topology, templates, supervisor } = this.options;
    const kind = databaseOf(topology);
    const key = templateKey(topology, kind, workflows);
    const data = this.dataFolder(kind);
    this.makeDiskFolder();
    if (!(await takeTemplate(templates, key, data))) {
      progress(`making a ${kind} database for n8n ${topology.n8n}, kept for later runs`);
      await this.makeDatabase(kind, data);
      await this.startPostgresql();
      if (workflows.length > 0) await fill();
      await supervisor.stop(['postgresql']);
      await keepTemplate(templates, key, data);
    }
    await this.startPostgresql();
  }

  async startRedis(): Promise<void> {
    const { ports, tools, supervisor, workspace } = this.options;
    if (ports.redis === null) return;
    const program = needed(tools.redisServer, 'redis-server');
    await supervisor.start(redis(program, ports.redis, workspace.place('redis')));
    await awaitPort(ports.redis, 'Redis', () => supervisor.runs('redis'));
  }

  /** In which the data lies, and nothing of anyone else: what may be a file system of its own. */
  makeDiskFolder(): string {
    const folder = this.diskFolder(databaseOf(this.options.topology));
    mkdirSync(folder, { recursive: true, mode: 0o711 });
    return folder;
  }

  private diskFolder(kind: Database['kind']): string {
    return join(this.options.workspace.folder, kind === 'sqlite' ? 'main' : 'database');
  }

  private dataFolder(kind: Database['kind']): string {
    return join(this.diskFolder(kind), kind === 'sqlite' ? '.n8n' : 'data');
  }

  private async makeDatabase(kind: Database['kind'], data: string): Promise<void> {
    const { tools, supervisor } = this.options;
    if (kind === 'sqlite') mkdirSync(data, { recursive: true });
    else {
      const programs = needed(tools.postgresqlBin, 'PostgreSQL');
      await supervisor.run(newCluster(programs, data, this.postgresqlPlace()));
    }
  }

  private async startPostgresql(): Promise<void> {
    const { tools, ports, supervisor } = this.options;
    if (ports.postgresql === null || this.postgresql === null) return;
    const programs = needed(tools.postgresqlBin, 'PostgreSQL');
    const data = this.dataFolder('postgresql');
    await supervisor.start(postgresql(programs, data, ports.postgresql, this.postgresqlPlace()));
    await awaitPostgresql(this.postgresql.url, () => supervisor.runs('postgresql'));
  }

  /** Its own user may not enter every folder of ours. */
  private postgresqlPlace(): ProcessPlace {
    return { ...this.options.workspace.place('postgresql'), folder: '/' };
  }
}
