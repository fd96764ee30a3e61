/** Access to a cluster: the official client, its refusals as sentences, and commands run in pods. */
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { existsSync } from 'node:fs';
import { readPlainFile } from '../../../linux/plain-file';
import { Failure, messageOf, Mistake } from '../../../ui/exit';
import type {
  ApisApi,
  AppsV1Api,
  AuthorizationV1Api,
  BatchV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  NetworkingV1Api,
  V1Status,
  VersionApi,
} from './api-types';
import { within } from '../../../ui/within';
import { causeOf, refusalOf } from './failure-causes';

/** A container of a pod. */
export interface Place {
  namespace: string;
  pod: string;
  container: string;
}

export interface ExecOptions {
  /** No more is read until a promise that it returns. */
  onOutput(text: string): Promise<void> | null;
  /** Written to it at once; it is not closed before the command ends. */
  input?: string;
  /** Called once it runs, with what writes to it. */
  onOpen?(write: (text: string) => void): void;
  signal?: AbortSignal;
}

export interface ExecEnd {
  /** Null where the connection was cut, or the signal fired. */
  code: number | null;
  stderr: string;
}

/** Timeout of a short command. */
const OUTPUT_WITHIN_MS = 60_000;
/** A connection that is not there by then will not be: the API server or the kubelet of its node hangs. */
const OPENS_WITHIN_MS = 30_000;
/** How long one request is waited for. A log that is followed and a command that runs are none. */
export interface Patience {
  serverMs: number;
  /** Timeout of calls that the API server passes on to a pod; the same as for a process on this machine. */
  podMs: number;
}
const PATIENCE: Patience = { serverMs: 60_000, podMs: 10_000 };
const NEVER = new AbortController().signal;

export class Cluster {
  private constructor(
    readonly context: string,
    readonly server: string,
    /** Null: the cluster's own, in a pod. */
    readonly kubeconfig: string | null,
    private readonly client: typeof import('@kubernetes/client-node', {
      with: { 'resolution-mode': 'import' },
    }),
    private readonly config: KubeConfig,
    readonly core: CoreV1Api,
    readonly apps: AppsV1Api,
    readonly batch: BatchV1Api,
    readonly authorization: AuthorizationV1Api,
    readonly networking: NetworkingV1Api,
    readonly custom: CustomObjectsApi,
    /** Objects of any kind. */
    readonly objects: KubernetesObjectApi,
    private readonly groups: ApisApi,
    private readonly versions: VersionApi,
    private readonly patience: Patience,
  ) {}

  /** Reads the kubeconfig; asks nothing yet. */
  static async of(
    kubeconfig: string | null,
    context: string | null,
    patience = PATIENCE,
  ): Promise<Cluster> {
    const client = await import('@kubernetes/client-node');
    const config = new client.KubeConfig();
    const file = kubeconfig ?? defaultKubeconfig();
    try {
      if (file === null) config.loadFromCluster();
      else {
        config.loadFromString(kubeconfigIn(file));
        config.makePathsAbsolute(dirname(file));
      }
    } catch (error) {
      if (error instanceof Mistake) throw error;
      throw new Mistake(
        file === null
          ? 'there is no kubeconfig: set --kubeconfig or KUBECONFIG, or start a local test cluster with make cluster-up.'
          : `${file} cannot be read as a kubeconfig: it is not YAML, or its kind is not Config.`,
      );
    }
    if (context !== null) {
      const names = config.getContexts().map(({ name }) => name);
      if (!names.includes(context)) {
        throw new Mistake(
          `the kubeconfig ${file ?? ''} has no context '${context}': ${names.length === 0 ? 'it has no contexts' : `choose one of ${names.join(', ')}`}.`,
        );
      }
      config.setCurrentContext(context);
    }
    const cluster = config.getCurrentCluster();
    if (cluster === null) {
      throw new Mistake(
        `the kubeconfig ${file ?? ''} has no current context: choose one with --context.`,
      );
    }
    if (cluster.server.startsWith('http:') && cluster.skipTLSVerify !== true) {
      throw new Mistake(
        `the kubeconfig ${file ?? ''} has the server ${cluster.server}, and credentials are not sent without TLS: use its https address, or set insecure-skip-tls-verify for a cluster on this machine.`,
      );
    }
    bound(config, patience);
    return new Cluster(
      config.getCurrentContext(),
      cluster.server,
      file,
      client,
      config,
      config.makeApiClient(client.CoreV1Api),
      config.makeApiClient(client.AppsV1Api),
      config.makeApiClient(client.BatchV1Api),
      config.makeApiClient(client.AuthorizationV1Api),
      config.makeApiClient(client.NetworkingV1Api),
      config.makeApiClient(client.CustomObjectsApi),
      client.KubernetesObjectApi.makeApiClient(config),
      config.makeApiClient(client.ApisApi),
      config.makeApiClient(client.VersionApi),
      patience,
    );
  }

