// docs/scale.md, whose figures follow from records.
import { linksFrom } from './study-page';
import type { SampledRole } from '../../cli/src/record/run-record';
import { link, number, readJson, recordsNamed, runAt, table, type Generated } from './records';

const RUN_OF_QUEUE = 'studies/modes/results/modes/cells/012-block-1';
const MERGE = 'studies/generators/results/record.json';
const ON_CLUSTER = 'docs/records/generators-on-cluster.json';
const RATES = [1_000, 10_000];
/** In use of what there is: what is left serves bunches of requests, a rollout and a lost node. */
const USED = 0.7;
/** Redis runs its commands on one thread. */
const ONE_THREAD = 1;

interface Merge {
  rows: {
    ratePerSecond: number;
    generators: number;
    cpuShareOfACore: number;
    rssPeakMiB: number;
  }[];
}
type OnCluster = Record<
  '1 against 3 load generators',
  { largestDifference: Record<'betweenThem' | 'oneFromTruth' | 'threeFromTruth', number> }
>;

const whole = (value: number): string => number(Math.ceil(value));

export function scale(): Generated {
  const [run = ''] = recordsNamed('run.json', `${RUN_OF_QUEUE}/`);
  const { summary, topology, versions, workload } = runAt(run);
  const rate = summary.achieved.ratePerSecond;
  const millisecondsOf = (role: SampledRole): number =>
    (1000 * (summary.roles.find((one) => one.role === role)?.cpuCoresMean ?? 0)) / rate;
  const redisMs = millisecondsOf('redis');
  const generatorMs = (1000 * summary.generator.cpuCores) / rate;
  const most = readJson<Merge>(MERGE).rows.findLast(
    ({ ratePerSecond }) => ratePerSecond === 10_000,
  );
  const apart = readJson<OnCluster>(ON_CLUSTER)['1 against 3 load generators'].largestDifference;
  const redisMost = (USED * ONE_THREAD * 1000) / redisMs;
  const cores = (perRequest: number, at: number): number => (perRequest * at) / 1000;
  const needs: [name: string, perRequest: number, unit: string][] = [
    [
      'webhook processors (main in the record)',
      millisecondsOf('main'),
      'processes of one core each',
    ],
    ['workers', millisecondsOf('worker'), 'processes of one core each'],
    ['PostgreSQL', millisecondsOf('postgresql'), 'cores of one server'],
    ['Redis', redisMs, 'of its one thread'],
    ['load generators', generatorMs, 'pods of one core each'],
  ];
  const rows = needs.map(([name, each, unit]) => [
    name,
    `${number(each)} ms`,
    ...RATES.map((at) =>
      name === 'Redis' ? `${number(100 * cores(each, at))}%` : whole(cores(each, at) / USED),
    ),
    unit,
  ]);
  const page = `# Past one machine

<!-- Written by lab/generate/scale.ts from records. -->

How many processes and cores it takes to sustain 1,000 and 10,000 requests per second, as far as the figures of one small
machine tell, and how to measure it on your cluster. **Nothing on this page was measured at such a rate**: everything in the table
is extrapolated in proportion from one run, and real systems scale less than linearly.

## What one request costs

One run of ${workload.name} in queue mode with n8n ${versions.n8n}, tuning \`${topology?.tuning ?? ''}\`, ${topology?.workers.count ?? 0} worker, at
${number(rate)} requests per second on two cores (${link(run)}). At ${number(100 * USED)}% use:

${table(['', 'CPU per request', ...RATES.map((at) => `at ${number(at)}/s`), 'which are'], rows)}

What follows from it:

- **Redis is the first limit.** n8n has one queue, and Redis runs its commands on one thread: at ${number(100 * USED)}% of it that is about
  ${number(Math.round(redisMost / 10) * 10)} requests per second, whatever else you add. For 10,000/s run several releases, each with its
  own Redis and database, and divide the traffic in front of them, for example by path or by host at your Ingress.
- **PostgreSQL comes next.** Every execution is written several times. Leave out what you do not read: the profile
  \`throughput\` does not keep the records of successes ([tuning](docs/chart/tuning.md)).
- **n8n deletes fewer than 100 executions per second.** From that rate on the database of one release grows without end,
  even if successes are not saved ([what helps](docs/chart/data.md#how-many-n8n-can-delete)).
- Your workflow costs more than this one, which does next to nothing: then workers are the first limit. Measure it.
- Webhook processors hold connections open as long as the workflow takes: count memory and sockets, not only CPU.

## The load generators

One pod of k6 needs about ${number(generatorMs)} ms of CPU per request here. \`--generators N\` divides one schedule among N pods
([how](docs/kubernetes.md#several-load-generators)). All requests come to the command, which merges them: in a
[simulation](studies/generators/README.md) with ${number(most?.generators)} generators and ${number(most?.ratePerSecond)} requests per second this took
${number(100 * (most?.cpuShareOfACore ?? NaN))}% of a core and ${number(most?.rssPeakMiB)} MiB, with percentiles within 0.1% of the exact ones. Two lines per request also
come through the API server of your cluster; how many it can handle was not tested.

## On your cluster

\`\`\`sh
n8n-tuned doctor --target kubernetes
# The capacity of one worker, then of more: the scalability law needs at least four sizes.
n8n-tuned sweep -f sizes.yaml --target kubernetes
n8n-tuned predict --from results --at 12
# What was predicted, deployed and loaded from three nodes.
n8n-tuned run --target kubernetes --values large.yaml --generators 3 --rate 1000 --duration 10m --slo 'p95<500ms' --slo 'errors<0.1%'
\`\`\`

\`predict\` extrapolates to three times the largest size that was measured, and says how far it may be off; use the table
above only to choose what to measure first.

## What was verified here, and what was not

| claim | how |
| --- | --- |
| the shares of N generators are together the schedule of one | properties over rates and N, \`test/loadtests/share.test.ts\` |
| merged figures are those of one generator, in whatever order lines arrive | properties, \`test/cli/load/merge.test.ts\` |
| cost, memory and error of the merge at 100 generators | simulation, ${link(MERGE)} |
| one and three generators measure the same percentiles on a real cluster, of a server of known latency | p50 to p99 differ by ${number(100 * apart.betweenThem)}% at the most, and from the truth by ${number(100 * Math.max(apart.oneFromTruth, apart.threeFromTruth))}%; on one node, \`test/cluster-long/generators.test.ts\`, [record](docs/records/generators-on-cluster.json) |
| clocks of several nodes | **not verified**: the cluster of the lab has one node; the arithmetic has properties, \`test/cli/analysis/clock.test.ts\` |
| 1,000 and 10,000 requests per second | **not verified** |
`;
  return { files: { 'docs/scale.md': linksFrom('docs/scale.md', page) } };
}
