/** What a drill does from within a container, by a command that is run in it: no privilege and no other image is needed. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../ui/exit';
import type { Cluster } from '../api/api';
import type { V1Pod } from '../api/api-types';
import { seatsOf, type ContainerSeat } from '../pods/pods';

/**
 * To every process of the container but its first and this shell. The first one is the init of its PID namespace,
 * which no signal from within ends; the official image has tini there, which ends with n8n.
 */
export const SIGNAL_SCRIPT = `case "$(readlink /proc/1/exe)" in
*node) echo "n8n is the first process of its container, which no signal from within reaches" >&2; exit 1 ;;
esac
kill "-$1" -1`;

/** By its command line, as n8n starts it; this shell has the word in its own. Says how many there were. */
export const RUNNER_SCRIPT = `count=0
for folder in /proc/[0-9]*; do
  pid=\${folder#/proc/}
  [ "$pid" = "$$" ] && continue
  case "$(readlink "$folder/exe")" in *node) ;; *) continue ;; esac
  case "$(tr '\\0' ' ' < "$folder/cmdline")" in
    *task-runner*) kill -KILL "$pid" && count=$((count + 1)) ;;
  esac
done
echo "$count"`;

/** Takes its share, and ends with the process that started it. */
const TAKE_SHARE =
  'globalThis.share = Buffer.alloc(32 * 2 ** 20, 1); process.stdin.on("end", () => process.exit()).resume(); process.stdout.write(".");';
/**
 * One small process after the other, until the limit of the container is reached: the kernel ends the largest, and that has
 * to be n8n, as it is when an execution takes the memory.
 */
const TAKE_MEMORY = `
const { spawn } = require('node:child_process');
const next = () => {
  const child = spawn(process.execPath, ['-e', ${JSON.stringify(TAKE_SHARE)}], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdout.once('data', next);
  child.once('exit', () => process.exit(1));
};
next();`;
/** Once what took the memory has ended, a container that the kernel ends with it is gone within moments. */
const OOM_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 500;

export interface ContainerPlace {
  cluster: Pick<Cluster, 'exec'>;
  namespace: string;
  pods(): readonly V1Pod[];
}

/** The first of a role that runs. */
export function seatOfRole(
  { pods }: Pick<ContainerPlace, 'pods'>,
  role: ContainerSeat['role'],
): ContainerSeat {
  const found = seatsOf(pods()).find((seat) => seat.role === role);
  if (found === undefined) throw new Failure(`no ${role} runs`);
  return found;
}

/** The container may end before its shell, which then ends with it. */
const MAY_END = [0, null, 137];

export async function signalAll(
  { cluster, namespace }: ContainerPlace,
  { pod, container }: ContainerSeat,
  signal: NodeJS.Signals,
): Promise<void> {
  const { code, stderr } = await cluster.exec(
    { namespace, pod, container },
    ['sh', '-c', SIGNAL_SCRIPT, 'sh', signal.replace(/^SIG/, '')],
    { onOutput: () => null },
  );
  if (MAY_END.includes(code)) return;
  throw new Failure(`${signal} of ${pod} failed: ${stderr.trim() || `exit code ${String(code)}`}`);
}

/** In n8n's own container and in those of runners beside it; how many there were. */
export async function killRunners(
  { cluster, namespace }: ContainerPlace,
  seats: readonly ContainerSeat[],
): Promise<number> {
  let count = 0;
  for (const { pod, container } of seats) {
    let text = '';
    const { code, stderr } = await cluster.exec(
      { namespace, pod, container },
      ['sh', '-c', RUNNER_SCRIPT],
      {
        onOutput: (more) => {
          text += more;
          return null;
        },
      },
    );
    if (!MAY_END.includes(code)) {
      throw new Failure(
        `the task runner of ${pod} could not be killed: ${stderr.trim() || `exit code ${String(code)}`}`,
      );
    }
    count += Number(text.trim() || '0');
  }
  return count;
}

/** Processes beside n8n take memory until the kernel ends n8n for it, or with control groups v2 the whole container. */
export async function runOutOfMemory(
  place: ContainerPlace,
  seat: ContainerSeat,
  signal: AbortSignal,
): Promise<void> {
  const { cluster, namespace } = place;
  const { pod, container } = seat;
  const limit = place
    .pods()
    .find(({ metadata }) => metadata?.name === pod)
    ?.spec?.containers.find(({ name }) => name === container)?.resources?.limits?.['memory'];
  if (limit === undefined) {
    throw new Failure(
      `${container} of ${pod} has no memory limit: the node would run out of memory instead`,
    );
  }
  // How it ends is looked at in the pod: its own end is that of the container, or of itself alone.
  await cluster
    .exec({ namespace, pod, container }, ['env', '-u', 'NODE_OPTIONS', 'node', '-e', TAKE_MEMORY], {
      onOutput: () => null,
      signal,
    })
    .catch(() => undefined);
  const giveUpMs = performance.now() + OOM_WITHIN_MS;
  while (!signal.aborted) {
    if (hasEnded(place.pods(), seat)) return;
    if (performance.now() > giveUpMs) {
      throw new Failure(
        `the kernel killed the process that used up the memory, instead of n8n in ${pod}`,
      );
    }
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function hasEnded(pods: readonly V1Pod[], { pod, container, restarts }: ContainerSeat): boolean {
  const found = pods.find(({ metadata }) => metadata?.name === pod);
  const status = found?.status?.containerStatuses?.find(({ name }) => name === container);
  if (status === undefined) return found === undefined;
  return status.restartCount > restarts || status.state?.terminated !== undefined;
}
