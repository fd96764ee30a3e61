/** What happens to Redis, PostgreSQL and the disk of the database. */
import { whyNoMount } from '../../../linux/small-disk';
import type { PrimaryEnded, StoreLink } from '../../../targets/target';
import { Failure } from '../../../ui/exit';
import { type FaultContext, type InsideFault, SURVIVED, UNNOTICED } from '../fault';
import {
  first,
  lasting,
  linksOf,
  needsNothing,
  needsPostgresql,
  needsQueue,
  needsWorkers,
  restart,
  seconds,
  slow,
} from '../make-fault';
import { counted, formatNumber } from '../../../ui/numbers';

/**
 * Nothing tells the workers, as after a network that flapped or a balancer that forgot its connections (n8n #37581).
 * Main and the webhook processors go on, so that work is accepted.
 */
export const redisHalfOpen: InsideFault = {
  name: 'redis-half-open',
  title: "all workers' connections to Redis stay open, but no longer carry data",
  kind: 'accident',
  defaultSeconds: 0,
  isOnLinks: true,
  promise: SURVIVED,
  lacks: needsWorkers,
  make: async (scene) => {
    const links = linksOf(scene, { role: 'worker', store: 'redis' });
    const lost = await Promise.all(links.map((link) => link.lose()));
    const connections = lost.reduce((sum, each) => sum + each, 0);
    if (connections === 0) throw new Failure('no worker was connected to Redis');
    scene.tell(`${String(connections)} connections of workers to Redis no longer carry data`);
  },
};

/** With its data: as of a Redis with persistence that is upgraded. */
export const restartRedis: InsideFault = {
  name: 'restart-redis',
  title: 'Redis shuts down cleanly, keeps its data and starts again',
  kind: 'planned',
  defaultSeconds: 0,
  promise: UNNOTICED,
  lacks: needsQueue,
  make: (scene) => restart(scene, 'redis'),
};

export const stopRedis: InsideFault = {
  name: 'stop-redis',
  title: 'Redis is down for a while, and keeps its data',
  kind: 'accident',
  defaultSeconds: 30,
  promise: SURVIVED,
  lacks: needsQueue,
  make: (scene) => restart(scene, 'redis'),
};

/** A server that loses its primary answers from a standby first, which refuses to write until it is promoted. */
async function failOver(scene: FaultContext, store: StoreLink['store']): Promise<void> {
  const { access, lastsMs, tell } = scene;
  const instance = first(scene, store);
  const { ended, promote } = await access.failOver(store);
  scene.hit({ name: store, connections: ended, bytes: 0 });
  tell(
    `${counted(ended, 'connection')} to ${instance} ended, and ${instance} refuses writes for ${seconds(lastsMs)}`,
  );
  await lasting(scene);
  await promote();
  tell(`${instance} was promoted, and accepts writes again`);
  if (ended === 0) throw new Failure(`no connection to ${instance} was open`);
}

/** Sentinel or a managed Redis fails over like this; what was replicated is kept. */
export const redisFailover: InsideFault = {
  name: 'redis-failover',
  title: 'connections to Redis end, and Redis is a read-only replica until it is promoted',
  kind: 'accident',
  defaultSeconds: 10,
  promise: SURVIVED,
  lacks: needsQueue,
  make: (scene) => failOver(scene, 'redis'),
};

/** Another server takes over, which follows the primary; a proxy leads n8n to whichever is the primary. */
const withStandby = (store: StoreLink['store']): Pick<InsideFault, 'standbys' | 'notOn'> => ({
  standbys: [store],
  notOn: {
    container: 'it starts a second server beside the store, which works only with --target process',
    kubernetes:
      'it starts a second server beside the store, which works only with --target process',
  },
});

async function endPrimary(scene: FaultContext, store: StoreLink['store']): Promise<PrimaryEnded> {
  const { access, tell } = scene;
  if (access.endPrimary === undefined)
    throw new Failure(`${store} has no standby with this target`);
  const over = await access.endPrimary(store);
  const { primary, ended } = over;
  scene.hit({ name: primary, connections: ended, bytes: 0 });
  tell(`SIGKILL of ${primary}, which had ${counted(ended, 'open connection')}`);
  return over;
}

