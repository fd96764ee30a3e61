// What n8n's own metrics lack, for Prometheus: the age of the oldest job, workers that consume, executions that crashed and
// were recovered, what recovery has done, the size of tables. It reads Redis and PostgreSQL at each scrape, with n8n's own
// variables and the libraries of n8n's image, and changes nothing. A store that does not answer takes its own metrics away,
// no others.
const { once } = require('node:events');
const { createServer } = require('node:http');
const { createRequire } = require('node:module');
const { accessSync, readFileSync, realpathSync } = require('node:fs');
const { join } = require('node:path');
const { clearTimeout, setTimeout } = require('node:timers');

/** A scrape is given up by Prometheus after 10 s. */
const PATIENCE_MS = 4000;
const MAX_TABLES = 20;
const CRASHED_WITHIN = '1 hour';

const METRICS = {
  n8n_tuned_exporter_up: 'Whether a store answered at this scrape.',
  n8n_tuned_queue_oldest_job_seconds:
    'Age of the job that is next in the queue; 0 when none waits.',
  n8n_tuned_queue_consumers: 'Workers whose connection for taking jobs is open in Redis.',
  n8n_tuned_executions_crashed: `Executions that crashed within the last ${CRASHED_WITHIN}.`,
  n8n_tuned_executions_recovered: 'Of these, executions of which a retry has succeeded since.',
  n8n_tuned_recovery_passes_total: 'Passes of recovery that retried what they found.',
  n8n_tuned_recovery_attempts_total: 'Retries by recovery, by what became of them.',
  n8n_tuned_recovery_left_executions:
    'Lost executions that the last pass of recovery has not brought back.',
  n8n_tuned_recovery_last_pass_timestamp_seconds: 'When the last pass of recovery ended.',
  n8n_tuned_table_size_bytes: `Size of a table of n8n with its indexes, of the ${MAX_TABLES} largest.`,
};

/** A variable, or the content of the file that NAME_FILE names, as n8n reads them. */
function given(name, fallback = '') {
  const file = process.env[`${name}_FILE`];
  if (process.env[name]) return process.env[name];
  return file ? readFileSync(file, 'utf8').trim() : fallback;
}

/** A variable that is on or off, in the words that n8n takes; of any other it takes its own default. */
function isTrue(name, fallback = false) {
  const word = given(name).toLowerCase();
  return ['true', '1'].includes(word) || (fallback && !['false', '0'].includes(word));
}

/** n8n's own libraries: beside the n8n of PATH, or where N8N_PACKAGE says. */
function libraries() {
  const found =
    process.env.N8N_PACKAGE ||
    (process.env.PATH || '')
      .split(':')
      .map((folder) => join(folder, 'n8n'))
      .find((file) => {
        try {
          accessSync(file);
          return true;
        } catch {
          return false;
        }
      });
  if (!found) throw new Error('there is no n8n on PATH: set N8N_PACKAGE to its package.json');
  return createRequire(realpathSync(found));
}

