import type Bull from 'bull';
import type { Cluster, Redis } from 'ioredis';
import { Mistake } from '../../shared/mistake';
import { connectionOf, type Connection } from './connection';
import { redisProblem } from './problem';

/** The queue as it was at one moment. */
export interface QueueMeasures {
  queue: string;
  prefix: string;
  waiting: number;
  active: number;
  delayed: number;
  failed: number;
  completed: number;
  paused: number;
  isPaused: boolean;
  /** Age of the job that waits longest; 0 when none waits. */
  oldestWaitingSeconds: number;
  /** Processes that take jobs; null where Redis does not let this user list its clients. */
  workers: number | null;
  /** Whether the execution that asks is itself one of the active jobs. */
  ownJobActive: boolean;
}

export interface ReadOptions {
  queue: string;
  /** The execution that asks, when it may be a job of this queue itself. */
  ownExecutionId?: string | undefined;
}

/** Everything, from connecting to the last reply. */
const DEADLINE_MS = 4500;
const CONNECT_TIMEOUT_MS = 4000;
/** So many of the jobs next in line are looked at for the oldest; with priorities it can be any of them. */
const MOST_IDS = 100_000;

/**
 * Reads the queue once over a connection of its own, which is closed when this ends, however it
 * ends. Only reading commands are sent: no job can be lost or changed by looking.
 */
export async function readQueue(
  credential: Record<string, unknown>,
  options: ReadOptions,
): Promise<QueueMeasures> {
  const connection = connectionOf(credential, CONNECT_TIMEOUT_MS);
  const errors: unknown[] = [];
  // Loaded on first use: most processes of n8n never read the queue.
  const { default: ioredis } = await import('ioredis');
  const client =
    connection.kind === 'one'
      ? new ioredis.Redis(connection.options)
      : new ioredis.Cluster(connection.nodes, connection.options);
  client.on('error', (error) => errors.push(error));
  client.on('node error', (error) => errors.push(error));

  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('deadline')), DEADLINE_MS);
  });
  try {
    return await Promise.race([readOver(client, connection, options), deadline]);
  } catch (error) {
    throw error instanceof Mistake ? error : redisProblem(connection.where, [...errors, error]);
  } finally {
    clearTimeout(timer);
    client.disconnect();
  }
}

async function readOver(
  client: Redis | Cluster,
  connection: Connection,
  { queue: name, ownExecutionId }: ReadOptions,
): Promise<QueueMeasures> {
  const { prefix, where } = connection;
  await client.connect();
  // Left to ioredis, a database that is not there would go unnoticed, and 0 be read instead.
  if (connection.kind === 'one') await (client as Redis).select(connection.database);
  const { default: BullQueue } = await import('bull');
  const queueOptions: Bull.QueueOptions & { skipVersionCheck: boolean } = {
    prefix,
    createClient: () => client as Redis,
    skipVersionCheck: true,
  };
  const queue = new BullQueue(name, queueOptions);
  const [counts, isPaused, workers, everUsed] = await Promise.all([
    queue.getJobCounts(),
    queue.isPaused(),
    countWorkers(client, queue),
    client.exists(queue.toKey('id')),
  ]);
  const { waiting, active, delayed, failed, completed } = counts;
  const paused = (counts as { paused?: number }).paused ?? 0;
  const jobs = waiting + active + delayed + failed + completed + paused;
  if (everUsed === 0 && jobs === 0 && !workers) throw noSuchQueue(where, name, prefix);

  return {
    queue: name,
    prefix,
    ...{ waiting, active, delayed, failed, completed, paused, isPaused, workers },
    oldestWaitingSeconds: waiting + paused === 0 ? 0 : await oldestSeconds(client, queue),
    ownJobActive:
      ownExecutionId !== undefined && active > 0 && (await isActive(client, queue, ownExecutionId)),
  };
}

function noSuchQueue(where: string, name: string, prefix: string): Mistake {
  return new Mistake(
    `${where} has no queue '${name}' under the prefix '${prefix}'`,
    'The prefix must be the one in QUEUE_BULL_PREFIX of n8n, and the database the one in QUEUE_BULL_REDIS_DB. A queue that never held a job and has no worker cannot be told from one that does not exist.',
  );
}

/** Bull's workers carry the queue's name; in a cluster each is connected to any of the nodes. */
async function countWorkers(client: Redis | Cluster, queue: Bull.Queue): Promise<number | null> {
  const nodes = client.isCluster ? (client as Cluster).nodes('all') : [client as Redis];
  try {
    const lists = await Promise.all(nodes.map((node) => node.client('LIST')));
    const workers = (lists as string[]).flatMap((list) => queue.parseClientList(list).flat());
    return workers.length;
  } catch (error) {
    if (error instanceof Error && /NOPERM|unknown command/.test(error.message)) return null;
    throw error;
  }
}

/** Bull numbers its jobs, so the lowest number that waits came first, whatever its priority. */
async function oldestSeconds(client: Redis | Cluster, queue: Bull.Queue): Promise<number> {
  const lists = await Promise.all(
    ['wait', 'paused'].map((list) => client.lrange(queue.toKey(list), -MOST_IDS, -1)),
  );
  const oldest = lists.flat().reduce((low, id) => Math.min(low, Number(id)), Infinity);
  if (!Number.isFinite(oldest)) return 0;
  const timestamp = await client.hget(queue.toKey(String(oldest)), 'timestamp');
  if (timestamp === null) return 0;
  return Math.max(0, Math.round(Date.now() - Number(timestamp)) / 1000);
}

async function isActive(
  client: Redis | Cluster,
  queue: Bull.Queue,
  executionId: string,
): Promise<boolean> {
  const ids = await client.lrange(queue.toKey('active'), 0, -1);
  const data = await Promise.all(ids.map((id) => client.hget(queue.toKey(id), 'data')));
  return data.some((json) => json !== null && executionIdIn(json) === executionId);
}

function executionIdIn(json: string): string | undefined {
  const { executionId } = JSON.parse(json) as { executionId?: unknown };
  return executionId === undefined ? undefined : String(executionId);
}
