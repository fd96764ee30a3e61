import type { Cluster, Redis } from 'ioredis';
import type { ICredentialsDecrypted, ICredentialTestFunctions } from 'n8n-workflow';
import type { INodeCredentialTestResult, INodeProperties } from 'n8n-workflow';
import { Mistake } from '../../shared/mistake';
import { withRedis, type Connection } from './connection';

export const queueNameProperty: INodeProperties = {
  displayName: 'Queue',
  name: 'queue',
  type: 'string',
  default: 'jobs',
  required: true,
  description: "Name of the queue: 'jobs', or 'jobs-' and the name of a worker pool",
};

export function queueName(value: unknown): string {
  if (typeof value === 'string' && /^[\w.-]+$/.test(value)) return value;
  throw new Mistake("'Queue' must be the name of a queue of n8n, such as jobs");
}

/** The test of the credential Queue Redis API, for every node that uses it: n8n asks the first one. */
export async function queueRedisApiTest(
  this: ICredentialTestFunctions,
  credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  try {
    const found = await readQueue(credential.data ?? {}, { queue: 'jobs' });
    const workers = found.workers ?? 'an unknown number of';
    return {
      status: 'OK',
      message: `Found the queue: ${found.waiting} waiting, ${found.active} active, ${workers} workers`,
    };
  } catch (error) {
    if (error instanceof Mistake) return { status: 'Error', message: error.message };
    throw error;
  }
}

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
  /** Jobs that came before the one that asks and are not finished; null where no job asks. */
  jobsBeforeOwn: number | null;
}

export interface ReadOptions {
  queue: string;
  /** The execution that asks, when it may be a job of this queue itself. */
  ownExecutionId?: string | undefined;
}

/** How many of the jobs next in line are looked at; with priorities the oldest can be any of them. */
const MAX_IDS = 100_000;

/**
 * Reads the queue once over a connection of its own, which is closed when this ends, however it
 * ends. Only reading commands are sent: no job can be lost or changed by looking.
 */
export async function readQueue(
  credential: Record<string, unknown>,
  options: ReadOptions,
): Promise<QueueMeasures> {
  return withRedis(credential, (client, connection) => readOver(client, connection, options));
}

async function readOver(
  client: Redis | Cluster,
  { prefix, where }: Connection,
  { queue: name, ownExecutionId }: ReadOptions,
): Promise<QueueMeasures> {
  const queue: QueueKeys = { client, key: (of) => `${prefix}:${name}:${of}` };
  const [counted, workers] = await Promise.all([
    countJobs(queue),
    countWorkers(client, `${prefix}:${Buffer.from(name).toString('base64')}`),
  ]);
  const { everUsed, ...counts } = counted;
  const { waiting, active, delayed, failed, completed, paused } = counts;
  const jobs = waiting + active + delayed + failed + completed + paused;
  if (!everUsed && jobs === 0 && !workers) throw noSuchQueue(where, name, prefix);

  const ownJob =
    ownExecutionId === undefined || active === 0 ? null : await activeJobOf(queue, ownExecutionId);
  return {
    queue: name,
    prefix,
    ...counts,
    workers,
    oldestWaitingSeconds: waiting + paused === 0 ? 0 : await oldestSeconds(queue),
    ownJobActive: ownJob !== null,
    jobsBeforeOwn: ownJob === null ? null : await countJobsBefore(queue, ownJob),
  };
}

/** The keys of one queue of Bull, by what they hold. */
interface QueueKeys {
  client: Redis | Cluster;
  key: (of: string) => string;
}

/** All at one moment: a job that moves between two looks would count twice. */
async function countJobs({ client, key }: QueueKeys): Promise<
  Pick<QueueMeasures, 'waiting' | 'active' | 'delayed' | 'failed' | 'completed' | 'paused'> & {
    isPaused: boolean;
    everUsed: boolean;
  }
> {
  const replies = await client
    .multi()
    .llen(key('wait'))
    .llen(key('active'))
    .zcard(key('delayed'))
    .zcard(key('failed'))
    .zcard(key('completed'))
    .llen(key('paused'))
    // Bull writes the first, newer versions the second.
    .exists(key('meta-paused'))
    .hexists(key('meta'), 'paused')
    .exists(key('id'))
    .exec();
  const numbers = (replies ?? []).map(([error, reply]) => {
    if (error) throw error;
    return Number(reply);
  });
  const [waiting = 0, active = 0, delayed = 0, failed = 0, completed = 0, paused = 0] = numbers;
  const [isPaused = 0, isPausedNewer = 0, everUsed = 0] = numbers.slice(6);
  return {
    ...{ waiting, active, delayed, failed, completed, paused },
    isPaused: isPaused + isPausedNewer > 0,
    everUsed: everUsed > 0,
  };
}

function noSuchQueue(where: string, name: string, prefix: string): Mistake {
  return new Mistake(
    `${where} has no queue '${name}' under the prefix '${prefix}'`,
    'The prefix must be the one in QUEUE_BULL_PREFIX of n8n, and the database the one in QUEUE_BULL_REDIS_DB. A queue that never contained a job and has no worker looks like a queue that does not exist.',
  );
}

/** Bull names the connection of each worker after the queue; in a cluster it leads to any of the nodes. */
async function countWorkers(client: Redis | Cluster, workerName: string): Promise<number | null> {
  const nodes = client.isCluster ? (client as Cluster).nodes('all') : [client as Redis];
  try {
    const lists = await Promise.all(nodes.map((node) => node.client('LIST')));
    const clients = (lists as string[]).flatMap((list) => list.split('\n'));
    return clients.filter((line) => line.split(' ').includes(`name=${workerName}`)).length;
  } catch (error) {
    if (error instanceof Error && /NOPERM|unknown command/.test(error.message)) return null;
    throw error;
  }
}

/** Bull numbers its jobs, so the lowest number that waits came first, whatever its priority. */
async function oldestSeconds({ client, key }: QueueKeys): Promise<number> {
  const lists = await Promise.all(
    ['wait', 'paused'].map((list) => client.lrange(key(list), -MAX_IDS, -1)),
  );
  const oldest = lists.flat().reduce((low, id) => Math.min(low, Number(id)), Infinity);
  if (!Number.isFinite(oldest)) return 0;
  const timestamp = await client.hget(key(String(oldest)), 'timestamp');
  if (timestamp === null) return 0;
  return Math.max(0, Math.round(Date.now() - Number(timestamp)) / 1000);
}

/** The number of the active job that runs this execution; null where none does. */
async function activeJobOf(
  { client, key }: QueueKeys,
  executionId: string,
): Promise<number | null> {
  const ids = await client.lrange(key('active'), 0, -1);
  const data = await Promise.all(ids.map((id) => client.hget(key(id), 'data')));
  const own = ids.find((_id, index) => executionIdIn(data[index]) === executionId);
  return own === undefined ? null : Number(own);
}

async function countJobsBefore({ client, key }: QueueKeys, own: number): Promise<number> {
  const ids = await Promise.all([
    ...['wait', 'active', 'paused'].map((list) => client.lrange(key(list), -MAX_IDS, -1)),
    client.zrange(key('delayed'), 0, MAX_IDS - 1),
  ]);
  return ids.flat().filter((id) => Number(id) < own).length;
}

function executionIdIn(json: string | null | undefined): string | undefined {
  if (json === null || json === undefined) return undefined;
  const { executionId } = JSON.parse(json) as { executionId?: unknown };
  return executionId === undefined ? undefined : String(executionId);
}
