/** An upgrade of n8n, rehearsed: the old schema with executions in it, migrated by the new version, and the way back. */
import { readPlainFile } from '../../linux/plain-file';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ChosenWorkload } from '../../plan/chosen-workload';
import { topologySchema, type Topology } from '../../plan/topology';
import { runId } from '../../record/folder';
import { thisMachine } from '../../targets/machine';
import {
  backUp,
  patientQuery,
  restore,
  restoreDump,
  type Dump,
} from '../../targets/process/postgresql';
import { startProcesses } from '../../targets/process/process-target';
import type { ProcessRunning } from '../../targets/process/process-running';
import { findTools, irreversibleIn } from '../../targets/process/tools';
import { Failure, messageOf } from '../../ui/exit';
import { counted } from '../../ui/numbers';
import type { Progress } from '../../ui/progress';
import {
  locksIn,
  migrationsIn,
  predictedAt,
  sizesOf,
  verdictOf,
  withWalAndLocks,
  type MigrationLook,
} from './analysis/migrations';
import type { MigrateRecord, MigrateRound } from './record';

export interface MigrateOrder {
  from: string;
  to: string;
  /** The dump's own number, if there is a dump. */
  executions: number;
  dump: Dump | null;
  workload: ChosenWorkload;
  readyTimeoutMs: number;
  command: string[];
}

const ROUNDS = 2;
/** Migrations that are taken back, each by a call of its own. */
const REVERTS = 3;
const TENFOLD = 10;
const MIGRATED_WITHIN_MS = 3_600_000;
const LOOK_MS = 25;
/** Summing up the files of a database is dear. */
const SIZE_EVERY = 20;

const topologyOf = (n8n: string): Topology =>
  topologySchema.parse({
    ...{ n8n, mode: 'regular', database: 'postgresql', tuning: 'none' },
    // Each line with its time; executions that are old are not pruned meanwhile.
    env: { N8N_LOG_FORMAT: 'json', N8N_LOG_LEVEL: 'info', EXECUTIONS_DATA_PRUNE: 'false' },
  });

export async function migrate(
  order: MigrateOrder,
  progress: Progress,
  signal: AbortSignal,
): Promise<MigrateRecord> {
  const started = new Date();
  const { from, to, workload } = order;
  const newTools = findTools(topologyOf(to));
  const running = await startProcesses(
    {
      topology: topologyOf(from),
      workflows: workload.workflows,
      readyTimeoutMs: order.readyTimeoutMs,
    },
    progress,
    signal,
  );
  const rehearsal = new Rehearsal(running, order, progress, signal);
  try {
    const executionKiB = await rehearsal.firstExecution();
    if (order.dump !== null) await rehearsal.load(order.dump);
    const { executions } = rehearsal;
    const rounds: MigrateRound[] = [];
    for (const size of order.dump === null ? sizesOf(executions) : [executions]) {
      for (let round = 1; round <= ROUNDS; round += 1) {
        const isLast = size === executions && round === ROUNDS;
        rounds.push(await rehearsal.round(size, isLast));
      }
    }
    const restored = await rehearsal.back();
    const of = (y: (round: MigrateRound) => number): { x: number; y: number }[] =>
      rounds.map((round) => ({ x: round.executions, y: y(round) }));
    const tenfold = TENFOLD * executions;
    const done = {
      ...{ schemaVersion: 1 as const, kind: 'migrate' as const },
      id: runId(started, `n8n-${from}-to-${to}`, 'migrate'),
      ...{ startedAt: started.toISOString(), endedAt: new Date().toISOString() },
      ...{ command: order.command, from, to, executions, executionKiB },
      ...(order.dump === null ? {} : { database: order.dump.file }),
      versions: { ...running.versions, n8n: `${from}, then ${to}` },
      ...{ machine: thisMachine(), rounds, restored },
      plainStartMs: rehearsal.plainStartMs,
      revert: {
        reverted: rehearsal.reverted,
        irreversible: await irreversibleIn(newTools, rehearsal.migrated).catch(() => null),
        failure: rehearsal.revertFailure,
      },
      extrapolated: {
        executions: tenfold,
        migrationMs: predictedAt(
          of(({ migrationMs }) => migrationMs),
          tenfold,
        ),
        walMiB: predictedAt(
          of(({ walMiB }) => walMiB),
          tenfold,
        ),
        peakMiB: predictedAt(
          of(({ peakMiB }) => peakMiB),
          tenfold,
        ),
      },
    };
    return { ...done, ...verdictOf(done) };
  } finally {
    await running.down(progress);
  }
}

