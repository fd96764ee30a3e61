// What a sandbox for expressions costs, how many to keep ready, and with how little heap n8n starts.
import {
  columns,
  link,
  median,
  mib,
  ms,
  namesIn,
  number,
  perSecond,
  readJson,
  seconds,
  share,
  spread,
  tableOf,
} from '../records';
import type { StudyPage } from '../study-page';
import { distinct, grouped } from '../sweeps';

const ISOLATES = 'studies/isolates/results/record.json';
interface Variant {
  patches: string;
  rounds: { cpuMs: number }[];
}
interface Isolates {
  n8n: string;
  isolates: number;
  variants: Variant[];
}
const variants = (): Variant[] => readJson<Isolates>(ISOLATES).variants;
/** The CPU without patches over that of a variant, round by round. */
function lessCpu({ rounds }: Variant): string {
  const [none] = variants();
  return `${spread(rounds.map(({ cpuMs }, at) => (none?.rounds[at]?.cpuMs ?? NaN) / cpuMs)).replace(' ', 'x ')} less`;
}
/** With all patches. */
export function lessCpuWithPatches(): string {
  const all = variants().at(-1);
  return all === undefined ? '-' : lessCpu(all);
}

function costs(): string {
  const { n8n, isolates: count, variants: all } = readJson<Isolates>(ISOLATES);
  return `## By patches

n8n ${n8n} ran with its compile cache, without and with the [patches](docs/chart/patches.md). A sandbox is made, evaluates \`$json.a + 1\`,
20 more like it and \`toTitleCase()\`. Median of ${number(count)} sandboxes; over ${number(all[0]?.rounds.length)} rounds in
turns the median of these, and from the least to the most.

${tableOf(all, {
  patches: ({ patches }) => patches,
  'CPU, compared with none': (one) => (one === all[0] ? '-' : lessCpu(one)),
})}

${link(ISOLATES)}`;
}

export const isolates: StudyPage = {
  study: 'isolates',
  answer: () => ({
    sentence: 'With the patches of this kit a sandbox for expressions takes less CPU.',
    ours: lessCpuWithPatches(),
  }),
  parts: [costs],
};

const POOL = 'studies/isolate-pool/results';
interface PoolRun {
  cpu: 'one-core' | 'all-cores';
  ratePerSecond: number;
  size: number;
  round: number;
  seconds: number;
  expected: number;
  p95Ms: number;
  coldSandboxes: number;
  cpuMillisecondsPerRequest: number;
  memoryMiB: number;
}
const CPUS = { 'one-core': 'one core', 'all-cores': 'all cores' };

const poolRuns = () =>
  namesIn(POOL).map((file) => ({
    ...readJson<PoolRun>(`${POOL}/${file}`),
    path: `${POOL}/${file}`,
  }));

function pool(): string {
  const runs = poolRuns();
  type Run = (typeof runs)[number];
  const inOrder = runs.toSorted(
    (a, b) =>
      b.cpu.localeCompare(a.cpu) ||
      a.ratePerSecond - b.ratePerSecond ||
      a.size - b.size ||
      a.round - b.round,
  );
  const sizes = distinct(inOrder.map(({ size }) => size)).toSorted((a, b) => a - b);
  const groups = [
    ...grouped(inOrder, ({ cpu, ratePerSecond }) => [cpu, ratePerSecond].join(' ')).values(),
  ];
  const cellOf = (same: readonly Run[], size: number): string => {
    const own = same.filter((run) => run.size === size);
    const cold = own.map(({ coldSandboxes, expected }) => coldSandboxes / expected);
    const of = (figure: (run: Run) => number): number => median(own.map(figure));
    return `${share(median(cold))}; ${spread(own.map(({ p95Ms }) => p95Ms))} ms; ${ms(of((run) => run.cpuMillisecondsPerRequest))}; ${mib(of(({ memoryMiB }) => memoryMiB))}`;
  };
  return `## By cores and bursts

The workload expressions in regular mode with the chart's defaults, ${seconds(runs[0]?.seconds)} at a usual rate, ${seconds((runs[0]?.seconds ?? NaN) / 5)} of it at five
times that rate. The pool is \`N8N_EXPRESSION_ENGINE_POOL_SIZE\`; an execution that finds it empty has to build a sandbox, and n8n does nothing else meanwhile.
By the size of the pool: in how many executions that was so, and the 95th percentile (median of the runs, from the least to the most), CPU per request and n8n's memory at most. The chart's own value is \`tuning.readySandboxes\`.

${tableOf(groups, {
  'CPU of n8n': ([first]) => CPUS[first?.cpu ?? 'one-core'],
  'rate, in the burst': ([first]) =>
    `${perSecond(first?.ratePerSecond)}, ${perSecond(5 * (first?.ratePerSecond ?? NaN))}`,
  ...columns(sizes, (size) => `pool of ${number(size)}`, cellOf),
})}

Records: \`CPU-RATE-pool-SIZE-N\`, such as ${link(runs[0]?.path ?? '')}`;
}

