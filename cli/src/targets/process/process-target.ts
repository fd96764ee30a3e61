import { type Topology, contradiction } from '../../plan/topology';
import { messageOf, Mistake } from '../../ui/exit';
import { warn } from '../../ui/print';
import type { Progress } from '../../ui/progress';
import type { Target } from '../target';
import type { SeedWorkflow } from '../../catalogue/seeding';
import { choosePorts, usableControl, type Store } from './layout';
import { nameOf, Names } from './names';
import { ProcessRunning } from './process-running';
import { findTools, templatesFolder, versionsOf, type Tools } from './tools';
import { Workspace } from './workspace';

export interface ProcessTargetOptions {
  topology: Topology;
  /** The program of the user's own n8n; left out: that of the version in the lab's cache. */
  n8nProgram?: string;
  /** Seeded before n8n starts, which is the fast way. */
  workflows: readonly SeedWorkflow[];
  /** How long it may take until the real request is answered right. */
  readyTimeoutMs: number;
  /** The folder of seeded databases that later runs reuse. */
  templates?: string;
  /** Whether n8n reaches its stores through links that a drill can slow and cut; left out: directly. */
  hasLinks?: boolean;
  /** Whether the data of n8n's database lies on a file system that a drill can fill; left out: beside everything else. */
  hasSmallDisk?: boolean;
  /** Stores that have a standby, which takes over; left out: none. */
  standbys?: readonly Store[];
  /** Whether n8n asks a resolver of ours for its stores and services by name; left out: it has their addresses. */
  hasNames?: boolean;
  /** Whether the time that processes of n8n read can be shifted; left out: it is that of the machine. */
  hasClock?: boolean;
  /** Whether requests go only to those that are ready, as through a Service; left out: also to those that are not. */
  hasReadiness?: boolean;
}

/** n8n as real processes on this machine, with stores of its own; nothing of the system's is used. */
export function processTarget(options: ProcessTargetOptions): Target {
  const { topology } = options;
  // What is not installed is told before anything is waited for.
  const tools = findTools(topology, options.n8nProgram);
  return {
    kind: 'process',
    up: (progress, signal) => start(options, tools, progress, signal),
  };
}

/** The same, with what only those know who run n8n as processes. */
export const startProcesses = (
  options: ProcessTargetOptions,
  progress: Progress,
  signal: AbortSignal,
): Promise<ProcessRunning> =>
  start(options, findTools(options.topology, options.n8nProgram), progress, signal);

async function start(
  options: ProcessTargetOptions,
  tools: Tools,
  progress: Progress,
  signal: AbortSignal,
): Promise<ProcessRunning> {
  const { topology } = options;
  const wrong = contradiction(topology);
  if (wrong !== null) throw new Mistake(`${wrong}.`);
  const control = usableControl(topology);
  const hasNames = options.hasNames === true;
  const order = {
    ...options,
    templates: options.templates ?? templatesFolder(),
    tools,
    control,
    ports: {
      ...(await choosePorts(topology, options.hasLinks ?? false, options.standbys)),
      ...(hasNames ? { hostOf: nameOf } : {}),
    },
    versions: await versionsOf(topology, tools),
  };
  const names = hasNames ? await Names.open() : null;
  const workspace = await Workspace.open(tools, names?.files).catch((error: unknown) => {
    names?.close();
    throw error;
  });
  const running = new ProcessRunning({ ...order, workspace, names });
  return upOrDown(running, progress, signal);
}

/** Nothing is left where it does not come up. What is being waited for when the signal fires fails at once. */
export async function upOrDown(
  running: ProcessRunning,
  progress: Progress,
  signal: AbortSignal,
): Promise<ProcessRunning> {
  const abort = (): void => void running.down(progress).catch(() => undefined);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await running.start(progress, signal);
    return running;
  } catch (error) {
    // Why it did not come up is what is thrown.
    await running.down(progress).catch((left: unknown) => {
      warn(messageOf(left));
    });
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
