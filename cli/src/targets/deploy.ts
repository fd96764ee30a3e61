import type { SeedWorkflow } from '../catalogue/seeding';
import type { Server } from '../plan/server';
import type { Topology } from '../plan/topology';
import { messageOf } from '../ui/exit';
import { controlFor, usableControl } from './process/layout';
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
  /** The same of a server; left out where none can be started. */
  cannotServe?(server: Server): string | null;
}

export const onThisMachine: Deployer = {
  loadsFromHere: true,
  // A version of n8n, a program, the right to set limits.
  cannot: (topology) =>
    whyNot(() => {
      usableControl(topology);
      findTools(topology);
    }),
  cannotServe: (server) => whyNot(() => controlFor([server])),
  deploy: ({ topology, workflows, readyTimeoutMs }) =>
    processTarget({ topology, workflows, readyTimeoutMs }),
};

function whyNot(look: () => unknown): string | null {
  try {
    look();
    return null;
  } catch (error) {
    return messageOf(error).replace(/\.$/, '');
  }
}
