// In words and tables, why n8n sustains another rate in pods than as processes with the same limits. Pure.
import {
  atCapacity,
  busiest,
  capacityRatio,
  comparablePairs,
  cpuRatio,
  factors,
  isDifferent,
  machineUse,
  readingMs,
  shareOf,
  throttledShareOf,
} from './kubernetes-ratio.mjs';
import { hrefOf, number, table, undecided } from '../records.ts';

const percent = (share) => (share === null ? '-' : `${number(100 * share)}%`);
export const bounds = ({ low, high }) =>
  high === null ? `at least ${number(low)}` : `${number(low)} to ${number(high)}`;

/** `processes`, `pods`: the records of the two searches. */
export function why(mode, processes, pods) {
  const ratio = capacityRatio(pods, processes);
  const said = isDifferent(ratio) ? '.' : `: ${undecidedIn(ratio)}.`;
  return `### ${isDifferent(ratio) ? 'Why they differ' : 'What differs'} in ${mode} mode

Kubernetes sustains ${number(ratio.value)}x (95% interval: ${bounds(ratio)}) of what processes do${said}
${[cpuText, wayText]
  .map((say) => say(pods, processes, ratio))
  .filter((text) => text !== '')
  .join('\n')}
${atCapacityText(pods, processes, ratio)}

Records: [processes](${hrefOf(processes.path)}), [Kubernetes](${hrefOf(pods.path)}).`;
}

/** By the runs on which the two capacities rest, where there are both. */
function atCapacityText(pods, processes, ratio) {
  if (atCapacity(processes) === null || atCapacity(pods) === null) {
    return 'One of the searches rests on no run of full length that was sustained, so nothing is said of what was used at its capacity.';
  }
  return `${machineText(pods, processes)}

${figuresTable(pods, processes)}

${factorsText(pods, processes, ratio)}`;
}

function undecidedIn(ratio) {
  if (ratio.isInconclusive) {
    return 'whether they differ is not known, since a search on which it rests was inconclusive';
  }
  const isOpen = ratio.high === null || ratio.low === 0;
  const word = isOpen ? 'whether they differ is not known' : undecided(ratio);
  return `${word}, as the interval contains 1`;
}

/** CPU per response, and what of the difference it would make by itself. */
function cpuText(pods, processes, ratio) {
  const cpu = cpuRatio(comparablePairs(pods, processes));
  if (cpu === null) return 'No two runs at comparable rates tell the CPU for a response.';
  const spread =
    cpu.pairs === 1
      ? 'one pair of runs'
      : `${cpu.pairs} pairs of runs, ${number(cpu.least)} to ${number(cpu.most)}`;
  const byItself = 1 / cpu.value;
  const share = isDifferent(ratio)
    ? `, ${percent(shareOf(byItself, ratio.value))} of the difference`
    : '';
  return `At comparable rates n8n takes ${number(cpu.value)}x the CPU for a response in pods (${spread}; rates at most ${number(cpu.apart)}x apart). By itself that
would make the capacity ${number(byItself)}x${share}.`;
}

/** Where little waits: what the way to n8n costs. */
function wayText(pods, processes) {
  const [pair] = comparablePairs(pods, processes);
  const [k, p] = [pair?.pods, pair?.processes];
  const isKnown = (run) =>
    [run?.latencyMs?.p50, run?.cpuMillisecondsPerRequest].every(Number.isFinite);
  if (!isKnown(k) || !isKnown(p)) return '';
  const more = k.latencyMs.p50 - p.latencyMs.p50;
  const cpu = k.cpuMillisecondsPerRequest - p.cpuMillisecondsPerRequest;
  return `At the lowest comparable rate, ${number(k.ratePerSecond)}/s and ${number(p.ratePerSecond)}/s, the median response takes ${number(k.latencyMs.p50)} ms from pods and
${number(p.latencyMs.p50)} ms from processes. Of the difference of ${number(more)} ms, n8n's CPU is ${number(cpu)} ms; the other ${number(more - cpu)} ms are the way there (the
Service, kube-proxy, the network of the pods), the stores, and waiting for a CPU.`;
}

