import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { databaseOf, type Topology } from '../../plan/topology';
import type { Owner, PrimaryEnded, Running } from '../target';
import type { SeedWorkflow } from '../../catalogue/seeding';
import { Failure, messageOf } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import { postgresqlDatabase, sqliteDatabase, type Database } from './database';
import type { Ports, Store } from './layout';
import { Link } from './link';
import {
  awaitPostgresql,
  changePassword,
  newCluster,
  ownerWithoutUser,
  postgresql,
  postgresqlUrl,
  query,
  type PostgresqlPlace,
} from './postgresql';
import {
  awaitPort,
  changePassword as changeRedisPassword,
  ping as pingRedis,
  redis,
  redisConfig,
  redisUrl,
} from './redis';
import { giveAll, isRoot, type RunUser } from './run-user';
import { newPassword, newSeal, secretEnv, takeSeal, writeSeal } from './secrets';
import {
  endPostgresqlPrimary,
  endRedisPrimary,
  startPostgresqlStandby,
  startRedisStandby,
} from './standbys';
import type { Supervisor } from './supervisor';
import { keepTemplate, takeTemplate, templateKey } from './template';
import { n8nIn, needed, type Tools } from './tools';
import type { Workspace } from './workspace';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { PLAIN } from '../../linux/own-user';

export interface StoresOptions {
  topology: Topology;
  tools: Tools;
  ports: Ports;
  workspace: Workspace;
  supervisor: Supervisor;
  /** The folder of seeded databases that later runs reuse. */
  templates: string;
  /** The versions of what runs, for the record. */
  versions?: Readonly<Record<string, string>>;
  /** Prefix of Bull's keys. */
  redisPrefix: string;
  /** Hashes a password as n8n does; left out: by the n8n of the tools. */
  hash?: ((password: string) => Promise<string>) | undefined;
}

/** The database of a topology, seeded, and its Redis. */
export class Stores {
  readonly redis: Running['redis'];
  readonly postgresql: Running['postgresql'];
  readonly sqlite: NonNullable<Running['sqlite']> | null;
  readonly database: Database;

  /** Until a database that was kept brings its own. */
  private made = newSeal();
  private redisPassword = newPassword();
  /** In front of a PostgreSQL with a standby. */
  private relay: Link | null = null;

  constructor(private readonly options: StoresOptions) {
    const { ports, tools, redisPrefix, workspace } = options;
    this.redis =
      ports.redis === null
        ? null
        : { url: redisUrl(ports.redis, this.redisPassword), prefix: redisPrefix, queue: 'jobs' };
    this.postgresql =
      ports.postgresql === null
        ? null
        : { url: postgresqlUrl(ports.postgresql, this.made.postgresqlPassword) };
    const file = join(this.dataFolder('sqlite'), 'database.sqlite');
    this.sqlite =
      this.postgresql === null ? { file, reader: workspace.user.as([tools.sqliteNode]) } : null;
    this.database =
      this.sqlite !== null
        ? sqliteDatabase(this.sqlite.reader, file)
        : postgresqlDatabase(() => this.postgresql?.url ?? '');
  }

  /** Who may log in to the n8n of this database. */
  get owner(): Owner {
    return this.made.owner;
  }

  /** What each process of n8n has to know of the stores. */
  get env(): Record<string, string> {
    return secretEnv(this.options.topology, this.made, this.redisPassword);
  }

  /** A database with these workflows in it: a kept one, or else one that `fill` puts them into. */
  async startDatabase(
    workflows: readonly SeedWorkflow[],
    fill: () => Promise<void>,
    progress: Progress,
  ): Promise<void> {
    const { topology, templates, supervisor, workspace, tools } = this.options;
    const { hash = (password: string) => hashHere(password, tools, workspace.user) } = this.options;
    const kind = databaseOf(topology);
    const { postgresql: server, image } = this.options.versions ?? {};
    const madeBy = [kind === 'postgresql' ? server : undefined, image];
    const key = templateKey(topology, kind, workflows, madeBy);
    const data = this.dataFolder(kind);
    this.makeDiskFolder();
    if (!(await takeTemplate(templates, key, data))) {
      progress(`creating a ${kind} database for n8n ${topology.n8n}, which is kept for later runs`);
      await this.makeDatabase(kind, data);
      await this.startPostgresql();
      await fill();
      await makeOwner(this.owner, this.database, await hash(this.owner.password));
      await supervisor.stop(['postgresql']);
      await workspace.user.end();
      writeSeal(data, this.made);
      await keepTemplate(templates, key, data);
    }
    const kept = takeSeal(data);
    await this.giveData(kind, data);
    this.made = { ...kept, postgresqlPassword: this.made.postgresqlPassword };
    await this.startPostgresql(kept.postgresqlPassword);
  }

