// A release of our chart on the cluster, as an operator handles it: helm, kubectl, curl and k6.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  createNamespace,
  inCluster,
  request,
  serviceUrl,
  until,
  type Namespace,
  type Reply,
} from './cluster';
import type { LoadSummary } from '../../loadtests/lib/load-summary';
import type { Seen } from '../../studies/charts/callers';

export const ROOT = join(__dirname, '..', '..');
export const CHART = join(ROOT, 'charts', 'n8n-tuned');
export const LOAD_CHART = join(ROOT, 'charts', 'n8n-load');
/** Values of n8n-load for n8n-tuned: n8n gets the bundled workflows, or loses them. */
export const [WITH_TARGETS, WITHOUT_TARGETS] = ['with-targets', 'without-targets'].map(
  (name) => parse(readFileSync(join(LOAD_CHART, 'n8n', `${name}.yaml`), 'utf8')) as object,
) as [object, object];
const HELM_TIMEOUT = '10m';
const PATIENCE_MS = 660_000;

/** helm 3 or 4, whose failure is the test's. */
export async function helm(args: string[], input?: string, version: 3 | 4 = 3): Promise<string> {
  const { code, stdout, stderr } = await inCluster([`helm${version}`, ...args], {
    timeoutMs: PATIENCE_MS,
    ...(input === undefined ? {} : { input }),
  });
  if (code !== 0) throw new Error(`helm ${args.join(' ')}: ${stderr.trim()}\n${stdout.trim()}`);
  return stdout;
}

/** Little enough that every role fits on a small node; limits, and so heaps, are the chart's own. */
const SMALL = { requests: { cpu: '50m', memory: '256Mi' } };
export const SMALL_EVERYWHERE = {
  // A Service of this name is the trap that puts N8N_PORT=tcp://... into pods.
  fullnameOverride: 'n8n',
  main: { resources: SMALL },
  worker: { resources: SMALL },
  webhook: { resources: SMALL },
};

/** A namespace that admits only pods of the `restricted` Pod Security Standard. */
export async function restrictedNamespace(prefix: string): Promise<Namespace> {
  const space = await createNamespace(prefix);
  await space.kubectl(
    ...['label', 'namespace', space.name],
    'pod-security.kubernetes.io/enforce=restricted',
    'pod-security.kubernetes.io/warn=restricted',
  );
  return space;
}

export class Release {
  readonly name = 'n8n';

  private constructor(readonly space: Namespace) {}

  static async inNewNamespace(prefix: string): Promise<Release> {
    return new Release(await restrictedNamespace(prefix));
  }

  /**
   * `helm upgrade --install`, and waits until every pod is ready, unless told otherwise. `loadTargets` and `loadTest` are
   * values of n8n-load, which is installed before.
   */
  async deploy(values: object, version: 3 | 4 = 3, wait = true): Promise<string> {
    const { loadTargets, loadTest, ...n8n } = values as Record<string, object>;
    const { tag } = (n8n['image'] ?? {}) as { tag?: string };
    if (loadTargets !== undefined) {
      const load = { ...(loadTest && { loadTest }), ...(tag && { n8nVersion: tag }) };
      await helm(
        ['upgrade', '--install', 'load', LOAD_CHART, '-n', this.space.name, '--values', '-'],
        JSON.stringify({ target: 'http://n8n', loadTargets, ...load }),
        version,
      );
    }
    const targets = loadTargets === undefined ? {} : WITH_TARGETS;
    return helm(
      [
        ...['upgrade', '--install', this.name, CHART, '-n', this.space.name],
        ...['--values', '-', ...(wait ? ['--wait'] : []), '--timeout', HELM_TIMEOUT],
      ],
      JSON.stringify(merged(merged(SMALL_EVERYWHERE, targets), n8n)),
      version,
    );
  }

