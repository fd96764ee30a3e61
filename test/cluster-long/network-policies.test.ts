// NetworkPolicies that are enforced: those of the chart let through what n8n needs and nothing else, and the command says
// which one keeps its load generator out.
import { buildCli } from '../support/cli';
import { createNamespace, type Namespace } from '../support/cluster';
import { n8nTuned, OURS, resultsFolder, sentenceOf } from '../support/cluster-command';
import { installKnown, onKnown } from '../support/known-release';
import { enforcePolicies, reachedFrom } from '../support/network-policies';
import { Release } from '../support/release';
import { seen } from '../support/seen';
import type { RunRecord } from '../../cli/src/record/run-record';

jest.setTimeout(1_200_000);

const { path: out, remove } = resultsFolder();
const [label = '', value = ''] = OURS.split('=');
const generator = { podSelector: { matchLabels: { [label]: value } } };
let stop: () => Promise<void>;
beforeAll(async () => {
  buildCli();
  stop = await enforcePolicies();
});
afterAll(async () => {
  remove();
  await stop?.();
});

const load = (rate: number, ...more: string[]) =>
  n8nTuned(
    ...['run', ...more, '--rate', String(rate), '--warmup', '2s', '--duration', '10s'],
    ...['--slo', 'errors<=0%', '--out', out, '--json'],
  );

describe('a release whose policies keep the load generator from it', () => {
  let space: Namespace;
  beforeAll(async () => {
    space = await createNamespace('closed');
    await installKnown(space, out, { oneAtATime: { serviceMs: 5 } });
  });
  afterAll(() => space?.remove());

  const policy = (name: string, spec: object): object => ({
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name } },
    spec: { podSelector: {}, ...spec },
  });
  const within = (time: string): string[] => [...onKnown(space).slice(0, -1), time];

  test('is told by the policy that does, on its own side and on that of the generator', async () => {
    const proxies = { podSelector: { matchLabels: { app: 'proxy' } } };
    await space.apply([policy('only-proxies', { ingress: [{ from: [proxies] }] })]);
    const into = await load(5, ...within('10s'));
    expect([into.code, sentenceOf(into)]).toEqual([
      3,
      expect.stringContaining(
        `The NetworkPolicy only-proxies of the namespace ${space.name} does not allow traffic from the load generator's pod to n8n: allow ingress from pods with the label ${OURS}.`,
      ),
    ]);
    await space.kubectl('delete', 'networkpolicy', 'only-proxies');
    await space.apply([policy('nothing-out', { policyTypes: ['Egress'] })]);
    const outOf = await load(5, ...within('10s'));
    expect([outOf.code, sentenceOf(outOf)]).toEqual([
      3,
      expect.stringContaining(
        `The NetworkPolicy nothing-out of the namespace ${space.name} does not allow the load generator's pod to send traffic to n8n: allow egress`,
      ),
    ]);
    seen('NetworkPolicies that keep the load generator out', {
      sentences: [sentenceOf(into), sentenceOf(outOf)],
    });
  });

  test('is loaded once they allow what the sentence says', async () => {
    await space.kubectl('delete', 'networkpolicy', '--all');
    await space.apply([policy('only-the-load', { ingress: [{ from: [generator] }] })]);
    const { code, stdout, stderr } = await load(5, ...onKnown(space));
    if (stdout === '') throw new Error(stderr);
    expect([code, (JSON.parse(stdout) as RunRecord).summary.offered.requests]).toEqual([0, 50]);
  });
});

test('queue mode with every policy of the chart works, and a stranger reaches none of its stores', async () => {
  const n8n = await Release.inNewNamespace('policies');
  try {
    const metrics = { podSelector: { matchLabels: { app: 'prometheus' } } };
    await n8n.deploy({
      executions: { mode: 'queue' },
      database: { type: 'postgresql' },
      webhook: { enabled: true, replicas: 1 },
      worker: { replicas: 1 },
      loadTargets: { enabled: true },
      monitoring: { enabled: true, exporter: { enabled: true } },
      networkPolicy: { from: [generator], metricsFrom: [metrics], egress: { enabled: true } },
    });
    const { code, stdout, stderr } = await load(
      5,
      ...['--target', 'kubernetes', '--existing', '--namespace', n8n.space.name],
      ...['--release', n8n.name, '--workload', 'last-node', '--ready', '300s'],
    );
    if (stdout === '') throw new Error(stderr);
    const { summary } = JSON.parse(stdout) as RunRecord;
    expect([code, summary.offered.requests]).toEqual([0, 50]);
    const ports = (
      await n8n.space.kubectl(
        ...['get', 'pods', '-o'],
        'jsonpath={range .items[*]}{.metadata.labels.app\\.kubernetes\\.io/component} {.status.podIP}{"\\n"}{end}',
      )
    )
      .split('\n')
      .flatMap((line) => {
        const [component = '', ip = ''] = line.split(' ');
        const port = { main: 5678, webhook: 5678, worker: 5678, redis: 6379, postgresql: 5432 };
        return component in port
          ? [{ component, ip, port: port[component as keyof typeof port] }]
          : [];
      });
    const reached = async (labels: Record<string, string>): Promise<Record<string, string>> => {
      const states = await reachedFrom(
        n8n.space,
        labels,
        ports.map(({ ip, port }) => [ip, port] as const),
      );
      return Object.fromEntries(
        ports.map(({ component, ip, port }) => [component, states[`${ip}:${String(port)}`] ?? '']),
      );
    };
    const closed = { redis: 'closed', postgresql: 'closed' };
    const stranger = await reached({ app: 'stranger' });
    expect(stranger).toEqual({ main: 'closed', webhook: 'closed', worker: 'closed', ...closed });
    const prometheus = await reached({ app: 'prometheus' });
    expect(prometheus).toEqual({ main: 'open', webhook: 'open', worker: 'open', ...closed });
    const caller = await reached({ [label]: value });
    expect(caller).toEqual({ main: 'open', webhook: 'open', worker: 'closed', ...closed });
    seen('NetworkPolicies of the chart', { stranger, prometheus, caller });
  } finally {
    await n8n.space.remove();
  }
});