class Rehearsal {
  plainStartMs = 0;
  /** At the largest size. */
  executions: number;
  /** Names of the migrations of the last round. */
  migrated: string[] = [];
  readonly reverted: { name: string; ms: number }[] = [];
  revertFailure: string | null = null;
  private readonly url: string;

  constructor(
    private readonly running: ProcessRunning,
    private readonly order: MigrateOrder,
    private readonly progress: Progress,
    private readonly signal: AbortSignal,
  ) {
    const { postgresql } = running;
    if (postgresql === null) throw new Error('the topology has PostgreSQL');
    this.url = postgresql.url;
    this.executions = order.executions;
  }

  /** One that n8n itself has stored: KiB of its data. */
  async firstExecution(): Promise<number> {
    await this.answered();
    for (let tries = 0; ; tries += 1) {
      const [row] = await patientQuery(
        this.url,
        `SELECT octet_length(d.data) / 1024.0 AS kib FROM execution_data d
         JOIN execution_entity e ON e.id = d."executionId" WHERE e.status = 'success' LIMIT 1`,
      );
      if (row !== undefined) {
        await this.running.stopN8n();
        return Number(row['kib']);
      }
      if (tries === 100) throw new Failure(`n8n ${this.order.from} stored no execution`);
      await sleep(100);
    }
  }

  /**
   * The user's database in place of n8n's own. Nothing of it is to run here: its workflows and agents are turned off,
   * its executions that have not ended are cancelled, and its license is removed.
   */
  async load(dump: Dump): Promise<void> {
    const { url, running, order, progress } = this;
    const own = (await patientQuery(url, 'SELECT id FROM workflow_entity')).map(({ id }) => id);
    progress(`restoring ${dump.file}`);
    await restoreDump(url, dump);
    const refuse = (why: string): never => {
      throw new Failure(`${dump.file} is not a dump of an n8n ${order.from} database: ${why}`);
    };
    const [table] = await patientQuery(
      url,
      `SELECT to_regclass('public.migrations') IS NOT NULL AND
         to_regclass('public.execution_entity') IS NOT NULL AS found`,
    );
    if (table?.['found'] !== true) {
      refuse('the tables migrations and execution_entity are missing from the schema public.');
    }
    const ask: Ask = (sql) => patientQuery(url, sql);
    await turnOff(ask, []);
    await running.importAgain(order.workload.workflows).catch((error: unknown) => {
      refuse(messageOf(error));
    });
    await turnOff(ask, own.map(String));
    progress(`starting n8n ${order.from} on the dump`);
    await this.start(order.from);
    await running.stopN8n();
    const [row] = await patientQuery(url, 'SELECT count(*)::float8 AS count FROM execution_entity');
    this.executions = Number(row?.['count']);
  }

  async round(executions: number, isLast: boolean): Promise<MigrateRound> {
    const { url, progress, order, running, signal } = this;
    signal.throwIfAborted();
    if (order.dump === null) {
      progress(`filling the database with ${counted(executions, 'execution')}`);
      await fill(url, executions);
    }
    const backupMs = await timed(() => backUp(url));
    const beforeMiB = await sizeMiB(url);
    const before = await migrationNames(url);
    progress(`migrating ${counted(executions, 'execution')} to n8n ${order.to}`);
    const watch = new Watch(url, beforeMiB);
    const logFrom = readPlainFile(running.logOfMain).length;
    let blockedMs: number;
    try {
      blockedMs = await timed(() => this.start(order.to));
    } finally {
      await watch.end();
    }
    const spans = migrationsIn(readPlainFile(running.logOfMain).slice(logFrom));
    this.migrated = (await migrationNames(url)).filter((name) => !before.includes(name));
    if (this.migrated.length === 0) {
      throw new Failure(
        `the upgrade from n8n ${order.from} to n8n ${order.to} runs no migrations, so there is nothing to rehearse.`,
      );
    }
    const migrationMs = (spans.at(-1)?.toMs ?? 0) - (spans[0]?.fromMs ?? 0);
    const afterMiB = await sizeMiB(url);
    if (isLast) await this.lookAtTheWayBack();
    await running.stopN8n();
    const restoreMs = await timed(async () => (await restore(url))());
    await patientQuery(url, 'DROP DATABASE n8n_before');
    return {
      ...{ executions, blockedMs, migrationMs, backupMs, restoreMs, beforeMiB, afterMiB },
      walMiB: watch.walMiB,
      peakMiB: Math.max(watch.peakMiB, beforeMiB, afterMiB),
      migrations: withWalAndLocks(spans, watch.looks),
      locks: locksIn(watch.looks),
    };
  }

