// This chart and others on one cluster, by the parts of studies/charts/peers.mjs that have a record.
import { limitName } from './limit-name.mjs';
import { CONTENDERS, LOADS, MODES, pairsOf } from '../../../studies/charts/parts.mjs';
import { has, link, median, number, readJson, spread, table, undecided } from '../records.ts';

/** What a run is limited by where the machine is used up before a pod is. */
const HOST = 'host CPU';

const fileOf = (workload, mode, contender) =>
  `studies/charts/results/peers/${workload}-${mode}-${contender}.json`;

/** The record of a part, with its file; null where it was not measured. */
export function peerRecord(workload, mode, contender) {
  const file = fileOf(workload, mode, contender);
  return has(file) ? { file, ...readJson(file) } : null;
}

const hasPeers = (mode) =>
  Object.keys(LOADS).some((workload) => recordsOf(workload, mode).length > 0);

const recordsOf = (workload, mode) =>
  Object.keys(CONTENDERS)
    .map((contender) => peerRecord(workload, mode, contender))
    .filter((record) => record !== null);

/** With the interval; where that contains 1, whether a difference is ruled out. */
export function ratioOf({ comparison: { answer, ratio } }) {
  const bounds = `${number(ratio.low)} to ${number(ratio.high)}`;
  const interval = `${number(ratio.value)}x (${ratio.high === null ? 'too few pairs for an interval' : bounds})`;
  return ['no difference', 'unknown'].includes(answer)
    ? `${undecided(ratio)}: ${interval}`
    : interval;
}

const hasResponses = ({ runs }) =>
  known(
    runs.filter((run) => run !== null),
    'ratePerSecond',
  ).some((rate) => rate > 0);

/** Of all workloads in all modes. */
const allRecords = () =>
  MODES.flatMap((mode) => Object.keys(LOADS).flatMap((workload) => recordsOf(workload, mode)));

/** Where the official chart had no expected response, a ratio says nothing. */
const comparedWithOfficial = (record) =>
  hasResponses(record.a) ? ratioOf(record) : 'no ratio: the official one had no expected response';

const optionOf = ({ command }, option) => command[command.indexOf(option) + 1];
export const clientsOf = (record) => optionOf(record, '--vus');

const workloadOf = ({ comparison }) => comparison.workload.name;
const caseOf = (record) => `${workloadOf(record)} in ${record.mode} mode`;
const list = (words) =>
  words.length <= 1 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
const distinct = (values) => [...new Set(values)];

function grouped(records, keyOf) {
  const groups = new Map();
  for (const record of records) {
    groups.set(keyOf(record), [...(groups.get(keyOf(record)) ?? []), record]);
  }
  return groups;
}

const between = (values) => {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(number);
  return least === most ? least : `${least} to ${most}`;
};

/** Under what all of it was measured; empty without a record. */
export function conditions(records = allRecords()) {
  if (records.length === 0) return '';
  const of = (figure) => list(distinct(records.map(({ comparison }) => figure(comparison))));
  const days = records.map(({ startedAt }) => startedAt.slice(0, 10)).toSorted();
  const [{ comparison: first }] = records;
  const loads = records.map(({ loadAverageAtStart }) => loadAverageAtStart);
  const sittings = [...grouped(records, sittingOf).values()];
  return `### Conditions

n8n ${of(({ versions }) => versions.n8n)} on one node of Kubernetes ${of(({ versions }) => versions.kubernetes)}: ${of(({ machine }) => `${machine.cores} cores (${machine.cpu}) and ${number(machine.memoryMiB / 1024)} GiB of memory`)}.
Each pod of n8n may use ${list(podLimits(records))}: the official chart's own limits, which the values of the others repeat. A
sitting is one workload in one mode with all charts; the first was on ${days.at(0)}, the last on ${days.at(-1)}. Load average at the
start of a sitting: ${between(loads)}. Above ${first.machine.cores}, more was ready to run than there are cores: other work, or what was left of the sitting before.

${table(
  ['sitting', 'begun (UTC)', 'clients', 'a turn', 'pairs of turns', 'load average at the start'],
  sittings.map(sittingRow),
)}

${onTheHost(records)}`;
}

/** Those whose comparisons were made at the same time. */
const sittingOf = (record) => [record.mode, workloadOf(record), record.startedAt].join(' ');

function sittingRow(records) {
  const [record] = records;
  return [
    caseOf(record),
    record.startedAt.slice(0, 16).replace('T', ' '),
    clientsOf(record),
    `${optionOf(record, '--duration')}, after ${optionOf(record, '--warmup')} that do not count`,
    between(records.map(pairsOf)),
    number(record.loadAverageAtStart),
  ];
}

/** What the values of the charts allow a pod of n8n, wherever they say it. */
function podLimits(records) {
  const limits = records.flatMap(({ a, b }) =>
    [a, b].flatMap(({ deployedValues }) => [...limitsIn(deployedValues)]),
  );
  return distinct(limits.map(({ cpu, memory }) => `${cpu} CPU and ${memory} of memory`));
}

function* limitsIn(values) {
  if (values === null || typeof values !== 'object') return;
  if (values.resources?.limits !== undefined) yield values.resources.limits;
  for (const part of Object.values(values)) yield* limitsIn(part);
}

const limitNames = ({ limits = [] }) =>
  limits.filter((one) => one !== null).map(({ limit }) => limitName(limit));

/** What a side ran into first; of several, in how many of its runs each. */
function limitsOf(side) {
  const names = limitNames(side);
  const times = (name) => names.filter((one) => one === name).length;
  const kinds = distinct(names).toSorted((a, b) => times(b) - times(a));
  if (kinds.length <= 1) return kinds[0] ?? 'not known';
  return kinds.map((name) => `${name} in ${times(name)} of ${names.length}`).join(', ');
}

