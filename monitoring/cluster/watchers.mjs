// What a usual cluster has beside n8n for its Prometheus: kube-state-metrics, and exporters of Redis and PostgreSQL. Here
// they are processes in the cluster's network, not pods.
import { Buffer } from 'node:buffer';
import { join } from 'node:path';
import { cache } from '../../lab/cache.mjs';
import { freePort } from '../../lab/free-port.mjs';
import { run, serve } from './processes.mjs';
import { RELEASE } from './release.mjs';

export const programOfLab = (name) => join(cache, 'bin', name);

/** The port of its metrics. */
export async function startKubeStateMetrics(namespaces) {
  const [port, own] = [await freePort(), await freePort()];
  const flags = [
    ...[`--kubeconfig=${process.env.KUBECONFIG}`, `--namespaces=${namespaces.join(',')}`],
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

const EXPORTERS = {
  redis: {
    program: 'redis_exporter',
    call: ({ port, address, password }) => ({
      flags: [`--web.listen-address=127.0.0.1:${port}`, `--redis.addr=redis://${address}`],
      env: { REDIS_PASSWORD: password },
    }),
  },
  postgresql: {
    program: 'postgres_exporter',
    call: ({ port, address, password }) => ({
      flags: [`--web.listen-address=127.0.0.1:${port}`],
      env: {
        DATA_SOURCE_URI: `${address}/n8n?sslmode=disable`,
        DATA_SOURCE_USER: 'n8n',
        DATA_SOURCE_PASS: password,
      },
    }),
  },
};

/**
 * The exporter of one store. `look` starts it as soon as the release is there, which a drill deploys later than
 * Prometheus starts.
 */
export async function exporterOf(namespace, store) {
  const port = await freePort();
  const { program, call } = EXPORTERS[store];
  const name = `${RELEASE}-${store}`;
  const wanted = (kind, path) =>
    run('kubectl', ['-n', namespace, 'get', kind, name, '-o', `jsonpath=${path}`]);
  let server = null;
  const start = async () => {
    const address = await wanted('service', '{.spec.clusterIP}:{.spec.ports[0].port}');
    const password = Buffer.from(await wanted('secret', '{.data.password}'), 'base64').toString();
    const { flags, env } = call({ port, address, password });
    return serve(programOfLab(program), flags, `http://127.0.0.1:${port}/metrics`, env);
  };
  return {
    ...{ port, store },
    look: async () => {
      server ??= start();
      await server.catch(() => (server = null));
    },
    stop: async () => (await server)?.stop(),
  };
}