function machineText(pods, processes) {
  const [k, p] = [machineUse(pods), machineUse(processes)];
  if (k.machine === null || p.machine === null) return '';
  const beside = processes.clusterRuns
    ? 'the cluster ran beside the processes, too'
    : 'no cluster ran beside the processes';
  return `At the capacity ${number(k.cores - k.machine)} of the ${k.cores} cores of the machine were left with pods, ${number(p.cores - p.machine)} of ${p.cores} with processes. What is neither n8n,
its stores nor the load generator (Kubernetes, the command, the kernel) took ${number(k.others)} cores with pods and ${number(p.others)} with processes; ${beside}.${fullOf({ pods: k, processes: p })}
The searches began ${minutesApart(pods, processes)} minutes apart: how much faster or slower the machine was in the meantime is part of the ratio.`;
}

/** From this share on a machine is called nearly used up. */
const NEARLY_ALL = 0.9;

function fullOf(uses) {
  const full = Object.entries(uses).filter(([, use]) => use.machine > NEARLY_ALL * use.cores);
  if (full.length === 0) return '';
  const names = full.map(([name]) => name).join(' and with ');
  return ` With ${names} the machine was nearly used up, so that the limits of n8n were not all that it ran into.`;
}

const minutesApart = (a, b) =>
  number(Math.abs(Date.parse(a.startedAt) - Date.parse(b.startedAt)) / 60_000);

/** The two runs at the capacity, side by side. */
function figuresTable(pods, processes) {
  const runs = [atCapacity(processes), atCapacity(pods)];
  const role = busiest(runs[1])?.role;
  const usedOf = (run) => {
    const { cores, limitCores } = run.containers.find((one) => one.role === role) ?? {};
    return limitCores > 0 ? cores / limitCores : null;
  };
  const rows = [
    ["n8n's CPU for an expected response, ms", (run) => run.cpuMillisecondsPerRequest],
    ['of it, reading figures within its containers, ms', readingMs],
    [`CPU that ${role} used, of its limit, %`, (run) => scaled(usedOf(run))],
    [`periods in which ${role} was throttled, %`, (run) => scaled(throttledShareOf(run, role))],
    ['mean response, ms', (run) => run.latencyMs?.mean ?? null],
    ['median response, ms', (run) => run.latencyMs?.p50 ?? null],
    ['cores of n8n', (_run, use) => use.n8n],
    ['cores of PostgreSQL and Redis', (_run, use) => use.stores],
    ['cores of the load generator', (_run, use) => use.generator],
    ['cores of all else', (_run, use) => use.others],
    ['cores of the machine', (_run, use) => use.machine],
  ];
  const uses = [machineUse(processes), machineUse(pods)];
  return table(
    ['at the capacity', 'processes', 'Kubernetes', 'Kubernetes, of processes'],
    rows.map(([name, figure]) => {
      const [p, k] = runs.map((run, i) => figure(run, uses[i]));
      return [name, number(p), number(k), p > 0 && k > 0 ? number(k / p) : '-'];
    }),
  );
}

const scaled = (share) => (share === null ? null : 100 * share);

/** What the ratio is the product of. */
function factorsText(pods, processes, ratio) {
  const made = factors(pods, processes);
  if (made === null) return 'What the ratio is made of is not known: control groups were not seen.';
  const named = [
    [`CPU of ${made.role} for a response`, made.response],
    ['reading figures within its container, which counts against its limit', made.reading],
    ['how much of its limit was used when the SLO was about to be missed', made.used],
    ['the capacity that was estimated, over the rate of the run that it rests on', made.estimate],
  ];
  const away = ([, factor]) => Math.abs(Math.log(factor));
  const [[largest]] = named.toSorted((a, b) => away(b) - away(a));
  const different = isDifferent(ratio);
  const rows = named.map(([name, factor]) => [
    ...[name, `${number(factor)}x`],
    ...(different ? [percent(shareOf(factor, ratio.value))] : []),
  ]);
  return `The ratio is the product of these factors, by ${made.role}, which came closest to its CPU limit in pods. The largest is: ${largest}.${different ? ' Shares are of the logarithm of the ratio, so that they add up.' : ''}

${table(['what differs', 'makes the capacity in pods', ...(different ? ['share of the difference'] : [])], rows)}`;
}
