// How much an n8n sustains, whether recommended values deliver it, and what settings and patches change.
import { dirname, join } from 'node:path';
import {
  isRefused,
  isUnrefused,
  isWell,
  sharedOf,
  type Ended,
  type Shared,
} from '../../../studies/capacity/searches';
import { limitName } from '../../../cli/src/analysis/limits/table';
import type { CompareRecord } from '../../../cli/src/features/compare/record';
import type { FindRecord } from '../../../cli/src/features/find/record';
import type { ProofRecord } from '../../../cli/src/features/recommend/record';
import {
  atPrice,
  hrefOf,
  link,
  ms,
  number,
  outOf,
  perSecond,
  range,
  readJson,
  recordsNamed,
  tableOf,
  undecided,
  unsure,
} from '../records';
import type { StudyPage } from '../study-page';

const searches = () =>
  recordsNamed('find.json', 'studies/capacity/').map((path) => ({
    ...{ path, record: readJson<FindRecord>(path) },
  }));
const slo = ({ slo: all }: FindRecord): string => all.map(({ text }) => text).join(' and ');
const sureness = ({ capacity: { confirmed }, verdict }: FindRecord): string =>
  unsure({ confirmed, verdict });

const capacities = (): string => `## Capacities

${tableOf(searches(), {
  workload: ({ record }) => record.workload.name,
  mode: ({ record }) => record.topology?.mode ?? '-',
  SLO: ({ record }) => slo(record),
  capacity: ({ record }) =>
    `${perSecond(record.capacity.ratePerSecond)} (${range(record.capacity)})${atPrice(record)}${sureness(record)}`,
  'limited by': ({ record }) => limitName(record.limit),
  '': ({ path }) => link(path),
})}`;

const TEN_TIMES = 'studies/capacity/results/ten-times.json';
type Run = Ended & { kind: string };

function sharedText({
  workload,
  runs,
  low,
  high,
  pairs,
  overlapping,
  inconclusive,
}: Shared): string {
  const goal = `Goal: all intervals of ${workload} in the ${number(runs)} newest whole runs overlap at equal price.`;
  const isMet = low <= high;
  const shared = isMet
    ? `, from ${low.toFixed(2)} to ${high.toFixed(2)} CPU seconds per second`
    : '';
  const open =
    inconclusive === 0 ? '' : ` ${outOf(inconclusive, runs)} of these searches were INCONCLUSIVE.`;
  return `${goal} ${isMet ? 'Met' : 'Not met'}: ${outOf(overlapping, pairs)} pairs overlap${shared}.${open}`;
}

export function tenTimesText({ runs }: { runs: readonly Run[] }): string {
  const wellOf = (some: readonly Run[]): string => outOf(some.filter(isWell).length, some.length);
  const of = (kind: string): Run[] => runs.filter((run) => run.kind === kind);
  const full = of('full');
  const refused = runs.filter(isRefused).length;
  const unrefused = runs.filter(isUnrefused).length;
  const written = runs.filter(isWell).length - refused;
  return `## \`make capacity\` in a row

In ${wellOf(runs)} times, \`make capacity\` ended as it should. In ${number(written)} of them, Helm 3 and Helm 4 rendered the chart with
its values. In ${number(refused)}, the interval was wider than a factor of two, so \`recommend\` ended with exit code 3 and wrote no values;
\`make\` then ends with 2, and shows the 3 in its last line.${unrefused === 0 ? '' : ` In ${number(unrefused)}, values were written although the interval was as wide or had no upper end; \`recommend\` refuses these now.`}
The times were ${full.length === 0 ? 'no whole run was made so far' : `${wellOf(full)} whole runs`}, and ${wellOf(of('recorded'))} from recorded searches with random capacities and verdicts, for
which no n8n is needed. ${[...sharedOf(runs).map(sharedText), link(TEN_TIMES)].join('\n')}`;
}

export const capacity: StudyPage = {
  study: 'capacity',
  answer: () => ({
    sentence: `${searches()
      .map(
        ({ record }) =>
          `${record.workload.name} in ${record.topology?.mode ?? 'any'} mode: ${perSecond(record.capacity.ratePerSecond)}${atPrice(record)} with ${slo(record)}${sureness(record)}`,
      )
      .join('; ')}.`,
  }),
  parts: [capacities, () => tenTimesText(readJson<{ runs: Run[] }>(TEN_TIMES))],
};

/** Finds the run of the attempt that decided. */
export const runOf = (path: string): string =>
  join(dirname(path), readJson<ProofRecord>(path).attempts.at(-1)?.run ?? '', 'run.json');

const proofs = (): string => `## Values that were proved

