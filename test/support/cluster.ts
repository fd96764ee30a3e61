import { execFile, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pause } from './wait';

/** For what has to be signalled; else inCluster(). */
export const FRONT_DOOR = join(__dirname, '..', '..', 'lab', 'cluster', 'cluster');
const OUTPUT_BYTES = 64 * 1024 * 1024;

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

function run(
  args: string[],
  options: { input?: string; env?: NodeJS.ProcessEnv; timeoutMs?: number } = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child: ChildProcess = execFile(
      FRONT_DOOR,
      args,
      {
        maxBuffer: OUTPUT_BYTES,
        timeout: options.timeoutMs ?? 120_000,
        env: { ...process.env, ...options.env },
      },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, stdout, stderr });
      },
    );
    child.stdin?.end(options.input);
  });
}

/** lab/cluster/cluster itself, with another environment where a test wants one. */
export const cluster = run;

/** What `cluster status` says, such as provider, running, ingress, gateway. */
export async function clusterStatus(): Promise<Record<string, string>> {
  const { stdout } = await run(['status']);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2) as [string, string]),
  );
}

/** Runs a command so that it reaches the cluster: the only way in. */
export function inCluster(
  command: string[],
  options: { input?: string; timeoutMs?: number } = {},
): Promise<Outcome> {
  return run(['exec', ...command], options);
}

/** kubectl, whose failure is the test's. */
export async function kubectl(args: string[], input?: string, timeoutMs?: number): Promise<string> {
  const { code, stdout, stderr } = await inCluster(['kubectl', ...args], {
    ...(input === undefined ? {} : { input }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr.trim()}`);
  return stdout.trim();
}

export interface Namespace {
  name: string;
  kubectl(...args: string[]): Promise<string>;
  /** Objects, or a manifest as text. */
  apply(manifest: string | object[]): Promise<void>;
  remove(): Promise<void>;
}

/** A namespace of a test's own, whose default service account is there already. */
export async function createNamespace(prefix: string): Promise<Namespace> {
  const name = `${prefix}-${randomBytes(3).toString('hex')}`;
  await kubectl(['create', 'namespace', name]);
  const inside = (...args: string[]): Promise<string> => kubectl(['-n', name, ...args]);
  await until(`service account of ${name}`, () => inside('get', 'serviceaccount', 'default'));
  return {
    name,
    kubectl: inside,
    async apply(manifest) {
      const items =
        typeof manifest === 'string'
          ? manifest
          : JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifest });
      await kubectl(['-n', name, 'apply', '-f', '-'], items);
    },
    async remove() {
      await kubectl(['delete', 'namespace', name, '--wait=false']);
    },
  };
}

/** Does `work` and then, in any case, `cleanUp`. A failed `cleanUp` does not hide why `work` failed. */
export async function cleanedUp(
  work: () => Promise<unknown>,
  cleanUp: () => Promise<unknown>,
): Promise<void> {
  const [done] = await Promise.allSettled([work()]);
  const [cleaned] = await Promise.allSettled([cleanUp()]);
  const errors = [done, cleaned].flatMap((each) =>
    each.status === 'rejected' ? [each.reason as Error] : [],
  );
  if (errors.length > 1) {
    throw new AggregateError(errors, errors.map(({ message }) => message).join('\nthen: '));
  }
  if (errors[0] !== undefined) throw errors[0];
}

const POLL_MS = 300;

/** Tries until it neither throws nor gives false; then fails with what it threw last. */
export async function until<T>(
  what: string,
  attempt: () => Promise<T>,
  timeoutMs = 150_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown = 'it was never true';
  while (Date.now() < deadline) {
    try {
      const result = await attempt();
      if (result !== false) return result;
    } catch (error) {
      last = error;
    }
    await pause(POLL_MS, 'the pace at which it asks');
  }
  throw new Error(
    `${what}: not within ${timeoutMs / 1000} s: ${last instanceof Error ? last.message : String(last)}`,
  );
}

export interface Reply {
  status: number;
  body: string;
}

/** One request from inside, by curl; further arguments are curl's own. Status 0 means no answer. */
export async function request(url: string, ...curlArgs: string[]): Promise<Reply> {
  const { stdout } = await inCluster([
    'curl',
    '-sS',
    '-m',
    '30',
    '-w',
    '\n%{http_code}',
    ...curlArgs,
    url,
  ]);
  const at = stdout.lastIndexOf('\n');
  return { status: Number(stdout.slice(at + 1)), body: stdout.slice(0, at) };
}

/** The address of a Service's first port. */
export async function serviceUrl(namespace: Namespace, service: string): Promise<string> {
  const address = await namespace.kubectl(
    'get',
    'service',
    service,
    '-o',
    'jsonpath={.spec.clusterIP}:{.spec.ports[0].port}',
  );
  return `http://${address}`;
}
