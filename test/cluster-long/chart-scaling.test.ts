// Pods that come and go under load: a drained node, a scale-in, an autoscaler; every request must get its answer.
import { inCluster, until } from '../support/cluster';
import { keptConnections, load, Release } from '../support/release';
import type { Seen } from '../../studies/charts/callers';
import { seen, seenWhile } from '../support/seen';
import type { LoadSummary } from '../../loadtests/lib/load-summary';
import { pause } from '../support/wait';

jest.setTimeout(2_400_000);

const VALUES = {
  executions: { mode: 'queue' },
  database: { type: 'postgresql' },
  webhook: { enabled: true, replicas: 2 },
  worker: { replicas: 2 },
  loadTargets: { enabled: true },
};
const PATIENT = { TIMEOUT: '120s', DRAIN: '120s' };

let n8n: Release;
beforeAll(async () => {
  n8n = await Release.inNewNamespace('chart-scaling');
  await n8n.deploy(VALUES);
});
afterAll(() => n8n?.remove());

const kubectl = (...args: string[]): Promise<string> => n8n.space.kubectl(...args);

const RATE = 5;
const CALLERS = 5;

/**
 * Load while something is done, and for a while after: by k6, which repeats a request whose connection broke, and by
 * callers that do not.
 */
async function loadWhile(what: () => Promise<unknown>, seconds = 90): Promise<Figures> {
  const url = await n8n.serviceUrl('-webhook');
  const webhook = `${url}/webhook/load-last-node`;
  await n8n.expectedResponse(webhook);
  const loading = load(url, { RATE, DURATION: `${seconds}s`, ...PATIENT });
  const calling = keptConnections('callers', webhook, String(CALLERS), String(seconds));
  await pause(10_000, 'the load is under way');
  await what();
  return figures(await loading, await calling);
}

type Figures = ReturnType<typeof figures>;

const figures = ({ requests, expected, errors, latencyMs }: LoadSummary, kept?: Seen) => ({
  requests: requests + (kept?.requests ?? 0),
  right: expected + (kept?.right ?? 0),
  lost: requests - expected + (kept === undefined ? 0 : kept.requests - kept.right),
  errors: { ...errors, ...kept?.wrong },
  p95Ms: Math.round(latencyMs?.p95 ?? 0),
});

test('a drain of the node evicts every pod of n8n, one of a role at a time, and loses no request', async () => {
  const ROLES = 'main,webhook,worker';
  const before = await n8n.pods(ROLES);
  const [node = ''] = (await kubectl('get', 'nodes', '-o', 'name')).split('\n');
  const answers = await loadWhile(async () => {
    const drained = inCluster(
      [
        ...['kubectl', 'drain', node, '--delete-emptydir-data', '--ignore-daemonsets'],
        `--pod-selector=app.kubernetes.io/instance=n8n,app.kubernetes.io/component in (${ROLES})`,
      ],
      { timeoutMs: 600_000 },
    );
    // The rig has one node: it takes pods again as soon as it is cordoned, so that those of the budget can follow.
    await until(
      'the node cordoned',
      async () => (await kubectl('get', node, '-o', 'jsonpath={.spec.unschedulable}')) === 'true',
    );
    await kubectl('uncordon', node);
    expect(await drained).toMatchObject({ code: 0 });
    await Promise.all(ROLES.split(',').map((role) => n8n.rolledOut(role)));
  }, 180);
  const now = await n8n.pods(ROLES);
  seen('drain under load', { evicted: before.length, ...answers });
  expect(before).toHaveLength(5);
  expect(now.filter((pod) => before.includes(pod))).toEqual([]);
  expect(answers).toMatchObject({ lost: 0, errors: {} });
});

test('a scale-in of workers and webhook processors loses no request', async () => {
  const answers = await loadWhile(async () => {
    await kubectl('scale', 'deployment/n8n-worker', 'deployment/n8n-webhook', '--replicas=1');
    await until(
      'the others gone',
      async () => (await n8n.pods('worker,webhook')).length === 2,
      360_000,
    );
  });
  seen('scale-in under load', answers);
  expect(answers).toMatchObject({ lost: 0, errors: {} });
});

test.each([3, 4] as const)(
  'Helm %i turns an autoscaler on and off without taking a pod away',
  async (version) => {
    const replicas = async (): Promise<string> =>
      kubectl('get', 'deployment', 'n8n-worker', '-o', 'jsonpath={.spec.replicas}');
    const generations = new Set<string>();
    const upgrade = async (worker: object): Promise<void> => {
      const numbers = await seenWhile(replicas, () => n8n.deploy({ ...VALUES, worker }, version));
      for (const each of numbers) generations.add(each);
    };
    await n8n.deploy(VALUES, version);
    await upgrade({ replicas: 2, autoscaling: { enabled: true, maxReplicas: 2 } });
    await upgrade({ replicas: 2 });
    seen(`Helm ${version}: replicas to an autoscaler and back`, { replicas: [...generations] });
    expect([...generations]).toEqual(['2']);
  },
);

test('the HPA adds workers under load and takes them away again', async () => {
  const autoscaling = {
    ...{ enabled: true, minReplicas: 1, maxReplicas: 2, cpuPercent: 60 },
    behavior: { scaleDown: { stabilizationWindowSeconds: 15 } },
  };
  await n8n.deploy({ ...VALUES, worker: { autoscaling } });
  const workers = async (): Promise<number> =>
    Number(await kubectl('get', 'deployment', 'n8n-worker', '-o', 'jsonpath={.spec.replicas}'));
  await until('one worker', async () => (await workers()) === 1, 600_000);
  const url = await n8n.serviceUrl('-webhook');
  const counts = new Set<number>();
  let loading = true;
  const watch = (async () => {
    while (loading) {
      counts.add(await workers());
      await pause(2_000, 'the pace at which it looks');
    }
  })();
  const summary = await load(url, { RATE: 10, DURATION: '120s', ...PATIENT });
  loading = false;
  await watch;
  await until('one worker again', async () => (await workers()) === 1, 600_000);
  seen('HPA of workers', {
    under: Math.max(...counts),
    after: await workers(),
    ...figures(summary),
  });
  expect(Math.max(...counts)).toBe(2);
});
