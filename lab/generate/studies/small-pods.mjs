// With how little memory and CPU each role of n8n starts and sustains one request per second, and what lowers them.
import { READY_WITHIN_SECONDS, ROLES, ROOMY, SETTINGS } from '../../../studies/small-pods/parts';
import { hrefOf, number, table } from '../records.ts';
import { areQuick, measuredOn, ONLY_QUICK, partsOf } from './study.mjs';

const NAME = 'small-pods';
const [MAIN] = Object.keys(ROLES);
const DEFAULT = 'default';

/** Limits and memory are whole numbers. */
const inMiB = (value) => (value === null ? '-' : `${number(Math.round(value))} MiB`);
const inMillicores = (value) => (value === null ? '-' : `${value}m`);
const inSeconds = (value) => (value === null ? '-' : `${number(value)} s`);

/** What became of a limit that is not enough. */
function failureOf({ end, readySeconds, sent, expected }) {
  if (end === 'heap') return 'the heap is full';
  if (end === 'memory') return 'killed by the kernel';
  if (end !== null) return 'ends';
  if (readySeconds === null) return 'not ready in time';
  return sent === 0 || expected < sent ? 'no expected response' : 'responses are late';
}

function nextLower({ least, trials }, inUnit) {
  const failed = trials.filter(({ passed }) => !passed);
  if (failed.length === 0) return least === null ? '-' : 'not tried';
  const next = failed.reduce((a, b) => (b.value > a.value ? b : a));
  return `${inUnit(next.value)}: ${failureOf(next)}`;
}

const searches = (records, kind) =>
  records
    .filter((record) => record.kind === kind)
    .flatMap(({ role, bySetting }) =>
      Object.entries(bySetting).map(([setting, found]) => ({ role, setting, ...found })),
    );

function memoryPart(records) {
  const found = searches(records, 'memory');
  if (found.length === 0) return '';
  const rows = found.map(({ role, setting, least, trials }) => {
    const passed = trials.find(({ value }) => value === least);
    return [
      ROLES[role],
      SETTINGS[setting].title,
      inMiB(least),
      nextLower({ least, trials }, inMiB),
      inSeconds(passed?.readySeconds ?? null),
      inMiB(passed?.workingSetMiB ?? null),
    ];
  });
  return `### Memory

The CPU is not limited. A start has to be ready within ${READY_WITHIN_SECONDS.memory} s.

${table(['role', 'settings', 'least limit', 'the next lower one', 'ready after', 'in use after the load'], rows)}`;
}

function cpuPart(records) {
  const found = searches(records, 'cpu');
  if (found.length === 0) return '';
  const limits = [...new Set(found.flatMap(({ starts }) => starts.map(({ value }) => value)))];
  const rows = found.map(({ role, setting, least, trials, unlimited, starts }) => [
    ROLES[role],
    SETTINGS[setting].title,
    inMillicores(least),
    nextLower({ least, trials }, inMillicores),
    inSeconds(unlimited.readySeconds),
    inSeconds(unlimited.cpuSecondsToReady),
    ...limits.map((limit) =>
      inSeconds(starts.find(({ value }) => value === limit)?.readySeconds ?? null),
    ),
  ]);
  const heads = [
    ...['role', 'settings', 'least limit under load', 'the next lower one'],
    ...['ready after, no limit', 'CPU of the start'],
    ...limits.map((limit) => `ready after, ${inMillicores(limit)}`),
  ];
  return `### CPU

Memory is not limited, and the limit of the CPU is lowered once n8n runs; whole starts with a limit are measured apart. With
less CPU a start takes its CPU divided by the limit.

${table(heads, rows)}`;
}

function settingsPart(records) {
  const record = records.find(({ kind }) => kind === 'settings');
  if (record === undefined) return '';
  const { bySetting, role } = record;
  const base = bySetting[DEFAULT]?.workingSetMiB ?? null;
  const rows = Object.entries(bySetting).map(([setting, seen]) => [
    SETTINGS[setting].title,
    inSeconds(seen.readySeconds),
    inSeconds(seen.cpuSecondsToReady),
    inMiB(seen.workingSetMiB),
    inMiB(seen.memoryPeakMiB),
    setting === DEFAULT || base === null || seen.workingSetMiB === null
      ? ''
      : inMiB(seen.workingSetMiB - base),
  ]);
  return `### What lowers them

${ROLES[role]}, with ${inMiB(ROOMY.memoryMiB)} and ${inMillicores(ROOMY.cpuMillicores)}, each setting once on top of the chart's default: take differences of a few per
cent for noise.

${table(['settings', 'ready after', 'CPU of the start', 'in use after the load', 'most', "compared with the chart's default"], rows)}`;
}

const minOf = (records, kind, setting) =>
  searches(records, kind).find((one) => one.role === MAIN && one.setting === setting)?.least ??
  null;

export function smallPodsAnswer(records) {
  if (areQuick(records)) return ONLY_QUICK;
  const [memory, lean, plain] = [DEFAULT, 'lean', 'as-it-comes'].map((setting) =>
    minOf(records, 'memory', setting),
  );
  const cpu = minOf(records, 'cpu', DEFAULT);
  const from = [
    ...(memory === null ? [] : [inMiB(memory)]),
    ...(cpu === null ? [] : [`${inMillicores(cpu)} of CPU`]),
  ];
  const compared = [
    ...(plain === null ? [] : [`${inMiB(plain)} as n8n comes`]),
    ...(lean === null ? [] : [`${inMiB(lean)} with all that lowers it`]),
  ];
  return {
    sentence: `With the chart's default, main in regular mode sustains one request per second from ${from.join(' and ') || 'more than was tried'} on.`,
    ours: compared.join(', '),
  };
}

/** Of what was kept of the parts. */
export function smallPodsText(records) {
  if (records.length === 0) return '';
  const { load } = records[0];
  const links = records.map(({ name, path }) => `[${name}](${hrefOf(path)})`).join(', ');
  const tables = [memoryPart, cpuPart, settingsPart].map((make) => make(records));
  return `## Small pods

One process of n8n under a limit that is searched downwards by halving; its stores and the other roles have no limits. A limit
passes if n8n starts and responds as expected to ${load} requests of the workload last-node, one per second, at most one of them
late. ${measuredOn(records)}

${tables.filter((text) => text !== '').join('\n\n')}

Records: ${links}; \`n8n-tuned study ${NAME}\``;
}

const kept = () => partsOf(NAME);

export const smallPods = {
  answer: () => smallPodsAnswer(kept()),
  part: () => smallPodsText(kept()),
};
