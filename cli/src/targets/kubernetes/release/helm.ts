/** Helm 3 or 4, as a program: what it is asked, and what it says when it fails. */
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { digestOf } from '../../../plan/secrets/mask';
import { findHelm } from '../../chart/render';
import { startReaper } from '../../../linux/reaper';
import { Failure, messageOf, Mistake } from '../../../ui/exit';
import type { Cluster } from '../api/api';

const STOPS_WITHIN_MS = 15_000;

export function neededHelm(): string {
  const found = findHelm();
  if (found === null) {
    throw new Mistake(
      'helm, which deploys the chart, is not installed: install Helm 3.18 or later, or run make lab in a checkout.',
    );
  }
  return found;
}

export interface HelmPlace {
  cluster: Cluster;
  namespace: string;
  release: string;
  /** The storage of Helm's releases, as in HELM_DRIVER; by default as the user has set it. */
  driver?: 'secret';
}

export interface Installing {
  /** A folder, a package, oci://... or a name in `repository`. */
  chart: string;
  repository?: string | undefined;
  version?: string | undefined;
  /** Files, the later ones over the earlier. */
  values: readonly string[];
  timeoutMs: number;
  /** Put on what Helm keeps of the release, so that nobody takes a later one of its name for this one. */
  labels: Readonly<Record<string, string>>;
}

/** Rendered manifests of Kubernetes, in YAML. */
export interface Rendered {
  manifest: string;
  hooks: string[];
}

const renderedSchema = z.object({
  manifest: z.string(),
  hooks: z
    .array(z.object({ manifest: z.string() }))
    .nullish()
    .transform((hooks) => (hooks ?? []).map(({ manifest }) => manifest)),
});

export class Helm {
  constructor(
    private readonly program: string,
    private readonly place: HelmPlace,
  ) {}

  /** What `install` would make. */
  async plan(order: Installing, signal: AbortSignal): Promise<Rendered> {
    const text = await this.run(
      ['install', ...flagsOf(order), '--dry-run=server', '--output', 'json'],
      [this.place.release, order.chart],
      signal,
    );
    try {
      return renderedSchema.parse(JSON.parse(text));
    } catch (error) {
      throw new Failure(`helm did not list what it would install: ${messageOf(error)}`);
    }
  }

  /** Hooks are waited for, pods are not: what keeps them is told better by the cluster itself. */
  async install(order: Installing, signal: AbortSignal): Promise<void> {
    await this.run(['install', ...flagsOf(order)], [this.place.release, order.chart], signal);
  }

  /** Null where there is no such release. */
  async status(): Promise<string | null> {
    try {
      const text = await this.run(['status', '--output', 'json'], [this.place.release]);
      return (JSON.parse(text) as { info?: { status?: string } }).info?.status ?? 'unknown';
    } catch (error) {
      if (error instanceof Error && /not found/.test(error.message)) return null;
      throw error;
    }
  }

  /** What a release was deployed with, the chart's own values beneath; null where it is none of Helm's. */
  async values(): Promise<Record<string, unknown> | null> {
    try {
      const text = await this.run(
        ['get', 'values', '--all', '--output', 'json'],
        [this.place.release],
      );
      return JSON.parse(text) as Record<string, unknown>;
    } catch {
      return null;
    }
  }

  async chart(): Promise<string | null> {
    try {
      const text = await this.run(['get', 'metadata', '--output', 'json'], [this.place.release]);
      const { chart, version } = JSON.parse(text) as { chart?: string; version?: string };
      return chart === undefined ? null : `${chart} ${version ?? ''}`.trim();
    } catch {
      return null;
    }
  }

  /** `call`: what differs from call to call; the hash is without it. */
  async manifestHash(call: string): Promise<string | null> {
    try {
      const text = await this.run(['get', 'manifest'], [this.place.release]);
      // Passwords are in it: a plain hash would let them be found by trying.
      return digestOf(text.replaceAll(call, 'CALL'));
    } catch {
      return null;
    }
  }

  private async run(
    command: readonly string[],
    names: readonly string[],
    signal?: AbortSignal,
  ): Promise<string> {
    const { cluster, namespace, driver } = this.place;
    const env = driver === undefined ? process.env : { ...process.env, HELM_DRIVER: driver };
    try {
      return await untilItsEnd(
        this.program,
        [
          ...command,
          ...['--namespace', namespace],
          ...(cluster.kubeconfig === null
            ? []
            : ['--kubeconfig', cluster.kubeconfig, '--kube-context', cluster.context]),
          // No name is taken for an option.
          ...['--', ...names],
        ],
        env,
        signal,
      );
    } catch (error) {
      if (!(error instanceof HelmEnd)) throw helmFailure(String(error), this.place);
      const { stderr, endedBy } = error;
      if (endedBy !== null) throw helmEnded(endedBy, command[0] ?? '', this.place);
      throw helmFailure(stderr.trim(), this.place);
    }
  }
}