  /** What cannot be done is told as what it was, in words for a person. */
  async doing<T>(what: string, ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      throw this.explained(what, error);
    }
  }

  explained(what: string, error: unknown): unknown {
    const { context, server } = this;
    const cause = causeOf(error, { context, server, doing: what });
    if (cause === null) return error;
    const { code = 0 } = refusalOf(error) ?? {};
    // What is asked too much or without a right is the user's to change.
    return [401, 403, 422].includes(code) || code === 0 ? new Mistake(cause) : new Failure(cause);
  }

  /** Null where it is not there. */
  async found<T>(what: string, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch (error) {
      if (refusalOf(error)?.code === 404) return null;
      throw this.explained(what, error);
    }
  }

  /** What a pod answers at a path of its port, with the API server between. */
  async askPod(namespace: string, pod: string, port: number, path: string): Promise<string> {
    return this.doing(`querying the pod ${pod}`, async () => {
      try {
        return await this.core.connectGetNamespacedPodProxyWithPath({
          ...{ namespace, name: `${pod}:${String(port)}`, path },
        });
      } catch (error) {
        const isLate = error instanceof Error && error.name === 'AbortError';
        throw isLate
          ? new Error(`no answer within ${String(this.patience.podMs / 1000)} s`)
          : error;
      }
    });
  }

  version(): Promise<string> {
    return this.doing('querying its version', async () => {
      const { gitVersion } = await this.versions.getCode();
      return gitVersion;
    });
  }

  async hasMetricsApi(): Promise<boolean> {
    try {
      const { groups } = await this.groups.getAPIVersions();
      return groups.some(({ name }) => name === 'metrics.k8s.io');
    } catch {
      return false;
    }
  }

  /** Runs a command in a container until it ends. */
  exec(place: Place, command: readonly string[], options: ExecOptions): Promise<ExecEnd> {
    const exec = new this.client.Exec(this.config);
    const decoder = new StringDecoder('utf8');
    let pause: (until: Promise<void>) => void = () => undefined;
    const stdout = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        const behind = options.onOutput(decoder.write(chunk));
        if (behind) pause(behind);
        done();
      },
    });
    let errors = '';
    const stderr = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        errors = (errors + chunk.toString()).slice(-2000);
        done();
      },
    });
    const stdin = new PassThrough();
    let status: V1Status | null = null;
    const what = `running a command in the pod ${place.pod}`;
    return new Promise((resolve, reject) => {
      let isOver = false;
      const waiting = setTimeout(() => {
        isOver = true;
        reject(new Failure(`${what}: it did not start within ${String(OPENS_WITHIN_MS / 1000)} s`));
      }, OPENS_WITHIN_MS);
      exec
        .exec(
          ...([place.namespace, place.pod, place.container] as const),
          [...command],
          stdout,
          stderr,
          stdin,
          false,
          (now) => {
            status = now;
          },
        )
        .then(
          (socket) => {
            clearTimeout(waiting);
            if (isOver) {
              socket.terminate();
              return;
            }
            const close = (): void => {
              socket.close();
              // One that does not answer any more would be waited for without end.
              setTimeout(() => {
                socket.terminate();
              }, 2_000).unref();
            };
            pause = (until) => {
              socket.pause();
              void until.finally(() => {
                socket.resume();
              });
            };
            options.signal?.addEventListener('abort', close, { once: true });
            if (options.signal?.aborted === true) close();
            socket.on('error', () => undefined); // Its close follows.
            socket.on('close', () => {
              options.signal?.removeEventListener('abort', close);
              resolve({ code: codeIn(status), stderr: errors || (status?.message ?? '') });
            });
            if (options.input !== undefined) stdin.write(options.input);
            options.onOpen?.((text) => stdin.write(text));
          },
          (error: unknown) => {
            clearTimeout(waiting);
            reject(this.explained(what, socketError(error)) as Error);
          },
        );
    });
  }

  /** Writes what a container has written since, and goes on with it; what it returns ends that. */
  async followLog(
    { namespace, pod, container }: Place,
    into: Writable,
    sinceMs: number | null,
  ): Promise<() => void> {
    const since = sinceMs === null ? {} : { sinceTime: new Date(sinceMs).toISOString() };
    const following = await this.doing(`reading the log of the pod ${pod}`, () =>
      new this.client.Log(this.config).log(...([namespace, pod, container, into] as const), {
        ...{ follow: true, ...since },
      }),
    );
    return () => {
      following.abort();
    };
  }

  /** The same for a command whose output is wanted as a whole; rejects when it fails, or takes too long. */
  async output(
    place: Place,
    command: readonly string[],
    withinMs = OUTPUT_WITHIN_MS,
  ): Promise<string> {
    let text = '';
    const { code, stderr } = await within(withinMs, NEVER, (signal) =>
      this.exec(place, command, {
        onOutput: (more) => {
          text += more;
          return null;
        },
        signal,
      }),
    );
    if (code === 0) return text;
    const how = code === null ? 'the connection was cut' : `exit code ${String(code)}`;
    throw new Error(`in ${place.pod}: ${stderr.trim() || how}`);
  }
}