  async startRedis(): Promise<void> {
    const { ports, tools, supervisor, workspace } = this.options;
    if (ports.redis === null) return;
    const program = needed(tools.redisServer, 'redis-server');
    const place = workspace.place('redis');
    const own = ports.behind?.redis;
    const port = own?.primary ?? ports.redis;
    const text = redisConfig(port, place.folder, this.redisPassword);
    await supervisor.start(redis(program, workspace.writeConfig('redis.conf', text), place));
    await awaitPort(port, 'Redis', () => supervisor.runs('redis'));
    if (own === undefined) return;
    const password = this.redisPassword;
    const started = { supervisor, workspace, ports: own, password };
    await startRedisStandby(started, program, tools.node, ports.redis);
  }

  /** That of PostgreSQL, which runs; nothing if the ports have none. */
  async startStandby(): Promise<void> {
    const { ports, tools, supervisor, workspace } = this.options;
    const own = ports.behind?.postgresql;
    if (own === undefined) return;
    const programs = needed(tools.postgresqlBin, 'PostgreSQL');
    const data = join(this.folderOfData('standby'), 'data');
    const started = { supervisor, workspace, ports: own, password: this.made.postgresqlPassword };
    await startPostgresqlStandby(
      started,
      programs,
      data,
      this.postgresqlPlace('postgresql-standby'),
    );
  }

  /** Kills the server that is the primary now, of a store with a standby. */
  endPrimary(store: Store): Promise<PrimaryEnded> {
    const { ports, supervisor, workspace } = this.options;
    const own = ports.behind?.[store];
    if (own === undefined) return Promise.reject(new Failure(`${store} has no standby`));
    const started = { supervisor, workspace, ports: own };
    if (store === 'redis') {
      return endRedisPrimary({ ...started, password: this.redisPassword }, ports.redis ?? 0);
    }
    const { relay } = this;
    if (relay === null) throw new Error('a PostgreSQL with a standby has a relay');
    return endPostgresqlPrimary({ ...started, password: this.made.postgresqlPassword }, relay);
  }

  /** Once nothing connects any more. */
  async closeRelay(): Promise<void> {
    await this.relay?.close();
  }

  /** From now on both have new passwords, and refuse those of before. */
  async changePasswords(): Promise<void> {
    const { redis: queue, postgresql: server, options } = this;
    const { redis: redisPort, postgresql: port } = options.ports;
    if (queue === null || server === null || redisPort === null || port === null) {
      throw new Failure('PostgreSQL and Redis are both required');
    }
    const before = { postgresql: server.url, redis: queue.url };
    const password = newPassword();
    await changePassword(before.postgresql, password);
    this.made = { ...this.made, postgresqlPassword: password };
    server.url = postgresqlUrl(port, password);
    this.redisPassword = newPassword();
    await changeRedisPassword(before.redis, this.redisPassword);
    queue.url = redisUrl(redisPort, this.redisPassword);
    const withOld = [() => query(before.postgresql, 'SELECT 1'), () => pingRedis(before.redis)];
    for (const ask of withOld) {
      const isOpen = await ask().then(
        () => true,
        () => false,
      );
      if (isOpen) throw new Failure('a store still accepts its old password');
    }
    await query(server.url, 'SELECT 1');
    await pingRedis(queue.url);
  }

  /** In which the data lies, and nothing of anyone else: what may be a file system of its own. */
  makeDiskFolder(): string {
    return this.folderOfData(diskName(databaseOf(this.options.topology)));
  }

