/** Values with which each process of n8n reaches its stores through links beside it, in a container of its pod. Pure. */
import { z } from 'zod';
import { Mistake } from '../../../ui/exit';
import type { StoreLink } from '../../target';
import type { PodLinksOrder } from './links';

export const LINKS_CONTAINER = 'store-links';
export const CONTROL_PORT = 16_380;

/** Variables in which n8n finds each store, and the port of its link. */
const STORES: Record<
  StoreLink['store'],
  { host: string; port: string; isEncrypted: string; link: number }
> = {
  redis: {
    ...{ host: 'QUEUE_BULL_REDIS_HOST', port: 'QUEUE_BULL_REDIS_PORT' },
    ...{ isEncrypted: 'QUEUE_BULL_REDIS_TLS', link: 16_379 },
  },
  postgresql: {
    ...{ host: 'DB_POSTGRESDB_HOST', port: 'DB_POSTGRESDB_PORT' },
    ...{ isEncrypted: 'DB_POSTGRESDB_SSL_ENABLED', link: 15_432 },
  },
};

/** The parts of the chart's manifests that we read. */
const deployment = z.looseObject({
  kind: z.literal('Deployment'),
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        containers: z.array(
          z.looseObject({
            name: z.string(),
            image: z.string(),
            imagePullPolicy: z.string().optional(),
            securityContext: z.unknown(),
            env: z
              .array(z.looseObject({ name: z.string(), value: z.string().optional() }))
              .default([]),
          }),
        ),
      }),
    }),
  }),
});

type Container = z.infer<typeof deployment>['spec']['template']['spec']['containers'][number];

/** The only values that we extend: the user's own init containers. */
const given = z.looseObject(
  Object.fromEntries(
    ['pod', 'main', 'worker', 'webhook'].map((block) => [
      block,
      z.looseObject({ initContainers: z.array(z.unknown()).optional() }).optional(),
    ]),
  ),
);

/** `manifests`: of these values, for this release. `program`: what runs in the container. */
export function linkedValues(
  values: unknown,
  manifests: readonly unknown[],
  program: string,
): Record<string, unknown> {
  const { image, imagePullPolicy, securityContext, env } = mainIn(manifests);
  const valueOf = (name: string): string | undefined =>
    env.find((variable) => variable.name === name)?.value;
  const stores: PodLinksOrder['stores'] = {};
  const variables: Record<string, string> = {};
  for (const [store, { host, port, isEncrypted, link }] of Object.entries(STORES)) {
    const [to, at] = [valueOf(host), valueOf(port)];
    if (to === undefined || at === undefined) continue;
    if (valueOf(isEncrypted) === 'true') {
      throw new Mistake(
        `the fault puts a proxy between n8n and its stores, and the certificate of ${to} is not valid for the proxy: drill a release without TLS to its stores.`,
      );
    }
    stores[store] = { port: link, to: { host: to, port: Number(at) } };
    Object.assign(variables, { [host]: '127.0.0.1', [port]: String(link) });
  }
  const order: PodLinksOrder = { controlPort: CONTROL_PORT, stores };
  const sidecar = {
    ...{ name: LINKS_CONTAINER, image, imagePullPolicy, securityContext },
    restartPolicy: 'Always',
    command: ['node'],
    args: ['-e', program, JSON.stringify(order)],
    resources: { requests: { cpu: '10m', memory: '48Mi' }, limits: { memory: '128Mi' } },
  };
  const blocks = Object.entries(given.parse(values ?? {}))
    .filter(([block, own]) => block === 'pod' || own?.initContainers !== undefined)
    .map(([block, own]) => [block, { initContainers: [sidecar, ...(own?.initContainers ?? [])] }]);
  return { env: variables, pod: { initContainers: [sidecar] }, ...Object.fromEntries(blocks) };
}

function mainIn(manifests: readonly unknown[]): Container {
  for (const manifest of manifests) {
    const { success, data } = deployment.safeParse(manifest);
    if (!success || data.metadata.labels['app.kubernetes.io/component'] !== 'main') continue;
    const n8n = data.spec.template.spec.containers.find(({ name }) => name === 'n8n');
    if (n8n !== undefined) return n8n;
  }
  throw new Error('the chart renders no main');
}
