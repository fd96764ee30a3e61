// What a sandbox for expressions costs, how many to keep ready, and with how little heap n8n starts.
import {
  hrefOf,
  link,
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
import { grouped } from '../sweeps';

const ISOLATES = 'studies/isolates/results/record.json';
type Step = 'madeMs' | 'firstMs' | 'othersMs' | 'functionMs' | 'cpuMs';
interface Variant {
  patches: string;
  rounds: Record<Step, number>[];
}
interface Isolates {
  n8n: string;
  isolates: number;
  variants: Variant[];
}
const variants = (): Variant[] => readJson<Isolates>(ISOLATES).variants;
const spreadOf = ({ rounds }: Variant, step: Step): string =>
  `${spread(rounds.map((round) => round[step]))} ms`;

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
20 more like it and \`toTitleCase()\`, in n8n's default time zone, and is thrown away. Median of ${number(count)} sandboxes; over ${number(all[0]?.rounds.length)} rounds in
turns the median of these, and from the least to the most.

${tableOf(all, {
  patches: ({ patches }) => patches,
  made: (one) => spreadOf(one, 'madeMs'),
  'first expression': (one) => spreadOf(one, 'firstMs'),
  '20 more': (one) => spreadOf(one, 'othersMs'),
  'a function': (one) => spreadOf(one, 'functionMs'),
  'CPU for all': (one) => spreadOf(one, 'cpuMs'),
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
  cpuMillisecondsPerRequest: number;
  memoryMiB: number;
  coldSandboxes: number;
}
const CPUS = { 'one-core': 'one core', 'all-cores': 'all cores' };

function pool(): string {
  const runs = namesIn(POOL).map((file) => ({
    ...readJson<PoolRun>(`${POOL}/${file}`),
    path: `${POOL}/${file}`,
  }));
  type Run = (typeof runs)[number];
  const inOrder = runs.toSorted(
    (a, b) =>
      b.cpu.localeCompare(a.cpu) ||
      a.ratePerSecond - b.ratePerSecond ||
      a.size - b.size ||
      a.round - b.round,
  );
  const groups = [
    ...grouped(inOrder, ({ cpu, ratePerSecond, size }) =>
      [cpu, ratePerSecond, size].join(' '),
    ).values(),
  ].flatMap((same) => (same[0] === undefined ? [] : [{ ...same[0], same }]));
  const of = ({ same }: (typeof groups)[number], figure: (run: Run) => number): string =>
    spread(same.map(figure));
  return `## By cores and bursts

The workload expressions in regular mode with the chart's defaults, ${seconds(runs[0]?.seconds)} at a usual rate, ${seconds((runs[0]?.seconds ?? NaN) / 5)} of it at five
times that rate; the load generator shares the cores. The pool is
\`N8N_EXPRESSION_ENGINE_POOL_SIZE\`; an execution that finds it empty has to build a sandbox, and n8n does nothing else meanwhile.
Median of the runs of a row, and from the least to the most. The chart's own value is \`tuning.readySandboxes\`.

${tableOf(groups, {
  'CPU of n8n': ({ cpu }) => CPUS[cpu],
  'rate, in the burst': ({ ratePerSecond }) =>
    `${perSecond(ratePerSecond)}, ${perSecond(5 * ratePerSecond)}`,
  pool: ({ size }) => size,
  'built while an execution waited, of the executions': (row) =>
    `${of(row, ({ coldSandboxes, expected }) => (100 * coldSandboxes) / expected)}%`,
  p95: (row) => `${of(row, ({ p95Ms }) => p95Ms)} ms`,
  'CPU per request': (row) => `${of(row, (run) => run.cpuMillisecondsPerRequest)} ms`,
  "n8n's memory, at most": (row) => `${of(row, ({ memoryMiB }) => memoryMiB)} MiB`,
  records: ({ same }) =>
    same.map(({ path }, at) => `[${number(at + 1)}](${hrefOf(path)})`).join(' '),
})}`;
}

export const isolatePool: StudyPage = {
  study: 'isolate-pool',
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
    outOfHeap: boolean;
  }[];
}
const floors = (): string => `## The least heaps

A fresh n8n with SQLite, started with less and less old space.

${tableOf(readJson<Floors>(FLOORS).rows, {
  heap: ({ heap, n8n }) => `${heap} of ${n8n}`,
  'old space': ({ oldSpaceMiB }) => mib(oldSpaceMiB),
  'what it did': ({ lives, readyAfterSeconds }) =>
    lives ? `ready after ${seconds(readyAfterSeconds)}` : 'crashes',
  'V8 ran out of heap': ({ outOfHeap }) => (outOfHeap ? 'yes' : 'no'),
})}

${link(FLOORS)}`;

export const heapFloors: StudyPage = {
  study: 'heap-floors',
  parts: [floors],
};

const PROFILES = 'studies/cpu-profile/results';
/** A group below this share of what a process did is summed up with the others. */
const MIN_SHARE = 0.02;
/** The functions shown of each process. */
const FUNCTIONS = 3;
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
  functions: Part[];
}
interface Profile {
  mode: string;
  workload: string;
  seconds: number;
  responses: number;
  clients: number;
  processes: Profiled[];
}

const busyOf = ({ threadMs, groups }: Profiled): number =>
  threadMs - (groups.find(({ name }) => name === IDLE)?.ms ?? 0);

function sharesOf(process: Profiled): string {
  const groups = process.groups.filter(({ name }) => name !== IDLE);
  const shown = groups.filter((one) => one.ms / busyOf(process) >= MIN_SHARE);
  const rest = groups.filter((one) => !shown.includes(one));
  const others = rest.reduce((all, one) => all + one.ms, 0);
  return [
    ...shown.map((one) => `${one.name} ${share(one.ms / busyOf(process))}`),
    ...(rest.length === 0
      ? []
      : [`${number(rest.length)} others ${share(others / busyOf(process))}`]),
  ].join(', ');
}

function profile(file: string): string {
  const path = `${PROFILES}/${file}`;
  const { mode, workload, responses, seconds: took, processes } = readJson<Profile>(path);
  return `## ${workload} in ${mode} mode, ${number(responses / took)} responses per second

${tableOf(
  processes.toSorted((a, b) => busyOf(b) - busyOf(a)),
  {
    process: ({ role }) => ROLES[role] ?? role,
    busy: (one) => share(busyOf(one) / one.threadMs),
    'for a response': (one) => ms(busyOf(one) / responses),
    'by package': sharesOf,
    'the largest functions': (one) =>
      one.functions
        .slice(0, FUNCTIONS)
        .map(({ name, ms: own }) => `${name} ${share(own / busyOf(one))}`)
        .join('; '),
  },
)}

${link(path)}`;
}

function profiles(): string {
  const files = namesIn(PROFILES).filter((name) => name.endsWith('.json'));
  const { clients } = readJson<Profile>(`${PROFILES}/${files[0] ?? ''}`);
  return `The thread of each process, looked at once a millisecond while ${number(clients)} clients wait for their responses, with the chart's
defaults. Native code counts for the package that called it. The profile itself takes some of the time: read shares, not
rates.

${files.map(profile).join('\n\n')}`;
}

export const cpuProfile: StudyPage = {
  study: 'cpu-profile',
  parts: [profiles],
};