/** Where the machine was used up before a pod was. */
function onTheHost(records) {
  const limited = records.filter(({ b }) => limitNames(b).includes(HOST));
  if (limited.length === 0) return '';
  const cases = [...grouped(limited, caseOf)].map(([name, some]) => {
    const charts = some.map(({ contender, b }) => {
      const names = limitNames(b);
      const times = names.filter((one) => one === HOST).length;
      return `${CONTENDERS[contender]} (${times} of ${names.length} runs)`;
    });
    return `- ${name}: ${charts.join('; ')}`;
  });
  return `In these runs the first limit was the CPU of the machine, which the load generator and the stores use too, and not the limit of a
pod; with more cores these charts may do more:

${cases.join('\n')}`;
}

/**
 * What the choice of environment variables is worth, and what is left for the chart and its patches. A difference of the two
 * rows is told only where their intervals are apart.
 */
export function sameVariables(records = allRecords()) {
  const of = (contender) => records.filter((record) => record.contender === contender);
  const cases = of('official-same').flatMap((same) => {
    const ours = of('tuned').find((record) => sittingOf(record) === sittingOf(same));
    return ours === undefined ? [] : [{ same, ours, left: leftFor(same, ours) }];
  });
  if (cases.length === 0) return '';
  const gains = cases.filter(
    ({ same }) => hasResponses(same.a) && same.comparison.answer === 'better',
  );
  const responds = cases.filter(({ same }) => !hasResponses(same.a) && hasResponses(same.b));
  const adds = cases.filter(({ left }) => left.times !== null && left.times > 1);
  const loses = cases.filter(({ left }) => left.times !== null && left.times < 1);
  const told = (some, figure) =>
    list(some.map((one) => `${caseOf(one.same)} (${number(figure(one))}x)`));
  const sentences = [
    gains.length === 0
      ? 'The variables alone gain nothing that is shown.'
      : `The variables alone gain in ${told(gains, ({ same }) => same.comparison.ratio.value)}.`,
    ...(responds.length === 0
      ? []
      : [
          `With them the official chart responds in ${list(responds.map(({ same }) => caseOf(same)))}, where it has no expected response as it comes.`,
        ]),
    adds.length === 0
      ? 'What the chart and its patches add to that is not shown.'
      : `The rest of the chart, above all its [patches](docs/chart/patches.md), adds to that in ${told(adds, ({ left }) => left.times)}.`,
    ...(loses.length === 0 ? [] : [`It takes away in ${told(loses, ({ left }) => left.times)}.`]),
    'Elsewhere no difference between the two is shown.',
  ];
  return `### What the variables alone are worth

The official chart with the environment variables of ours, and ours, each compared with the official chart as it comes in
the same turns. A difference between the two is told only where their intervals do not overlap, which is stricter
than a direct comparison of the two. ${sentences.join(' ')}

${table(
  [
    'workload',
    'mode',
    'the variables alone',
    'ours',
    'left for the chart and its patches',
    'records',
  ],
  cases.map(({ same, ours, left }) => [
    ...[workloadOf(same), same.mode],
    ...[same, ours].map(comparedWithOfficial),
    left.words,
    [same, ours].map(({ file }) => link(file)).join(' '),
  ]),
)}`;
}

/** `times` is null where nothing is shown. */
function leftFor(same, ours) {
  if (!hasResponses(same.a)) return { times: null, words: 'no ratio' };
  const [without, all] = [same, ours].map(({ comparison }) => comparison.ratio);
  if (without.high === null || all.high === null) {
    return { times: null, words: 'not known: too few pairs' };
  }
  if (all.low <= without.high && without.low <= all.high) {
    return { times: null, words: 'no difference is shown' };
  }
  const times = all.value / without.value;
  return { times, words: `${number(times)}x` };
}

/** A table for each mode that has a record. */
export function peers() {
  const modes = MODES.filter(hasPeers);
  if (modes.length === 0) return '';
  return modes.map((mode) => `### In ${mode} mode\n\n${tableOf(mode)}`).join('\n\n');
}

function tableOf(mode) {
  const rows = Object.keys(LOADS).flatMap((workload) =>
    recordsOf(workload, mode).map((record) => {
      const { a, b, contender, file } = record;
      const sides = [b, a].map(({ runs }) => runs.filter((run) => run !== null));
      const both = (figure) => sides.map(figure).join('; ');
      return [
        `${workload}, ${clientsOf(record)} clients`,
        `${CONTENDERS[contender]} (${b.chart})`,
        comparedWithOfficial(record),
        both((runs) => spread(known(runs, 'ratePerSecond'))),
        both((runs) => middle(runs, 'p95Ms')),
        both((runs) => middle(runs, 'cpuMillisecondsPerRequest')),
        both((runs) => middle(runs, 'memoryMiB')),
        both(lost),
        [b, a].map(limitsOf).join('; '),
        pairsOf(record),
        link(file),
      ];
    }),
  );
  return table(
    [
      ...[
        'workload',
        'chart',
        'of the official one, 95% interval',
        'expected responses per second',
      ],
      ...['p95, ms', "n8n's CPU per request, ms", "n8n's memory, MiB", 'wrong or no response'],
      ...['first limit', 'pairs', ''],
    ],
    rows,
  );
}

const known = (runs, key) => runs.map((run) => run[key]).filter((value) => value !== null);

function middle(runs, key) {
  const values = known(runs, key);
  return values.length === 0 ? '-' : number(median(values));
}

const lost = (runs) => runs.reduce((sum, { wrong, unanswered }) => sum + wrong + unanswered, 0);
