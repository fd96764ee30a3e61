// What a usual cluster has beside n8n for its Prometheus: kube-state-metrics, and exporters of Redis and PostgreSQL. Here
// they are processes in the cluster's network, not pods.
import { join } from 'node:path';
import { labPaths } from '../../cli/src/lab/paths';
import { freePort } from '../../cli/src/targets/process/ports';
import { run, serve } from './processes';
import { RELEASE } from './release';

export const programOfLab = (name: string): string => join(labPaths().bin, name);

/** The port of its metrics. */
export async function startKubeStateMetrics(namespaces: readonly string[]) {
  const [port, own] = [String(await freePort()), String(await freePort())];
  const flags = [
    ...[`--kubeconfig=${process.env['KUBECONFIG'] ?? ''}`, `--namespaces=${namespaces.join(',')}`],
    ...['--resources=pods,statefulsets', '--host=127.0.0.1', `--port=${port}`],
    ...['--telemetry-host=127.0.0.1', `--telemetry-port=${own}`],
  ];
  const { stop } = await serve(
    programOfLab('kube-state-metrics'),
    flags,
    `http://127.0.0.1:${port}/healthz`,
  );
  return { port, stop };
}

export const STORES = ['redis', 'postgresql'] as const;
export type Store = (typeof STORES)[number];

interface Call {
  port: string;
  address: string;
  password: string;
}
const EXPORTERS = {
  redis: {
    program: 'redis_exporter',
    call: ({ port, address, password }: Call) => ({
      flags: [`--web.listen-address=127.0.0.1:${port}`, `--redis.addr=redis://${address}`],
      env: { REDIS_PASSWORD: password } as Record<string, string>,
    }),
  },
  postgresql: {
    program: 'postgres_exporter',
    call: ({ port, address, password }: Call) => ({
      flags: [`--web.listen-address=127.0.0.1:${port}`],
      env: {
        DATA_SOURCE_URI: `${address}/n8n?sslmode=disable`,
        DATA_SOURCE_USER: 'n8n',
        DATA_SOURCE_PASS: password,
      } as Record<string, string>,
    }),
  },
};

/**
 * The exporter of one store. `look` starts it as soon as the release is there, which a drill deploys later than
 * Prometheus starts.
 */
export async function exporterOf(namespace: string, store: Store) {
  const port = String(await freePort());
  const { program, call } = EXPORTERS[store];
  const name = `${RELEASE}-${store}`;
  const wanted = (kind: string, path: string): Promise<string> =>
    run('kubectl', ['-n', namespace, 'get', kind, name, '-o', `jsonpath=${path}`]);
  let server: ReturnType<typeof serve> | null = null;
  const start = async (): ReturnType<typeof serve> => {
    const address = await wanted('service', '{.spec.clusterIP}:{.spec.ports[0].port}');
    const password = Buffer.from(await wanted('secret', '{.data.password}'), 'base64').toString();
    const { flags, env } = call({ port, address, password });
    return serve(programOfLab(program), flags, `http://127.0.0.1:${port}/metrics`, env);
  };
  return {
    ...{ namespace, port, store },
    look: async (): Promise<void> => {
      server ??= start();
      await server.catch(() => (server = null));
    },
    stop: async (): Promise<void> => {
      await (await server)?.stop();
    },
  };
}
