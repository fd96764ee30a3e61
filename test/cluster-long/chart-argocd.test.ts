// The chart under a real Argo CD that prunes by itself and heals what differs, by each way to track its objects: installed,
// synced again and again, upgraded, set back, deleted and installed anew, n8n keeps its encryption key, and nothing differs.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { parse } from 'yaml';
import { cleanedUp, kubectl, until } from '../support/cluster';
import { CHART, Release, ROOT, SMALL_EVERYWHERE } from '../support/release';
import { seen, Sequence, seenWhile } from '../support/seen';

jest.setTimeout(2_400_000);

const SYNCS = 5;
const PATIENCE_MS = 600_000;

interface Application {
  metadata: { name: string; namespace: string };
  spec: {
    source: { repoURL: string; targetRevision: string; helm: { valuesObject: object } };
    destination: { namespace: string };
    syncPolicy: object;
    ignoreDifferences?: object[];
  };
}
interface Status {
  status?: {
    sync?: { status?: string };
    health?: { status?: string };
    operationState?: { phase?: string; finishedAt?: string; message?: string };
    resources?: { kind: string; name: string; status?: string; requiresPruning?: boolean }[];
  };
}

const { version } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { version: string };

const page = readFileSync(join(ROOT, 'docs/chart/gitops.md'), 'utf8');

