// A release of a real n8n that is there already (--existing): it is loaded, and drilled with a fault of the user's own, and
// nothing of it is changed.
import type { DrillRecord } from '../../cli/src/features/drill/record';
import type { RunRecord } from '../../cli/src/record/run-record';
import { buildCli } from '../support/cli';
import { until } from '../support/cluster';
import { n8nTuned, OURS, ourNamespaces, resultsFolder } from '../support/cluster-command';
import { Release } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_200_000);

const { path: out, remove } = resultsFolder();
let n8n: Release;
beforeAll(async () => {
  buildCli();
  n8n = await Release.inNewNamespace('existing');
  await n8n.deploy({ loadTargets: { enabled: true }, monitoring: { enabled: true } });
});
afterAll(async () => {
  remove();
  await n8n?.remove();
});

interface Objects {
  items: {
    kind: string;
    metadata: { name: string; uid: string; generation?: number };
    status?: { containerStatuses?: { restartCount: number }[] };
  }[];
}

/** Revision and manifest by helm, and every object with what changes when somebody changes or restarts it. */
async function whole(): Promise<unknown> {
  const kinds =
    'pods,deployments,services,configmaps,secrets,persistentvolumeclaims,jobs,networkpolicies,ingresses';
  const objects = JSON.parse(await n8n.space.kubectl('get', kinds, '-o', 'json')) as Objects;
  return {
    history: await n8n.helm(['history', '--output', 'json']),
    manifest: await n8n.helm(['get', 'manifest']),
    values: await n8n.helm(['get', 'values']),
    objects: objects.items.map(({ kind, metadata: { name, uid, generation }, status }) => ({
      ...{ kind, name, uid, generation },
      restarts: status?.containerStatuses?.map(({ restartCount }) => restartCount),
    })),
  };
}

test('it is loaded as it is, its executions are counted, and it is afterwards as before', async () => {
  await n8n.expectedResponse(`${await n8n.serviceUrl()}/webhook/load-last-node`);
  const before = await whole();
  const { code, stdout, stderr } = await n8nTuned(
    ...['run', '--target', 'kubernetes', '--existing', '--namespace', n8n.space.name],
    ...['--release', n8n.name, '--workload', 'last-node', '--rate', '5', '--duration', '10s'],
    ...['--warmup', '2s', '--slo', 'errors<=0%', '--ready', '300s', '--out', out, '--json'],
  );
  if (stdout === '') throw new Error(stderr);
  const { target, topology, summary, verdict } = JSON.parse(stdout) as RunRecord;
  expect([code, verdict.outcome]).toEqual([0, 'sustained']);
  expect(target.deployed).toMatchObject({
    ...{ release: 'n8n', namespace: n8n.space.name },
    chart: expect.stringMatching(/^n8n-tuned /) as string,
    values: { monitoring: { enabled: true } },
  });
  expect(topology).toMatchObject({ mode: 'regular' });
  expect(summary.offered.requests).toBe(50);
  expect(summary.executions).toMatchObject({ failed: 0, unfinished: 0, source: 'database' });
  expect(summary.matched).toMatchObject({ notExecuted: { requests: 0 } });
  const [main] = summary.roles.filter(({ role }) => role === 'main');
  expect(main).toMatchObject({ instances: 1, restarts: 0, oomKills: 0 });
  expect(main?.rssPeakMiB).toBeGreaterThan(100);
  // A pod that was told to end takes its time.
  const ours = (): Promise<string> =>
    n8n.space.kubectl('get', 'jobs,configmaps,pods', '-l', OURS, '-o', 'name');
  await until('the end of the load generator', async () => (await ours()) === '');
  expect(await whole()).toEqual(before);
  expect(await ourNamespaces()).toBe('');
  seen('run on a release that was there', {
    requests: summary.offered.requests,
    executed: summary.executions?.succeeded ?? 0,
    outcome: verdict.outcome,
  });
});

test("a user's own fault is drilled on it: what was refused meanwhile was never begun, and nothing was lost", async () => {
  const scaled = (replicas: number): string =>
    `kubectl -n ${n8n.space.name} scale deployment/n8n-main --replicas=${String(replicas)}`;
  const served = `kubectl -n ${n8n.space.name} rollout status deployment/n8n-main --timeout=240s`;
  const { stdout, stderr, code } = await n8nTuned(
    ...['drill', 'custom', '--target', 'kubernetes', '--existing', '--namespace', n8n.space.name],
    ...['--release', n8n.name, '--workload', 'last-node', '--rate', '3', '--no-control'],
    ...['--begin', scaled(0), '--end', `${scaled(1)} && ${served}`, '--for', '5s'],
    ...['--warmup', '2s', '--steady', '10s', '--after', '60s', '--slo', 'errors<1%,p95<5s'],
    ...['--promise', 'lost=0,repeated=0', '--ready', '300s', '--out', out, '--json'],
  );
  if (stdout === '') throw new Error(stderr);
  const { verdict, fault, ledger, figures } = JSON.parse(stdout) as DrillRecord;
  expect([code, verdict.sentence]).toEqual([0, expect.stringContaining('every promise was kept')]);
  expect(fault.done.map(({ text }) => text)).toEqual([
    '--begin, kubectl',
    '--end, kubectl, has run',
  ]);
  expect(ledger).toMatchObject({ lost: 0, sources: { executions: 'database' } });
  expect(figures?.availability?.during.requests).toBeGreaterThan(0);
  expect(await n8n.helm(['history', '--output', 'json'])).toContain('"revision":1');
  expect(await ourNamespaces()).toBe('');
  seen("drill of a user's own fault on a release that was there", {
    ...{ requests: ledger.sent, lost: ledger.lost, verdict: verdict.sentence },
    duringTheFault: figures?.availability?.during ?? {},
    outsideTheFault: figures?.availability?.outside ?? {},
  });
});
