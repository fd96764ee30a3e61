import type { Cluster, ClusterNode, ClusterOptions, Redis, RedisOptions } from 'ioredis';
import { checkedBoolean, checkedChoice, checkedNumber } from '../../shared/bounds';
import { Mistake } from '../../shared/mistake';
import { redisProblem } from './problem';

/** The credential as n8n hands it over. */
export interface QueueRedisCredential {
  mode: 'single' | 'sentinel' | 'cluster';
  host: string;
  port: number;
  nodes: string;
  sentinelGroup: string;
  sentinelPassword: string;
  user: string;
  password: string;
  database: number;
  prefix: string;
  tls: boolean;
  ca: string;
}

/** How to connect; `prefix` is the one that n8n really uses there. */
export type Connection = { prefix: string; where: string } & (
  | { kind: 'one'; options: RedisOptions; database: number }
  | { kind: 'cluster'; nodes: ClusterNode[]; options: ClusterOptions }
);

/** Everything, from connecting to the last reply. */
const DEADLINE_MS = 4500;
const CONNECT_TIMEOUT_MS = 4000;

/** Uses a connection of its own, which is closed when this ends, however it ends. */
export async function withRedis<T>(
  credential: Record<string, unknown>,
  use: (client: Redis | Cluster, connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = connectionOf(credential, CONNECT_TIMEOUT_MS);
  const errors: unknown[] = [];
  // Loaded on first use: most processes of n8n never ask Redis here.
  const { default: Redis } = await import('ioredis');
  const client =
    connection.kind === 'one'
      ? new Redis(connection.options)
      : new Redis.Cluster(connection.nodes, connection.options);
  client.on('error', (error) => errors.push(error));
  client.on('node error', (error) => errors.push(error));

  const used = async (): Promise<T> => {
    await client.connect();
    // Left to ioredis, a database that is not there would go unnoticed, and 0 be read instead.
    if (connection.kind === 'one') await (client as Redis).select(connection.database);
    return use(client, connection);
  };
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('deadline')), DEADLINE_MS);
  });
  try {
    return await Promise.race([used(), deadline]);
  } catch (error) {
    throw error instanceof Mistake ? error : redisProblem(connection.where, [...errors, error]);
  } finally {
    clearTimeout(timer);
    client.disconnect();
  }
}

/** One try only: who reads again connects again, so nothing is left hanging. */
const never = (): null => null;

export function connectionOf(given: Record<string, unknown>, connectTimeoutMs: number): Connection {
  const mode = checkedChoice(given.mode, 'Connection Type', ['single', 'sentinel', 'cluster']);
  const prefix = text(given.prefix).trim() || 'bull';
  const common: RedisOptions = {
    ...optional('username', text(given.user)),
    ...optional('password', text(given.password)),
    ...(checkedBoolean(given.tls, 'Use TLS') && { tls: { ...optional('ca', pem(given.ca)) } }),
    connectTimeout: connectTimeoutMs,
    lazyConnect: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: never,
    // Sets no name of its own: the reader shall not look like a worker.
    autoResubscribe: false,
  };
  const database = (): number =>
    checkedNumber(given.database, { title: 'Database', min: 0, max: 65_535, integer: true });

  if (mode === 'single') {
    const host = text(given.host).trim();
    if (host === '') throw new Mistake("'Host' is empty: enter the host name of Redis");
    const port = checkedNumber(given.port, { title: 'Port', min: 1, max: 65_535, integer: true });
    return {
      kind: 'one',
      prefix,
      where: `Redis at ${host}:${port}`,
      options: { ...common, host, port },
      database: database(),
    };
  }

  const nodes = parseNodes(text(given.nodes), mode === 'sentinel' ? 26_379 : 6379);
  const listed = nodes.map(({ host, port }) => `${host}:${port}`).join(', ');
  if (mode === 'cluster') {
    // n8n puts the prefix in braces, so that all keys of the queue lie in one slot.
    const slotPrefix = `{${prefix.replace(/^\{|\}$/g, '')}}`;
    const options = { redisOptions: common, clusterRetryStrategy: never, lazyConnect: true };
    return {
      kind: 'cluster',
      prefix: slotPrefix,
      where: `Redis Cluster at ${listed}`,
      nodes,
      options: { ...options, slotsRefreshTimeout: connectTimeoutMs, enableReadyCheck: false },
    };
  }
  const group = text(given.sentinelGroup).trim() || 'mymaster';
  return {
    kind: 'one',
    prefix,
    database: database(),
    where: `Redis group '${group}' through the Sentinels at ${listed}`,
    options: {
      ...common,
      sentinels: nodes,
      name: group,
      ...optional('sentinelPassword', text(given.sentinelPassword)),
      ...(common.tls && { sentinelTLS: common.tls, enableTLSForSentinelMode: true }),
      sentinelRetryStrategy: never,
    },
  };
}

/** `host:port, host:port`, with IPv6 in brackets; the port may be left out. */
export function parseNodes(list: string, defaultPort: number): { host: string; port: number }[] {
  const nodes = list
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => {
      const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(part);
      const host = match?.[1] ?? match?.[2];
      if (host === undefined) {
        throw new Mistake(`'Nodes' must be a list such as redis-1:6379, redis-2:6379: "${part}"`);
      }
      const title = `Port of ${host}`;
      const port = match?.[3] ?? defaultPort;
      return { host, port: checkedNumber(port, { title, min: 1, max: 65_535, integer: true }) };
    });
  if (nodes.length === 0) throw new Mistake("'Nodes' is empty: enter at least one host:port");
  return nodes;
}

/** n8n's password fields turn line breaks into `\n`, and so do many who paste a certificate. */
function pem(value: unknown): string {
  return text(value).trim().replace(/\\n/g, '\n');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function optional<K extends string>(key: K, value: string): { [key in K]?: string } {
  return value === '' ? {} : ({ [key]: value } as { [key in K]?: string });
}
