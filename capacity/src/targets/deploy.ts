import type { SeedWorkflow } from '../catalogue/seeding';
import type { Topology } from '../plan/topology';
import { messageOf } from '../ui/exit';
import { usableControl } from './process/layout';
import { processTarget } from './process/process-target';
import { findTools } from './process/tools';
import type { Target } from './target';

export interface Deployment {
  topology: Topology;
  /** A values.yaml for the chart that says more than the topology can; deployed as it is where a chart is. */
  values?: string;
  workflows: readonly SeedWorkflow[];
  /** How long it may take until the real request gets its expected response. */
  readyTimeoutMs: number;
}

/** Makes a target of a topology, wherever topologies are deployed to. */
export interface Deployer {
  /** k6 is found here, and not brought along. */
  readonly loadsFromHere: boolean;
  /** Why a topology cannot be had there, as far as that is known beforehand; null: nothing is known against it. */
  cannot(topology: Topology): string | null;
  deploy(deployment: Deployment): Target;
}

export const onThisMachine: Deployer = {
  loadsFromHere: true,
  // A version of n8n, a program, the right to set limits.
  cannot: (topology) => {
    try {
      usableControl(topology);
      findTools(topology);
      return null;
    } catch (error) {
      return messageOf(error).replace(/\.$/, '');
    }
  },
  deploy: ({ topology, workflows, readyTimeoutMs }) =>
    processTarget({ topology, workflows, readyTimeoutMs }),
};
