// What the tuning profiles are worth by workload and mode, and what more CPU is worth to one process.
import type { CompareRecord } from '../../../cli/src/features/compare/record';
import type { SweepRecord } from '../../../cli/src/features/sweep/record';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isWithin, table as environment } from '../../../cli/src/plan/environment';
import { compareVersions } from '../../../cli/src/ui/versions';
import { counted } from '../../../cli/src/ui/numbers';
import {
  goalsSeen,
  MODES,
  nameOf,
  PARTS,
  VERSIONS,
  WORKLOAD_NAMES,
  type GoalSeen,
  type Ratio,
} from '../../../studies/versions/figures';
import {
  columns,
  has,
  hrefOf,
  listed,
  ms,
  number,
  perSecond,
  range,
  rangeOf,
  readJson,
  root,
  spread,
  tableOf,
  times,
} from '../records';
import type { StudyPage } from '../study-page';
import { middle, n8nOfPeers, peer } from './charts';
import {
  cellsOf,
  controlsOf,
  cpuOf,
  distinct,
  disturbance,
  rateOf,
  sum,
  sweepLink,
  worstOthers,
} from '../sweeps';

const TUNING = 'studies/tuning/results/tuning';
const CORES = 'studies/cores/results/cores';

function tuningProfiles(): string {
  const cells = cellsOf(TUNING);
  const valuesOf = (dimension: string): string[] =>
    distinct(cells.map(({ cell }) => String(cell[dimension]))).toSorted();
  const rows = valuesOf('workload').flatMap((workload) =>
    valuesOf('mode').map((mode) => ({
      ...{ workload, mode },
      at: (tuning: string): { rate: number | null; cpuMs: number | null } => {
        const found = cells.find(
          ({ cell }) =>
            cell['workload'] === workload && cell['mode'] === mode && cell['tuning'] === tuning,
        );
        return found === undefined
          ? { rate: null, cpuMs: null }
          : { rate: rateOf(found), cpuMs: cpuOf(found) };
      },
    })),
  );
  const cellText = ({ at }: (typeof rows)[number], tuning: string): string => {
    const [{ rate, cpuMs }, { rate: without }] = [at(tuning), at('none')];
    if (rate === null) return 'none';
    const ratio = tuning === 'none' || !without ? [] : [times(rate / without)];
    return [perSecond(rate), ...ratio, ms(cpuMs)].join(', ');
  };
  const profiles = valuesOf('tuning').filter((tuning) => tuning !== 'none');
  const controls = controlsOf(TUNING);
  const { control = {} } = readJson<SweepRecord>(`${TUNING}/sweep.json`).plan;
  return `## The profiles

One run of each, in a random order: expected responses per second of ${number(cells[0]?.record.profile.clients)} clients, the ratio to
n8n's own settings, and n8n's CPU per request. ${number(controls.length)} runs of ${control['workload'] ?? ''} in ${control['mode'] ?? ''} mode with the ${control['tuning'] ?? ''} profile, in between, gave ${spread(controls.map((one) => rateOf(one) ?? NaN))}/s: so far do
single runs differ by themselves. ${disturbance(worstOthers(cells))}

${tableOf(rows, {
  workload: ({ workload }) => workload,
  mode: ({ mode }) => mode,
  ...columns(['none', ...profiles], (tuning) => tuning, cellText),
})}

${sweepLink(TUNING)}`;
}

/** What the default profile gained last-node in regular mode, and when. */
export function gainOfDefault(): { ratio: string; day: string; path: string } {
  const path = `${TUNING}/sweep.json`;
  const rate = (tuning: string): number => {
    const found = cellsOf(TUNING).find(
      ({ cell }) =>
        cell['workload'] === 'last-node' && cell['mode'] === 'regular' && cell['tuning'] === tuning,
    );
    return (found === undefined ? null : rateOf(found)) ?? NaN;
  };
  const day = readJson<SweepRecord>(path).startedAt.slice(0, 10);
  return { ratio: times(rate('default') / rate('none')), day, path };
}

/** The same in runs of both sides in turns, of the n8n that everybody who has the lab has. */
export function pairedGain(): { ratio: string; day: string; path: string } {
  const path = ratioPath({ n8n: VERSIONS[0] ?? '', workload: 'last-node', mode: 'regular' });
  const { ratio, startedAt } = readJson<Ratio>(path);
  return { ratio: ratioCell(ratio), day: startedAt.slice(0, 10), path };
}

/** The least CPU first. */
function coresRows() {
  const cells = cellsOf(CORES);
  const counts = distinct(cells.map(({ cell }) => Number(cell['cpuMillicores'])));
  return counts
    .toSorted((a, b) => a - b)
    .map((millicores) => {
      const same = cells.filter(({ cell }) => cell['cpuMillicores'] === millicores);
      const rates = same.map((one) => rateOf(one) ?? NaN);
      return {
        ...{ millicores, rates, mean: sum(rates) / rates.length },
        cpuMs: same.map(cpuOf),
      };
    });
}

const coresOfOneProcess = (): string => `## One process

n8n ran in regular mode with the default tuning and the workload last-node, ${number(cellsOf(CORES)[0]?.record.profile.clients)} clients.
${disturbance(worstOthers(cellsOf(CORES)))}

${tableOf(coresRows(), {
  CPU: ({ millicores }) => `${number(millicores)}m`,
  'expected responses, each run': ({ rates }) => rates.map(perSecond).join(', '),
  'of a whole core': ({ mean, millicores }) => perSecond((1000 * mean) / millicores),
  'CPU per request': ({ cpuMs }) => cpuMs.map(ms).join(', '),
})}

${sweepLink(CORES)}`;

