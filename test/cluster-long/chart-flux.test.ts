// The chart under a real Flux that looks for drift: installed, reconciled again and again, upgraded, set back, removed and
// installed anew, n8n keeps its encryption key, nothing drifts by itself, what somebody changes is set right, and the number
// of pods stays the autoscaler's.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { parse } from 'yaml';
import { cleanedUp, until } from '../support/cluster';
import { CHART, Release, ROOT, SMALL_EVERYWHERE } from '../support/release';
import { seen, Sequence, seenWhile } from '../support/seen';

jest.setTimeout(2_400_000);

const RECONCILIATIONS = 5;
const PATIENCE_MS = 900_000;

interface HelmRelease {
  metadata: { name: string; namespace: string; generation?: number };
  spec: { chart: { spec: { version: string } }; values: object };
  status?: {
    observedGeneration?: number;
    lastHandledReconcileAt?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    /** The latest release first. */
    history?: { version: number }[];
  };
}

const { version } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { version: string };

/** The HelmRelease of docs/chart/gitops.md, for this namespace. */
function releaseOf(namespace: string, values: object): HelmRelease {
  const page = readFileSync(join(ROOT, 'docs/chart/gitops.md'), 'utf8');
  const text = /```yaml\n(apiVersion: helm\.toolkit[\s\S]*?)```/.exec(page)?.[1] ?? '';
  const shown = parse(text) as HelmRelease;
  const { spec } = shown;
  return {
    ...shown,
    metadata: { ...shown.metadata, namespace },
    spec: {
      ...spec,
      chart: { ...spec.chart, spec: { ...spec.chart.spec, version } },
      values: { ...SMALL_EVERYWHERE, ...values },
    },
  };
}

beforeAll(async () => {
  await promisify(execFile)(join(ROOT, 'lab/cluster/flux/up.sh'), { timeout: 1_500_000 });
});

test('n8n keeps its key and its pods under a Flux that looks for drift', async () => {
  const n8n = await Release.inNewNamespace('flux');
  const { name, kubectl, apply } = n8n.space;
  const state = async (): Promise<HelmRelease> =>
    JSON.parse(await kubectl('get', 'helmrelease', 'n8n', '-o', 'json')) as HelmRelease;
  const ready = (what: string, handled = ''): Promise<unknown> =>
    until(
      what,
      async () => {
        const { metadata, status = {} } = await state();
        const condition = status.conditions?.find(({ type }) => type === 'Ready');
        const isNow =
          status.observedGeneration === metadata.generation &&
          (handled === '' || status.lastHandledReconcileAt === handled);
        if (!isNow || condition?.status !== 'True') throw new Error(JSON.stringify(status));
        return true;
      },
      PATIENCE_MS,
    );
  let asked = 0;
  const reconcile = async (): Promise<void> => {
    const at = `request-${String(++asked)}`;
    const annotation = `reconcile.fluxcd.io/requestedAt=${at}`;
    await kubectl('annotate', 'helmrelease', 'n8n', annotation, '--overwrite');
    await ready('a reconciliation', at);
  };
  const drifts = async (): Promise<number> => {
    const { items } = JSON.parse(
      await kubectl('get', 'events', '--field-selector', 'reason=DriftDetected', '-o', 'json'),
    ) as { items: object[] };
    return items.length;
  };
  const keyOf = async (): Promise<unknown> => {
    const { metadata, data } = JSON.parse(
      await kubectl('get', 'secret', 'n8n-encryption-key', '-o', 'json'),
    ) as { metadata: { uid: string }; data: object };
    return { uid: metadata.uid, data };
  };
  const workers = (): Promise<string> =>
    kubectl(
      ...['get', 'deployment', 'n8n-worker', '--ignore-not-found'],
      ...['-o', 'jsonpath={.spec.replicas}'],
    );
  const remove = (): Promise<string> =>
    kubectl('delete', 'helmrelease', 'n8n', '--ignore-not-found', '--timeout=110s');
  const sequence = new Sequence();
  const record = async (step: string, key: unknown): Promise<void> => {
    const { status } = await state();
    sequence.add(step, {
      ready: status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? 'none',
      ...{ release: status?.history?.[0]?.version ?? 0, drifts: await drifts() },
      ...{ sameKey: isDeepStrictEqual(await keyOf(), key), workers: Number(await workers()) },
    });
    expect(await keyOf()).toEqual(key);
  };
  const work = async (): Promise<void> => {
    await apply([
      {
        ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' },
        metadata: { name: 'n8n-tuned', namespace: name },
        spec: { interval: '1m', url: 'http://127.0.0.1:8879' },
      },
    ]);
    const first = releaseOf(name, {});
    await apply([first]);
    await ready('n8n installed by Flux');
    const key = await keyOf();
    await record('install', key);
    for (let round = 1; round <= RECONCILIATIONS; round++) {
      await reconcile();
      await record(`reconciliation ${String(round)}`, key);
    }
    expect(await drifts()).toBe(0);

    // What somebody changes by hand is drift, and set right.
    await kubectl('label', 'service', 'n8n', 'app.kubernetes.io/part-of=another', '--overwrite');
    await reconcile();
    expect(await kubectl('get', 'service', 'n8n', '-o', 'jsonpath={.metadata.labels}')).toContain(
      '"app.kubernetes.io/part-of":"n8n-tuned"',
    );
    expect(await drifts()).toBeGreaterThan(0);
    await record('a label changed by hand is set right', key);

    await apply([releaseOf(name, { tuning: { profile: 'low-memory' } })]);
    await ready('n8n upgraded');
    await record('upgrade', key);
    await apply([first]);
    await ready('n8n set back');
    await record('roll back', key);

    const queue = {
      ...{ executions: { mode: 'queue' }, database: { type: 'postgresql' } },
      worker: { ...SMALL_EVERYWHERE.worker, replicas: 2 },
    };
    await apply([releaseOf(name, queue)]);
    await ready('n8n in queue mode');
    await record('queue mode', key);
    // The values say 2, and a Deployment without a number has 1: a number that is set back can be seen.
    const scaled = {
      ...queue.worker,
      autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 4 },
    };
    const turnedOn = await seenWhile(workers, async () => {
      await apply([releaseOf(name, { ...queue, worker: scaled })]);
      await ready('n8n with an autoscaler');
      await until('at least three workers', async () => Number(await workers()) >= 3);
    });
    await record('autoscaler of at least three workers', key);
    expect(turnedOn).not.toContain('1');
    const reconciled = await seenWhile(workers, async () => {
      for (let round = 1; round <= RECONCILIATIONS; round++) {
        await reconcile();
        await record(`reconciliation ${String(round)} beside the autoscaler`, key);
      }
    });
    expect(reconciled.filter((number) => Number(number) < 3)).toEqual([]);

    await remove();
    expect(await keyOf()).toEqual(key);
    sequence.add('delete', { sameKey: true });
    await apply([first]);
    await ready('n8n installed again');
    await record('install again', key);
    seen('Flux that looks for drift', { steps: sequence.steps });
  };
  await cleanedUp(work, async () => {
    await cleanedUp(remove, () => n8n.remove());
  });
});