  /** The old version on the last backup. */
  async back(): Promise<MigrateRecord['restored']> {
    this.progress(`starting n8n ${this.order.from} on the backup`);
    const [row] = await patientQuery(
      this.url,
      'SELECT count(*)::float8 AS count FROM execution_entity',
    );
    const answers = await this.start(this.order.from).then(
      () => true,
      () => false,
    );
    return { answers, executions: Number(row?.['count']) };
  }

  private async lookAtTheWayBack(): Promise<void> {
    const { running, order, progress } = this;
    progress(`starting n8n ${order.to} once more`);
    await running.stopN8n();
    this.plainStartMs = await timed(() => this.start(order.to));
    await running.stopN8n();
    for (let turn = 1; turn <= Math.min(REVERTS, this.migrated.length); turn += 1) {
      progress(`reverting migration ${String(turn)} with n8n db:revert`);
      const before = await migrationNames(this.url);
      try {
        const ms = await timed(() => running.runN8n('db:revert'));
        const after = await migrationNames(this.url);
        const gone = before.filter((name) => !after.includes(name));
        if (gone.length === 0) {
          this.revertFailure = 'n8n db:revert ended, but reverted nothing.';
          return;
        }
        this.reverted.push(...gone.map((name) => ({ name, ms })));
      } catch (error) {
        this.revertFailure = `${messageOf(error)}.`;
        return;
      }
    }
  }

  private async start(version: string): Promise<void> {
    const { running, progress, signal } = this;
    const topology = topologyOf(version);
    await running.startN8nAs(topology, findTools(topology), progress, signal, MIGRATED_WITHIN_MS);
    await this.answered();
  }

