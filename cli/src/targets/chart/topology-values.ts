/** From a topology to values of the chart that deploy it: the way back of values-topology.ts. Pure. */
import { Mistake } from '../../ui/exit';
import { databaseOf, type Topology } from '../../plan/topology';

/** Only what the topology says; the chart decides the rest. */
export function valuesOfTopology(topology: Topology): Record<string, unknown> {
  if (topology.tuning === 'none') {
    throw new Mistake(
      'tuning none is n8n as it comes, which the chart does not deploy: take --tuning default, or --target process.',
    );
  }
  const { main, workers, webhooks, mode } = topology;
  const isQueue = mode === 'queue';
  return {
    image: { tag: topology.n8n },
    executions: { mode, process: topology.process },
    database: { type: databaseOf(topology) },
    tuning: { profile: topology.tuning },
    ...(Object.keys(topology.env).length === 0 ? {} : { env: topology.env }),
    main: roleOf(main),
    ...(isQueue
      ? {
          worker: {
            ...roleOf(workers),
            replicas: workers.count,
            concurrency: workers.concurrency,
          },
          webhook: {
            ...(webhooks.count === 0 ? {} : roleOf(webhooks)),
            enabled: webhooks.count > 0,
            ...(webhooks.count === 0 ? {} : { replicas: webhooks.count }),
          },
        }
      : {}),
  };
}

/** So much is reserved at the most: limits bound what a role may use, and the scheduler need not find all of it free. */
const RESERVED_MILLICORES = 250;

function roleOf({
  cpuMillicores,
  memoryMiB,
  heapMiB,
  env,
}: Topology['main']): Record<string, unknown> {
  const amounts = (cpu: number | undefined): Record<string, string> => ({
    ...(cpu === undefined ? {} : { cpu: `${String(cpu)}m` }),
    ...(memoryMiB === undefined ? {} : { memory: `${String(memoryMiB)}Mi` }),
  });
  const reserved =
    cpuMillicores === undefined ? undefined : Math.min(cpuMillicores, RESERVED_MILLICORES);
  const isLimited = cpuMillicores !== undefined || memoryMiB !== undefined;
  return {
    ...(isLimited
      ? { resources: { limits: amounts(cpuMillicores), requests: amounts(reserved) } }
      : {}),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...heapOf(heapMiB),
  };
}

function heapOf(heapMiB: Topology['main']['heapMiB']): Record<string, unknown> {
  if (heapMiB === 'auto') return {};
  return {
    heap: heapMiB === 'none' ? { enabled: false } : { oldSpace: `${String(heapMiB)}Mi` },
  };
}