export const tuning: StudyPage = {
  study: 'tuning',
  parts: [tuningProfiles],
};
export const cores: StudyPage = {
  study: 'cores',
  parts: [coresOfOneProcess],
};

const RATIOS = 'studies/versions/results';
const ratioPath = (one: Pick<Ratio, 'n8n' | 'workload' | 'mode'>): string =>
  `${RATIOS}/${nameOf(one)}.json`;

/** The settings in the record of its part. */
type Recorded = Ratio & { loadAverageAtStart?: number };

const recordedRatios = (): Recorded[] =>
  (existsSync(join(root, `${RATIOS}.jsonl.gz`)) ? PARTS : []).flatMap((part) =>
    has(ratioPath(part)) ? [readJson<Recorded>(ratioPath(part))] : [],
  );

/** Says whether the chart patches the sandbox of expressions for this n8n. */
function isSandboxed(n8n: string): boolean {
  const patch = environment().patches.find(({ code }) => code === 'sandbox');
  return patch?.n8n === undefined || isWithin(n8n, patch.n8n);
}

const ratioCell = ({ value, low, high }: Ratio['ratio']): string =>
  `${times(value)} (${high === null ? 'no interval' : range({ low, high })})`;

function goalText({ measured, met, undecided, ofIntervals, lowest }: GoalSeen): string {
  if (lowest === null) return 'not measured yet';
  const which = `the lowest is ${times(lowest.ratio.value)}, n8n ${lowest.n8n}, ${lowest.workload}, ${lowest.mode} mode`;
  if (!ofIntervals)
    return `${measured === met ? 'met' : 'not met'}: ${number(met)} of ${number(measured)}; ${which}`;
  const below = measured - met;
  const slower =
    below === 0 ? 'no interval lies' : counted(below, 'interval lies', 'intervals lie');
  const unsure =
    undecided === 0
      ? 'none includes it'
      : `${number(undecided)} of ${number(measured)} include it, so either side may be faster`;
  return `${slower} below 1, and ${unsure}; ${which}`;
}

/** Why some versions gain less. */
function withoutSandbox(versions: readonly string[]): string {
  const found = versions.filter((version) => !isSandboxed(version));
  if (found.length === 0) return '';
  return `\nIn n8n ${listed(found)}, expressions run without a sandbox, so the defaults gain less.\n`;
}

/** What else kept the machine busy, as far as the records say it. */
function loadAtStart(ratios: readonly Recorded[]): string {
  const loads = ratios.flatMap(({ loadAverageAtStart: load }) => load ?? []);
  if (loads.length === 0) return '';
  return `\nAt the start of a cell, the machine's load average was ${rangeOf(loads)}, which includes load from the previous cell.\n`;
}

/** For the page of versions: the ratio of each that has any, the names of the others, and the goals. */
export function ratiosByVersion(ratios: readonly Recorded[] = recordedRatios()): string {
  const measured = distinct(ratios.map(({ n8n }) => n8n));
  const rest = VERSIONS.filter((version) => !measured.includes(version));
  const cells = WORKLOAD_NAMES.flatMap((workload) => MODES.map((mode) => ({ workload, mode })));
  const columns = cells.map(({ workload, mode }) => {
    const cellOf = (n8n: string): string | null => {
      const found = ratios.find(
        (one) => one.n8n === n8n && one.workload === workload && one.mode === mode,
      );
      return found === undefined
        ? null
        : `[${ratioCell(found.ratio)}](${hrefOf(ratioPath(found))})`;
    };
    return [`\`${workload}\`, ${mode}`, cellOf] as const;
  });
  const goals = tableOf(goalsSeen(ratios, isSandboxed), {
    goal: ({ what }) => what,
    result: goalText,
  });
  const others = rest.length === 0 ? '' : `\nNot measured yet: n8n ${listed(rest)}.\n`;
  return `${tableOf(
    measured.toSorted((a, b) => compareVersions(b, a)),
    { n8n: (version) => version, ...Object.fromEntries(columns) },
  )}
${others}${withoutSandbox(measured)}${loadAtStart(ratios)}
${goals}`;
}

const WITH_BOTH_CORES = 'studies/comparisons/results/expressions-regular/compare.json';

/** For the page of versions: why its gain for expressions is smaller than that of pods with 1 CPU, by the records of both. */
export function whyExpressionsGainLess(): string {
  const here = readJson<CompareRecord>(WITH_BOTH_CORES);
  const cores = (here.a.limits ?? []).flatMap((found) => {
    const [, used] = /\(main ([\d.]+)/.exec(found?.evidence ?? '') ?? [];
    return used === undefined ? [] : [Number(used)];
  });
  const pods = peer('expressions', 'regular', 'tuned');
  const { a, b, comparison, file } = pods;
  const [before, after] = [a, b].map((side) => middle(side, 'cpuMillisecondsPerRequest'));
  const isOpen = (here.b.limits ?? []).every((found) => found?.limit === null);
  if (cores.length === 0 || !isOpen) throw new Error(`${WITH_BOTH_CORES} has another cause`);
  return `In a pod with 1 CPU, the ratio for \`expressions\` is higher: [${times(comparison.ratio.value)}](${hrefOf(file)}) with n8n ${listed(n8nOfPeers([pods]))} in regular mode.
Such a pod lacks CPU with either configuration, and the CPU time per request falls from ${before ?? ''} ms to ${after ?? ''} ms. In the measurements above, n8n can use both cores of the
machine. With n8n's defaults, main used [${number(Math.max(...cores))} cores](${hrefOf(WITH_BOTH_CORES)}), because it also uses
threads besides its JavaScript thread. With the chart's defaults, no resource is used up. The JavaScript thread then limits the
rate: it not only evaluates expressions, but also runs the nodes and accesses the database.`;
}