  private folderOfData(name: string): string {
    const { workspace } = this.options;
    const folder = workspace.make(name);
    if (workspace.user.id === null && isRoot()) chmodSync(folder, 0o711); // The workspace has the same.
    return folder;
  }

  private dataFolder(kind: Database['kind']): string {
    const folder = join(this.options.workspace.folder, diskName(kind));
    return join(folder, kind === 'sqlite' ? '.n8n' : 'data');
  }

  private async makeDatabase(kind: Database['kind'], data: string): Promise<void> {
    const { tools, supervisor, workspace } = this.options;
    if (kind === 'sqlite') {
      mkdirSync(data, { mode: 0o700 });
      await workspace.user.give(data);
    } else {
      const programs = needed(tools.postgresqlBin, 'PostgreSQL');
      const { postgresqlPassword } = this.made;
      const task = newCluster(programs, data, postgresqlPassword, this.postgresqlPlace());
      await workspace.user.give(data);
      await supervisor.run(task);
    }
  }

  /** What was copied belongs to the user who runs the command. */
  private async giveData(kind: Database['kind'], data: string): Promise<void> {
    const { user } = this.options.workspace;
    await user.give(data, 'all');
    const other = kind === 'postgresql' && user.id === null ? ownerWithoutUser() : null;
    if (other !== null) await giveAll(data, other.user, other.group);
  }

  /** `password`: what it has until now, and not any more. */
  private async startPostgresql(password = this.made.postgresqlPassword): Promise<void> {
    const { tools, ports, supervisor } = this.options;
    if (ports.postgresql === null || this.postgresql === null) return;
    const programs = needed(tools.postgresqlBin, 'PostgreSQL');
    const data = this.dataFolder('postgresql');
    const own = ports.behind?.postgresql?.primary;
    if (own !== undefined) {
      this.relay ??= await Link.open(ports.postgresql, { host: '127.0.0.1', port: own });
    }
    const port = own ?? ports.postgresql;
    await supervisor.start(postgresql(programs, data, port, this.postgresqlPlace()));
    const before = postgresqlUrl(ports.postgresql, password);
    await awaitPostgresql(before, () => supervisor.runs('postgresql')).catch((error: unknown) => {
      const said = this.options.workspace.lastLogLines('postgresql');
      throw new Failure(`${messageOf(error)}; its log ends with: ${said}`);
    });
    if (before !== this.postgresql.url) {
      await changePassword(before, this.made.postgresqlPassword);
    }
  }

  /** Debian's user may not enter every folder of ours. */
  private postgresqlPlace(name = 'postgresql'): PostgresqlPlace {
    const { workspace } = this.options;
    const place = workspace.place(name);
    const hasUser = workspace.user.id !== null;
    return hasUser ? { ...place, hasUser } : { ...place, folder: '/' };
  }
}

const diskName = (kind: Database['kind']): string => (kind === 'sqlite' ? 'main' : 'database');

const run = promisify(execFile);

/** Hashes $PASSWORD as n8n does: https://github.com/n8n-io/n8n, password.utility.ts. Its argument is the program of n8n. */
export const HASH = `
const bcrypt = require('node:module').createRequire(process.argv[1])('bcryptjs');
process.stdout.write(bcrypt.hashSync(process.env.PASSWORD, 10));
`;

async function hashHere(password: string, tools: Tools, user: RunUser): Promise<string> {
  const [program, ...args] = user.as([tools.node, '-e', HASH, n8nIn(tools)]);
  const { stdout } = await run(program, args, {
    ...PLAIN,
    env: { ...PLAIN.env, PASSWORD: password },
  });
  return stdout;
}

/**
 * Makes the one user of a new database its owner, as n8n's own form does, before any n8n listens: until then the
 * first caller becomes the owner. The columns are the same from 0.221 to 2.41.
 */
async function makeOwner({ email }: Owner, database: Database, hash: string): Promise<void> {
  await database.query(
    `UPDATE "user" SET email = '${email}', "firstName" = 'Owner', "lastName" = 'Example', password = '${hash}'`,
  );
  await database.query(
    `UPDATE settings SET value = 'true' WHERE key = 'userManagement.isInstanceOwnerSetUp'`,
  );
}
