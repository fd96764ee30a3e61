// The part of docs/kubernetes.md about what one machine cannot sustain, whose figures follow from records.
import { linksFrom } from './study-page';
import type { SampledRole } from '../../cli/src/record/run-record';
import {
  filled,
  link,
  number,
  read,
  readJson,
  recordsNamed,
  runAt,
  table,
  type Generated,
} from './records';

const PAGE = 'docs/kubernetes.md';
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
  const fastest = readJson<Merge>(MERGE).rows.findLast(
    ({ ratePerSecond }) => ratePerSecond === 10_000,
  );
  const apart = readJson<OnCluster>(ON_CLUSTER)['1 against 3 load generators'].largestDifference;
  const redisMost = (USED * ONE_THREAD * 1000) / redisMs;
  const cores = (perRequest: number, at: number): number => (perRequest * at) / 1000;
  const needs: [name: string, perRequest: number, unit: string][] = [
    ['webhook processors (main in the record)', millisecondsOf('main'), 'one-core processes'],
    ['workers', millisecondsOf('worker'), 'one-core processes'],
    ['PostgreSQL', millisecondsOf('postgresql'), 'cores on one server'],
    ['Redis', redisMs, 'of its one thread'],
    ['load generators', generatorMs, 'one-core pods'],
  ];
  const rows = needs.map(([name, each, unit]) => [
    name,
    `${number(each)} ms`,
    ...RATES.map((at) =>
      name === 'Redis' ? `${number(100 * cores(each, at))}%` : whole(cores(each, at) / USED),
    ),
    unit,
  ]);
  const text = `This section estimates how many processes and cores you need for ${RATES.map(number).join(' and ')} requests per second,
based on figures from one small machine. **We did not measure n8n at these rates.** The table extrapolates linearly from a single run, but real systems scale less than linearly.

The run used ${workload.name} in queue mode with n8n ${versions.n8n}, tuning \`${topology?.tuning ?? ''}\` and ${topology?.workers.count ?? 0} worker, at
${number(rate)} requests per second on two cores (${link(run)}). The numbers in the table leave ${number(100 * (1 - USED))}% of each resource unused.

${table(['', 'CPU per request', ...RATES.map((at) => `at ${number(at)}/s`), 'unit'], rows)}

- **Redis is the first limit.** n8n uses a single queue, and Redis runs its commands on a single thread. At ${number(100 * USED)}% utilization of that thread,
  one Redis can handle about ${number(Math.round(redisMost / 10) * 10)} requests per second, no matter how many workers you add. For higher rates, run several
  releases, each with its own Redis and database. Divide the traffic at your Ingress, for example by path.
- **PostgreSQL is the next limit.** n8n writes every execution several times. The \`throughput\` profile does not keep
  successful executions ([tuning](docs/chart/tuning.md)).
- **n8n deletes fewer than 100 executions per second.** Above this rate, the database grows without limit
  ([solutions](docs/chart/data.md#how-many-executions-n8n-can-delete)).
- **Real workflows need more CPU.** The workflow in this run does almost nothing. With real workflows, the workers are usually
  the first limit.

A k6 pod uses about ${number(generatorMs)} ms of CPU per request. In a [simulation](studies/generators/README.md) with
${number(fastest?.generators)} generators and ${number(fastest?.ratePerSecond)} requests per second, the command used
${number(100 * (fastest?.cpuShareOfACore ?? NaN))}% of a core and ${number(fastest?.rssPeakMiB)} MiB to combine the requests from all pods. On a real single-node cluster, the percentiles from one
and three generators differed by at most ${number(100 * apart.betweenThem)}% ([record](docs/records/generators-on-cluster.json)). We have not tested nodes whose clocks differ.

To measure the capacity of your cluster:

\`\`\`sh
# Measures the capacity with one worker, then with more; the scalability law needs at least four sizes.
n8n-tuned sweep -f sizes.yaml --target kubernetes
n8n-tuned predict --from results --at 12
# Deploys the predicted size, and loads it from three pods.
n8n-tuned run --target kubernetes --values large.yaml --generators 3 --rate 1000 --duration 10m --slo 'p95<500ms'
\`\`\``;
  return {
    files: { [PAGE]: filled(read(PAGE), { scale: linksFrom(PAGE, text) }, 'scale') },
  };
}
