// The target kubernetes: each command on a cluster, and the capacity there beside that of processes with the same limits.
import { MODES } from '../../../studies/kubernetes/parts';
import { limitName } from '../../../cli/src/analysis/limits/table';
import type { FindRecord } from '../../../cli/src/features/find/record';
import { atPrice, link, listed, ms, number, perSecond, range, readJson, tableOf } from '../records';
import type { StudyPage } from '../study-page';
import { grouped } from '../sweeps';

const FOLDER = 'studies/kubernetes/results/parts/';
interface SearchPart {
  path: string;
  find: FindRecord;
  runs: {
    run: string;
    cpuMillisecondsPerRequest: number | null;
  }[];
}
const TARGETS = { process: 'processes', kubernetes: 'Kubernetes' };
type Target = keyof typeof TARGETS;

const partOf = <Part>(name: string): Part & { path: string } => ({
  ...readJson<Part>(`${FOLDER}${name}.json`),
  path: `${FOLDER}${name}.json`,
});
const searchOf = (mode: string, target: Target): SearchPart =>
  partOf<SearchPart>(`find-${mode}-${target}`);
const modes: string[] = MODES;

/**
 * The capacity on Kubernetes over that on processes, with the interval that follows from the two (as of independent
 * estimates, on a logarithmic scale); `high` is null where nothing bounds it.
 */
export function capacityRatio(pods: Pick<SearchPart, 'find'>, processes: Pick<SearchPart, 'find'>) {
  const [k, p] = [pods.find.capacity, processes.find.capacity];
  const value = k.ratePerSecond / p.ratePerSecond;
  const up = (of: number, by: number): number => Math.log(of / by);
  const fallsBy =
    p.high === null
      ? Infinity
      : Math.hypot(up(k.ratePerSecond, k.low), up(p.high, p.ratePerSecond));
  const growsBy =
    k.high === null ? null : Math.hypot(up(k.high, k.ratePerSecond), up(p.ratePerSecond, p.low));
  return {
    value,
    low: value * Math.exp(-fallsBy),
    high: growsBy === null ? null : value * Math.exp(growsBy),
    // What made one of them inconclusive, mostly a machine whose speed changed, may be what makes the ratio.
    isInconclusive: [pods, processes].some(({ find }) => find.verdict === 'inconclusive'),
  };
}
type Ratio = ReturnType<typeof capacityRatio>;

export function wordOf({ value, low, high, isInconclusive }: Ratio): string {
  if (isInconclusive) return 'the answer is not known, because a search was inconclusive';
  if (low <= 1 && (high === null || high >= 1)) return 'no difference is shown';
  return value < 1 ? 'it sustains less' : 'it sustains more';
}

function answer() {
  const ratios = modes.map((mode) => ({
    ...{ mode, ratio: capacityRatio(searchOf(mode, 'kubernetes'), searchOf(mode, 'process')) },
  }));
  return {
    sentence: [...grouped(ratios, ({ ratio }) => wordOf(ratio))]
      .map(([word, same]) => `In ${listed(same.map(({ mode }) => mode))} mode, ${word}.`)
      .join(' '),
    ours: ratios
      .map(({ mode, ratio }) => `${number(ratio.value)}x (${range(ratio)}) in ${mode} mode`)
      .join(', '),
  };
}

function sideBySide(): string {
  const searches = modes.flatMap((mode) =>
    (Object.keys(TARGETS) as Target[]).map((target) => {
      const { find, runs, path } = searchOf(mode, target);
      const run = runs.find((one) => one.run === find.atCapacity?.run);
      return { mode, target, find, path, run };
    }),
  );
  const first = searches[0]?.find;
  return `## The same limits, on processes and on Kubernetes

Each process of n8n has the same limits on both targets, so that n8n runs out of CPU before the machine does. The calls of a
mode differ in \`--target\`: ${first?.workload.title.toLowerCase() ?? ''}, ${first?.slo.map(({ text }) => text).join(', ') ?? ''}.

${tableOf(searches, {
  mode: ({ mode }) => mode,
  target: ({ target }) => TARGETS[target],
  'limits of a process': ({ find: { topology } }) =>
    `${number(topology?.main.cpuMillicores)}m, ${number(topology?.main.memoryMiB)} MiB`,
  'capacity, 95% interval': ({ find }) =>
    `${perSecond(find.capacity.ratePerSecond)} (${range(find.capacity)})${atPrice(find)}`,
  verdict: ({ find }) => find.verdict,
  'limited by': ({ find }) => limitName(find.limit),
  "n8n's CPU per response there": ({ run }) => ms(run?.cpuMillisecondsPerRequest),
  '': ({ path }) => link(path),
})}

In pods, \`run\`, \`recommend --prove\` and \`sweep\` were made as well: ${['run-queue', 'prove', 'sweep-tuning-cpu'].map((name) => link(`${FOLDER}${name}.json`)).join(', ')}.`;
}

export const kubernetes: StudyPage = {
  study: 'kubernetes',
  answer,
  parts: [sideBySide],
};