/** The Application of docs/chart/gitops.md, for the lab's repository and this namespace. */
function application(namespace: string, values: object): Application {
  const text = /```yaml\n(apiVersion: argoproj\.io[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const shown = parse(text) as Application;
  return {
    ...shown,
    spec: {
      ...shown.spec,
      source: {
        ...shown.spec.source,
        repoURL: 'http://127.0.0.1:8879',
        targetRevision: version,
        helm: { valuesObject: { ...SMALL_EVERYWHERE, ...values } },
      },
      destination: { ...shown.spec.destination, namespace },
    },
  };
}

/** With the lines that the page adds beside an autoscaler of the workers, whose Deployment has a shorter name here. */
function besideAnAutoscaler({ spec, ...rest }: Application): Application {
  const text = /```yaml\n(spec:\n {2}ignoreDifferences:[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const added = parse(text.replace('n8n-n8n-tuned-worker', 'n8n-worker')) as Application;
  const syncPolicy = { ...spec.syncPolicy, ...added.spec.syncPolicy };
  return { ...rest, spec: { ...spec, ...added.spec, syncPolicy } };
}

const ofArgo = (...args: string[]): Promise<string> => kubectl(['-n', 'argocd', ...args]);
const state = async (): Promise<Status> =>
  JSON.parse(await ofArgo('get', 'application', 'n8n', '-o', 'json')) as Status;

async function applied(of: Application): Promise<void> {
  await kubectl(['apply', '-f', '-'], JSON.stringify(of));
}

/** Asked to look anew, Argo CD finds nothing that differs, and n8n is healthy. */
async function atRest(what: string): Promise<void> {
  await ofArgo('annotate', 'application', 'n8n', 'argocd.argoproj.io/refresh=hard', '--overwrite');
  await until(
    what,
    async () => {
      const { status = {} } = await state();
      const isAsked = (await ofArgo('get', 'application', 'n8n', '-o', 'yaml')).includes(
        'argocd.argoproj.io/refresh',
      );
      const isThere =
        !isAsked &&
        status.sync?.status === 'Synced' &&
        status.health?.status === 'Healthy' &&
        status.operationState?.phase === 'Succeeded';
      if (!isThere) throw new Error(JSON.stringify(status).slice(0, 2000));
      return true;
    },
    PATIENCE_MS,
  );
}

async function sync(): Promise<void> {
  const before = (await state()).status?.operationState?.finishedAt ?? '';
  const operation = { operation: { sync: { prune: true, revision: version } } };
  await ofArgo('patch', 'application', 'n8n', '--type=merge', '-p', JSON.stringify(operation));
  await until(
    'a sync',
    async () => {
      const now = (await state()).status?.operationState;
      return now?.phase === 'Succeeded' && now.finishedAt !== before;
    },
    PATIENCE_MS,
  );
}

/** What Argo CD says of its Application, and what it would prune. */
async function shown(): Promise<{ sync: string; health: string; wouldPrune: string[] }> {
  const { status } = await state();
  return {
    sync: status?.sync?.status ?? 'none',
    health: status?.health?.status ?? 'none',
    wouldPrune: (status?.resources ?? [])
      .filter((each) => each.requiresPruning === true)
      .map((each) => `${each.kind} ${each.name}`),
  };
}

beforeAll(async () => {
  await promisify(execFile)(join(ROOT, 'lab/cluster/argocd/up.sh'), { timeout: 1_500_000 });
});

/** Removed, with what it deployed: else with what Argo CD says of it, and let go, so that the next test finds none. */
async function removed(): Promise<void> {
  const gone = ['delete', 'application', 'n8n', '--ignore-not-found', '--timeout=400s'];
  try {
    await kubectl(['-n', 'argocd', ...gone], undefined, 420_000);
  } catch (error) {
    const { status } = await state();
    await ofArgo(
      ...['patch', 'application', 'n8n', '--type=merge', '-p', '{"metadata":{"finalizers":null}}'],
    );
    throw new Error(`${String(error)}: ${JSON.stringify(status).slice(0, 4000)}`);
  }
}

async function trackedBy(method: string): Promise<void> {
  await ofArgo(
    ...['patch', 'configmap', 'argocd-cm', '--type=merge', '-p'],
    JSON.stringify({ data: { 'application.resourceTrackingMethod': method } }),
  );
  await ofArgo('rollout', 'restart', 'deployment/argocd');
  await ofArgo('rollout', 'status', 'deployment/argocd', '--timeout=240s');
}

test.each(['label', 'annotation'])(
  'n8n keeps its key under an Argo CD that tracks by %s and prunes',
  async (method) => {
    await trackedBy(method);
    const n8n = await Release.inNewNamespace(`argocd-${method}`);
    const secret = async (): Promise<unknown> => {
      const { metadata, data } = JSON.parse(
        await n8n.space.kubectl('get', 'secret', 'n8n-encryption-key', '-o', 'json'),
      ) as { metadata: { uid: string }; data: object };
      return { uid: metadata.uid, data };
    };
    const sequence = new Sequence();
    const work = async (): Promise<void> => {
      const first = application(n8n.space.name, {});
      await applied(first);
      await atRest('n8n installed by Argo CD');
      const key = await secret();
      const isKept = async (step: string): Promise<void> => {
        const now = await shown();
        const { wouldPrune } = now;
        sequence.add(step, {
          ...now,
          wouldPrune: wouldPrune.length,
          sameKey: isDeepStrictEqual(await secret(), key),
        });
        expect(await secret()).toEqual(key);
        expect(wouldPrune).toEqual([]);
      };
      await isKept('install');
      for (let round = 1; round <= SYNCS; round++) {
        await sync();
        await isKept(`sync ${String(round)}`);
      }
      await atRest('n8n after the syncs');

      await applied(application(n8n.space.name, { tuning: { profile: 'low-memory' } }));
      await atRest('n8n upgraded');
      await isKept('upgrade');
      await applied(first);
      await atRest('n8n set back');
      await isKept('roll back');

      await removed();
      expect(await secret()).toEqual(key);
      sequence.add('delete', { sameKey: true });
      await applied(first);
      await atRest('n8n installed again');
      await isKept('install again');
      seen(`Argo CD that tracks by ${method}`, { steps: sequence.steps });
    };
    await cleanedUp(work, async () => {
      await cleanedUp(removed, () => n8n.remove());
    });
  },
);

test.each(['label', 'annotation'])(
  'an autoscaler keeps the number of pods under an Argo CD that tracks by %s and heals what differs',
  async (method) => {
    await trackedBy(method);
    const n8n = await Release.inNewNamespace(`argocd-scaled-${method}`);
    const workers = (): Promise<string> =>
      n8n.space.kubectl('get', 'deployment', 'n8n-worker', '-o', 'jsonpath={.spec.replicas}');
    const queue = {
      ...{ executions: { mode: 'queue' }, database: { type: 'postgresql' } },
      worker: { ...SMALL_EVERYWHERE.worker, replicas: 2 },
    };
    // The values say 2, and a Deployment without a number has 1: a number that is set back can be seen.
    const autoscaling = { enabled: true, minReplicas: 3, maxReplicas: 4 };
    const sequence = new Sequence();
    const record = async (step: string): Promise<void> => {
      const now = await shown();
      const { wouldPrune } = now;
      sequence.add(step, {
        ...now,
        wouldPrune: wouldPrune.length,
        workers: Number(await workers()),
      });
      expect(wouldPrune).toEqual([]);
    };
    const work = async (): Promise<void> => {
      await applied(application(n8n.space.name, queue));
      await atRest('n8n in queue mode');
      await record('install in queue mode');
      const scaled = application(n8n.space.name, {
        ...{ ...queue, worker: { ...queue.worker, autoscaling } },
      });
      const turnedOn = await seenWhile(workers, async () => {
        await applied(besideAnAutoscaler(scaled));
        await atRest('n8n with an autoscaler');
        await until('at least three workers', async () => Number(await workers()) >= 3);
      });
      await record('autoscaler of at least three workers');
      expect(turnedOn).not.toContain('1');
      const synced = await seenWhile(workers, async () => {
        for (let round = 1; round <= SYNCS; round++) {
          await sync();
          await record(`sync ${String(round)}`);
        }
        await atRest('n8n after the syncs');
      });
      expect(synced.filter((number) => Number(number) < 3)).toEqual([]);
      seen(`Argo CD that tracks by ${method}, beside an autoscaler`, { steps: sequence.steps });
    };
    await cleanedUp(work, async () => {
      await cleanedUp(removed, () => n8n.remove());
    });
  },
);
