/** A second server of a store, which takes over once the first one is gone, and what leads n8n to whichever is the primary. */
import { lchownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findBundled } from '../../lab/kit';
import { Failure, messageOf } from '../../ui/exit';
import type { PrimaryEnded } from '../target';
import type { StandbyPorts } from './layout';
import type { Link } from './link';
import {
  copiedCluster,
  postgresql,
  postgresqlUrl,
  awaitPostgresql,
  query,
  type PostgresqlPlace,
} from './postgresql';
import { awaitPort, ping, primaryOf, redis, redisConfig, redisUrl, repliesOf } from './redis';
import type { ProcessSpec, Supervisor } from './supervisor';
import type { Workspace } from './workspace';

interface Started {
  supervisor: Supervisor;
  workspace: Workspace;
  ports: StandbyPorts;
  password: string;
}

const LOOK_MS = 100;
/** Time for a standby to follow, and for Sentinels to agree, on a machine that is busy. */
const PATIENCE_MS = 60_000;

async function until(
  isSo: () => Promise<boolean>,
  what: string,
  signal?: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  let why = '';
  while (signal?.aborted !== true) {
    try {
      if (await isSo()) return;
    } catch (error) {
      why = `: ${messageOf(error)}`;
    }
    if (performance.now() > deadline) {
      throw new Failure(`${what} within ${String(PATIENCE_MS / 1000)} s${why}`);
    }
    await sleep(LOOK_MS);
  }
}

const POSTGRESQL_STANDBY = 'postgresql-standby';
/** How a standby that was named nothing else shows itself to its primary. */
const RECEIVER = 'walreceiver';

/** Nothing is committed before the standby has it, so that it lacks nothing when it takes over. */
export async function startPostgresqlStandby(
  { supervisor, workspace, ports, password }: Started,
  programs: string,
  data: string,
  place: PostgresqlPlace,
): Promise<void> {
  const primary = postgresqlUrl(ports.primary, password);
  const copy = copiedCluster(programs, data, { port: ports.primary, password }, place);
  await workspace.user.give(data);
  await supervisor.run(copy).catch((error: unknown) => {
    throw new Failure(
      `the standby could not be made: ${messageOf(error)}; the log ends with: ${workspace.lastLogLines(POSTGRESQL_STANDBY)}`,
    );
  });
  await supervisor.start({
    ...postgresql(programs, data, ports.standby, place),
    instance: POSTGRESQL_STANDBY,
  });
  const url = postgresqlUrl(ports.standby, password);
  await awaitPostgresql(url, () => supervisor.runs(POSTGRESQL_STANDBY));
  await until(async () => {
    const rows = await query(
      primary,
      `SELECT 1 FROM pg_stat_replication WHERE state = 'streaming' AND application_name = '${RECEIVER}'`,
    );
    return rows.length > 0;
  }, 'the standby did not follow its primary');
  await query(primary, `ALTER SYSTEM SET synchronous_standby_names = '${RECEIVER}'`);
  await query(primary, 'SELECT pg_reload_conf()');
}

const STATE = `SELECT pg_is_in_recovery() AS standby,
  CASE WHEN pg_is_in_recovery() THEN (SELECT received_tli FROM pg_stat_wal_receiver)
  ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END AS timeline,
  (SELECT count(*)::int FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()) AS clients`;

async function stateOf(url: string) {
  const [row] = await query(url, STATE);
  const { standby, timeline, clients } = row ?? {};
  return { isStandby: standby === true, timeline: Number(timeline), clients: Number(clients) };
}

/** Kills the primary for good; what is returned makes the standby the primary, and leads new connections there. */
export async function endPostgresqlPrimary(
  { supervisor, ports, password }: Started,
  relay: Link,
): Promise<PrimaryEnded> {
  const primary = 'postgresql';
  const before = await stateOf(postgresqlUrl(ports.primary, password));
  const standby = postgresqlUrl(ports.standby, password);
  if (before.isStandby || !(await stateOf(standby)).isStandby) {
    throw new Failure('PostgreSQL has no standby that could be promoted');
  }
  await supervisor.keepDown(primary, 0);
  return {
    primary,
    ended: before.clients,
    promote: async () => {
      await query(standby, 'SELECT pg_promote(true, 60)');
      const after = await stateOf(standby);
      if (after.isStandby || after.timeline <= before.timeline) {
        throw new Failure('the standby of PostgreSQL was not promoted');
      }
      relay.lead({ host: '127.0.0.1', port: ports.standby });
      return `${POSTGRESQL_STANDBY} is the primary now, on timeline ${String(after.timeline)} after ${String(before.timeline)}`;
    },
  };
}

/** The name under which Sentinels know the two servers. */
const MASTER = 'n8n';
/** Shorter than Sentinel's default of 30 s, and as long as charts of Redis set it. */
const DOWN_AFTER_MS = 5_000;

