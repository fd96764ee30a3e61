// Stores of an operator's own for n8n on the cluster: PostgreSQL and Redis with TLS, Redis as a cluster, Redis behind Sentinels.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, type Namespace } from './cluster';
import { IMAGES } from './images';

const PASSWORD = 'a-password-of-the-test';
const PATIENCE_MS = 180_000;

const meta = (name: string): object => ({ name, labels: { app: name } });
const RESTRICTED = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

interface Store {
  name: string;
  image: string;
  args?: string[];
  env?: Record<string, string>;
  port: number;
  replicas?: number;
  /** The Secret with certificates, under /tls. */
  tls?: string;
}

/** A StatefulSet, whose pods have names, and its headless Service. */
function store({ name, image, args, env = {}, port, replicas = 1, tls }: Store): object[] {
  const container = {
    name,
    image,
    ...(args === undefined ? {} : { args }),
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    ports: [{ containerPort: port }],
    readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
    securityContext: RESTRICTED,
    volumeMounts: [
      { name: 'data', mountPath: '/data' },
      ...(tls === undefined ? [] : [{ name: 'tls', mountPath: '/tls', readOnly: true }]),
    ],
  };
  const volumes = [
    { name: 'data', emptyDir: {} },
    ...(tls === undefined
      ? []
      : [{ name: 'tls', secret: { secretName: tls, defaultMode: 0o440 } }]),
  ];
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: meta(name),
      // Sentinels and cluster nodes find each other before they are ready.
      spec: {
        clusterIP: 'None',
        publishNotReadyAddresses: true,
        selector: { app: name },
        ports: [{ port }],
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: meta(name),
      spec: {
        serviceName: name,
        replicas,
        podManagementPolicy: 'Parallel',
        selector: { matchLabels: { app: name } },
        template: {
          metadata: { labels: { app: name } },
          spec: { securityContext: { fsGroup: 999 }, containers: [container], volumes },
        },
      },
    },
  ];
}

const secret = (name: string, stringData: Record<string, string>): object => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name },
  stringData,
});

async function ready(space: Namespace, ...names: string[]): Promise<void> {
  for (const name of names)
    await until(
      `${name} ready`,
      () => space.kubectl('rollout', 'status', `statefulset/${name}`, '--timeout=20s'),
      PATIENCE_MS,
    );
}

