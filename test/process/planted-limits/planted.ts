import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createGroup, findControl, readGroup } from '../../../cli/src/linux/cgroup';
import { openFiles, openFilesMax } from '../../../cli/src/linux/proc';
import type { Limit } from '../../../cli/src/record/run-record';
import type { Running } from '../../../cli/src/targets/target';
import { pause } from '../../support/wait';

/** Real systems, each with one limit planted, and the row of the table that has to name it. */
export interface Planted {
  /** What was done to it. */
  what: string;
  /** The row that has to come first. */
  limit: Limit;
  workload: string;
  variant?: 'load-target';
  parameters?: Record<string, number>;
  /** Each waits for its reply. */
  clients: number;
  /** CPU limit of k6, in cores. */
  generatorCores?: number;
  /** Done once n8n serves; what it returns undoes it. */
  plant?: (running: Running) => Promise<() => Promise<void> | void>;
}

/** Cases that share a topology, brought up once. */
export interface Stage {
  name: string;
  topology: Record<string, unknown>;
  cases: Planted[];
}

const LOOP_OF_50_MS = { n: 50_000_000 };

export const STAGES: Stage[] = [
  {
    name: 'regular',
    topology: { mode: 'regular', tuning: 'throughput' },
    cases: [
      {
        what: 'each execution counts for about 50 ms in the process of n8n',
        limit: { role: 'main', resource: 'event loop' },
        workload: 'cpu',
        variant: 'load-target',
        parameters: LOOP_OF_50_MS,
        clients: 8,
      },
      {
        what: 'each execution counts for about 50 ms in a Code node',
        limit: { role: 'runner', resource: 'event loop' },
        workload: 'cpu',
        parameters: LOOP_OF_50_MS,
        clients: 8,
      },
      {
        what: 'a CPU limit of 20m on k6',
        limit: { role: 'generator', resource: 'CPU' },
        workload: 'last-node',
        clients: 8,
        generatorCores: 0.02,
      },
      {
        what: 'four processes per core that only count, beside n8n',
        limit: { role: 'host', resource: 'CPU' },
        workload: 'last-node',
        clients: 4,
        plant: () => Promise.resolve(burn(4 * availableParallelism())),
      },
      {
        what: 'as many open files for main as it has, and two more',
        limit: { role: 'main', resource: 'open files' },
        workload: 'last-node',
        clients: 16,
        plant: (running) => Promise.resolve(fewFiles(running)),
      },
    ],
  },
  {
    name: 'main with half a core',
    topology: { mode: 'regular', tuning: 'throughput', main: { cpuMillicores: 500 } },
    cases: [
      {
        what: 'a CPU limit of 500m',
        limit: { role: 'main', resource: 'CPU limit' },
        workload: 'last-node',
        clients: 8,
      },
    ],
  },
  {
    name: 'one runner slot',
    topology: { mode: 'regular', env: { N8N_RUNNERS_MAX_CONCURRENCY: '1' } },
    cases: [
      {
        what: 'N8N_RUNNERS_MAX_CONCURRENCY=1, and a Code node that waits for 5 s',
        limit: { role: 'runner', resource: 'slots' },
        workload: 'wait-5s',
        clients: 3,
      },
    ],
  },
  {
    name: 'one execution at once',
    topology: { mode: 'regular', env: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' } },
    cases: [
      {
        what: 'N8N_CONCURRENCY_PRODUCTION_LIMIT=1, and a node that waits for 5 s',
        limit: { role: 'main', resource: 'slots' },
        workload: 'wait-5s',
        variant: 'load-target',
        clients: 3,
      },
    ],
  },
  {
    name: 'queue',
    topology: { mode: 'queue', tuning: 'throughput', workers: { count: 1, concurrency: 5 } },
    cases: [
      {
        what: 'a worker with concurrency 5, and a node that waits for 5 s',
        limit: { role: 'worker', resource: 'slots' },
        workload: 'wait-5s',
        variant: 'load-target',
        clients: 15,
      },
      {
        what: 'each execution counts for about 50 ms in the worker',
        limit: { role: 'worker', resource: 'event loop' },
        workload: 'cpu',
        variant: 'load-target',
        parameters: LOOP_OF_50_MS,
        clients: 8,
      },
      {
        what: 'a CPU limit of 20m on PostgreSQL',
        limit: { role: 'postgresql', resource: 'CPU limit' },
        workload: 'last-node',
        clients: 8,
        plant: (running) => Promise.resolve(limitCpu(running, 'postgresql', 20)),
      },
      {
        what: 'a CPU limit of 10m on Redis',
        limit: { role: 'redis', resource: 'CPU limit' },
        workload: 'last-node',
        clients: 8,
        plant: (running) => Promise.resolve(limitCpu(running, 'redis', 10)),
      },
      {
        what: 'a client that keeps Redis busy with a script of 50 ms, again and again',
        limit: { role: 'redis', resource: 'thread' },
        workload: 'last-node',
        clients: 8,
        plant: busyRedis,
      },
    ],
  },
  {
    name: 'a full Redis',
    topology: { mode: 'queue', tuning: 'throughput', workers: { count: 1, concurrency: 5 } },
    cases: [
      {
        what: 'a maxmemory of Redis that is full, so that it refuses to write',
        limit: { role: 'redis', resource: 'maxmemory' },
        workload: 'last-node',
        clients: 8,
        plant: fullRedis,
      },
    ],
  },
  {
    name: 'a webhook processor with a fifth of a core',
    topology: {
      mode: 'queue',
      tuning: 'throughput',
      webhooks: { count: 1, cpuMillicores: 200 },
    },
    cases: [
      {
        what: 'a CPU limit of 200m on the webhook processor',
        limit: { role: 'webhook', resource: 'CPU limit' },
        workload: 'last-node',
        clients: 8,
      },
    ],
  },
  {
    name: 'a pool of one connection',
    topology: {
      mode: 'regular',
      database: 'postgresql',
      tuning: 'throughput',
      env: { DB_POSTGRESDB_POOL_SIZE: '1', EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all' },
    },
    cases: [
      {
        what: 'DB_POSTGRESDB_POOL_SIZE=1, and every execution takes 100 ms to be written',
        limit: { role: 'main', resource: 'connection pool' },
        workload: 'last-node',
        clients: 8,
        plant: (running) => onWrite(running, 'PERFORM pg_sleep(0.1);'),
      },
    ],
  },
  {
    name: 'a lock for every write',
    topology: {
      mode: 'regular',
      database: 'postgresql',
      tuning: 'throughput',
      env: { DB_POSTGRESDB_POOL_SIZE: '6', EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all' },
    },
    cases: [
      {
        what: 'executions are written one after the other: one lock, held for 100 ms',
        limit: { role: 'postgresql', resource: 'locks' },
        workload: 'last-node',
        clients: 8,
        plant: (running) =>
          onWrite(running, 'PERFORM pg_advisory_xact_lock(1); PERFORM pg_sleep(0.1);'),
      },
    ],
  },
  {
    name: 'PostgreSQL beside others',
    topology: {
      mode: 'regular',
      database: 'postgresql',
      tuning: 'throughput',
      env: { EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'all' },
    },
    cases: [
      {
        what: 'four processes that write to the disk of PostgreSQL and wait until it has each block',
        limit: { role: 'host', resource: 'disk' },
        workload: 'last-node',
        clients: 2,
        plant: () => Promise.resolve(writers(4)),
      },
      {
        what: 'others have taken all connections of PostgreSQL that n8n did not have yet',
        limit: { role: 'postgresql', resource: 'connections' },
        workload: 'last-node',
        clients: 16,
        plant: takeConnections,
      },
    ],
  },
  {
    name: 'main with too little memory',
    topology: { mode: 'regular', tuning: 'throughput', main: { memoryMiB: 2048, heapMiB: 1024 } },
    cases: [
      {
        what: 'a memory limit only 5% above what main takes before the load',
        limit: { role: 'main', resource: 'memory' },
        workload: 'items',
        clients: 16,
        plant: (running) => Promise.resolve(limitMemory(running, 'main')),
      },
    ],
  },
  {
    name: 'main with a heap of 300 MiB',
    topology: { mode: 'regular', tuning: 'throughput', main: { heapMiB: 300 } },
    cases: [
      {
        what: 'a heap of 300 MiB, and executions that hold 100 MiB each',
        limit: { role: 'main', resource: 'heap' },
        workload: 'memory',
        variant: 'load-target',
        parameters: { mb: 100 },
        clients: 4,
      },
    ],
  },
];

/** Processes that only count, at the same priority as n8n. */
const burn = (processes: number): (() => void) => beside(processes, 'while (Date.now() < end);');

/** Each writes its own 64 MiB again and again, in blocks of 1 MiB. */
function writers(processes: number): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-planted-disk-'));
  const end = beside(
    processes,
    `const fs = require('node:fs');
     const file = fs.openSync(${JSON.stringify(folder)} + '/' + process.pid, 'w');
     const block = Buffer.alloc(2 ** 20, 1);
     for (let at = 0; Date.now() < end; at = (at + 1) % 64) {
       fs.writeSync(file, block, 0, block.length, at * block.length);
       fs.fsyncSync(file);
     }`,
  );
  return () => {
    end();
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Node.js processes that run `script` beside n8n until its `end`, should nobody end them before. */
function beside(processes: number, script: string): () => void {
  const bounded = `const end = Date.now() + 120_000; ${script}`;
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, ['-e', bounded], { stdio: 'ignore' }),
  );
  return () => {
    for (const child of children) child.kill('SIGKILL');
  };
}

function groupOf(running: Running, role: string): string {
  const group = running.processes().find((process) => process.role === role)?.cgroup;
  if (group === undefined) throw new Error(`${role} has no control group of its own`);
  return group;
}

/** For as long as the case lasts: main opens a file for each request, for its database and for its logs. */
function fewFiles(running: Running): () => void {
  const pid = running.processes().find(({ role }) => role === 'main')?.pid ?? 0;
  const before = openFilesMax(pid) ?? 0;
  const set = (max: number): void => {
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${String(max)}:`]);
  };
  set((openFiles(pid) ?? 0) + 2);
  return () => {
    set(before);
  };
}

function limitCpu(running: Running, role: string, cpuMillicores: number): () => void {
  const group = groupOf(running, role);
  const control = findControl();
  createGroup(control, group, { cpuMillicores });
  return () => {
    createGroup(control, group, { cpuMillicores: 1000 * availableParallelism() });
  };
}

/** It stays: the group ends with its stage. */
function limitMemory(running: Running, role: string): () => void {
  const group = groupOf(running, role);
  const control = findControl();
  const used = readGroup(control, group)?.workingSetMiB;
  if (used === undefined) throw new Error(`the memory of ${role} cannot be read`);
  createGroup(control, group, { memoryMiB: Math.ceil(1.05 * used) });
  return () => undefined;
}

async function busyRedis(running: Running): Promise<() => Promise<void>> {
  const redis = new Redis(running.redis?.url ?? '', { maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  const script =
    "local t = redis.call('TIME'); local function now() local n = redis.call('TIME'); return (n[1] - t[1]) * 1000 + (n[2] - t[2]) / 1000 end; while now() < 50 do end; return 1";
  await redis.ping();
  let isOn = true;
  const busy = (async () => {
    while (isOn) await redis.eval(script, 0).catch(() => undefined);
  })();
  return async () => {
    isOn = false;
    await busy;
    redis.disconnect();
  };
}

/** It may hold less than it does: from then on it refuses to write. */
async function fullRedis(running: Running): Promise<() => Promise<void>> {
  const redis = new Redis(running.redis?.url ?? '', { maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  const used = Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  await redis.config('SET', 'maxmemory', String(Math.floor(0.98 * used)));
  return async () => {
    await redis.config('SET', 'maxmemory', '0');
    redis.disconnect();
  };
}

/** Once the samplers have theirs: a deployment that is watched was watched before. */
async function takeConnections(running: Running): Promise<() => Promise<void>> {
  const taken: pg.Client[] = [];
  let isOn = true;
  const taking = (async () => {
    await pause(2_000, 'n8n has its own connections by then');
    while (isOn) {
      const client = new pg.Client({ connectionString: running.postgresql?.url ?? '' });
      client.on('error', () => undefined);
      await client.connect().then(
        () => taken.push(client),
        () => pause(200, 'no connection is free'),
      );
    }
  })();
  return async () => {
    isOn = false;
    await taking;
    await Promise.all(taken.map((client) => client.end()));
  };
}

/** A trigger beneath n8n: slow in the database, and without any CPU. */
async function onWrite(running: Running, body: string): Promise<() => Promise<void>> {
  const run = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: running.postgresql?.url ?? '' });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await run(`
    CREATE OR REPLACE FUNCTION planted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN ${body} RETURN NEW; END $$;
    CREATE TRIGGER planted BEFORE INSERT ON execution_entity
      FOR EACH ROW EXECUTE FUNCTION planted();`);
  return () => run('DROP TRIGGER IF EXISTS planted ON execution_entity');
}