/** Sentinels agree that the primary is gone, which takes them some seconds; what was not yet replicated is lost. */
export const redisSentinelFailover: InsideFault = {
  name: 'redis-sentinel-failover',
  title: 'SIGKILL of the Redis primary, and three Sentinels make its replica the primary',
  kind: 'accident',
  defaultSeconds: 20,
  ...withStandby('redis'),
  promise: SURVIVED,
  lacks: needsQueue,
  make: async (scene) => {
    const { signal, tell } = scene;
    const endMs = performance.now() + scene.lastsMs;
    const { primary, promote, startAgain } = await endPrimary(scene, 'redis');
    try {
      const shown = await promote(signal);
      if (!signal.aborted) tell(shown);
      await lasting({ signal, lastsMs: Math.max(0, endMs - performance.now()) });
    } finally {
      await startAgain?.();
    }
    tell(`${primary} was started again`);
  },
};

/** The jobs are gone, those at work included; n8n still has their executions. */
export const redisLosesData: InsideFault = {
  name: 'redis-loses-data',
  title: 'SIGKILL of a Redis without persistence, which then starts empty',
  kind: 'accident',
  defaultSeconds: 0,
  promise: SURVIVED,
  isOnForgetfulRedis: true,
  keepsWorkers: true,
  lacks: needsQueue,
  make: async (scene) => {
    const redis = first(scene, 'redis');
    await scene.access.loseStore(redis);
    scene.tell(`${redis} was killed, and its data is lost`);
  },
};

const SLOW_REDIS_MS = 200;

/** A Redis that is busy with something else, or in another region, is as slow. */
export const slowRedis: InsideFault = {
  name: 'slow-redis',
  title: `Redis takes ${String(SLOW_REDIS_MS)} ms longer to respond`,
  kind: 'accident',
  defaultSeconds: 30,
  isOnLinks: true,
  promise: SURVIVED,
  lacks: needsQueue,
  make: (scene) => slow(scene, 'redis', SLOW_REDIS_MS),
};

export const restartPostgres: InsideFault = {
  name: 'restart-postgres',
  title: 'PostgreSQL shuts down cleanly and starts again',
  kind: 'planned',
  defaultSeconds: 0,
  promise: UNNOTICED,
  lacks: needsPostgresql,
  make: (scene) => restart(scene, 'postgresql'),
};

export const stopPostgres: InsideFault = {
  name: 'stop-postgres',
  title: 'PostgreSQL is down for a while',
  kind: 'accident',
  defaultSeconds: 30,
  promise: SURVIVED,
  lacks: needsPostgresql,
  make: (scene) => restart(scene, 'postgresql'),
};

/** Patroni, CloudNativePG or a managed database fails over like this: no row that was committed is lost. */
export const postgresFailover: InsideFault = {
  name: 'postgres-failover',
  title:
    'connections to PostgreSQL end, and PostgreSQL is a read-only standby until it is promoted',
  kind: 'accident',
  defaultSeconds: 20,
  promise: SURVIVED,
  lacks: needsPostgresql,
  make: (scene) => failOver(scene, 'postgresql'),
};

/** Its standby has each row that was committed, as with synchronous replication. */
export const postgresNewPrimary: InsideFault = {
  name: 'postgres-new-primary',
  title: 'SIGKILL of the PostgreSQL primary, whose streaming standby is then promoted',
  kind: 'accident',
  defaultSeconds: 20,
  ...withStandby('postgresql'),
  promise: SURVIVED,
  lacks: needsPostgresql,
  make: async (scene) => {
    const { promote } = await endPrimary(scene, 'postgresql');
    await lasting(scene);
    scene.tell(await promote(scene.signal));
  },
};

/** An execution asks PostgreSQL some dozens of times, one after the other. */
const SLOW_POSTGRES_MS = 50;

/** A PostgreSQL with a slow disk, or in another region, is as slow. */
export const slowPostgres: InsideFault = {
  name: 'slow-postgres',
  title: `PostgreSQL takes ${String(SLOW_POSTGRES_MS)} ms longer to respond`,
  kind: 'accident',
  defaultSeconds: 30,
  isOnLinks: true,
  promise: SURVIVED,
  lacks: needsPostgresql,
  make: (scene) => slow(scene, 'postgresql', SLOW_POSTGRES_MS),
};

/** Another program on the same server may take all connections while n8n has to connect again. */
export const postgresConnectionsUsedUp: InsideFault = {
  name: 'postgres-connections-used-up',
  title: "n8n's connections to PostgreSQL end, and other clients take all connections",
  kind: 'accident',
  defaultSeconds: 30,
  promise: SURVIVED,
  lacks: needsPostgresql,
  make: async (scene) => {
    const { taken, giveBack } = await scene.access.useUpConnections();
    scene.tell(
      `${String(taken)} connections to PostgreSQL are taken for ${seconds(scene.lastsMs)}`,
    );
    await lasting(scene);
    await giveBack();
    scene.tell('the connections to PostgreSQL are free again');
  },
};

