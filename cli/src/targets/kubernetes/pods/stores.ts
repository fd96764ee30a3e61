/** Redis and PostgreSQL of a release, asked by their own clients in their own pods. */
import { redisMemory } from '../../../analysis/queue-jobs';
import { ACTIVITY, SIZE, SIZE_EVERY_LOOKS } from '../../activity-sql';
import type { DatabaseActivity, QueueLook, StoreLooks } from '../../target';
import type { Cluster } from '../api/api';
import type { V1Pod } from '../api/api-types';
import { ExecSession } from '../api/exec-session';
import { PSQL_WITH_PASSWORD } from './database';
import { seatsOf, type ContainerSeat } from './pods';

/** All in one answer, so that the figures are of one moment. KEYS and ARGV: none and the beginning of the keys. */
const QUEUE_LUA = `
local key = ARGV[1]
local oldest = redis.call('LINDEX', key .. 'wait', -1)
local since = oldest and redis.call('HGET', key .. oldest, 'timestamp') or false
local now = redis.call('TIME')
return cjson.encode({
  waiting = redis.call('LLEN', key .. 'wait'),
  active = redis.call('LLEN', key .. 'active'),
  since = since and tonumber(since) or 0,
  now = now[1] * 1000 + math.floor(now[2] / 1000),
  memory = redis.call('INFO', 'memory'),
})`;

/** The password is in the environment of its container, under the chart's name or redis-cli's own. */
export const REDIS_CLI = `cli=$(command -v redis-cli || command -v valkey-cli) || { echo "it has no redis-cli" >&2; exit 1; }
REDISCLI_AUTH=\${REDISCLI_AUTH:-\${REDIS_PASSWORD:-}}
if [ -n "$REDISCLI_AUTH" ]; then export REDISCLI_AUTH; else unset REDISCLI_AUTH; fi`;
const REDIS_SCRIPT = `${REDIS_CLI}
while read -r _; do "$cli" --raw EVAL "$1" 0 "$2" </dev/null; done`;

const POSTGRESQL_SCRIPT = `while read -r sql; do set -- "$sql"; ${PSQL_WITH_PASSWORD} </dev/null; done`;

const MAIN_ENV = 'QUEUE_BULL_PREFIX';
const DEFAULT_PREFIX = 'bull';
const QUEUE = 'jobs';

export interface ClusterStores extends StoreLooks {
  end(): void;
}

export function storesOf(
  cluster: Pick<Cluster, 'exec'>,
  namespace: string,
  pods: readonly V1Pod[],
): ClusterStores {
  const seats = seatsOf(pods);
  const sessions: ExecSession[] = [];
  const sessionAt = (seat: ContainerSeat, command: readonly string[]): ExecSession => {
    const { pod, container } = seat;
    const session = new ExecSession(cluster, { namespace, pod, container }, command);
    sessions.push(session);
    return session;
  };
  const redis = seats.find(({ role }) => role === 'redis');
  const postgresql = seats.find(({ role }) => role === 'postgresql');
  const keys = `${prefixIn(pods)}:${QUEUE}:`;
  return {
    queue:
      redis === undefined
        ? null
        : queueLook(sessionAt(redis, ['sh', '-c', REDIS_SCRIPT, 'sh', QUEUE_LUA, keys])),
    postgresql:
      postgresql === undefined
        ? null
        : activityLook(sessionAt(postgresql, ['sh', '-c', POSTGRESQL_SCRIPT])),
    end: () => {
      for (const session of sessions) session.end();
    },
  };
}

/** Under which Bull keeps its keys, as main's environment says. Pure. */
export function prefixIn(pods: readonly V1Pod[]): string {
  const main = seatsOf(pods).find(({ role }) => role === 'main');
  const containers = pods.find(({ metadata }) => metadata?.name === main?.pod)?.spec?.containers;
  const env = containers?.find(({ name }) => name === main?.container)?.env ?? [];
  return env.find(({ name }) => name === MAIN_ENV)?.value ?? DEFAULT_PREFIX;
}

function queueLook(session: ExecSession): () => Promise<QueueLook> {
  return async () => readQueue(await session.ask(''));
}

/** What the script in Lua returns. Pure. */
export function readQueue(answer: string): QueueLook {
  const { waiting, active, since, now, memory } = parsed(answer, 'Redis') as {
    waiting: number;
    active: number;
    since: number;
    now: number;
    memory: string;
  };
  const oldestMs = since === 0 ? 0 : Math.max(0, now - since);
  return { waiting, active, oldestMs, ...redisMemory(memory) };
}

function activityLook(session: ExecSession): () => Promise<DatabaseActivity> {
  let looks = 0;
  return async () => {
    const isDear = looks % SIZE_EVERY_LOOKS === 0;
    const size = isDear ? `(${SIZE})` : 'NULL';
    const sql = `SELECT row_to_json(seen) FROM (${ACTIVITY}, ${size} AS "sizeMiB") seen`;
    const row = parsed(
      await session.ask(sql.replace(/\s+/g, ' ')),
      'PostgreSQL',
    ) as DatabaseActivity;
    looks += 1;
    return { ...row, sizeMiB: row.sizeMiB === null ? null : row.sizeMiB / (1024 * 1024) };
  };
}

function parsed(answer: string, who: string): unknown {
  try {
    return JSON.parse(answer) as unknown;
  } catch {
    throw new Error(`${who} answers '${answer.slice(0, 200)}'`);
  }
}