export const isolatePool: StudyPage = {
  study: 'isolate-pool',
  records: poolRuns,
  parts: [pool],
};

const FLOORS = 'studies/heap-floors/results/record.json';
interface Floors {
  rows: {
    n8n: string;
    heap: string;
    oldSpaceMiB: number;
    lives: boolean;
    readyAfterSeconds: number;
  }[];
}
const floors = (): string => `## The least heaps

A fresh n8n with SQLite, started with less and less old space.

${tableOf(readJson<Floors>(FLOORS).rows, {
  heap: ({ heap, n8n }) => `${heap} of ${n8n}`,
  'old space': ({ oldSpaceMiB }) => mib(oldSpaceMiB),
  'what it did': ({ lives, readyAfterSeconds }) =>
    lives ? `ready after ${seconds(readyAfterSeconds)}` : 'crashes',
})}

${link(FLOORS)}`;

export const heapFloors: StudyPage = {
  study: 'heap-floors',
  parts: [floors],
};

const PROFILES = 'studies/cpu-profile/results';
/** Packages shown of each process. */
const PACKAGES = 3;
const IDLE = 'idle';
const ROLES: Record<string, string> = {
  main: 'main',
  webhook: 'webhook processor',
  worker: 'worker',
  runner: 'task runner',
};
interface Part {
  name: string;
  ms: number;
}
interface Profiled {
  role: string;
  threadMs: number;
  groups: Part[];
}
interface Profile {
  mode: string;
  workload: string;
  responses: number;
  clients: number;
  processes: Profiled[];
}

const busyOf = ({ threadMs, groups }: Profiled): number =>
  threadMs - (groups.find(({ name }) => name === IDLE)?.ms ?? 0);

const sharesOf = (process: Profiled): string =>
  process.groups
    .filter(({ name }) => name !== IDLE)
    .slice(0, PACKAGES)
    .map((one) => `${one.name} ${share(one.ms / busyOf(process))}`)
    .join(', ');

function profiles(): string {
  const all = namesIn(PROFILES)
    .filter((name) => name.endsWith('.json'))
    .map((file) => ({
      ...readJson<Profile>(`${PROFILES}/${file}`),
      path: `${PROFILES}/${file}`,
    }));
  const rows = all.flatMap((one) =>
    one.processes
      .toSorted((a, b) => busyOf(b) - busyOf(a))
      .map((process, at) => ({ ...one, process, isFirst: at === 0 })),
  );
  return `## By process and package

The thread of each process, looked at once a millisecond while ${number(all[0]?.clients)} clients wait for their responses, with the chart's
defaults. Native code counts for the package that called it. The profile itself takes some of the time: read shares, not rates. The largest functions are in the records.

${tableOf(rows, {
  workload: ({ workload, mode, isFirst }) => (isFirst ? `${workload}, ${mode} mode` : ''),
  process: ({ process: { role } }) => ROLES[role] ?? role,
  busy: ({ process }) => share(busyOf(process) / process.threadMs),
  'CPU per request': ({ process, responses }) => ms(busyOf(process) / responses),
  'the largest packages': ({ process }) => sharesOf(process),
  '': ({ path, isFirst }) => (isFirst ? link(path) : ''),
})}`;
}

export const cpuProfile: StudyPage = {
  study: 'cpu-profile',
  parts: [profiles],
};