const LOOK_EVERY_MS = 500;

/**
 * Slow statements, or a migration that holds a lock, use up the pool of each process. Its ping of the database then gets no
 * connection either, so that n8n answers 503 to everything, although PostgreSQL is well.
 */
export const poolsUsedUp: InsideFault = {
  name: 'pools-used-up',
  title:
    "a lock on executions in PostgreSQL holds every connection of n8n's pools, until n8n answers 503",
  kind: 'accident',
  defaultSeconds: 30,
  promise: SURVIVED,
  notOn: {
    kubernetes: 'it holds a lock in the database, which works only with a database on this machine',
  },
  lacks: needsPostgresql,
  make: async (scene) => {
    const { access, tell, lastsMs, signal } = scene;
    if (access.lockExecutions === undefined)
      throw new Failure('the executions cannot be locked with this target');
    const { look, unlock } = await access.lockExecutions();
    const endMs = performance.now() + lastsMs;
    const unready = new Set<string>();
    let highest = 0;
    try {
      tell(`a lock on the executions in PostgreSQL for ${seconds(lastsMs)}`);
      for (let left = lastsMs; left > 0 && !signal.aborted; left = endMs - performance.now()) {
        await lasting({ signal, lastsMs: Math.min(left, LOOK_EVERY_MS) });
        const now = await look();
        highest = Math.max(highest, now.waiting);
        for (const instance of now.unready) unready.add(instance);
      }
    } finally {
      await unlock();
    }
    scene.hit({ name: 'postgresql', connections: highest, bytes: 0 });
    const shown = unready.size === 0 ? 'no process' : [...unready].sort().join(', ');
    tell(
      `the executions are unlocked, for which up to ${counted(highest, 'connection')} waited; ${shown} answered 503 at /healthz/readiness`,
    );
    if (unready.size === 0 && !signal.aborted) {
      throw new Failure(
        'every process of n8n still had a connection for its ping: use a higher --rate or a longer --for',
      );
    }
  },
};

/**
 * The disk of the database; on the target process in regular mode also that of n8n's user folder, with its binary data.
 */
export const fullDisk: InsideFault = {
  name: 'full-disk',
  title: 'the disk of the database is full',
  kind: 'accident',
  defaultSeconds: 20,
  isOnSmallDisk: true,
  promise: SURVIVED,
  notHere: whyNoMount,
  lacks: needsNothing,
  make: async (scene) => {
    const { access, tell, lastsMs } = scene;
    if (access.fillDisk === undefined)
      throw new Failure('the command does not manage the disk of this database');
    const { what, usedMiB, freeUp } = await access.fillDisk();
    tell(
      `the disk of ${what}, with ${formatNumber(usedMiB)} MiB on it, is full for ${seconds(lastsMs)}`,
    );
    await lasting(scene);
    await freeUp();
    tell(`the disk of ${what} has space again`);
  },
};

/**
 * The backup is from before the load. Redis keeps the jobs of today, whose executions the backup does not have; and
 * PostgreSQL gives out their ids again.
 */
export const restoreBackup: InsideFault = {
  name: 'restore-backup',
  title: 'PostgreSQL is unavailable, and is then restored from a backup made before the load',
  kind: 'accident',
  defaultSeconds: 10,
  isNoSoak: true,
  promise: SURVIVED,
  notOn: {
    kubernetes: 'it replaces the database, which works only with a database on this machine',
  },
  lacks: (topology) => needsQueue(topology) ?? needsPostgresql(topology),
  prepare: async ({ backUp }) => {
    if (backUp === undefined) throw new Failure('the database cannot be backed up');
    await backUp();
  },
  make: async (scene) => {
    const { access, tell, lastsMs } = scene;
    if (access.restore === undefined) throw new Failure('the database cannot be restored');
    const open = await access.restore();
    tell(`PostgreSQL accepts no connections for ${seconds(lastsMs)}`);
    await lasting(scene);
    const { without } = await open();
    tell(
      `PostgreSQL is in the same state as before the load, without ${formatNumber(without)} newer executions`,
    );
    if (without === 0) throw new Failure('the backup already contained every execution');
  },
};