/** The client has no bound of its own. Every request of every API asks here for its credentials, just before it is sent. */
function bound(config: KubeConfig, { serverMs, podMs }: Patience): void {
  const authenticate = config.applySecurityAuthentication.bind(config);
  config.applySecurityAuthentication = async (context) => {
    await authenticate(context);
    const isForPod = context.getUrl().includes('/proxy/');
    context.setSignal(AbortSignal.timeout(isForPod ? podMs : serverMs));
  };
}

/** Reads the kubeconfig as text, so that a wrong file gets a readable error. */
function kubeconfigIn(file: string): string {
  let text: string;
  try {
    text = readPlainFile(file);
  } catch (error) {
    throw new Mistake(`${file} cannot be read as a kubeconfig: ${messageOf(error)}.`);
  }
  if (text.trim() !== '') return text;
  throw new Mistake(`${file} cannot be read as a kubeconfig: it is empty.`);
}

function defaultKubeconfig(): string | null {
  const [named] = (process.env['KUBECONFIG'] ?? '').split(':').filter(Boolean);
  if (named !== undefined) return named;
  const fallback = join(homedir(), '.kube', 'config');
  return existsSync(fallback) ? fallback : null;
}

function codeIn(status: V1Status | null): number | null {
  if (status === null) return null;
  if (status.status === 'Success') return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === 'ExitCode');
  return cause === undefined ? null : Number(cause.message);
}

/** A refused upgrade of the connection says its status only in words. */
function socketError(error: unknown): unknown {
  const inner =
    typeof error === 'object' && error !== null && 'error' in error ? error.error : error;
  const text = messageOf(inner);
  const code = /Unexpected server response: (\d+)/.exec(text)?.[1];
  if (code === undefined) return inner;
  const body =
    code === '403'
      ? 'cannot create resource "pods/exec" in API group ""'
      : 'the connection to the pod was refused';
  return Object.assign(new Error(text), { code: Number(code), body });
}