${tableOf(recordsNamed('proof.json', 'studies/proof/'), {
  values: (path) => path.split('/').at(-2) ?? '',
  verdict: (path) => readJson<ProofRecord>(path).verdict,
  why: (path) => readJson<ProofRecord>(path).sentence,
  '': (path) => `${link(path)}, [run](${hrefOf(runOf(path))})`,
})}`;

export const proof: StudyPage = {
  study: 'proof',
  parts: [proofs],
};

/** With the interval; where that contains 1, whether a difference is ruled out. */
export function ratioText({ answer, ratio }: Pick<CompareRecord, 'answer' | 'ratio'>): string {
  const high = ratio.high as number | null;
  const bounds = high === null ? 'too few pairs for an interval' : range({ low: ratio.low, high });
  const interval = `${number(ratio.value)}x (${bounds})`;
  return ['no difference', 'unknown'].includes(answer)
    ? `${undecided({ low: ratio.low, high })}: ${interval}`
    : interval;
}

/** Pairs of runs of which both are valid. */
const pairsOf = ({ a, b }: CompareRecord): number =>
  a.values.filter((value, at) => value !== null && (b.values[at] ?? null) !== null).length;
const recordsOf = (study: string) =>
  recordsNamed('compare.json', `studies/${study}/`).map((path) => ({
    ...{ path, name: path.split('/').at(-2) ?? '', record: readJson<CompareRecord>(path) },
  }));

/** Two addresses say nothing to a reader. */
const isOfTargets = (name: string): boolean => name.startsWith('container-');

const comparisonsOf = (
  study: string,
  isOne = (_: string) => true,
): string => `## What a setting changes

Throughput of two topologies side by side on one machine, in turns (ABBA) until the interval of the ratio excluded 1. More than 1: the second one is better.

${tableOf(
  recordsOf(study).filter(({ name }) => isOne(name)),
  {
    comparison: ({ name, record }) =>
      name.startsWith(record.workload.name) ? name : `${name} (${record.workload.name})`,
    'from → to': ({ name, record }) =>
      isOfTargets(name) ? 'process → container' : `${record.a.name} → ${record.b.name}`,
    'ratio, 95% interval': ({ record }) => ratioText(record),
    pairs: ({ record }) => pairsOf(record),
  },
)}

Records: \`COMPARISON/compare\`, such as ${link(recordsOf(study)[0]?.path ?? '')}`;

const improved = (all: ReturnType<typeof recordsOf>): string =>
  `${outOf(all.filter(({ record }) => record.answer === 'better').length, all.length)} comparisons show an improvement.`;

export const comparisons: StudyPage = {
  study: 'comparisons',
  answer: () => {
    const all = recordsOf('comparisons').filter(({ name }) => !isOfTargets(name));
    const of = (name: string): string =>
      all.flatMap((one) => (one.name === name ? [ratioText(one.record)] : [])).join('');
    return {
      sentence: improved(all),
      ours: `last-node ${of('last-node-regular')}, wait-5s ${of('wait-regular')}`,
    };
  },
  records: () => recordsOf('comparisons'),
  parts: [() => comparisonsOf('comparisons')],
};

function sessionOnce(): string {
  const rows = [0, 0.5, 1, 3].map((away) => ({
    ...{ away, path: `studies/patches/results/session-once-${String(away)}ms/compare.json` },
  }));
  return `## What the settings of sessions cost n8n

The workload last-node ran in queue mode with one worker and 16 clients, while a proxy delayed the
responses of the database: first without the [patch](docs/chart/patches.md#session-once) \`session-once\`, then with it, in turns.

${tableOf(rows, {
  'later by': ({ away }) => ms(away),
  'throughput with the patch, 95% interval': ({ path }) => ratioText(readJson<CompareRecord>(path)),
  record: ({ path }) => link(path),
})}`;
}

export const patches: StudyPage = {
  study: 'patches',
  answer: () => ({ sentence: improved(recordsOf('patches')) }),
  records: () => recordsOf('patches'),
  parts: [() => comparisonsOf('patches', (name) => !name.startsWith('session-once')), sessionOnce],
};
