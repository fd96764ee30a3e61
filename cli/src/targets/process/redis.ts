import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { FailedOver } from '../target';
import type { ProcessSpec } from './supervisor';
import { Failure } from '../../ui/exit';
import type { ProcessPlace } from './workspace';

/**
 * A Redis that keeps nothing on disk: what is measured lives minutes. The password is in no argument, which all can read.
 * `primary`: the port of the one that it follows.
 */
export const redisConfig = (
  port: number,
  folder: string,
  password: string,
  primary?: number,
): string =>
  [
    ...[`port ${String(port)}`, 'bind 127.0.0.1', `requirepass ${password}`],
    ...['save ""', 'appendonly no', `dir ${JSON.stringify(folder)}`, `masterauth ${password}`],
    ...(primary === undefined ? [] : [`replicaof 127.0.0.1 ${String(primary)}`]),
    'repl-diskless-sync-delay 0',
    '',
  ].join('\n');

/** `config`: a file with the above. */
export function redis(program: string, config: string, place: ProcessPlace): ProcessSpec {
  return {
    ...place,
    role: 'redis',
    instance: 'redis',
    command: [program, config],
    env: {},
    limits: {},
    stopSignal: 'TERM',
    kind: 'service',
  };
}

/** From here on it writes what it holds to disk when it is ended, and has it again when it is started. */
export async function keepDataOnExit(url: string): Promise<void> {
  await repliesOf(url, [['CONFIG', 'SET', 'save', '3600 1']]);
}

/** A replica whose primary is gone keeps its data and refuses to write; nothing listens on that port. */
export const REPLICA = [
  ['REPLICAOF', '127.0.0.1', '1'],
  ['CLIENT', 'KILL', 'SKIPME', 'yes'],
];
export const PRIMARY = [['REPLICAOF', 'NO', 'ONE']];

export async function failOver(url: string): Promise<FailedOver> {
  // Redis answers the last one with how many it has ended.
  const ended = Number((await repliesOf(url, REPLICA)).at(-1) ?? 0);
  return { ended, promote: async () => void (await repliesOf(url, PRIMARY)) };
}

/** Who is connected stays. */
export async function changePassword(url: string, password: string): Promise<void> {
  await repliesOf(url, [['CONFIG', 'SET', 'requirepass', password]]);
}

export async function ping(url: string): Promise<void> {
  await repliesOf(url, [['PING']]);
}

export async function repliesOf(
  url: string,
  commands: readonly (readonly string[])[],
): Promise<unknown[]> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined); // The command below tells it.
  try {
    await redis.connect();
    const replies: unknown[] = [];
    for (const [name = '', ...words] of commands) replies.push(await redis.call(name, ...words));
    return replies;
  } finally {
    redis.disconnect();
  }
}

/** The primary that a Sentinel knows, as host and port. */
export async function primaryOf(url: string, master: string): Promise<string> {
  const [found] = await repliesOf(url, [['SENTINEL', 'get-master-addr-by-name', master]]);
  return (found as string[]).join(':');
}

export const redisUrl = (port: number, password: string): string =>
  `redis://:${password}@127.0.0.1:${String(port)}`;

/** Redis and nginx serve as soon as they accept. */
export async function awaitPort(
  port: number,
  name: string,
  isAlive: () => boolean,
  host?: string,
): Promise<void> {
  for (let attempt = 0; attempt < 200 && isAlive(); attempt += 1) {
    if (await accepts(port, host)) return;
    await sleep(50);
  }
  throw new Failure(`${name} did not come up`);
}

export function accepts(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
