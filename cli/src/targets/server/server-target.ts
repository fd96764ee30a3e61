import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { serverWithoutSecrets } from '../../plan/secrets/secrets';
import type { Server } from '../../plan/server';
import { Failure, Mistake } from '../../ui/exit';
import type { Progress } from '../../ui/progress';
import { within } from '../../ui/within';
import { thisMachine } from '../machine';
import { controlFor } from '../process/layout';
import { awaitExpectedResponse } from '../process/ready';
import { accepts } from '../process/redis';
import { Supervisor } from '../process/supervisor';
import { Workspace } from '../process/workspace';
import type { Running, Target } from '../target';

export interface ServerTargetOptions {
  server: Server;
  /** The folder in which its command runs. */
  folder: string;
  /** How long it may take until it listens, and until the real request gets its expected response. */
  readyTimeoutMs: number;
  /** Rejects where the user does not want this address to be loaded. */
  confirm?(url: string): Promise<void>;
}

const INSTANCE = 'server';

/** Any command that listens: started, limited, watched and ended as n8n is on the target `process`. */
export function serverTarget(options: ServerTargetOptions): Target {
  const { server, folder, readyTimeoutMs } = options;
  return {
    kind: 'server',
    up: async (progress, signal) => {
      const control = controlFor([server]);
      const { port, host } = placeOf(server);
      await options.confirm?.(originOf(server));
      if (await accepts(port, host)) {
        throw new Mistake(
          `another program is already listening at ${originOf(server)}: stop it, or use another port for the server.`,
        );
      }
      signal.throwIfAborted();
      const workspace = new Workspace();
      const supervisor = new Supervisor(randomBytes(4).toString('hex'), control);
      supervisor.watchFolder(workspace.folder);
      const place = workspace.place(INSTANCE);
      let isDown: Promise<void> | null = null;
      const takeDown = async (tell: Progress): Promise<void> => {
        tell('ending the server');
        await supervisor.end();
        await workspace.remove();
        await supervisor.dismissReaper();
      };
      const down = (tell: Progress): Promise<void> => (isDown ??= takeDown(tell));
      const abort = (): void => void down(progress);
      signal.addEventListener('abort', abort, { once: true });
      try {
        await supervisor.start({
          role: 'server',
          instance: INSTANCE,
          command: ['/bin/sh', '-c', server.command],
          // What it leaves there goes with it.
          env: { ...ownEnvironment(), TMPDIR: place.folder, ...server.env },
          folder,
          log: place.log,
          limits: { cpuMillicores: server.cpuMillicores, memoryMiB: server.memoryMiB },
          stopSignal: 'TERM',
          kind: 'service',
        });
        progress(`waiting until something listens at ${originOf(server)}`);
        await within(readyTimeoutMs, signal, (patience) =>
          untilItListens(server, supervisor, workspace, patience),
        );
      } catch (error) {
        await down(progress);
        signal.throwIfAborted();
        throw error;
      } finally {
        signal.removeEventListener('abort', abort);
      }
      return runningOf(options, supervisor, workspace, down);
    },
  };
}

/** The first end is the last: what is started again after it fails in the same way. */
async function untilItListens(
  server: Server,
  supervisor: Supervisor,
  workspace: Workspace,
  patience: AbortSignal,
): Promise<void> {
  const { port, host } = placeOf(server);
  const said = (): string => `its output ends with: ${workspace.lastLogLines(INSTANCE)}`;
  for (;;) {
    const ended = supervisor.lastExit(INSTANCE);
    if (ended !== null) {
      throw new Failure(`the server exited before it started to listen: ${ended}; ${said()}`);
    }
    if (await accepts(port, host)) return;
    if (patience.aborted) {
      throw new Failure(
        `nothing listened at ${originOf(server)} in time, although the server is running: is the port correct, and is --ready long enough? ${said()}`,
      );
    }
    await sleep(50);
  }
}

function runningOf(
  { server, readyTimeoutMs }: ServerTargetOptions,
  supervisor: Supervisor,
  workspace: Workspace,
  down: Running['down'],
): Running {
  const baseUrl = originOf(server);
  return {
    kind: 'server',
    baseUrl,
    topology: null,
    server: serverWithoutSecrets(server),
    versions: {},
    get machine() {
      return thisMachine(supervisor.processes());
    },
    processes: () => supervisor.processes(),
    metrics: [],
    redis: null,
    postgresql: null,
    get logs() {
      return workspace.logs;
    },
    onEvent: (listener) => supervisor.onEvent(listener),
    seed: () => Promise.resolve(),
    ready: (requests, tell, signal) =>
      within(readyTimeoutMs, signal, async (patience) => {
        for (const request of requests) {
          tell(`waiting until ${request.method} ${request.path} gets its expected response`);
          await awaitExpectedResponse(baseUrl, request, patience);
        }
      }),
    executions: () => Promise.resolve(null),
    traceExecutions: () => Promise.resolve(null),
    down,
  };
}

const originOf = ({ url }: Server): string => new URL(url).origin;

function placeOf({ url }: Server): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
}

/** A server of the user's needs what their shell has set. */
function ownEnvironment(): Record<string, string> {
  const known = Object.entries(process.env).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Record<string, string>;
}