const flagsOf = ({ repository, version, values, timeoutMs, labels }: Installing): string[] => [
  ...(repository === undefined ? [] : [`--repo=${repository}`]),
  ...(version === undefined ? [] : [`--version=${version}`]),
  ...values.flatMap((file) => ['--values', file]),
  ...Object.entries(labels).flatMap(([name, value]) => ['--labels', `${name}=${value}`]),
  ...['--timeout', `${String(Math.ceil(timeoutMs / 1000))}s`],
];

class HelmEnd extends Error {
  constructor(
    readonly stderr: string,
    readonly endedBy: NodeJS.Signals | null,
  ) {
    super(stderr);
  }
}

/**
 * Also when it is stopped: what it still writes would come after what is then removed. It does not outlive this process,
 * however that ends.
 */
async function untilItsEnd(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
): Promise<string> {
  signal?.throwIfAborted();
  const reaper = startReaper();
  // The shell waits until the reaper knows its process group.
  const child = spawn(
    '/bin/sh',
    ['-c', 'read -r go || exit 1; exec "$@" </dev/null', 'sh', program, ...args],
    { detached: true, stdio: 'pipe', env },
  );
  const [stdout, stderr] = [textFrom(child.stdout), textFrom(child.stderr)];
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, endedBy) => {
      if (code === 0) resolve();
      else reject(new HelmEnd(stderr(), endedBy));
    });
  });
  let kill: NodeJS.Timeout | undefined;
  const stop = (): void => {
    child.kill('SIGTERM');
    kill = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS);
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    if (child.pid !== undefined) reaper.watchGroup(child.pid, 'TERM');
    child.stdin.on('error', () => undefined); // It ended before it was told to go; the exit says so.
    child.stdin.end('go\n');
    await ended;
    return stdout();
  } finally {
    clearTimeout(kill);
    signal?.removeEventListener('abort', stop);
    await reaper.dismiss();
  }
}

function textFrom(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (more: string) => (text += more));
  return () => text;
}

/** Null for a release that Helm has brought to an end, well or badly. */
export function leftInTheMiddle(
  status: string | null,
  { release, namespace }: Pick<HelmPlace, 'release' | 'namespace'>,
): string | null {
  const doing = { 'pending-install': 'installing', 'pending-upgrade': 'upgrading' };
  const more = { 'pending-rollback': 'rolling back', uninstalling: 'uninstalling' };
  const what = Object.entries({ ...doing, ...more }).find(([name]) => name === status)?.[1];
  if (what === undefined) return null;
  const remedy = ['installing', 'uninstalling'].includes(what)
    ? `run helm uninstall ${release} --namespace ${namespace} to remove what is left of the release`
    : `run helm rollback ${release} --namespace ${namespace} to restore the previous revision`;
  return `helm is still ${what} the release '${release}' in the namespace ${namespace}, or was interrupted (${status ?? ''}): wait until helm has finished; if helm is no longer running, ${remedy}.`;
}

/** By somebody else: what the command itself stops has ended with another error before. */
export function helmEnded(
  signal: string,
  doing: string,
  { release, namespace }: Pick<HelmPlace, 'release' | 'namespace'>,
): Failure {
  const what = doing === 'install' ? 'installing' : `'helm ${doing}' of`;
  return new Failure(
    `helm was killed by ${signal} while ${what} the release '${release}' in the namespace ${namespace}: if the machine is out of memory, free some, and run the command again.`,
  );
}

/** Helm's last sentence, without what it repeats before it. */
export function helmFailure(
  stderr: string,
  { release, namespace }: Pick<HelmPlace, 'release' | 'namespace'>,
): Error {
  const said = stderr
    .split('\n')
    .filter((line) => !/^(WARNING|level=|I\d{4} |W\d{4} )/.test(line))
    .join(' ')
    .replace(/^Error: (INSTALLATION FAILED: )?/, '')
    .trim();
  if (/cannot re-?use a name that is still in use/.test(said)) {
    return new Mistake(
      `the release name '${release}' is taken in the namespace ${namespace}: choose another --release, or load-test the existing release with --existing.`,
    );
  }
  if (
    /values don't meet the specifications|execution error at|YAML parse error|error unmarshaling/i.test(
      said,
    )
  ) {
    return new Mistake(
      `the chart rejects these values: ${said.replace(/^.*execution error at \([^)]*\): /, '')}`,
    );
  }
  const foreign =
    /(\S+) "([^"]+)" in namespace "[^"]*" exists and cannot be imported into the current release/.exec(
      said,
    );
  if (foreign !== null) {
    const [, kind = '', name = ''] = foreign;
    return new Mistake(
      `the namespace ${namespace} already has a ${kind} '${name}' that does not belong to the release '${release}': choose another --release or --namespace, or remove it.`,
    );
  }
  const hook = /failed ((?:pre|post)-install): (.*)$/s.exec(said);
  if (hook !== null) {
    const [, when = '', why = ''] = hook;
    const remedy = /timed out|deadline exceeded/.test(why)
      ? 'allow more time with --deploy-timeout'
      : 'use helm to install the chart with the same values, and read the log of this hook';
    return new Failure(
      `helm failed while installing the release '${release}' in the namespace ${namespace}: its ${when} hook did not succeed (${why.replace(/\s+/g, ' ').trim()}); ${remedy}.`,
    );
  }
  return new Failure(`helm failed: ${said}`);
}
