import { chooseTopology } from '../../../cli/src/plan/chosen-topology';
import { composeTopology, isN8nImage, readComposeFile } from '../../../cli/src/plan/compose';
import { bareTopology } from '../../../cli/src/plan/values-topology';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { targetOrder } from '../../../cli/src/options/targets';

/** A file of the shape that n8n's own files for queue mode have. */
export const QUEUE = `
x-n8n: &n8n
  image: docker.n8n.io/n8nio/n8n:\${N8N_VERSION}
  restart: always
  environment:
    - N8N_INSTALL_METHOD=docker-compose
    - DB_TYPE=postgresdb
    - DB_POSTGRESDB_HOST=postgres
    - DB_POSTGRESDB_PASSWORD=\${POSTGRES_PASSWORD}
    - EXECUTIONS_MODE=queue
    - QUEUE_BULL_REDIS_HOST=redis
    - N8N_ENCRYPTION_KEY=\${ENCRYPTION_KEY}
    - N8N_RUNNERS_MODE=external
    - N8N_RUNNERS_AUTH_TOKEN=\${RUNNERS_AUTH_TOKEN}
    - OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS=true
  volumes: ['n8n_storage:/home/node/.n8n']
services:
  postgres:
    image: postgres:17
    environment: [POSTGRES_USER, POSTGRES_PASSWORD, PGDATA=/var/lib/postgresql/data]
    volumes: ['db_storage:/var/lib/postgresql/data']
  redis:
    image: redis:7-alpine
    volumes: ['redis_storage:/data']
  n8n:
    <<: *n8n
    ports: ['5678:5678']
  n8n-runner:
    image: n8nio/runners:\${N8N_VERSION}
    environment: ['N8N_RUNNERS_AUTH_TOKEN=\${RUNNERS_AUTH_TOKEN}']
  n8n-worker:
    <<: *n8n
    command: worker --concurrency=7
    deploy: { replicas: 2, resources: { limits: { cpus: '1.5', memory: 1536M } } }
`;
const DOT_ENV = `
N8N_VERSION=2.41.1
POSTGRES_PASSWORD="pa#ss-of-postgres" # ours
ENCRYPTION_KEY=key-of-encryption
RUNNERS_AUTH_TOKEN='token-of-runners'
`;

function read(
  text: string,
  shell: Record<string, string> = {},
  files: Record<string, string> = {},
) {
  const made = composeTopology(text, 'compose.yml', {
    shell,
    read: (name) => files[name] ?? null,
  });
  return { ...made, ...bareTopology(made.values) };
}

const alone = (of: string, services = ''): string => `
services:
  n8n:
    image: n8nio/n8n:2.41.1
${of}
${services}`;