  /**
   * The commands that a page of docs/ shows under a heading, each a function that runs it for this release, with these values
   * as its values.yaml and with `folder` as the current one. The page has the names of a release without `fullnameOverride`.
   */
  stepsOf(
    page: string,
    heading: string,
    values: object,
    folder: string,
  ): { line: string; run: () => Promise<string> }[] {
    const [, text = ''] = readFileSync(join(ROOT, 'docs', page), 'utf8').split(`\n${heading}\n`);
    const [section = ''] = text.split('\n## ');
    const shown = [...section.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block);
    const all = merged(SMALL_EVERYWHERE, values);
    writeFileSync(join(folder, 'values.yaml'), JSON.stringify(all));
    const lines = shown
      .flatMap((block) => block.split('\n'))
      .filter((line) => /^(kubectl|helm|tail) /.test(line));
    return lines.map((line) => ({
      line,
      run: async () => {
        const own = line
          .replaceAll('kubectl ', `kubectl -n ${this.space.name} `)
          .replaceAll(/\bhelm (upgrade|template) /g, `helm3 -n ${this.space.name} $1 `)
          .replaceAll('n8n-n8n-tuned', SMALL_EVERYWHERE.fullnameOverride)
          .replaceAll('charts/n8n-tuned', CHART);
        const command = ['sh', '-ec', `cd ${folder}\n${own}`];
        const { code, stdout, stderr } = await inCluster(command, { timeoutMs: PATIENCE_MS });
        if (code !== 0) throw new Error(`${line}: ${stderr}`);
        return stdout;
      },
    }));
  }

  /** How many pods of every Deployment are ready. */
  async ready(): Promise<Record<string, number>> {
    const list = JSON.parse(await this.space.kubectl('get', 'deployments', '-o', 'json')) as {
      items: { metadata: { name: string }; status: { readyReplicas?: number } }[];
    };
    const each = list.items.map(({ metadata, status }) => [
      metadata.name,
      status.readyReplicas ?? 0,
    ]);
    return Object.fromEntries(each) as Record<string, number>;
  }

  helm([command = '', ...args]: string[], version: 3 | 4 = 3): Promise<string> {
    return helm([command, this.name, '-n', this.space.name, ...args], undefined, version);
  }

  async uninstall(): Promise<void> {
    await this.helm(['uninstall']);
    await until(
      'no pod left',
      async () => (await this.pods('main,worker,webhook')).length === 0,
      PATIENCE_MS,
    );
  }

  /** Names of the running pods of some roles, those that are ending included. */
  async pods(roles: string): Promise<string[]> {
    const selector = `app.kubernetes.io/instance=${this.name},app.kubernetes.io/component in (${roles})`;
    const names = await this.space.kubectl('get', 'pods', '-l', selector, '-o', 'name');
    return names.split('\n').filter((name) => name !== '');
  }

  /** n8n's own command takes minutes to start on a busy machine. */
  async exec(pod: string, ...command: string[]): Promise<string> {
    const { code, stdout, stderr } = await inCluster(
      ['kubectl', '-n', this.space.name, 'exec', pod, '-c', 'n8n', '--', ...command],
      { timeoutMs: PATIENCE_MS },
    );
    if (code !== 0) throw new Error(`${command.join(' ')}: ${stderr.trim()}`);
    return stdout.trim();
  }

  /** Until every pod of a role is the newest and ready. */
  async rolledOut(role: string): Promise<void> {
    await until(
      `rollout of ${role}`,
      () => this.space.kubectl('rollout', 'status', `deployment/n8n-${role}`, '--timeout=20s'),
      PATIENCE_MS,
    );
  }

  /** The URL of main, or with `-webhook` that of the webhook processors. */
  serviceUrl(suffix: '' | '-webhook' = ''): Promise<string> {
    return serviceUrl(this.space, `n8n${suffix}`);
  }