const sentinelConfig = (port: number, folder: string, { ports, password }: Started): string =>
  [
    ...[`port ${String(port)}`, 'bind 127.0.0.1', `dir ${JSON.stringify(folder)}`],
    `sentinel monitor ${MASTER} 127.0.0.1 ${String(ports.primary)} 2`,
    `sentinel auth-pass ${MASTER} ${password}`,
    `sentinel down-after-milliseconds ${MASTER} ${String(DOWN_AFTER_MS)}`,
    `sentinel failover-timeout ${MASTER} 20000`,
    '',
  ].join('\n');

const REDIS_STANDBY = 'redis-standby';
const nameOf = (index: number): string => `redis-sentinel-${String(index + 1)}`;

/** What the chart runs beside n8n listens on `port`, and leads to the primary. The primary itself runs already. */
export async function startRedisStandby(
  started: Started,
  program: string,
  node: string,
  port: number,
): Promise<void> {
  const { supervisor, workspace, ports, password } = started;
  const start = async (spec: ProcessSpec, at: number): Promise<void> => {
    await supervisor.start(spec);
    await awaitPort(at, spec.instance, () => supervisor.runs(spec.instance));
  };
  const place = workspace.place(REDIS_STANDBY);
  const text = redisConfig(ports.standby, place.folder, password, ports.primary);
  const config = workspace.writeConfig(`${REDIS_STANDBY}.conf`, text);
  await start({ ...redis(program, config, place), instance: REDIS_STANDBY }, ports.standby);
  await until(async () => {
    const [found] = await repliesOf(redisUrl(ports.primary, password), [['INFO', 'replication']]);
    return /slave0:.*state=online/.test(String(found));
  }, 'the replica of Redis did not follow its primary');
  for (const [index, at] of ports.sentinels.entries()) {
    const instance = nameOf(index);
    const own = workspace.place(instance);
    // A Sentinel writes to its own file.
    const file = join(own.folder, 'sentinel.conf');
    writeFileSync(file, sentinelConfig(at, own.folder, started), { mode: 0o600, flag: 'wx' });
    const { id } = workspace.user;
    if (id !== null) lchownSync(file, id, id);
    const spec = redis(program, file, own);
    await start({ ...spec, instance, command: [...spec.command, '--sentinel'] }, at);
  }
  await until(async () => {
    const known = await Promise.all(
      ports.sentinels.map((at) => repliesOf(sentinelUrl(at), [['SENTINEL', 'CKQUORUM', MASTER]])),
    );
    return known.every(([said]) => /^OK 3 /.test(String(said)));
  }, 'the Sentinels did not find each other');
  const script = 'redis-master.cjs';
  const proxy: ProcessSpec = {
    ...workspace.place('redis-proxy'),
    ...{ role: 'redis', instance: 'redis-proxy', limits: {}, stopSignal: 'TERM', kind: 'service' },
    command: [node, join(findBundled(join('charts', 'n8n-tuned', 'files'), script), script)],
    env: {
      ...{ LISTEN_PORT: String(port), MASTER },
      SENTINELS: ports.sentinels.map((at) => `127.0.0.1:${String(at)}`).join(','),
    },
  };
  await start(proxy, port);
}

/** Those of CLIENT LIST that are neither the replica nor a Sentinel, nor the one that asks. */
export const clientsIn = (list: string): number =>
  list
    .split('\n')
    .filter(
      (line) => /\bflags=(?!S)/.test(line) && !/\bname=sentinel-|\bcmd=client\|list\b/.test(line),
    ).length;

const sentinelUrl = (port: number): string => `redis://127.0.0.1:${String(port)}`;

/** Kills the primary; what is returned waits until the Sentinels have agreed on another one, and the proxy leads there. */
export async function endRedisPrimary(
  { supervisor, ports, password }: Started,
  port: number,
): Promise<PrimaryEnded> {
  const primary = 'redis';
  const [clients] = await repliesOf(redisUrl(ports.primary, password), [['CLIENT', 'LIST']]);
  const startAgain = await supervisor.keepDown(primary, 0);
  return {
    primary,
    ended: clientsIn(String(clients)),
    promote: async (signal) => {
      const wanted = `127.0.0.1:${String(ports.standby)}`;
      await until(
        async () => (await primaryOf(sentinelUrl(ports.sentinels[0] ?? 0), MASTER)) === wanted,
        'the Sentinels made no other Redis the primary',
        signal,
      );
      await until(
        () => ping(redisUrl(port, password)).then(() => true),
        'Redis was not reached',
        signal,
      );
      const [role] = await repliesOf(redisUrl(port, password), [['ROLE']]);
      if (!signal.aborted && (role as unknown[])[0] !== 'master') {
        throw new Failure('n8n is led to a Redis that is no primary');
      }
      return `the Sentinels made ${REDIS_STANDBY} the primary`;
    },
    startAgain,
  };
}