function redisOf(require) {
  if (!given('QUEUE_BULL_REDIS_HOST') && !given('QUEUE_BULL_REDIS_CLUSTER_NODES')) return null;
  const { Redis, Cluster } = require('ioredis');
  const user = given('QUEUE_BULL_REDIS_USERNAME');
  const server = given('QUEUE_BULL_REDIS_TLS_SERVERNAME');
  const options = {
    ...(user ? { username: user } : {}),
    password: given('QUEUE_BULL_REDIS_PASSWORD'),
    ...(isTrue('QUEUE_BULL_REDIS_TLS')
      ? {
          tls: {
            ...(server ? { servername: server } : {}),
            rejectUnauthorized: isTrue('QUEUE_BULL_REDIS_TLS_VALIDATE_CERTIFICATE', true),
          },
        }
      : {}),
    ...(isTrue('QUEUE_BULL_REDIS_DUALSTACK') ? { family: 0 } : {}),
    // A scrape while Redis is away says so at once.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: PATIENCE_MS,
    retryStrategy: () => 1000,
  };
  const nodes = given('QUEUE_BULL_REDIS_CLUSTER_NODES');
  const prefix = given('QUEUE_BULL_PREFIX', 'bull');
  const client = nodes
    ? new Cluster(
        nodes.split(',').map((node) => {
          const [host, port] = node.split(':');
          return { host, port: Number(port || 6379) };
        }),
        {
          ...{ redisOptions: options, enableOfflineQueue: false },
          clusterRetryStrategy: () => 1000,
          // A certificate may name hosts, and no addresses of theirs.
          ...(given('QUEUE_BULL_REDIS_DNS_LOOKUP_STRATEGY') === 'NONE'
            ? { dnsLookup: (host, found) => found(null, host) }
            : {}),
        },
      )
    : new Redis({
        ...options,
        host: given('QUEUE_BULL_REDIS_HOST'),
        port: Number(given('QUEUE_BULL_REDIS_PORT', '6379')),
        db: Number(given('QUEUE_BULL_REDIS_DB', '0')),
      });
  client.on('error', () => undefined);
  // In a cluster n8n puts the prefix in braces, so that all keys are on one node.
  return { client, prefix: nodes && !prefix.startsWith('{') ? `{${prefix}}` : prefix, nodes };
}

async function readRedis({ client, prefix, nodes }) {
  // At the first scrapes the connection may still be made; while there is none, its error says why.
  if (client.status !== 'ready') {
    await once(client, 'ready', { signal: AbortSignal.timeout(PATIENCE_MS) });
  }
  const key = (name) => `${prefix}:jobs:${name}`;
  const [next, lists] = await Promise.all([
    client.lindex(key('wait'), -1),
    Promise.all((nodes ? client.nodes('master') : [client]).map((one) => one.client('LIST'))),
  ]);
  const since = next === null ? null : await client.hget(key(next), 'timestamp');
  const age = since === null ? 0 : Math.max(0, Date.now() - Number(since)) / 1000;
  // Bull gives this name to the one connection of a worker that waits for jobs.
  const named = ` name=${prefix}:${Buffer.from('jobs').toString('base64')} `;
  const consumers = lists
    .flatMap((list) => list.split('\n'))
    .filter((line) => `${line} `.includes(named)).length;
  return [
    { name: 'n8n_tuned_queue_oldest_job_seconds', value: age },
    { name: 'n8n_tuned_queue_consumers', value: consumers },
    // Recovery does not work with a Redis Cluster.
    ...(nodes ? [] : await readRecovery(client, prefix)),
  ];
}

/** What recover.cjs adds up in Redis; nothing before its first pass. */
async function readRecovery(client, prefix) {
  const counts = await client.hgetall(`n8n-tuned:{${prefix}}:recovery`).catch((error) => {
    if (!/NOPERM/.test(error.message)) throw error;
    return {};
  });
  return Object.entries(counts).flatMap(([field, count]) => {
    const [what, outcome] = field.split(':');
    const value = Number(count);
    if (what === 'passes') return { name: 'n8n_tuned_recovery_passes_total', value };
    if (what === 'left') return { name: 'n8n_tuned_recovery_left_executions', value };
    if (what === 'endedAtMs') {
      return { name: 'n8n_tuned_recovery_last_pass_timestamp_seconds', value: value / 1000 };
    }
    const labels = { outcome };
    return { name: 'n8n_tuned_recovery_attempts_total', labels, value };
  });
}