  /** The one pod of a role that is not ending. */
  async pod(role: string): Promise<string> {
    const list = JSON.parse(
      await this.space.kubectl(
        ...['get', 'pods', '-o', 'json', '-l', `app.kubernetes.io/component=${role}`],
      ),
    ) as { items: { metadata: { name: string; deletionTimestamp?: string } }[] };
    const alive = list.items.find(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (alive === undefined) throw new Error(`no pod of ${role}`);
    return alive.metadata.name;
  }

  /** n8n answers 404 for a moment after it is ready. */
  async expectedResponse(url: string, ...curlArgs: string[]): Promise<Reply> {
    let reply: Reply = { status: 0, body: '' };
    await until(
      `200 from ${url}`,
      async () => {
        reply = await request(url, ...curlArgs);
        if (reply.status !== 200) throw new Error(`${reply.status} ${reply.body.slice(0, 200)}`);
        return true;
      },
      PATIENCE_MS,
    );
    return reply;
  }

  /** Restarts of all containers, and those whose last end was the kernel's for want of memory. */
  async ends(roles: string): Promise<{ restarts: number; oomKilled: number }> {
    const selector = `app.kubernetes.io/component in (${roles})`;
    const list = JSON.parse(
      await this.space.kubectl('get', 'pods', '-l', selector, '-o', 'json'),
    ) as {
      items: {
        status: {
          containerStatuses?: {
            restartCount: number;
            lastState: { terminated?: { reason: string } };
            state: { terminated?: { reason: string } };
          }[];
        };
      }[];
    };
    const containers = list.items.flatMap(({ status }) => status.containerStatuses ?? []);
    return {
      restarts: containers.reduce((sum, { restartCount }) => sum + restartCount, 0),
      oomKilled: containers.filter(
        ({ lastState, state }) =>
          lastState.terminated?.reason === 'OOMKilled' || state.terminated?.reason === 'OOMKilled',
      ).length,
    };
  }

  remove(): Promise<void> {
    return this.space.remove();
  }
}

const CREDENTIAL = [
  {
    // n8n below 1.0 knows numbers alone, and wants to be told of nodes.
    id: '9100',
    name: 'kept',
    type: 'httpHeaderAuth',
    nodesAccess: [],
    data: { name: 'x-secret', value: 'still readable' },
  },
];

/** Puts a credential into n8n, encrypted with the release's key. */
export async function storeCredential(release: Release): Promise<void> {
  const script = `echo '${JSON.stringify(CREDENTIAL)}' > /tmp/in.json && n8n import:credentials --input=/tmp/in.json`;
  await release.exec(await release.pod('main'), 'sh', '-c', script);
}

/** What n8n decrypts of it. */
export async function readCredential(release: Release): Promise<unknown> {
  const script =
    'n8n export:credentials --id=9100 --decrypted --output=/tmp/out.json >&2 && cat /tmp/out.json';
  const text = await release.exec(await release.pod('main'), 'sh', '-c', script);
  const [found] = JSON.parse(text) as { data: { value: string } }[];
  return found?.data.value;
}

export function merged(a: Record<string, unknown>, b: object): Record<string, unknown> {
  const all = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const before = all[key];
    all[key] = isObject(before) && isObject(value) ? merged(before, value) : value;
  }
  return all;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A script of studies/charts, run inside; it prints what became of the requests of callers that keep their connections. */
export async function keptConnections(
  script: 'callers' | 'rollouts',
  ...args: string[]
): Promise<Seen> {
  const file = join(ROOT, 'studies', 'charts', `${script}.ts`);
  const { code, stdout, stderr } = await inCluster(['node', '--import', 'tsx', file, ...args], {
    timeoutMs: PATIENCE_MS,
  });
  if (code !== 0) throw new Error(`${script}: ${stderr.trim()}`);
  return JSON.parse(stdout) as Seen;
}

/** The bundled load profile against an address of the cluster; the summary counts every request. */
export async function load(
  baseUrl: string,
  settings: Record<string, string | number>,
): Promise<LoadSummary> {
  const folder = mkdtempSync(join(tmpdir(), 'chart-load-'));
  const file = join(folder, 'summary.json');
  const env = { BASE_URL: baseUrl, SUMMARY_FILE: file, WARMUP: '0s', READY: '120s', ...settings };
  try {
    const { stdout, stderr } = await inCluster(
      [
        ...['k6', 'run', '--quiet', '--no-usage-report', '--address=127.0.0.1:0'],
        ...Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]),
        join(ROOT, 'loadtests', 'load.ts'),
      ],
      { timeoutMs: 900_000 },
    );
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as LoadSummary;
    } catch {
      throw new Error(`k6 left no summary: ${stderr.trim()} ${stdout.trim()}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
