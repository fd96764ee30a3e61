/** What is scaled: how large a topology is by it, and the same topology at another size. */
import type { Topology } from '../../../plan/topology';

export interface Scale {
  /** Title as in "over 4 workers". */
  title: string;
  /** Null where the topology has no such size. */
  sizeOf(topology: Topology): number | null;
  /** `size` as sizeOf gives it. */
  resized(topology: Topology, size: number): Topology;
}

export const SCALES = {
  workers: {
    title: 'workers',
    sizeOf: ({ mode, workers }) => (mode === 'queue' && workers.count > 0 ? workers.count : null),
    resized: (topology, count) => ({ ...topology, workers: { ...topology.workers, count } }),
  },
  webhooks: {
    title: 'webhook processors',
    sizeOf: ({ mode, webhooks }) =>
      mode === 'queue' && webhooks.count > 0 ? webhooks.count : null,
    resized: (topology, count) => ({ ...topology, webhooks: { ...topology.webhooks, count } }),
  },
  cpu: {
    title: 'cores for each n8n process',
    sizeOf: ({ mode, main, workers, webhooks }) => {
      const others = mode === 'queue' ? [workers, webhooks].filter(({ count }) => count > 0) : [];
      const limits = [main, ...others].map(({ cpuMillicores }) => cpuMillicores);
      const [first] = limits;
      return first !== undefined && limits.every((limit) => limit === first) ? first / 1000 : null;
    },
    resized: (topology, cores) => {
      const cpuMillicores = Math.round(1000 * cores);
      return {
        ...topology,
        main: { ...topology.main, cpuMillicores },
        workers: { ...topology.workers, cpuMillicores },
        webhooks: { ...topology.webhooks, cpuMillicores },
      };
    },
  },
} as const satisfies Record<string, Scale>;

export type ScaleName = keyof typeof SCALES;

/** The same for two topologies that differ in nothing but this size. */
export function sameBut(name: ScaleName, topology: Topology): string {
  return JSON.stringify({ ...SCALES[name].resized(topology, 1), name: undefined });
}