function postgresqlOf(require) {
  if (given('DB_TYPE') !== 'postgresdb') return null;
  const { Pool } = require('pg');
  const ssl = ['CA', 'CERT', 'KEY'].map((part) => given(`DB_POSTGRESDB_SSL_${part}`));
  const hasTls = isTrue('DB_POSTGRESDB_SSL_ENABLED') || ssl.some((part) => part !== '');
  const [ca, cert, key] = ssl.map((part) => part || undefined);
  const rejectUnauthorized = isTrue('DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED', true);
  const pool = new Pool({
    host: given('DB_POSTGRESDB_HOST', 'localhost'),
    port: Number(given('DB_POSTGRESDB_PORT', '5432')),
    database: given('DB_POSTGRESDB_DATABASE', 'n8n'),
    user: given('DB_POSTGRESDB_USER', 'postgres'),
    password: given('DB_POSTGRESDB_PASSWORD'),
    ...(hasTls ? { ssl: { ca, cert, key, rejectUnauthorized } } : {}),
    max: 1,
    connectionTimeoutMillis: PATIENCE_MS,
    statement_timeout: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    application_name: 'n8n-tuned-exporter',
  });
  pool.on('error', () => undefined);
  return {
    pool,
    schema: given('DB_POSTGRESDB_SCHEMA', 'public'),
    prefix: given('DB_TABLE_PREFIX'),
  };
}

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

async function readPostgresql({ pool, schema, prefix }) {
  const executions = `${quoted(schema)}.${quoted(`${prefix}execution_entity`)}`;
  // n8n has an index on the time of their end.
  const crashed = await pool.query(
    `SELECT count(*) AS crashed, count("retrySuccessId") AS recovered FROM ${executions}
     WHERE status = 'crashed' AND "stoppedAt" > now() - interval '${CRASHED_WITHIN}'`,
  );
  const tables = await pool.query(
    `SELECT relname AS name, pg_total_relation_size(c.oid) AS size
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE relkind IN ('r', 'p') AND nspname = $1 AND starts_with(relname, $2)
     ORDER BY size DESC, name LIMIT ${MAX_TABLES}`,
    [schema, prefix],
  );
  return [
    { name: 'n8n_tuned_executions_crashed', value: Number(crashed.rows[0].crashed) },
    { name: 'n8n_tuned_executions_recovered', value: Number(crashed.rows[0].recovered) },
    ...tables.rows.map(({ name: table, size }) => ({
      name: 'n8n_tuned_table_size_bytes',
      labels: { table },
      value: Number(size),
    })),
  ];
}

/** Whatever a store does: an answer, or why there is none, within the patience. */
async function look(store, read) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), PATIENCE_MS);
  });
  const up = (value) => ({ name: 'n8n_tuned_exporter_up', labels: { store }, value });
  try {
    return [up(1), ...(await Promise.race([read(), late]))];
  } catch (error) {
    console.error(`${store}: ${error.message}`);
    return [up(0)];
  } finally {
    clearTimeout(timer);
  }
}

const escaped = (value) =>
  value.replace(/["\\\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`));

function page(samples) {
  const lines = Object.entries(METRICS).flatMap(([name, help]) => {
    const own = samples.filter((sample) => sample.name === name);
    if (own.length === 0) return [];
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${name.endsWith('_total') ? 'counter' : 'gauge'}`,
      ...own.map(({ labels = {}, value }) => {
        const inner = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
        return `${name}${inner.length > 0 ? `{${inner.join(',')}}` : ''} ${value}`;
      }),
    ];
  });
  return `${lines.join('\n')}\n`;
}

function main() {
  const require = libraries();
  const [redis, postgresql] = [redisOf(require), postgresqlOf(require)];
  const server = createServer((request, response) => {
    const answer = (status, body) => {
      response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      response.end(body);
    };
    // Ready without its stores: then it tells which one is away.
    if (request.url === '/healthz') return answer(200, 'ok\n');
    if (request.url !== '/metrics') return answer(404, 'metrics are at /metrics\n');
    return Promise.all([
      redis === null ? [] : look('redis', () => readRedis(redis)),
      postgresql === null ? [] : look('postgresql', () => readPostgresql(postgresql)),
    ]).then(
      (samples) => answer(200, page(samples.flat())),
      (error) => answer(500, `${error.message}\n`),
    );
  });
  server.listen(Number(process.env.LISTEN_PORT || 9100), () => {
    console.log(`metrics at port ${server.address().port}`);
  });
  const end = () => {
    server.close();
    server.closeAllConnections();
    redis?.client.disconnect();
    void postgresql?.pool.end();
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
}

main();