  private answered(): Promise<void> {
    return this.running.ready(this.order.workload.requests, this.progress, this.signal);
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const fromMs = performance.now();
  await work();
  return Math.round(performance.now() - fromMs);
}

const migrationNames = async (url: string): Promise<string[]> =>
  (await patientQuery(url, 'SELECT name FROM migrations ORDER BY id')).map(({ name }) =>
    String(name),
  );

async function sizeMiB(url: string): Promise<number> {
  const [row] = await patientQuery(url, `SELECT pg_database_size('n8n') / 1048576.0 AS mib`);
  return Number(row?.['mib']);
}

type Ask = (sql: string) => Promise<Record<string, unknown>[]>;

/**
 * Ends all in a dump that n8n would go on with, but these workflows. Without the license, n8n does not contact the
 * license server as the instance of the user, and loads no module that needs one, such as log streaming or LDAP.
 */
export async function turnOff(ask: Ask, but: readonly string[]): Promise<void> {
  const columns = await ask(
    `SELECT table_name AS table, column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name IN ('workflow_entity', 'agents', 'settings')`,
  );
  const has = (table: string, column: string): boolean =>
    columns.some((one) => one['table'] === table && one['name'] === column);
  if (has('settings', 'key')) await ask("DELETE FROM settings WHERE key = 'license.cert'");
  if (has('agents', 'activeVersionId')) await ask('UPDATE agents SET "activeVersionId" = NULL');
  const published = has('workflow_entity', 'activeVersionId') ? ', "activeVersionId" = NULL' : '';
  const kept = ['', ...but].map((id) => `'${id.replaceAll("'", "''")}'`).join();
  await ask(
    `UPDATE workflow_entity SET active = FALSE${published} WHERE id::text NOT IN (${kept})`,
  );
  await ask(
    `UPDATE execution_entity SET status = 'canceled', "waitTill" = NULL, "stoppedAt" = now()
     WHERE status IN ('new', 'running', 'waiting', 'unknown') OR "waitTill" IS NOT NULL`,
  );
}

/** The days over which they are spread, as if n8n pruned them then. */
const DAYS = 14;
/** One in this many has failed. */
const FAILED_OF = 30;
const AT_ONCE = 20_000;

/**
 * Copies of an execution that n8n has stored, whatever columns its schema has, until there are `executions`. Only what tells
 * them apart is new: ids, times and some outcomes.
 */
async function fill(url: string, executions: number): Promise<void> {
  const [row] = await patientQuery(
    url,
    `SELECT count(*)::int AS count, max(id)::int AS newest,
       min(id) FILTER (WHERE status = 'success')::int AS model FROM execution_entity`,
  );
  const [count, newest, model] = ['count', 'newest', 'model'].map((name) => Number(row?.[name]));
  if (count === undefined || newest === undefined || model === undefined) return;
  const columns = async (table: string): Promise<string[]> =>
    (
      await patientQuery(
        url,
        `SELECT column_name AS name FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name = '${table}' AND is_generated = 'NEVER'`,
      )
    ).map(({ name }) => String(name));
  const copied = (table: string, names: string[], changed: Record<string, string>): string => {
    const values = names.map((name) => changed[name] ?? `m."${name}"`);
    return `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join()})
      SELECT ${values.join()} FROM ${table} m, generate_series($from, $to) AS g`;
  };
  const ago = `now() - (g % ${String(DAYS * 86_400)}) * interval '1 second'`;
  const entity = copied('execution_entity', await columns('execution_entity'), {
    id: `g`,
    status: `CASE WHEN g % ${String(FAILED_OF)} = 0 THEN 'error' ELSE m.status END`,
    ...Object.fromEntries(['createdAt', 'startedAt', 'stoppedAt'].map((name) => [name, ago])),
  });
  const data = copied('execution_data', await columns('execution_data'), { executionId: 'g' });
  const last = newest + Math.max(0, executions - count);
  for (let from = newest + 1; from <= last; from += AT_ONCE) {
    const to = Math.min(last, from + AT_ONCE - 1);
    const within = (sql: string): string =>
      sql.replace('$from', String(from)).replace('$to', String(to));
    await patientQuery(url, `${within(entity)} WHERE m.id = ${String(model)}`);
    await patientQuery(url, `${within(data)} WHERE m."executionId" = ${String(model)}`);
  }
  await patientQuery(
    url,
    `SELECT setval(pg_get_serial_sequence('execution_entity', 'id'), ${String(last)})`,
  );
  await patientQuery(url, 'VACUUM ANALYZE');
  await patientQuery(url, 'CHECKPOINT');
}

const LOOK = `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at,
    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 / 1048576 AS wal,
    ARRAY(SELECT DISTINCT c.relname::text FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
      WHERE l.granted AND l.mode = 'AccessExclusiveLock' AND c.relkind = 'r'
        AND c.relnamespace = 'public'::regnamespace) AS locked`;

/** Looks at PostgreSQL again and again, until its end. */
class Watch {
  readonly looks: MigrationLook[] = [];
  peakMiB: number;
  private isOver = false;
  private readonly looking: Promise<void>;

  constructor(
    private readonly url: string,
    beforeMiB: number,
  ) {
    this.peakMiB = beforeMiB;
    this.looking = this.look();
    this.looking.catch(() => undefined); // end() tells it.
  }

  get walMiB(): number {
    return (this.looks.at(-1)?.walMiB ?? 0) - (this.looks[0]?.walMiB ?? 0);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.looking;
  }

  private async look(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined); // The query tells it.
    await client.connect();
    try {
      for (let turn = 0; !this.isOver; turn += 1) {
        const { rows } = await client.query<{ at: number; wal: number; locked: string[] }>(LOOK);
        for (const { at, wal, locked } of rows) {
          this.looks.push({ atMs: at, walMiB: wal, locked });
        }
        if (turn % SIZE_EVERY === 0) {
          const sized = await client.query<{ mib: string }>(
            'SELECT pg_database_size(current_database()) / 1048576.0 AS mib',
          );
          this.peakMiB = Math.max(this.peakMiB, Number(sized.rows[0]?.mib));
        }
        await sleep(LOOK_MS);
      }
    } finally {
      await client.end();
    }
  }
}