/** An authority and a certificate of it for those names. */
function certificates(names: string[]): Record<'ca.crt' | 'tls.crt' | 'tls.key', string> {
  const folder = mkdtempSync(join(tmpdir(), 'n8n-tuned-tls-'));
  const openssl = (...args: string[]): Buffer =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'rsa:2048', '-nodes'];
  try {
    writeFileSync(
      join(folder, 'names'),
      `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`,
    );
    openssl(
      ...['req', '-x509', ...key, '-days', '2', '-subj', '/CN=authority of the test'],
      ...['-keyout', 'ca.key', '-out', 'ca.crt'],
    );
    openssl('req', ...key, '-subj', '/CN=store', '-keyout', 'tls.key', '-out', 'request');
    openssl(
      ...['x509', '-req', '-in', 'request', '-CA', 'ca.crt', '-CAkey', 'ca.key'],
      ...['-CAcreateserial', '-days', '2', '-extfile', 'names', '-out', 'tls.crt'],
    );
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
    return { 'ca.crt': read('ca.crt'), 'tls.crt': read('tls.crt'), 'tls.key': read('tls.key') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** PostgreSQL and Redis that speak TLS and nothing else, under the certificate of an unknown authority. */
export async function tlsStores(space: Namespace): Promise<void> {
  const allowed = ['~*', '&*', '+@all'];
  await space.apply([
    secret('stores-tls', certificates(['postgres', 'redis'])),
    secret('stores', { password: PASSWORD }),
    ...store({
      name: 'postgres',
      image: IMAGES.postgres,
      port: 5432,
      tls: 'stores-tls',
      args: ['-c', 'ssl=on', '-c', 'ssl_cert_file=/tls/tls.crt', '-c', 'ssl_key_file=/tls/tls.key'],
      env: {
        POSTGRES_USER: 'n8n',
        POSTGRES_PASSWORD: PASSWORD,
        POSTGRES_DB: 'n8n',
        PGDATA: '/data/pg',
      },
    }),
    ...store({
      name: 'redis',
      image: IMAGES.redis,
      port: 6380,
      tls: 'stores-tls',
      args: [
        ...['--port', '0', '--tls-port', '6380', '--tls-auth-clients', 'no'],
        ...['--tls-cert-file', '/tls/tls.crt', '--tls-key-file', '/tls/tls.key'],
        ...['--tls-ca-cert-file', '/tls/ca.crt'],
        ...['--user', 'default', 'off', '--user', 'n8n', 'on', `>${PASSWORD}`, ...allowed],
      ],
    }),
  ]);
  await ready(space, 'postgres', 'redis');
}

const SECURED = ['--requirepass', PASSWORD, '--masterauth', PASSWORD];

export async function redisCluster(space: Namespace): Promise<void> {
  await space.apply([
    secret('stores', { password: PASSWORD }),
    ...store({
      name: 'redis',
      image: IMAGES.redis,
      port: 6379,
      replicas: 3,
      args: ['--cluster-enabled', 'yes', ...SECURED],
    }),
  ]);
  await ready(space, 'redis');
  const addresses = await space.kubectl(
    ...['get', 'pods', '-l', 'app=redis', '-o', 'jsonpath={.items[*].status.podIP}'],
  );
  const nodes = addresses.split(' ').map((address) => `${address}:6379`);
  await redis(space, 'redis-0', '--cluster', 'create', ...nodes, '--cluster-yes');
  await until('the cluster whole', async () =>
    (await redis(space, 'redis-0', 'cluster', 'info')).includes('cluster_state:ok'),
  );
}

/** A master, redis-0, and its replica, watched by three Sentinels that know them by name. */
export async function redisBehindSentinels(space: Namespace): Promise<void> {
  const domain = `redis.${space.name}.svc.cluster.local`;
  // A pod that comes back asks the Sentinels whose it is now.
  const start = `
    host=$(hostname).${domain}
    master=$(redis-cli -t 2 -h sentinel -p 26379 sentinel get-master-addr-by-name mymaster 2>/dev/null | head -1)
    case \${master:-redis-0.${domain}} in
      $host) set -- ;;
      *) set -- --replicaof "\${master:-redis-0.${domain}}" 6379 ;;
    esac
    exec docker-entrypoint.sh redis-server --enable-debug-command yes --replica-announce-ip $host ${SECURED.join(' ')} "$@"`;
  const watch = `
    cat > /data/sentinel.conf <<-END
	sentinel resolve-hostnames yes
	sentinel announce-hostnames yes
	sentinel monitor mymaster redis-0.${domain} 6379 2
	sentinel auth-pass mymaster ${PASSWORD}
	sentinel down-after-milliseconds mymaster 3000
	sentinel failover-timeout mymaster 10000
	protected-mode no
	END
    exec redis-server /data/sentinel.conf --sentinel`;
  await space.apply([
    secret('stores', { password: PASSWORD }),
    ...store({
      ...{ name: 'redis', image: IMAGES.redis, port: 6379, replicas: 2 },
      args: ['sh', '-c', start],
    }),
  ]);
  await ready(space, 'redis');
  await space.apply(
    store({
      ...{ name: 'sentinel', image: IMAGES.redis, port: 26379, replicas: 3 },
      args: ['sh', '-c', watch],
    }),
  );
  await ready(space, 'sentinel');
  await until('the Sentinels know each other and the replica', async () => {
    const said = await sentinel(space, 'master', 'mymaster');
    return /num-slaves\n1\n/.test(said) && /num-other-sentinels\n2\n/.test(said);
  });
}

export const sentinel = (space: Namespace, ...command: string[]): Promise<string> =>
  space.kubectl('exec', 'sentinel-0', '--', 'redis-cli', '-p', '26379', 'sentinel', ...command);

export const redis = (space: Namespace, pod: string, ...command: string[]): Promise<string> =>
  space.kubectl(
    ...['exec', pod, '--', 'redis-cli', '--no-auth-warning', '-a', PASSWORD],
    ...command,
  );