test("the services of n8n's own Compose file become main, workers and stores, with its limits and settings", () => {
  const { topology, images, taken, left } = read(QUEUE, {}, { '.env': DOT_ENV });
  expect(topology).toMatchObject({
    ...{ n8n: '2.41.1', mode: 'queue', tuning: 'none' },
    main: { env: { OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true' } },
    workers: { count: 2, concurrency: 7, cpuMillicores: 1500, memoryMiB: 1536 },
    webhooks: { count: 0 },
  });
  expect(images).toEqual({
    n8n: 'docker.n8n.io/n8nio/n8n:2.41.1',
    redis: 'redis:7-alpine',
    postgresql: 'postgres:17',
    runners: 'n8nio/runners:2.41.1',
  });
  expect(taken).toEqual([
    ...['n8n: main', 'n8n-worker: 2 workers', 'redis: Redis', 'postgres: PostgreSQL'],
    'n8n-runner: task runners',
  ]);
  expect(left).toEqual([]);
});

test('task runners of the file run beside n8n with their limits, and only where n8n asks for them', () => {
  const limited = QUEUE.replace(
    '  n8n-worker:',
    `  n8n-worker-runner:
    image: n8nio/runners:2.40.7
  n8n-worker:`,
  ).replace(
    'image: n8nio/runners:${N8N_VERSION}',
    'image: n8nio/runners:2.41.1\n    mem_limit: 300m\n    cpus: 0.5\n    command: javascript',
  );
  const files = { '.env': DOT_ENV };
  const { images, runners, left } = read(limited, {}, files);
  expect(images.runners).toBe('n8nio/runners:2.41.1');
  expect(runners).toEqual({ limits: { cpuMillicores: 500, memoryMiB: 300 }, env: {} });
  expect(left).toEqual([
    "n8n-runner: command: the image's own is used",
    'n8n-worker-runner: image: the image of n8n-runner is used',
  ]);
  const internal = read(QUEUE.replace('RUNNERS_MODE=external', 'RUNNERS_MODE=internal'), {}, files);
  expect(internal.images.runners).toBeNull();
  expect(internal.left).toContain(
    'n8n-runner: image: not used, because n8n does not set N8N_RUNNERS_MODE=external',
  );
  const without = read(QUEUE.replace('image: n8nio/runners', 'image: n8nio/other'), {}, files);
  expect(without.left).toContain(
    "n8n: N8N_RUNNERS_MODE: the file has no task runners, so those inside n8n's containers are used",
  );
});

test('no secret and no free text of the file goes on, and none is said', () => {
  const text = alone(`
    environment:
      N8N_SMTP_PASS: pass-of-mail
      MY_API: https://user:secret@example.org
      DB_POSTGRESDB_POOL_SIZE: 'not a number, secret'
      NODE_OPTIONS: --require /opt/secret.js
      N8N_RUNNERS_ENABLED: 'true'
      N8N_PAYLOAD_SIZE_MAX: 64
      EXECUTIONS_DATA_SAVE_ON_SUCCESS: none
`);
  const made = read(text);
  expect(made.topology.main.env).toEqual({
    N8N_RUNNERS_ENABLED: 'true',
    N8N_PAYLOAD_SIZE_MAX: '64',
    EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
  });
  expect(made.left).toEqual([
    ...['N8N_SMTP_PASS', 'MY_API', 'DB_POSTGRESDB_POOL_SIZE', 'NODE_OPTIONS'].map(
      (name) => `n8n: ${name}: not passed on`,
    ),
  ]);
  expect(JSON.stringify(made)).not.toMatch(/secret|pass-of/);
  expect(JSON.stringify(read(QUEUE, {}, { '.env': DOT_ENV }))).not.toMatch(/-of-/);
});

test('what cannot be taken over is said, by service and key', () => {
  const { left, topology } = read(
    alone(
      `    cpus: 2
    mem_limit: 2g
    ulimits: { nofile: 1 }
    extra_hosts: ['a:1.2.3.4']
    deploy: { replicas: 3, resources: { limits: { pids: 100 } } }
    environment: { DB_TYPE: postgresdb, N8N_MULTI_MAIN_SETUP_ENABLED: 'true' }`,
      `  pg:
    image: pgvector/pgvector:pg17
    command: postgres -c shared_buffers=1GB
    environment: { POSTGRES_PASSWORD: x, POSTGRES_INITDB_ARGS: --data-checksums }
    volumes: ['./pg.conf:/etc/postgresql/postgresql.conf:ro']
    mem_limit: 1g
  proxy: { image: 'traefik:v3' }
  later: { image: 'n8nio/n8n:2.41.1', command: worker, profiles: [queue] }`,
    ),
  );
  expect(topology.main).toMatchObject({ cpuMillicores: 2000, memoryMiB: 2048 });
  expect(left.sort()).toEqual(
    [
      'later: profiles: not started without its profile',
      'n8n: N8N_MULTI_MAIN_SETUP_ENABLED: not passed on',
      'n8n: deploy.resources.limits.pids: this key has no effect here',
      'n8n: extra_hosts: this key has no effect here',
      'n8n: replicas: only one main is started',
      'n8n: ulimits: this key has no effect here',
      'pg: POSTGRES_INITDB_ARGS: not passed on',
      'pg: command: this key has no effect here',
      'pg: mem_limit: this key has no effect here',
      'pg: volumes: the settings file of the service is not mounted',
      'proxy: image: the service is neither n8n nor one of its stores, so it is not started',
    ].sort(),
  );
});

test('workers that differ count together, with the settings of the first', () => {
  const services = (limit: string): string => `
  n8n-2: { image: 'n8nio/n8n:2.41.1', command: [worker, --concurrency, '5'], environment: &e { EXECUTIONS_MODE: queue, DB_TYPE: postgresdb } }
  n8n-3: { image: 'n8nio/n8n:2.40.7', command: worker, environment: *e, scale: 2${limit} }
  hook: { image: 'n8nio/n8n:2.41.1', command: webhook, environment: *e }`;
  const { topology, left } = read(
    alone(
      '    environment: { EXECUTIONS_MODE: queue, DB_TYPE: postgresdb }',
      services(', mem_limit: 1gb'),
    ),
  );
  expect(topology).toMatchObject({
    workers: { count: 3, concurrency: 5 },
    webhooks: { count: 1 },
  });
  expect(left).toEqual([
    'n8n: QUEUE_BULL_REDIS_HOST: the file has no Redis, so the Redis image of the chart is used',
    'n8n: DB_POSTGRESDB_HOST: the file has no PostgreSQL, so the PostgreSQL image of the chart is used',
    'n8n-3: limits: every worker gets the value of n8n-2',
    'n8n-3: command: every worker gets the value of n8n-2',
    'n8n-3: image: the image of n8n is used',
  ]);
});

test('variables have the forms that Compose knows, of the shell before those of .env', () => {
  const text = `
services:
  n8n:
    image: "\${REGISTRY:-n8nio}/n8n:\${TAG-2.40.7}"
    env_file: [n8n.env, { path: more.env, required: false }]
    environment:
      - N8N_PAYLOAD_SIZE_MAX=\${SIZE:+\${SIZE}0}
      - N8N_LOG_LEVEL
      - N8N_CONCURRENCY_PRODUCTION_LIMIT=$LIMIT
`;
  const files = {
    '.env': 'SIZE=1\nLIMIT=3\n',
    'n8n.env': 'EXECUTIONS_TIMEOUT=60\nN8N_PAYLOAD_SIZE_MAX=1\n',
  };
  const { topology, images } = read(text, { LIMIT: '4', N8N_LOG_LEVEL: 'debug' }, files);
  expect(images.n8n).toBe('n8nio/n8n:2.40.7');
  expect(topology.main.env).toEqual({
    EXECUTIONS_TIMEOUT: '60',
    N8N_PAYLOAD_SIZE_MAX: '10',
    N8N_LOG_LEVEL: 'debug',
    N8N_CONCURRENCY_PRODUCTION_LIMIT: '4',
  });
});

test.each([
  ['services: { a: { image: redis } }', 'no service that starts n8n'],
  ['volumes: {}', 'has no services'],
  [alone('    environment: [DB_TYPE=mysqldb]'), 'DB_TYPE of n8n is neither'],
  [alone('', '  w: { image: n8nio/n8n, command: worker }'), 'w is a worker, but n8n does not set'],
  [alone('    environment: [EXECUTIONS_MODE=queue]'), 'no service has the command worker'],
  [
    alone(
      '    environment: &e [EXECUTIONS_MODE=queue]',
      '  w: { image: n8nio/n8n, command: worker, environment: *e }',
    ),
    'n8n has EXECUTIONS_MODE=queue without DB_TYPE=postgresdb',
  ],
  ['services: { n8n: { image: "n8nio/n8n:${V}" } }', 'contains a variable that is not set'],
  [alone('    environment: ["A=${PASS:?give it}"]'), 'n8n requires the variable PASS'],
  [alone('    mem_limit: much'), 'n8n: the memory limit is invalid: use an amount such as 512m'],
])('a file that starts no n8n as it is, is refused: %s', (text, why) => {
  expect(() => read(text)).toThrow(why);
});

test('options go over the file, which the target is told with its images', () => {
  const folder = mkdtempSync(join(tmpdir(), 'compose-'));
  try {
    const compose = join(folder, 'docker-compose.yml');
    writeFileSync(compose, QUEUE);
    writeFileSync(join(folder, '.env'), DOT_ENV);
    expect(readComposeFile(compose).images.redis).toBe('redis:7-alpine');
    expect(chooseTopology({ compose, workers: 4, memory: 900, tuning: 'default' })).toMatchObject({
      ...{ mode: 'queue', tuning: 'default', main: { memoryMiB: 900 } },
      workers: { count: 4, memoryMiB: 900, cpuMillicores: 1500 },
    });
    const order = targetOrder({ target: 'container', compose, redisImage: 'redis.tar' }, [], 1000, {
      load: 'none',
    });
    const without = { target: 'container', compose, runnersImage: 'none' } as const;
    expect(targetOrder(without, [], 1000, { load: 'none' })).toHaveProperty('runners', null);
    expect(order).toMatchObject({
      ...{ image: 'docker.n8n.io/n8nio/n8n:2.41.1', redisImage: 'redis.tar' },
      ...{ postgresqlImage: 'postgres:17', isVersionNamed: false },
      runners: { image: 'n8nio/runners:2.41.1', limits: {}, env: {} },
      topology: { n8n: '2.41.1', workers: { count: 2 } },
    });
    expect(order).toHaveProperty('notes', [
      `${compose}: n8n: main; n8n-worker: 2 workers; redis: Redis; postgres: PostgreSQL; n8n-runner: task runners`,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ['n8nio/n8n:2.41.1', true],
  ['acme/my-n8n:2.41.1', true],
  ['registry.local:5000/acme_n8n@sha256:0', true],
  ['n8nio/runners:2.41.1', false],
  ['acme/n8n-proxy:1', false],
  ['acme/can8n:1', false],
])('the image %s is one of n8n: %s', (image, is) => {
  expect(isN8nImage(image)).toBe(is);
});
